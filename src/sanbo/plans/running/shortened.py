"""Values as a log shows them: enough to recognise them, never all of a large one."""

from pydantic import JsonValue

MOST_CHARACTERS = 200
MOST_ITEMS = 20
MOST_DEPTH = 4
_DOTS = "…"


def shortened(value: JsonValue, depth: int = MOST_DEPTH) -> JsonValue:
    match value:
        case str() if len(value) > MOST_CHARACTERS:
            return value[:MOST_CHARACTERS] + _DOTS
        case list():
            if depth == 0 and value:
                return f"[{_DOTS} {len(value)}]"
            kept = [shortened(item, depth - 1) for item in value[:MOST_ITEMS]]
            return [*kept, f"{_DOTS} {len(value)}"] if len(value) > MOST_ITEMS else kept
        case dict():
            if depth == 0 and value:
                return f"{{{_DOTS} {len(value)}}}"
            pairs = list(value.items())[:MOST_ITEMS]
            made: dict[str, JsonValue] = {
                name[:MOST_CHARACTERS]: shortened(item, depth - 1) for name, item in pairs
            }
            if len(value) > MOST_ITEMS:
                made[_DOTS] = len(value)
            return made
        case _:
            return value
