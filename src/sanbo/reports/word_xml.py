"""Paragraphs and tables of a Word document, written as its XML.

python-docx adds a cell in time that grows with the table; a regulation has thousands of rows.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

from sanbo.reports.blocks import Line, Words
from sanbo.reports.letters import printable

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
