"""How `format_cells` may be written: flat, or with `font`, `fill`, `alignment` as objects."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue, ValidationError

from sanbo.blocks.excel.spellings import Operation
from sanbo.documents.excel.updates import FormatCells

_FLAT = (
    "bold",
    "italic",
    "underline",
    "font_size",
    "font_color",
    "number_format",
    "horizontal",
    "vertical",
    "wrap",
)
_FONT = {"color": "font_color", "size": "font_size"}
_ALIGNMENT = {"wrap_text": "wrap", "wrapText": "wrap"}


def format_of(operation: Operation, sheet: str, area: str) -> FormatCells:
    look: dict[str, Any] = {name: operation.get(name) for name in _FLAT if name in operation}
    look |= _renamed(operation, "font", _FONT)
    look |= _renamed(operation, "alignment", _ALIGNMENT)
    if "fill" in operation:
        look["fill"] = _color(operation.get("fill"))
    if "border" in operation:
        border = operation.get("border")
        look["border"] = border.get("style", "thin") if isinstance(border, dict) else border
    if look.get("border") is True:
        look["border"] = "thin"
    try:
        return FormatCells.model_validate({**look, **_colors(look), "sheet": sheet, "range": area})
    except (ValidationError, TypeError) as error:
        where = error.errors()[0]["loc"] if isinstance(error, ValidationError) else ("font",)
        raise operation.wrong(str(where[-1] if where else "fill")) from None


def _renamed(operation: Operation, key: str, names: Mapping[str, str]) -> dict[str, JsonValue]:
    given = operation.get(key)
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise operation.wrong(key)
    return {names.get(name, name): value for name, value in given.items()}


def _color(fill: JsonValue) -> JsonValue:
    if isinstance(fill, dict):
        return fill.get("color") or fill.get("start_color") or "D9D9D9"
    return fill


def _colors(look: Mapping[str, Any]) -> dict[str, str]:
    """Excel's own eight digits begin with the opacity."""
    return {
        name: color.removeprefix("#")[-6:]
        for name in ("fill", "font_color")
        if isinstance(color := look.get(name), str)
    }
