"""Collections for front ends: index, search, look, delete; and where a citation stands in one.

Shared by all users of a workspace. Blocking, and safe to call from several threads.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from sanbo.documents.file_formats import documents, format_named
from sanbo.documents.model import DocumentFormat, Format, Position
from sanbo.documents.reading import Readers
from sanbo.evidence.model import Citation
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, Problem
from sanbo.retrieval.catalogue import CollectionRecord, KeptDocument
from sanbo.retrieval.collection import Collection
from sanbo.retrieval.indexing import (
    InputFile,
    Outcome,
    Unreadable,
    files_at,
    index,
    path_of,
    upload,
)
from sanbo.retrieval.library import Library, checked_name
from sanbo.retrieval.model import CollectionInfo, DocumentInfo, Filter, Frozen, Hit, Span
from sanbo.runs.files import RunFiles
from sanbo.runs.model import FileRef
from sanbo.service.access import Caller
from sanbo.settings import Settings
from sanbo.storage.blob_place import open_blobs
from sanbo.storage.blobs import MemoryBlobs
from sanbo.storage.database import Database, open_database

__all__ = [
    "CollectionInfo",
    "Collections",
    "DocumentFormat",
    "DocumentInfo",
    "Filter",
    "Format",
    "Hit",
    "Outcome",
    "Place",
    "Position",
    "Span",
    "documents",
    "format_named",
    "open_collections",
]


AROUND_CHARACTERS = 2_000
MOST_READERS = 4
REMOVED_AT_ONCE = 200


class Place(Frozen):
    """A passage where it stands in its document: what comes before it, itself, what follows."""

    document: DocumentInfo
    position: Position
    before: str
    text: str
    after: str


class Collections:
    def __init__(self, database: Database, files: RunFiles, settings: Settings) -> None:
        self._files = files
        self._workspace = settings.workspace
        self.library = Library(database, settings)
        self.readers = Readers(count=min(MOST_READERS, os.cpu_count() or 1))

    @staticmethod
    def checked_name(name: str) -> str:
        """The name in its one spelling, or a problem."""
        return checked_name(name)

    # ---- looking ----

    def all(self) -> list[CollectionInfo]:
        return self.library.collections()

    def info(self, name: str) -> CollectionInfo:
        return self.library.info(name)

    def documents(
        self, name: str, *, containing: str = "", offset: int = 0, limit: int = 100
    ) -> list[DocumentInfo]:
        """In the order of their names."""
        return self.library.documents(name, containing=containing, offset=offset, limit=limit)

    def document(self, name: str, document_id: str) -> DocumentInfo:
        return self.library.open(name).document(document_id)

    def search(
        self, name: str, query: str, *, limit: int = 10, where: Filter | None = None
    ) -> list[Hit]:
        return self.library.open(name).search(query, limit=limit, where=where)

    @staticmethod
    def filter(
        *,
        folders: Sequence[str] = (),
        formats: Sequence[str] = (),
        metadata: Mapping[str, str] | None = None,
    ) -> Filter:
        """From what a person typed; a format that does not exist is a problem that names them."""
        known = documents()
        for format in formats:
            if format not in known:
                choices = " ".join(known)
                raise InvalidInput("format_unknown", format=format[:40], choices=choices)
        return Filter.model_validate(
            {
                "folders": list(folders),
                "formats": list(formats),
                "metadata": dict(metadata or {}),
            }
        )

    def place(self, name: str, chunk_id: str) -> Place:
        """The page, sheet or passage that a hit came from."""
        collection = self.library.open(name)
        document_id, _, ordinal = chunk_id.rpartition(".")
        info = collection.document(document_id)
        kept = collection.read(document_id)
        chunk = kept.chunk(ordinal)
        begin, end = kept.page_around(chunk.position, AROUND_CHARACTERS)
        text = kept.document.text
        return Place(
            document=info,
            position=chunk.position,
            before=text[begin : chunk.position.start],
            text=chunk.text,
            after=text[chunk.position.end : end],
        )

    # ---- changing ----

    def index_paths(
        self, name: str, paths: Sequence[Path], *, metadata: dict[str, str] | None = None
    ) -> Iterator[Outcome]:
        """For the person at this machine: files and folders by their paths."""
        return self._index(name, files_at(paths, without=self._workspace), metadata)

    def index_uploads(
        self,
        caller: Caller,
        name: str,
        files: Sequence[FileRef],
        *,
        metadata: dict[str, str] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[Outcome]:
        """For everybody: files that the caller has uploaded."""
        self.check_uploads(caller, name, files)
        uploads = (upload(file.name, self._files.read(file.file_id)) for file in files)
        return self._index(name, uploads, metadata, stopped)

    def is_shared(self, name: str) -> bool:
        """Whether every machine reaches it: one that is kept on a server, or would be."""
        return self.library.engine_of(name) != "embedded"

    def check_uploads(self, caller: Caller, name: str, files: Sequence[FileRef]) -> None:
        checked_name(name)
        self._files.check(caller.owner, list(files))

    def count_files(self, paths: Sequence[Path]) -> int:
        """How many outcomes to expect; archives count as one."""
        return sum(1 for _ in files_at(paths, without=self._workspace))

    def remove_missing(self, name: str, paths: Sequence[Path]) -> Iterator[Outcome]:
        """Takes out what was indexed from below these paths and is not there any more."""
        collection = self.library.open(name)
        roots = [path.resolve() for path in paths]
        for root in roots:
            if root.is_dir() and not any(True for _ in files_at([root])):
                # A network drive that is not connected looks like this.
                raise Conflict("collection_prune_empty", path=str(root))
        gone: list[DocumentInfo] = []
        for info in collection.all_documents():
            path = path_of(info.container or info.source)
            if path is None or not any(path.is_relative_to(root) for root in roots):
                continue
            if not path.exists():
                gone.append(info)
            if len(gone) >= REMOVED_AT_ONCE:
                yield from _taken_out(collection, gone)
                gone = []
        yield from _taken_out(collection, gone)

    def remove(self, name: str, document_id: str) -> DocumentInfo:
        info = self.document(name, document_id)
        self.library.open(name).remove([document_id])
        return info

    def delete(self, name: str) -> None:
        self.library.delete(name)

    def close(self) -> None:
        self.readers.close()
        self.library.close()

    def _index(
        self,
        name: str,
        files: Iterable[InputFile | Unreadable],
        metadata: dict[str, str] | None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[Outcome]:
        collection, new = self.library.open_or_create(name)
        outcomes = index(collection, files, self.readers, metadata=metadata, stopped=stopped)
        return outcomes if new is None else self._without_empty_shell(new, outcomes)

    def _without_empty_shell(
        self, new: CollectionRecord, outcomes: Iterator[Outcome]
    ) -> Iterator[Outcome]:
        """A new collection that nothing could be read into is not left behind."""
        try:
            yield from outcomes
        finally:
            self.library.discard(new)


def _taken_out(collection: Collection, gone: Sequence[DocumentInfo]) -> Iterator[Outcome]:
    if gone:
        collection.remove([info.document_id for info in gone])
    for info in gone:
        yield Outcome(name=info.name, status="removed", document_id=info.document_id)


@contextmanager
def open_collections(settings: Settings) -> Generator[Collections]:
    """Collections alone, for who needs no runs."""
    database = open_database(settings)
    files = RunFiles(database, open_blobs(settings), MemoryBlobs(0))
    collections = Collections(database, files, settings)
    try:
        yield collections
    finally:
        collections.close()
        files.blobs.close()
        database.close()


class CitationPlace(Frozen):
    """A passage with the quote in it, and what comes before and after it."""

    citation: Citation
    position: Position | None
    """Of the passage; None where the document is not there any more."""
    before: str = ""
    text: str
    after: str = ""
    start: int
    end: int
    """Of the quote, within `text`."""
    problem: Problem | None = None
    """Why only the quote itself can be shown."""


def find_place(collections: Collections, collection: str, citation: Citation) -> CitationPlace:
    """The quote in its passage; the quote alone, with the reason, where that is gone."""
    try:
        opened = collections.library.open(collection)
        if not opened.keeps_texts:
            elsewhere = NotFound("citation_document_elsewhere", collection=collection)
            return quote_alone(citation, elsewhere.problem)
        kept = opened.read(citation.document_id)
    except NotFound:
        gone = NotFound("citation_document_gone", document=citation.document, collection=collection)
        return quote_alone(citation, gone.problem)
    start = _start(kept.document.text, citation)
    if start is None:
        changed = NotFound("citation_document_changed", document=citation.document)
        return quote_alone(citation, changed.problem)
    return _in_passage(kept, citation, start)


def _start(text: str, citation: Citation) -> int | None:
    """Where the quote begins now: a document that was read again may have moved it."""
    if not citation.quote:
        return None
    if text.startswith(citation.quote, citation.start):
        return citation.start
    before = text.rfind(citation.quote, 0, max(0, citation.start))
    after = text.find(citation.quote, max(0, citation.start))
    found = [place for place in (before, after) if place >= 0]
    return min(found, key=lambda place: abs(place - citation.start), default=None)


def _in_passage(kept: KeptDocument, citation: Citation, start: int) -> CitationPlace:
    end = start + len(citation.quote)
    text = kept.document.text
    position = _passage(kept, citation, start, end)
    # A quote may reach over the end of its passage: then the passage is shown as far as it does.
    first, last = min(position.start, start), max(position.end, end)
    begin, stop = kept.page_around(position, AROUND_CHARACTERS)
    return CitationPlace(
        citation=citation,
        position=position,
        before=text[min(begin, first) : first],
        text=text[first:last],
        after=text[last : max(stop, last)],
        start=start - first,
        end=end - first,
    )


def _passage(kept: KeptDocument, citation: Citation, start: int, end: int) -> Position:
    """The one that was cited, if the quote is still in it, or else the one it is in now."""
    for position in chain(_cited(kept, citation), (cut.position for cut in kept.cuts)):
        if position.start <= start < position.end:
            return position
    return Position(start=start, end=end, page=citation.page, sheet=citation.sheet)


def _cited(kept: KeptDocument, citation: Citation) -> Iterator[Position]:
    ordinal = citation.chunk_id.rpartition(".")[2]
    try:
        yield kept.chunk(ordinal).position
    except NotFound:  # read again since, into fewer passages
        return


def quote_alone(citation: Citation, problem: Problem) -> CitationPlace:
    """Where there is nothing to show around it, and why."""
    return CitationPlace(
        citation=citation,
        position=None,
        text=citation.quote,
        start=0,
        end=len(citation.quote),
        problem=problem,
    )
