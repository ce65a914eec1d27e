"""The text of Word paragraphs and tables as a person reads it: runs, fields, symbols, notes,
drawings; merged cells say their value once, header rows become column names."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from sanbo.documents.formats.docx.styles import HIDDEN, STRUCK, Styles, turned_on
from sanbo.documents.ooxml.xml import (
    DGM,
    MC,
    A,
    C,
    Element,
    M,
    R,
    V,
    W,
    is_on,
    local_name,
    number_of,
    value_of,
)
from sanbo.documents.table_heads import first_row_names_columns, joined_names
from sanbo.language.numerals import circled

# Word itself stops at 63 columns.
MAX_COLUMNS = 256
_MAX_CELLS = 1_000_000
_WRAPPERS = {f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins", f"{W}moveTo"}


@dataclass(frozen=True)
class Cell:
    element: Element
    span: int
    goes_on: bool
    """Continues the cell above: its value has been said."""


@dataclass(frozen=True)
class Row:
    before: int
    cells: list[Cell]
    is_header: bool


@dataclass(frozen=True)
class Grid:
    columns: list[str] | None
    rows: list[list[str]]


def rows_of(table: Element) -> list[Row]:
    return [_row(row) for row in _inside(table, f"{W}tr")]


def is_frame(rows: list[Row]) -> bool:
    """One column is a box around text, not a table of values."""
    return all(len(row.cells) <= 1 for row in rows)


def grid_of(rows: list[Row], text_of: Callable[[Element], str]) -> Grid:
    """`text_of` is asked for each cell once, in reading order: it counts list numbers."""
    wide = max((_width(row) for row in rows), default=0)
    keep_spans = wide * len(rows) <= _MAX_CELLS
    grid = [_texts(row, wide if keep_spans else 0, text_of) for row in rows]
    headers = 0
    while headers < len(rows) and rows[headers].is_header:
        headers += 1
    if (
        not headers
        and not _first_column_stands_out(rows)
        and first_row_names_columns(grid, stands_out=_first_row_stands_out(rows))
    ):
        headers = 1
    if not 0 < headers < len(rows):
        return Grid(None, grid)
    return Grid(_names(rows[:headers], grid[:headers]), grid[headers:])


def _inside(parent: Element, tag: str) -> list[Element]:
    """Rows of a table, or cells of a row, through content controls around them."""
    found: list[Element] = []
    todo = list(reversed(list(parent)))
    while todo:
        item = todo.pop()
        if item.tag == tag:
            found.append(item)
        elif item.tag in _WRAPPERS:
            todo.extend(reversed(list(item)))
        elif item.tag == f"{MC}AlternateContent" and len(item):
            todo.extend(reversed(list(next(iter(item)))))
    return found


def _row(element: Element) -> Row:
    properties = element.find(f"{W}trPr")
    before = 0
    header = False
    if properties is not None:
        before = _bounded(number_of(properties.find(f"{W}gridBefore")) or 0, least=0)
        header = is_on(properties.find(f"{W}tblHeader"))
    return Row(before, [_cell(cell) for cell in _inside(element, f"{W}tc")], header)


def _cell(element: Element) -> Cell:
    span = number_of(element.find(f"{W}tcPr/{W}gridSpan")) or 1
    merge = element.find(f"{W}tcPr/{W}vMerge")
    goes_on = merge is not None and value_of(merge, "continue") != "restart"
    return Cell(element, _bounded(span, least=1), goes_on)


def _bounded(count: int, *, least: int) -> int:
    return min(max(count, least), MAX_COLUMNS)


def _width(row: Row) -> int:
    return row.before + sum(cell.span for cell in row.cells)


def _texts(row: Row, width: int, text_of: Callable[[Element], str]) -> list[str]:
    texts = [""] * row.before if width else []
    for cell in row.cells:
        texts.append("" if cell.goes_on else text_of(cell.element))
        if width:
            texts.extend([""] * (cell.span - 1))
    return texts + [""] * (width - len(texts))


def _names(rows: list[Row], texts: list[list[str]]) -> list[str]:
    placed: list[list[tuple[int, int, str]]] = []
    for row, line in zip(rows, texts, strict=True):
        at = row.before
        placed.append([])
        for cell in row.cells:
            placed[-1].append((at, cell.span, line[at] if at < len(line) else ""))
            at += cell.span
    return joined_names(placed, len(texts[0]))


def _first_row_stands_out(rows: list[Row]) -> bool:
    if len(rows) < 2:
        return False
    first, second = ([cell.element for cell in row.cells] for row in rows[:2])
    named = [cell for cell in first if _has_text(cell)]
    return any(
        named and all(look(cell) for cell in named) and not any(look(cell) for cell in second[1:])
        for look in (_is_bold, _is_shaded)
    )


def _first_column_stands_out(rows: list[Row]) -> bool:
    """Labels of a form, each set off from the value beside it."""
    lines = [[cell.element for cell in row.cells if _has_text(cell.element)] for row in rows]
    lines = [line for line in lines if len(line) > 1]
    return len(lines) > 1 and any(
        all(look(line[0]) and not any(look(cell) for cell in line[1:]) for line in lines)
        for look in (_is_bold, _is_shaded)
    )


def _has_text(element: Element) -> bool:
    return any((text.text or "").strip() for text in element.iter(f"{W}t"))


def _is_bold(cell: Element) -> bool:
    runs = [run for run in cell.iter(f"{W}r") if _has_text(run)]
    return bool(runs) and all(is_on(run.find(f"{W}rPr/{W}b")) for run in runs)


def _is_shaded(cell: Element) -> bool:
    shade = cell.find(f"{W}tcPr/{W}shd")
    return shade is not None and (shade.get(f"{W}fill") or "auto").lower() not in ("auto", "ffffff")


_PAGE_NUMBER = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)(?!\w)", re.I)
_EQ = re.compile(r"(?<!\s)\s*+eq\s", re.I)
_SWITCH = re.compile(r'\\\*\s*(?:"[^"]*"|\S+)')
_RAISED = re.compile(r"\\(?:up|do)\s*\d*", re.I)
_COMMAND = re.compile(r"\\[a-z]+\s*\d*", re.I)
_RINGS = set("○◯〇")
_ENCLOSURES = _RINGS | set("□△◇")
_MAX_INSTRUCTION = 1_000

# What people use these fonts for in forms: check marks, bullets, arrows.
_PICTOGRAMS = {
    "wingdings": {
        0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "□", 0x75: "◆", 0x76: "❖", 0xA1: "○", 0xA7: "■",
        0xA8: "□", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE8: "➔", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒",
        0xFE: "☑", 0x28: "☎", 0x2A: "✉",
    },
    "wingdings 2": {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0xA3: "□"},
    "symbol": {
        0xB1: "±", 0xB4: "×", 0xB7: "・", 0xB8: "÷", 0xB9: "≠", 0xA3: "≤", 0xB3: "≥", 0xA5: "∞",
        0xAC: "←", 0xAE: "→", 0xDE: "⇒", 0x61: "α", 0x62: "β", 0x67: "γ", 0x6D: "μ", 0x57: "Ω",
    },
}  # fmt: skip


def is_page_number(instruction: str) -> bool:
    return _PAGE_NUMBER.match(instruction) is not None


def text_of_instruction(instruction: str) -> str:
    """Of an EQ field: 囲い文字 and old ruby keep their text only there. Else nothing."""
    if len(instruction) > _MAX_INSTRUCTION or not _EQ.match(instruction):
        return ""
    body = _SWITCH.sub("", _EQ.sub("", instruction, count=1))
    opening = body.find("(")
    if opening < 0:
        return ""
    command, arguments = body[:opening].lower(), _arguments(body[opening:])
    plain = [_COMMAND.sub("", part).strip(" ()") for part in arguments if not _RAISED.search(part)]
    if "\\f" in command:
        return "/".join(plain)
    inside = "".join(part for part in plain if part not in _ENCLOSURES)
    if _RINGS.intersection(plain) and inside.isdecimal():
        return circled(int(inside)) or inside
    return inside


def _arguments(text: str) -> list[str]:
    """`(a(b,c),d)` → `a(b,c)` and `d`."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            break
        if sign == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += sign
    return [parts[0].removeprefix("("), *parts[1:]]


def text_of_form_field(begin: Element) -> str:
    """A check box or drop-down list of an old form, which has no result text."""
    if (box := begin.find(f"{W}ffData/{W}checkBox")) is not None:
        checked = box.find(f"{W}checked")
        return "☑" if is_on(box.find(f"{W}default") if checked is None else checked) else "□"
    if (choices := begin.find(f"{W}ffData/{W}ddList")) is not None:
        entries = choices.findall(f"{W}listEntry")
        chosen = number_of(choices.find(f"{W}result"))
        if chosen is None:
            chosen = number_of(choices.find(f"{W}default")) or 0
        return (value_of(entries[chosen]) or "") if 0 <= chosen < len(entries) else ""
    return ""


def text_of_symbol(symbol: Element) -> str:
    try:
        code = int(symbol.get(f"{W}char") or "", 16)
    except ValueError:
        return ""
    if 0xF000 <= code <= 0xF0FF:  # a place in the font's own table
        font = (symbol.get(f"{W}font") or "").lower()
        return _PICTOGRAMS.get(font, {}).get(code - 0xF000, "")
    return chr(code) if 0x20 <= code < 0xE000 else ""


_BREAKS = {
    f"{W}tab": "\t",
    f"{W}ptab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "-",
}
_BETWEEN = {f"{M}f": "/", f"{M}sSup": "^", f"{M}sSub": "_"}
_NO_TEXT = {"pPr", "rPr", "sdtPr", "sdtEndPr", "delText", "rubyPr", "fldData", "del", "moveFrom"}
_SAYS_SOMETHING = (f"{W}t", f"{M}t", f"{A}t", f"{C}chart", f"{DGM}relIds")
_STRIKABLE = {f"{W}t", f"{W}tab", f"{W}ptab", f"{W}noBreakHyphen", f"{W}sym"}
_DRAWINGS = {f"{W}drawing", f"{W}pict", f"{W}object"}


@dataclass(frozen=True)
class Aside:
    """Belongs after the paragraph: a note by its id, a text box, a chart or diagram by relation."""

    kind: Literal["footnote", "endnote", "comment", "box", "chart", "diagram"]
    id: str = ""
    box: Element | None = None


@dataclass
class Inline:
    text: str = ""
    asides: list[Aside] = field(default_factory=list[Aside])
    hidden: bool = False
    """Some of the paragraph is hidden text, which is left out."""
    struck: int = 0
    """How many stretches are struck out, which are left out as well."""
    page_numbers: bool = False
    """Some of it was a page number and was left out."""


@dataclass
class _Field:
    in_result: bool = False
    instruction: str = ""
    produced: bool = False


class ParagraphReader:
    """Paragraphs of one story (body, a note, a text box): fields may run over several of them."""

    def __init__(self, story: Element, styles: Styles, *, with_page_numbers: bool = True) -> None:
        self._styles = styles
        self._with_page_numbers = with_page_numbers
        self._fields: list[_Field] = []
        kinds = [mark.get(f"{W}fldCharType") for mark in story.iter(f"{W}fldChar")]
        # A field that is never closed would swallow the rest of the document.
        self._fields_are_sound = kinds.count("begin") == kinds.count("end")

    def read(self, paragraph: Element) -> Inline:
        inline = Inline()
        pieces: list[str] = []
        style = value_of(paragraph.find(f"{W}pPr/{W}pStyle"))
        hides, strikes = self._styles.hides(style), self._styles.strikes(style)
        after_struck = False
        todo: list[Element | str] = list(reversed(list(paragraph)))
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                pieces.append(item)
            elif item.tag != f"{W}r":
                todo.extend(reversed(self._open(item, pieces, inline)))
            elif self._is_hidden(item, hides):
                inline.hidden |= _says_something(item)
                todo.extend(item.iter(f"{W}fldChar"))
            elif self._is_struck(item, strikes):
                if _says_something(item):  # Word cuts one stretch where its formatting changes
                    inline.struck += not after_struck
                    after_struck = True
                todo.extend(child for child in reversed(list(item)) if child.tag not in _STRIKABLE)
            else:
                after_struck = False
                todo.extend(reversed(self._open(item, pieces, inline)))
        inline.text = "".join(pieces)
        return inline

    def _is_hidden(self, run: Element, paragraph_hides: bool | None) -> bool:
        return _holds(run, HIDDEN, self._styles.hides, paragraph_hides)

    def _is_struck(self, run: Element, paragraph_strikes: bool | None) -> bool:
        return _holds(run, STRUCK, self._styles.strikes, paragraph_strikes)

    def _open(self, item: Element, pieces: list[str], inline: Inline) -> list[Element | str]:
        """Takes what the element itself says; gives back what is inside it, still to be read."""
        tag = item.tag
        inside: list[Element | str] = []
        if tag == f"{W}fldChar":
            pieces.append(self._field_mark(item))
        elif tag == f"{W}instrText":
            if self._fields:
                self._fields[-1].instruction += item.text or ""
        elif tag in _BETWEEN:
            inside = _with_sign_between(item, _BETWEEN[tag])
        elif tag == f"{M}rad":
            inside = ["√", *item.findall(f"{M}e")]
        elif tag == f"{W}ruby":
            inside.extend(item.findall(f"{W}rubyBase"))
        elif tag == f"{W}sdt":
            inside = _content_of_control(item)
        elif tag == f"{MC}AlternateContent":
            inside = _first_that_speaks(item)
        elif local_name(item) in _NO_TEXT:
            pass
        elif tag == f"{W}fldSimple" and self._is_left_out(item.get(f"{W}instr") or ""):
            inline.page_numbers = True
        elif self._is_suppressed():
            inline.page_numbers |= any(self._is_left_out(f.instruction) for f in self._fields)
            inside.extend(item)
        else:
            inside = self._take(item, pieces, inline)
        return inside

    def _take(self, item: Element, pieces: list[str], inline: Inline) -> list[Element | str]:
        tag, name = item.tag, local_name(item)
        if tag in (f"{W}t", f"{M}t"):
            pieces.append(item.text or "")
            for entry in self._fields:
                entry.produced = True
        elif tag in _BREAKS:
            pieces.append(_BREAKS[tag])
        elif tag == f"{W}sym":
            pieces.append(text_of_symbol(item))
        elif tag in (f"{W}footnoteReference", f"{W}endnoteReference", f"{W}commentReference"):
            kind: Literal["footnote", "endnote", "comment"] = (
                "footnote" if name[0] == "f" else "endnote" if name[0] == "e" else "comment"
            )
            inline.asides.append(Aside(kind, id=item.get(f"{W}id") or ""))
        elif tag in _DRAWINGS:
            pieces.append(_word_art(item))
            inline.asides.extend(_in_drawing(item))
        else:
            return list(item)
        return []

    def _is_suppressed(self) -> bool:
        return self._fields_are_sound and any(
            not entry.in_result or self._is_left_out(entry.instruction) for entry in self._fields
        )

    def _is_left_out(self, instruction: str) -> bool:
        return not self._with_page_numbers and is_page_number(instruction)

    def _field_mark(self, mark: Element) -> str:
        kind = mark.get(f"{W}fldCharType")
        if kind == "begin":
            self._fields.append(_Field())
            form = text_of_form_field(mark)
            self._fields[-1].produced = bool(form)
            outer = self._fields[:-1]
            return form if all(entry.in_result for entry in outer) else ""
        if kind == "separate" and self._fields:
            self._fields[-1].in_result = True
        elif kind == "end" and self._fields:
            ended = self._fields.pop()
            if not ended.produced and not self._is_suppressed():
                return text_of_instruction(ended.instruction)
        return ""


def _holds(
    run: Element,
    switches: tuple[str, ...],
    of_style: Callable[[str | None], bool | None],
    of_paragraph: bool | None,
) -> bool:
    """The run itself decides, else its style, else the paragraph's."""
    properties = run.find(f"{W}rPr")
    if properties is not None:
        own = turned_on(properties, switches)
        if own is None:
            own = of_style(value_of(properties.find(f"{W}rStyle")))
        if own is not None:
            return own
    return bool(of_paragraph)


def _says_something(run: Element) -> bool:
    return any((text.text or "").strip() for text in run.iter(f"{W}t"))


def _with_sign_between(item: Element, sign: str) -> list[Element | str]:
    """a/b, x^2: an equation on one line."""
    parts = [part for part in item if not local_name(part).endswith("Pr")]
    return [piece for part in parts for piece in (sign, part)][1:]


def _content_of_control(control: Element) -> list[Element | str]:
    """What was filled in; the grey prompt of an empty control is nobody's text."""
    if is_on(control.find(f"{W}sdtPr/{W}showingPlcHdr")):
        return []
    return [child for content in control.findall(f"{W}sdtContent") for child in content]


def _first_that_speaks(alternatives: Element) -> list[Element | str]:
    """The same thing for newer and for older programs: read once."""
    for choice in alternatives:
        if any(True for _ in choice.iter(*_SAYS_SOMETHING)):
            return list(choice)
    return []


def _word_art(drawing: Element) -> str:
    return "".join(path.get("string") or "" for path in drawing.iter(f"{V}textpath"))


def _in_drawing(drawing: Element) -> list[Aside]:
    """Text boxes, charts and diagrams; a box inside a box comes up when the outer one is read."""
    found: list[Aside] = []
    todo = [drawing]
    while todo:
        item = todo.pop()
        if item.tag == f"{W}txbxContent":
            found.append(Aside("box", box=item))
        elif item.tag == f"{C}chart":
            found.append(Aside("chart", id=item.get(f"{R}id") or ""))
        elif item.tag == f"{DGM}relIds":
            found.append(Aside("diagram", id=item.get(f"{R}dm") or ""))
        elif item.tag == f"{MC}AlternateContent":
            todo.extend(e for e in reversed(_first_that_speaks(item)) if not isinstance(e, str))
        else:
            todo.extend(reversed(list(item)))
    return found
