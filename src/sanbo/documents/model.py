"""A document as Sanbo reads it: one text, and blocks that say where in the source each part stands.

Every block is a span of `Document.text`, so whatever is cut out of it later (a chunk, a quote, a
hit) can be traced to its page, sheet, row and headings, and highlighted there.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from sanbo.kernel.problems import Problem

Format = Literal[
    "pdf", "docx", "xlsx", "pptx", "csv", "markdown", "html", "text", "eml", "json", "zip"
]

Role = Literal["body", "list_item", "footnote", "note", "code", "metadata"]

CELL_SEPARATOR = "\t"
BLOCK_SEPARATOR = "\n\n"


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Source(Frozen):
    """Bytes that a person brought, under the name they know them by (may be a path in a ZIP)."""

    name: str
    data: bytes


class Position(Frozen):
    """Where a part stands: in the text by characters, in the source by page, sheet and row."""

    start: int
    end: int
    page: int | None = None
    """Page or slide, from 1."""
    sheet: str | None = None
    row: int | None = None
    """Row of the sheet or CSV file where it begins, from 1 as a spreadsheet counts."""
    last_row: int | None = None
    """Where a part spans several rows, the last of them."""
    headings: tuple[str, ...] = ()


class Heading(Frozen):
    kind: Literal["heading"] = "heading"
    level: int
    position: Position


class Paragraph(Frozen):
    kind: Literal["paragraph"] = "paragraph"
    role: Role = "body"
    position: Position


class Table(Frozen):
    """Cells as a person sees them; `row_starts[n]` is where row n begins in the text."""

    kind: Literal["table"] = "table"
    title: str | None = None
    columns: tuple[str, ...] | None
    """The header, or None where the table has none. Its line precedes the rows in the text."""
    rows: tuple[tuple[str, ...], ...]
    row_starts: tuple[int, ...]
    row_numbers: tuple[int, ...]
    """The source's own row numbers, from 1; a sheet's empty rows are not kept."""
    position: Position


Block = Annotated[Heading | Paragraph | Table, Field(discriminator="kind")]


class Document(Frozen):
    name: str
    format: Format
    title: str | None = None
    text: str
    blocks: tuple[Block, ...]
    pages: int | None = None
    warnings: tuple[Problem, ...] = ()

    def text_of(self, block: Heading | Paragraph | Table) -> str:
        return self.text[block.position.start : block.position.end]

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Table))
