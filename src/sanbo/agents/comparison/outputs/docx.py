"""新旧対照表 for Word: new left, old right, remarks; changed words underlined on both sides."""

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from docx import Document as new_document
from docx.document import Document
from docx.enum.section import WD_ORIENT
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.shared import Mm, Pt

from sanbo.agents.comparison.model import ComparisonResult
from sanbo.agents.comparison.outputs import word_xml as word
from sanbo.agents.comparison.outputs.marked import Span, new_spans, old_spans, printable
from sanbo.agents.comparison.outputs.office_file import Content, with_content
from sanbo.agents.comparison.outputs.remarks import remarks, stretch_remark
from sanbo.agents.comparison.outputs.rows import Row, Section, Stretch, sections
from sanbo.agents.comparison.outputs.wording import caption, document_name, pair_name
from sanbo.kernel.messages import Language, tell

_FONTS: dict[Language, tuple[str, str]] = {
    "ja": ("ＭＳ 明朝", "ＭＳ 明朝"),
    "en": ("Times New Roman", "ＭＳ 明朝"),
}
"""For Latin letters, and for Japanese ones."""
_SMALL = word.Letters(half_points=18)
_PAGE, _PAGES = "\x01", "\x02"


def set_up(document: Document, language: Language) -> None:
    _page(document)
    _letters(document, language)
    _properties(document, language)
    _footer(document, language)


def _page(document: Document) -> None:
    page = document.sections[0]
    page.orientation = WD_ORIENT.LANDSCAPE
    page.page_width, page.page_height = Mm(297), Mm(210)
    page.left_margin = page.right_margin = Mm(18)
    page.top_margin, page.bottom_margin = Mm(18), Mm(16)
    page.footer_distance = Mm(8)


def _letters(document: Document, language: Language) -> None:
    latin, japanese = _FONTS[language]
    style: Any = document.styles["Normal"]
    style.font.name = latin
    style.font.size = Pt(10)
    style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), japanese)
    style.paragraph_format.space_after = Pt(0)
    style.paragraph_format.line_spacing = 1.15
    styles: Any = document.styles.element
    for defaults in styles.iter(qn("w:rPrDefault")):
        for fonts in defaults.iter(qn("w:rFonts")):
            for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
                fonts.attrib.pop(qn(f"w:{theme}"), None)
        for spoken in defaults.iter(qn("w:lang")):
            spoken.set(qn("w:eastAsia"), "ja-JP")


def _properties(document: Document, language: Language) -> None:
    properties = document.core_properties
    properties.title = tell("comparison_outputs.table.title", language)
    properties.author = "Sanbo"
    properties.comments = ""
    properties.language = language


def _footer(document: Document, language: Language) -> None:
    told = tell("comparison_outputs.table.page", language, page=_PAGE, pages=_PAGES)
    fields = {_PAGE: word.field("PAGE"), _PAGES: word.field("NUMPAGES")}
    runs = "".join(
        fields.get(part) or word.run(part, _SMALL)
        for part in re.split(f"([{_PAGE}{_PAGES}])", told)
        if part
    )
    footer = document.sections[0].footer
    footer.is_linked_to_previous = False
    numbers: Any = footer.part.element
    for empty in list(numbers):
        numbers.remove(empty)
    numbers.append(parse_xml(word.alone(word.paragraph(runs, "center"))))


_WIDTHS = (5800, 5800, 3190)
"""In twentieths of a point; together what the margins leave of a landscape A4 page."""
_HEADER_SHADE = "E7E6E6"
_SHORT = 240
"""Characters: a row so short is not broken over two pages."""
_BOLD = word.Letters(bold=True)
_SMALL_BOLD = word.Letters(bold=True, half_points=18)
_SMALL_GREY = word.Letters(grey=True, half_points=18)
_PLACE = word.Letters(grey=True, half_points=16)


def word_table(
    result: ComparisonResult, *, language: Language, fold_renumbered: bool = False
) -> bytes:
    document = new_document()
    set_up(document, language)
    buffer = BytesIO()
    document.save(buffer)
    parts = "".join(_parts(result, language, fold_renumbered=fold_renumbered))
    return with_content(buffer.getvalue(), {"word/document.xml": Content("<w:sectPr", parts)})


def _parts(result: ComparisonResult, language: Language, *, fold_renumbered: bool) -> Iterator[str]:
    title = tell("comparison_outputs.table.title", language)
    yield word.paragraph(word.run(title, word.Letters(bold=True, half_points=32)), "center")
    for section in sections(result, fold_renumbered=fold_renumbered):
        if len(result.pairs) > 1:
            yield _heading(section, language)
        yield from _names(section, language)
        if section.pair.outcome != "related":
            told = tell(f"comparison_outputs.outcome.{section.pair.outcome}", language)
            yield word.paragraph(word.run(told))
        if section.has_differences:
            underlined = tell("comparison_outputs.table.underlined", language)
            yield word.paragraph(word.run(underlined, _SMALL), "right", with_next=True)
            yield _table(section, language)
        yield word.paragraph("")


def _heading(section: Section, language: Language) -> str:
    told = tell(
        "comparison_outputs.table.pair_title",
        language,
        number=section.number,
        name=pair_name(section.pair, language),
    )
    letters = word.Letters(bold=True, half_points=24)
    return word.paragraph(word.run(told, letters), with_next=True)


def _names(section: Section, language: Language) -> Iterator[str]:
    old = document_name(section.pair.old, language)
    new = document_name(section.pair.new, language)
    for line in (
        tell("comparison_outputs.table.new_name", language, name=new),
        tell("comparison_outputs.table.old_name", language, name=old),
    ):
        yield word.paragraph(word.run(line), with_next=True)


def _table(section: Section, language: Language) -> str:
    header = [
        word.cell(
            word.paragraph(
                word.run(tell(f"comparison_outputs.column.{name}", language), _BOLD), "center"
            ),
            width,
            shade=_HEADER_SHADE,
        )
        for name, width in zip(("new", "old", "remarks"), _WIDTHS, strict=True)
    ]
    rows = [
        _stretch(row, language) if isinstance(row, Stretch) else _row(row, language)
        for row in section.rows
    ]
    return word.table([word.row(header, is_header=True), *rows], _WIDTHS)


def _stretch(stretch: Stretch, language: Language) -> str:
    omitted = tell("comparison_outputs.omitted", language)
    sides = [
        word.paragraph(word.run(omitted)) if any(ids) else ""
        for ids in (
            [change.new for change in stretch.changes],
            [change.old for change in stretch.changes],
        )
    ]
    remark = word.run(stretch_remark(stretch, language), _SMALL_GREY)
    return _three(sides[0], sides[1], word.paragraph(remark))


def _row(row: Row, language: Language) -> str:
    change = row.change
    new = [title.new_text for title in row.above]
    old = [title.old_text for title in row.above]
    return _three(
        _side(
            new,
            caption(change.new_places, change.new_text),
            new_spans(change) if change.new else None,
            tell("comparison_outputs.deleted_here", language),
        ),
        _side(
            old,
            caption(change.old_places, change.old_text),
            old_spans(change) if change.old else None,
            tell("comparison_outputs.new_here", language),
        ),
        "".join(
            word.paragraph(word.run(line.text, _SMALL_BOLD if line.strong else _SMALL))
            for line in remarks(change, language)
        ),
        is_short=max(len(change.old_text), len(change.new_text)) < _SHORT,
    )


def _side(above: Sequence[str], place: str, spans: Sequence[Span] | None, absent: str) -> str:
    titles = "".join(word.paragraphs([Span(printable(title), False)]) for title in above)
    if spans is None:
        return titles + word.paragraph(word.run(absent))
    named = word.paragraph(word.run(place, _PLACE), with_next=True) if place else ""
    return titles + named + word.paragraphs(spans)


def _three(new: str, old: str, remark: str, *, is_short: bool = True) -> str:
    bodies = zip((new, old, remark), _WIDTHS, strict=True)
    return word.row([word.cell(body, width) for body, width in bodies], is_short=is_short)
