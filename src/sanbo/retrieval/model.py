"""What collections hold and give: documents, chunks, filters, hits."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sanbo.documents.model import Format, Position
from sanbo.kernel.problems import Problem


class Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)


class IndexedChunk(Frozen):
    """A chunk as an engine keeps it. `version` names one reading of the document's content."""

    document_id: str
    version: str
    ordinal: int
    document_name: str
    format: Format
    folders: tuple[str, ...] = ()
    """Every folder above the document, outermost first: `契約`, `契約/2025`."""
    text: str
    context: str = ""
    """Searched with the text but not part of it: title, headings, a table's header."""
    position: Position
    metadata: dict[str, str] = Field(default_factory=dict[str, str])

    @property
    def chunk_id(self) -> str:
        return f"{self.document_id}.{self.ordinal}"


class Filter(Frozen):
    """Narrows a search; what is not given does not narrow. Values of one field are alternatives."""

    documents: tuple[str, ...] = ()
    """Document ids."""
    folders: tuple[str, ...] = ()
    formats: tuple[Format, ...] = ()
    metadata: dict[str, str] = Field(default_factory=dict[str, str])
    """All of these must hold."""

    @field_validator("folders")
    @classmethod
    def _without_slashes_around(cls, folders: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(folder.strip("/") for folder in folders if folder.strip("/"))


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int


class Candidate(NamedTuple):
    """What an engine found."""

    chunk: IndexedChunk
    score: float
    signals: dict[str, float]
    """Its own scores by field, comparable within it only."""


class Hit(Frozen):
    """A found chunk; `highlights` are spans of `text` that the query's words met."""

    chunk_id: str
    document_id: str
    document_name: str
    format: Format
    text: str
    context: str = ""
    position: Position
    score: float
    signals: dict[str, float] = Field(default_factory=dict[str, float])
    highlights: tuple[Span, ...] = ()
    metadata: dict[str, str] = Field(default_factory=dict[str, str])


class DocumentInfo(Frozen):
    """One line of a collection's catalogue."""

    document_id: str
    name: str
    source: str
    """What identifies it: the file's full path, or `upload:` and its name."""
    container: str | None = None
    """The archive or mail that it is in, by its full path or upload name."""
    version: str
    sha256: str
    format: Format
    title: str | None
    size: int
    pages: int | None
    chunks: int
    warnings: tuple[Problem, ...]
    metadata: dict[str, str]
    indexed_at: datetime


EngineName = Literal["embedded", "qdrant", "azure"]


class CollectionInfo(Frozen):
    name: str
    engine: EngineName
    documents: int
    chunks: int
    created_at: datetime
    updated_at: datetime
