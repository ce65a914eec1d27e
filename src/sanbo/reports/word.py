"""A report for Word: A4, Japanese letters, tables as tables, charts as pictures.

Paragraphs and tables are written as XML: python-docx adds a cell in time that grows with the table;
a regulation has thousands of rows.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Any, Literal

from docx import Document as new_document
from docx.document import Document
from docx.enum.section import WD_ORIENT
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.shared import Emu, Mm, Pt, RGBColor

from sanbo.kernel.messages import Language, tell
from sanbo.reports.blocks import (
    Block,
    Code,
    Grid,
    Heading,
    Item,
    Line,
    Paragraph,
    Picture,
    Words,
    text_of,
)
from sanbo.reports.content import Report, blocks_in
from sanbo.reports.letters import printable
from sanbo.reports.office_files import Content, shared, with_content
from sanbo.runs.parts import Changes, Table

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_GREY = "595959"
_CODE = '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas"/>'

Alignment = Literal["left", "center", "right"]


def run(words: Words, half_points: int | None = None) -> str:
    """Text without line breaks; a tab is a tab."""
    pieces = printable(words.text).replace("\n", " ").split("\t")
    body = "<w:tab/>".join(map(_t, pieces)) if len(pieces) > 1 else _t(pieces[0])
    return f"<w:r>{_look(words, half_points)}{body}</w:r>"


def _look(words: Words, half_points: int | None) -> str:
    """As run properties, in the order in which Word wants them."""
    marks = _CODE if words.code else ""
    if words.bold:
        marks += "<w:b/>"
    if words.italic:
        marks += "<w:i/>"
    if words.grey:
        marks += f'<w:color w:val="{_GREY}"/>'
    if half_points is not None:
        marks += f'<w:sz w:val="{half_points}"/><w:szCs w:val="{half_points}"/>'
    if words.mark:
        marks += '<w:u w:val="single"/>'
    return f"<w:rPr>{marks}</w:rPr>" if marks else ""


def _t(text: str) -> str:
    return f'<w:t xml:space="preserve">{escape(text, quote=False)}</w:t>' if text else ""


def paragraph(
    runs: str,
    align: Alignment = "left",
    *,
    style: str = "",
    indent: int = 0,
    hanging: int = 0,
    shade: str = "",
    with_next: bool = False,
) -> str:
    """`indent` and `hanging` in twentieths of a point."""
    look = f'<w:pStyle w:val="{style}"/>' if style else ""
    look += "<w:keepNext/>" if with_next else ""
    if shade:
        look += f'<w:shd w:val="clear" w:color="auto" w:fill="{shade}"/>'
    if indent or hanging:
        look += f'<w:ind w:left="{indent}" w:hanging="{hanging}"/>'
    if align != "left":
        look += f'<w:jc w:val="{align}"/>'
    properties = f"<w:pPr>{look}</w:pPr>" if look else ""
    return f"<w:p>{properties}{runs}</w:p>"


def lines(words: Line) -> list[Line]:
    """Cut at its line breaks."""
    cut: list[list[Words]] = [[]]
    for each in words:
        first, *others = each.text.split("\n")
        cut[-1].append(_with(each, first))
        cut += [[_with(each, other)] for other in others]
    return [tuple(one for one in each if one.text) for each in cut]


def _with(words: Words, text: str) -> Words:
    return Words(text, words.bold, words.italic, words.code, words.grey, words.mark)


def paragraphs(words: Line, align: Alignment = "left", half_points: int | None = None) -> str:
    """One paragraph a line."""
    return "".join(
        paragraph("".join(run(each, half_points) for each in one), align) for one in lines(words)
    )


def cell(body: str, width: int, *, shade: str = "") -> str:
    filled = f'<w:shd w:val="clear" w:color="auto" w:fill="{shade}"/>' if shade else ""
    return (
        f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/>{filled}</w:tcPr>'
        f"{body or '<w:p/>'}</w:tc>"
    )


def row(cells: Sequence[str], *, is_header: bool = False, is_short: bool = False) -> str:
    """A short row is not broken over two pages; the header stands on each."""
    look = "<w:cantSplit/>" if is_header or is_short else ""
    look += "<w:tblHeader/>" if is_header else ""
    look = f"<w:trPr>{look}</w:trPr>" if look else ""
    return f"<w:tr>{look}{''.join(cells)}</w:tr>"


def table(rows: Iterable[str], widths: Sequence[int]) -> str:
    edges = "".join(
        f'<w:{edge} w:val="single" w:sz="4" w:space="0" w:color="808080"/>'
        for edge in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    margins = "".join(
        f'<w:{edge} w:w="{width}" w:type="dxa"/>'
        for edge, width in (("top", 40), ("left", 100), ("bottom", 40), ("right", 100))
    )
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    return (
        f'<w:tbl><w:tblPr><w:tblW w:w="{sum(widths)}" w:type="dxa"/>'
        f'<w:tblBorders>{edges}</w:tblBorders><w:tblLayout w:type="fixed"/>'
        f"<w:tblCellMar>{margins}</w:tblCellMar></w:tblPr>"
        f"<w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>"
    )


def alone(element: str) -> str:
    """A paragraph that is parsed by itself."""
    return element.replace("<w:p>", f'<w:p xmlns:w="{W}">', 1)


def field(name: str) -> str:
    """A field that Word computes: PAGE, NUMPAGES."""
    return f'<w:fldSimple w:instr="{name}"><w:r><w:t>1</w:t></w:r></w:fldSimple>'


_FONTS: dict[Language, tuple[str, str]] = {
    "ja": ("游ゴシック", "游ゴシック"),
    "en": ("Calibri", "游ゴシック"),
}
"""For Latin letters, and for Japanese ones."""
_HEADINGS = {1: 18, 2: 14, 3: 12, 4: 10.5}
_SIZE = 10.5
_SMALL = 17
"""Half points, of what stands in tables."""
_HEADER_SHADE = "E7E6E6"
_CODE_SHADE = "F5F5F5"
_WARNING_SHADE = "FFF2CC"
_PORTRAIT, _LANDSCAPE = 9700, 14790
"""What the margins leave of an A4 page, in twentieths of a point."""
_WIDE = 7
"""Columns from which on a table wants the page on its side."""
_SHORT = 240
"""Characters: a row so short is not broken over two pages."""
_TWENTIETH = 635
"""Of a point, in the unit of pictures."""
_PAGE, _PAGES = "\x01", "\x02"


def written(report: Report) -> bytes:
    document = new_document()
    width = _set_up(document, report)
    body = "".join(_drawn(report, document, width))
    buffer = BytesIO()
    document.save(buffer)
    return with_content(buffer.getvalue(), {"word/document.xml": Content("<w:sectPr", body)})


def _drawn(report: Report, document: Document, width: int) -> Iterator[str]:
    yield paragraph(run(Words(report.title)), style="Title")
    for each in report.byline:
        yield paragraph(run(Words(each, grey=True), 18))
    for block in blocks_in(report):
        yield _block(block, document, width, report.pictures)


def _block(block: Block, document: Document, width: int, pictures: Mapping[str, bytes]) -> str:
    match block:
        case Heading():
            return paragraph(
                run(Words(block.text)), style=f"Heading{block.level - 1}", with_next=True
            )
        case Paragraph():
            shade = _WARNING_SHADE if block.is_warning else ""
            return "".join(
                paragraph(_runs(each), indent=420 if block.is_quote else 0, shade=shade)
                for each in lines(block.words)
            )
        case Item():
            mark = "・" if block.number is None else f"{block.number}."
            indent = 360 * (block.depth + 1)
            first, *others = lines(block.words)
            lead = run(Words(f"{mark}\t"))
            return paragraph(lead + _runs(first), indent=indent, hanging=360) + "".join(
                paragraph(_runs(each), indent=indent) for each in others
            )
        case Code():
            return "".join(
                paragraph(run(Words(each, code=True), 16), shade=_CODE_SHADE)
                for each in block.text.split("\n")
            )
        case Grid():
            return _grid(block, width)
        case Picture():
            return _picture(block, document, width, pictures)


def _runs(words: Line) -> str:
    return "".join(map(run, words))


def _grid(grid: Grid, width: int) -> str:
    widths = [
        round(share * width)
        for share in shared(
            grid.header, [[text_of(one) for one in row] for row in grid.rows], grid.widths
        )
    ]
    header = [
        cell(_named(name), each, shade=_HEADER_SHADE)
        for name, each in zip(grid.header, widths, strict=False)
    ]
    rows = [row(header, is_header=True)] if header else []
    for cells in grid.rows:
        drawn = [
            cell(
                paragraphs(
                    words, "right" if at < len(grid.right) and grid.right[at] else "left", _SMALL
                ),
                widths[at],
            )
            for at, words in enumerate(cells)
        ]
        is_short = max((len(text_of(words)) for words in cells), default=0) < _SHORT
        rows.append(row(drawn, is_short=is_short))
    note = paragraph(run(Words(grid.note, grey=True), 17)) if grid.note else ""
    return table(rows, widths) + note + paragraph("")


def _named(column: str) -> str:
    return paragraphs((Words(column, bold=True),), "center", _SMALL)


def _picture(block: Picture, document: Document, width: int, pictures: Mapping[str, bytes]) -> str:
    data = pictures.get(block.picture.artifact_id)
    shown = ""
    if data is not None:
        part: Any = document.part
        inline = part.new_pic_inline(BytesIO(data), None, None)
        scale = min(1.0, width * _TWENTIETH / inline.extent.cx) * 0.98
        image = part.new_pic_inline(
            BytesIO(data), Emu(int(inline.extent.cx * scale)), Emu(int(inline.extent.cy * scale))
        )
        image.docPr.set("descr", block.description or block.title)
        shown = paragraph(f"<w:r><w:drawing>{image.xml}</w:drawing></w:r>", with_next=True)
    if block.description:
        shown += paragraph(run(Words(block.description, grey=True), 17))
    return shown


# ---- the page ------------------------------------------------------------------------------


def _set_up(document: Document, report: Report) -> int:
    """How wide the text is, in twentieths of a point."""
    is_wide = any(
        isinstance(part, Changes) or (isinstance(part, Table) and len(part.columns) > _WIDE)
        for part in report.parts
    )
    page = document.sections[0]
    page.page_width, page.page_height = (Mm(297), Mm(210)) if is_wide else (Mm(210), Mm(297))
    if is_wide:
        page.orientation = WD_ORIENT.LANDSCAPE
    page.left_margin = page.right_margin = Mm(18 if is_wide else 19)
    page.top_margin, page.bottom_margin = Mm(18), Mm(16)
    page.footer_distance = Mm(8)
    _letters(document, report.language)
    properties = document.core_properties
    properties.title = report.title[:255]
    properties.author = "Sanbo"
    properties.comments = ""
    properties.language = report.language
    _footer(document, report.language)
    return _LANDSCAPE if is_wide else _PORTRAIT


def _letters(document: Document, language: Language) -> None:
    latin, japanese = _FONTS[language]
    sizes = {"Normal": _SIZE, "Title": _HEADINGS[1]}
    sizes |= {f"Heading {level - 1}": size for level, size in _HEADINGS.items() if level > 1}
    for name, size in sizes.items():
        style: Any = document.styles[name]
        style.font.name, style.font.size = latin, Pt(size)
        fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
        for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{theme}"), None)
        fonts.set(qn("w:eastAsia"), japanese)
        if name != "Normal":
            style.font.color.rgb = RGBColor(0x1F, 0x2A, 0x44)
            style.paragraph_format.space_before = Pt(10)
            style.paragraph_format.space_after = Pt(4)
    normal: Any = document.styles["Normal"]
    normal.paragraph_format.space_after = Pt(2)
    normal.paragraph_format.line_spacing = 1.15
    styles: Any = document.styles.element
    for defaults in styles.iter(qn("w:rPrDefault")):
        for fonts in defaults.iter(qn("w:rFonts")):
            for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
                fonts.attrib.pop(qn(f"w:{theme}"), None)
        for spoken in defaults.iter(qn("w:lang")):
            spoken.set(qn("w:eastAsia"), "ja-JP")


def _footer(document: Document, language: Language) -> None:
    told = tell("reports.page", language, page=_PAGE, pages=_PAGES)
    fields = {_PAGE: field("PAGE"), _PAGES: field("NUMPAGES")}
    runs = "".join(
        fields.get(part) or run(Words(part), 18)
        for part in re.split(f"([{_PAGE}{_PAGES}])", told)
        if part
    )
    footer = document.sections[0].footer
    footer.is_linked_to_previous = False
    numbers: Any = footer.part.element
    for empty in list(numbers):
        numbers.remove(empty)
    numbers.append(parse_xml(alone(paragraph(runs, "center"))))
