"""Values in a report: enough to see what they are."""

from pydantic import JsonValue

from sanbo.kernel.secrets import redact

MOST_CHARACTERS = 200
MOST_ENTRIES = 5
DEEPEST = 8


def shortened(value: JsonValue, depth: int = 0) -> JsonValue:
    match value:
        case str():
            shown = redact(value)
            return shown if len(shown) <= MOST_CHARACTERS else shown[: MOST_CHARACTERS - 1] + "…"
        case list() | dict() if depth >= DEEPEST:
            return "…"
        case list():
            kept = [shortened(item, depth + 1) for item in value[:MOST_ENTRIES]]
            return (
                [*kept, f"… (+{len(value) - MOST_ENTRIES})"] if len(value) > MOST_ENTRIES else kept
            )
        case dict():
            return {key: shortened(item, depth + 1) for key, item in value.items()}
        case _:
            return value
