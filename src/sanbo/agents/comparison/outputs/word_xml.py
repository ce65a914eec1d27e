"""Paragraphs and tables of a Word document, written as its XML.

python-docx adds a cell in time that grows with the table; a regulation has thousands of rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Literal

from sanbo.agents.comparison.outputs.marked import Span, printable

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_GREY = "595959"

Alignment = Literal["left", "center", "right"]


@dataclass(frozen=True)
class Letters:
    """How a run looks."""

    underlined: bool = False
    bold: bool = False
    grey: bool = False
    half_points: int | None = None

    @cached_property
    def look(self) -> str:
        """As run properties."""
        marks = ""
        if self.bold:
            marks += "<w:b/>"
        if self.grey:
            marks += f'<w:color w:val="{_GREY}"/>'
        if self.half_points is not None:
            size = self.half_points
            marks += f'<w:sz w:val="{size}"/><w:szCs w:val="{size}"/>'
        if self.underlined:
            marks += '<w:u w:val="single"/>'
        return f"<w:rPr>{marks}</w:rPr>" if marks else ""


PLAIN = Letters()
UNDERLINED = Letters(underlined=True)


def run(text: str, letters: Letters = PLAIN) -> str:
    """Text without line breaks; a tab is a tab."""
    pieces = printable(text).replace("\n", " ").split("\t")
    body = "<w:tab/>".join(map(_t, pieces)) if len(pieces) > 1 else _t(pieces[0])
    return f"<w:r>{letters.look}{body}</w:r>"


def _t(text: str) -> str:
    return f'<w:t xml:space="preserve">{escape(text, quote=False)}</w:t>' if text else ""


def paragraph(runs: str, align: Alignment = "left", *, with_next: bool = False) -> str:
    look = "<w:keepNext/>" if with_next else ""
    if align != "left":
        look += f'<w:jc w:val="{align}"/>'
    properties = f"<w:pPr>{look}</w:pPr>" if look else ""
    return f"<w:p>{properties}{runs}</w:p>"


def paragraphs(spans: Iterable[Span], marked: Letters = UNDERLINED) -> str:
    """One paragraph a line; marked words in the letters given."""
    lines: list[list[str]] = [[]]
    for span in spans:
        first, *others = span.text.split("\n")
        lines[-1].append(_span(first, span.marked, marked))
        lines += [[_span(line, span.marked, marked)] for line in others]
    return "".join(paragraph("".join(runs)) for runs in lines)


def _span(text: str, is_marked: bool, marked: Letters) -> str:
    return run(text, marked if is_marked else PLAIN) if text else ""


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
    lines = "".join(
        f'<w:{edge} w:val="single" w:sz="4" w:space="0" w:color="000000"/>'
        for edge in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    margins = "".join(
        f'<w:{edge} w:w="{width}" w:type="dxa"/>'
        for edge, width in (("top", 40), ("left", 100), ("bottom", 40), ("right", 100))
    )
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    return (
        f'<w:tbl><w:tblPr><w:tblW w:w="{sum(widths)}" w:type="dxa"/>'
        f'<w:tblBorders>{lines}</w:tblBorders><w:tblLayout w:type="fixed"/>'
        f"<w:tblCellMar>{margins}</w:tblCellMar></w:tblPr>"
        f"<w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>"
    )


def alone(element: str) -> str:
    """A paragraph that is parsed by itself."""
    return element.replace("<w:p>", f'<w:p xmlns:w="{W}">', 1)


def field(name: str) -> str:
    """A field that Word computes: PAGE, NUMPAGES."""
    return f'<w:fldSimple w:instr="{name}"><w:r><w:t>1</w:t></w:r></w:fldSimple>'
