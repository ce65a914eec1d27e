"""One row of the Excel table for each change, and for each stretch that is left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from sanbo.agents.comparison.outputs import excel_cells as xml
from sanbo.agents.comparison.outputs.excel_cells import (
    CENTRED,
    FLAGGED,
    FONTS,
    SIZE,
    WRAPPED,
    height,
    is_like_formula,
    put,
)
from sanbo.agents.comparison.outputs.marked import Span, new_spans, old_spans, plain_text
from sanbo.agents.comparison.outputs.remarks import stretch_remark
from sanbo.agents.comparison.outputs.rows import Row, Section, Stretch
from sanbo.agents.comparison.outputs.wording import (
    caption,
    explanation,
    flag_words,
    from_to,
    kind_word,
)
from sanbo.kernel.messages import Language, tell

COLUMNS = ("number", "kind", "new", "old", "attention", "remarks", "confidence")
WIDTHS = (6, 12, 58, 58, 16, 34, 9)
NEW_WORDS = "FF1F4E9E"
OLD_WORDS = "FFC00000"
_LONGEST_REMARK = 600


@dataclass(frozen=True)
class Looks:
    """Numbers of the looks that the workbook keeps."""

    text: int
    quoted: int
    """Of a text that begins like a formula."""
    centred: int
    flagged: int
    share: int
    grey: int


def looks(sheet: Worksheet, language: Language) -> Looks:
    """Each is given to a cell once, so that the workbook knows it."""
    names: dict[str, int] = {}
    for name in ("text", "quoted", "centred", "flagged", "share", "grey"):
        alignment = CENTRED if name in ("centred", "share") else WRAPPED
        cell = put(sheet, 1, 1, "", language, alignment=alignment, lined=True)
        cell.quotePrefix = name == "quoted"
        if name == "flagged":
            cell.fill = FLAGGED
        if name == "share":
            cell.number_format = "0%"
        if name == "grey":
            cell.font = Font(name=FONTS[language], size=SIZE, color="FF7F7F7F")
        names[name] = cell.style_id
        sheet.delete_rows(1)
    return Looks(**names)


def section_rows(section: Section, first: int, look: Looks, language: Language) -> Iterator[str]:
    for at, row in enumerate(section.rows, start=first):
        if isinstance(row, Stretch):
            yield _stretch(row, at, look, language)
        else:
            yield _change(row, at, look, language)


def _stretch(stretch: Stretch, at: int, look: Looks, language: Language) -> str:
    omitted = tell("comparison_outputs.omitted", language)
    texts = (
        "",
        kind_word("unchanged" if stretch.is_unchanged else "renumbered", language),
        omitted if any(change.new for change in stretch.changes) else "",
        omitted if any(change.old for change in stretch.changes) else "",
        "",
        stretch_remark(stretch, language),
        "",
    )
    cells = [
        xml.text_cell(f"{letter}{at}", look.grey, text)
        for letter, text in zip("ABCDEFG", texts, strict=True)
    ]
    return xml.row(at, height(zip(texts, WIDTHS, strict=True), language), cells)


def _change(row: Row, at: int, look: Looks, language: Language) -> str:
    change = row.change
    new, old = _new_side(row, language), _old_side(row, language)
    kind, flags = kind_word(change.kind, language), flag_words(change, language)
    remark = "\n".join(
        part
        for part in (from_to(change, language), explanation(change, language, _LONGEST_REMARK))
        if part
    )
    plain = xml.letters(FONTS[language], SIZE)
    cells = [
        xml.number_cell(f"A{at}", look.centred, row.number),
        xml.text_cell(f"B{at}", look.centred, kind),
        _side(f"C{at}", new, look, plain, xml.letters(FONTS[language], SIZE, NEW_WORDS)),
        _side(f"D{at}", old, look, plain, xml.letters(FONTS[language], SIZE, OLD_WORDS)),
        xml.text_cell(f"E{at}", look.flagged if change.needs_attention else look.text, flags),
        xml.text_cell(f"F{at}", look.quoted if is_like_formula(remark) else look.text, remark),
        xml.number_cell(f"G{at}", look.share, round(change.confidence, 3)),
    ]
    texts = ("", kind, plain_text(new), plain_text(old), flags, remark, "")
    return xml.row(at, height(zip(texts, WIDTHS, strict=True), language), cells)


def _side(address: str, spans: Sequence[Span], look: Looks, plain: str, marked: str) -> str:
    style = look.quoted if is_like_formula(plain_text(spans)) else look.text
    return xml.marked_cell(address, style, spans, plain, marked)


def _new_side(row: Row, language: Language) -> list[Span]:
    change = row.change
    if not change.new:
        return [Span(tell("comparison_outputs.deleted_here", language), False)]
    place = caption(change.new_places, change.new_text)
    lead = _lead([title.new_text for title in row.above], place, language)
    return xml.fitting([*lead, *new_spans(change)], language)


def _old_side(row: Row, language: Language) -> list[Span]:
    change = row.change
    if not change.old:
        return [Span(tell("comparison_outputs.new_here", language), False)]
    place = caption(change.old_places, change.old_text)
    lead = _lead([title.old_text for title in row.above], place, language)
    return xml.fitting([*lead, *old_spans(change)], language)


def _lead(above: Sequence[str], place: str, language: Language) -> list[Span]:
    """The headings over a change and its number, as lines of their own."""
    lines = [*above]
    if place:
        lines.append(tell("comparison_outputs.place_line", language, place=place))
    return [Span("".join(f"{line}\n" for line in lines), False)] if lines else []
