"""Documents for the tests, read by the real readers."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import docx
from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

from sanbo.agents.comparison.chunking.sides import document_side
from sanbo.agents.comparison.model import Chunk, Side
from sanbo.documents.extract import extract
from sanbo.documents.model import Document, Source

# Not HeiseiMin: other tests of the process have it written from top to bottom.
FONT = "HeiseiKakuGo-W5"
fonts: Any = pdfmetrics
fonts.registerFont(UnicodeCIDFont(FONT))

Row = Sequence[str]
Content = Sequence[str | Sequence[Row]]
"""Paragraphs, and tables as rows of cells."""


def read(name: str, content: str | bytes) -> Document:
    data = content.encode() if isinstance(content, str) else content
    return extract(Source(name=name, data=data))


def side_of(name: str, content: str | bytes) -> Side:
    return document_side(read(name, content), "A")


def labelled(side: Side) -> dict[str, str]:
    """What stands under each label."""
    return {chunk.label: chunk.text for chunk in side.chunks if chunk.label}


def parent_texts(side: Side) -> dict[str, str | None]:
    by_id = {chunk.id: chunk for chunk in side.chunks}
    return {chunk.text: by_id[chunk.parent].text if chunk.parent else None for chunk in side.chunks}


def texts(side: Side, kind: str | None = None) -> list[str]:
    return [chunk.text for chunk in side.chunks if kind is None or chunk.kind == kind]


def without_metadata(side: Side) -> list[Chunk]:
    return [chunk for chunk in side.chunks if chunk.kind != "metadata"]


def letters(text: str) -> str:
    return "".join(text.split())


def word_file(content: Content) -> bytes:
    document: Any = docx.Document()
    for part in content:
        if isinstance(part, str):
            document.add_paragraph(part)
            continue
        table = document.add_table(rows=len(part), cols=len(part[0]), style="Table Grid")
        for row, cells in zip(table.rows, part, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def pdf_file(content: Content, *, head: str = "", foot: str = "", size: float = 10.5) -> bytes:
    """`foot` with {page} in it; wrapped and broken into pages as a word processor does."""
    style = ParagraphStyle(
        "body", fontName=FONT, fontSize=size, leading=1.7 * size, spaceAfter=size, wordWrap="CJK"
    )

    def edges(canvas: Any, page: Any) -> None:
        canvas.setFont(FONT, 9)
        canvas.drawString(72, 805, head)
        canvas.drawCentredString(297, 30, foot.format(page=page.page))

    flow: list[Any] = []
    for part in content:
        if isinstance(part, str):
            flow.append(Paragraph(part, style))
            continue
        cells = [[Paragraph(text, style) for text in row] for row in part]
        ruled = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
        widths = [430 / len(part[0])] * len(part[0])
        flow.append(Table(cells, colWidths=widths, style=ruled))
    out = BytesIO()
    SimpleDocTemplate(out, pagesize=(595, 842)).build(flow, onFirstPage=edges, onLaterPages=edges)
    return out.getvalue()
