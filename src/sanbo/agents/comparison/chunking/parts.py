"""What a document is cut into, before anybody counts or names it: spans with what they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sanbo.agents.comparison.chunking.lines import line_spans, paragraph_spans
from sanbo.agents.comparison.chunking.sizes import short_enough
from sanbo.documents.file_formats import format_named
from sanbo.documents.model import Document, Format, Heading, Paragraph, Position, Role, Table

Kind = Literal["heading", "paragraph", "row", "metadata"]


@dataclass(frozen=True)
class Part:
    """A heading, a paragraph, an item, a row or a line."""

    spans: tuple[tuple[int, int], ...]
    """Of the document's text; more than one where a page ends within a paragraph."""
    kind: Kind
    position: Position
    """Of the block that it is cut from."""
    role: Role = "body"
    level: int | None = None
    """Of a heading."""
    row: int | None = None
    heads: bool = False
    """Whether it is the header of a table."""

    @property
    def start(self) -> int:
        return self.spans[0][0]

    @property
    def end(self) -> int:
        return self.spans[-1][1]


def parts_of(document: Document) -> Iterator[Part]:
    for block in document.blocks:
        if isinstance(block, Table):
            yield from _rows(block, document.text)
        elif isinstance(block, Heading):
            span = (block.position.start, block.position.end)
            yield Part((span,), "heading", block.position, level=block.level)
        else:
            yield from _paragraphs(block, document)


def _rows(table: Table, text: str) -> Iterator[Part]:
    position = table.position
    ends = [start - 1 for start in (*table.row_starts[1:], position.end + 1)]
    if table.columns is not None:
        end = table.row_starts[0] - 1 if table.row_starts else position.end
        if text[position.start : end].strip():
            header = ((position.start, end),)
            yield Part(header, "row", position, row=position.row, heads=True)
    for start, end, number in zip(table.row_starts, ends, table.row_numbers, strict=False):
        if text[start:end].strip():
            yield Part(((start, end),), "row", position, row=number)


def _paragraphs(block: Paragraph, document: Document) -> Iterator[Part]:
    begin = block.position.start
    text = document.text_of(block)
    kind: Kind = "metadata" if block.role == "metadata" else "paragraph"
    for start, end in _cut(text, block.role, document.format):
        for first, last in short_enough(text[start:end]):
            span = (begin + start + first, begin + start + last)
            yield Part((span,), kind, block.position, block.role, row=block.position.row)


def _cut(text: str, role: Role, format: Format) -> list[tuple[int, int]]:
    if role in ("metadata", "code") or format_named(format).lines == "apart":
        return line_spans(text)
    return paragraph_spans(text, format)
