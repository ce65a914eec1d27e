"""Values on one line each: files by their names, long ones cut."""

import json
from collections.abc import Mapping
from html import escape

from pydantic import JsonValue

LONGEST = 300


def on_one_line(value: JsonValue) -> str:
    shown = readable(value)
    if shown is None or shown in ([], {}):
        return "–"
    written = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
    line = " ".join(written[: 4 * LONGEST].split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


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


def is_flat(value: JsonValue) -> bool:
    """An object of nothing but single values."""
    return isinstance(value, dict) and not any(
        isinstance(item, dict | list) and item for item in value.values()
    )


def values_table(values: Mapping[str, JsonValue]) -> str:
    """HTML: name and value, nothing of them acting."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(on_one_line(value))}</td></tr>"
        for name, value in values.items()
    )
    return f'<table class="sanbo-values">{rows}</table>'
