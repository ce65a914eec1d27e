"""How cells look: what an update gives changes, the rest of each cell's format stays."""

from collections.abc import Callable

from sanbo.documents.excel.book import Book
from sanbo.documents.excel.references import area_of
from sanbo.documents.excel.styles import Styles
from sanbo.documents.excel.updates import Change, FormatCells
from sanbo.documents.ooxml.xml import MAIN, Element, child, copy_of, discard, element, number
from sanbo.kernel.problems import PermissionDenied

# The schema wants a font's properties in this order.
_FONT = (
    "b",
    "i",
    "strike",
    "condense",
    "extend",
    "outline",
    "shadow",
    "u",
    "vertAlign",
    "sz",
    "color",
    "name",
    "family",
    "charset",
    "scheme",
)
_XF = ("alignment", "protection", "extLst")
_SIDES = ("left", "right", "top", "bottom")


def format_cells(book: Book, update: FormatCells) -> Change:
    sheet = book.sheet(update.sheet)
    area = area_of(update.range)
    look = update.model_dump_json(exclude={"kind", "sheet", "range"}, exclude_none=True)
    for at in area.cells():
        style = sheet.style(at)
        if update.number_format is not None:
            style = book.styles.with_number_format(style, update.number_format)
        sheet.set_style(at, book.styles.variant(style, look, _change(book.styles, update)))
    protected = PermissionDenied("excel_sheet_protected", sheet=sheet.name).problem
    return Change(
        kind=update.kind, area=str(area), warnings=(protected,) if sheet.is_protected else ()
    )


def _change(styles: Styles, update: FormatCells) -> Callable[[Element], None]:
    def change(xf: Element) -> None:
        _set_font(styles, xf, update)
        if update.fill is not None:
            _refer(styles, xf, "fill", _fill(update.fill))
        if update.border is not None:
            _refer(styles, xf, "border", _border(update.border))
        alignment = {
            "horizontal": update.horizontal,
            "vertical": update.vertical,
            "wrapText": None if update.wrap is None else str(int(update.wrap)),
        }
        if any(value is not None for value in alignment.values()):
            node = child(xf, "alignment", _XF)
            for name, value in alignment.items():
                if value is not None:
                    node.set(name, value)
            xf.set("applyAlignment", "1")

    return change


def _refer(styles: Styles, xf: Element, kind: str, entry: Element) -> None:
    xf.set(f"{kind}Id", str(styles.entry(f"{kind}s", entry)))
    xf.set(f"apply{kind.capitalize()}", "1")


def _set_font(styles: Styles, xf: Element, update: FormatCells) -> None:
    switches = {"b": update.bold, "i": update.italic, "u": update.underline}
    asked = (*switches.values(), update.font_size, update.font_color)
    if all(value is None for value in asked):
        return
    fonts = styles.root.findall(f"{MAIN}fonts/{MAIN}font")
    index = number(xf, "fontId")
    font = copy_of(fonts[index]) if index < len(fonts) else element(f"{MAIN}font")
    for name, wanted in switches.items():
        if wanted is None:
            continue
        for node in font.findall(MAIN + name):
            discard(node)
        if wanted:
            child(font, name, _FONT)
    if update.font_size is not None:
        child(font, "sz", _FONT).set("val", f"{update.font_size:g}")
    if update.font_color is not None:
        color = child(font, "color", _FONT)
        color.attrib.clear()
        color.set("rgb", _argb(update.font_color))
    _refer(styles, xf, "font", font)


def _fill(color: str) -> Element:
    fill = element(f"{MAIN}fill")
    pattern = element(f"{MAIN}patternFill", {"patternType": "solid"})
    pattern.append(element(f"{MAIN}fgColor", {"rgb": _argb(color)}))
    pattern.append(element(f"{MAIN}bgColor", {"indexed": "64"}))
    fill.append(pattern)
    return fill


def _border(line: str) -> Element:
    border = element(f"{MAIN}border")
    for side in _SIDES:
        node = element(MAIN + side)
        if line != "none":
            node.set("style", line)
            node.append(element(f"{MAIN}color", {"auto": "1"}))
        border.append(node)
    border.append(element(f"{MAIN}diagonal"))
    return border


def _argb(color: str) -> str:
    return "FF" + color.removeprefix("#").upper()
