"""A document as Sanbo reads it: one text, and blocks that say where in the source each part stands.

Every block is a span of `Document.text`, so whatever is cut out of it later (a chunk, a quote, a
hit) can be traced to its page, sheet, row and headings, and highlighted there.
"""

from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError

from sanbo.documents.file_formats import documents, formats
from sanbo.kernel.problems import Problem


class _Known:
    """In schemas, the names of the formats there are; a stored name may be of one that was."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"enum": list(self._names()), "type": "string"}


def _readable(name: str) -> str:
    if name not in documents():
        *others, last = (repr(known) for known in documents())
        expected = f"{', '.join(others)} or {last}"
        raise PydanticKnownError("literal_error", {"expected": expected})
    return name


Format = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$"), _Known(formats)]
"""The name of a file format."""
DocumentFormat = Annotated[str, AfterValidator(_readable), _Known(documents)]
"""Of documents: a ZIP file is none itself, its entries are."""

Role = Literal["body", "list_item", "footnote", "note", "code", "metadata"]

CELL_SEPARATOR = "\t"
BLOCK_SEPARATOR = "\n\n"


class Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)


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


_OF_THE_SYSTEM = frozenset(("thumbs.db", "desktop.ini", "ehthumbs.db", "$recycle.bin", "__macosx"))


class Skipped(Frozen):
    """A file that was not read, and why: a person should know."""

    name: str
    problem: Problem


def is_litter(name: str) -> bool:
    """Hidden files, lock files and what systems leave behind; `name` may be a path."""
    return any(
        part.startswith((".", "~$")) or part.lower() in _OF_THE_SYSTEM
        for part in PurePosixPath(name).parts
        if part != ".."
    )
