"""Values of a plan as a person reads them: on one line, files by their names."""

import json
from collections.abc import Iterator

from pydantic import JsonValue


def on_one_line(value: JsonValue, longest: int) -> str:
    shown = readable(value)
    if shown is None or shown in ([], {}):
        return "–"
    written = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
    line = " ".join(written[: 4 * longest].split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def readable(value: JsonValue) -> JsonValue:
    """With files as nothing but their names."""
    match value:
        case {"file_id": str(), "name": str(name)}:
            return name
        case dict():
            return {key: readable(item) for key, item in value.items()}
        case list():
            return [readable(item) for item in value]
        case _:
            return value


def file_ids(value: JsonValue) -> Iterator[str]:
    match value:
        case {"file_id": str(file_id)}:
            yield file_id
        case dict():
            for item in value.values():
                yield from file_ids(item)
        case list():
            for item in value:
                yield from file_ids(item)
        case _:
            pass
