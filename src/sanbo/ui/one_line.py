"""Values on one line each, as a table of names and values."""

from collections.abc import Mapping
from html import escape

from pydantic import JsonValue

from sanbo.runs.parts import on_one_line

LONGEST = 300


def is_flat(value: JsonValue) -> bool:
    """An object of nothing but single values."""
    return isinstance(value, dict) and not any(
        isinstance(item, dict | list) and item for item in value.values()
    )


def values_table(values: Mapping[str, JsonValue]) -> str:
    """HTML: name and value, nothing of them acting."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(on_one_line(value, LONGEST))}</td></tr>"
        for name, value in values.items()
    )
    return f'<table class="sanbo-values">{rows}</table>'
