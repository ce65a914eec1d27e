"""Collections for front ends: index, search, look, delete. Shared by all users of a workspace.

Blocking, and safe to call from several threads.
"""

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

from sanbo.documents.model import Format, Position
from sanbo.documents.reading import Readers
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.settings import Settings
from sanbo.retrieval.indexing import Outcome, index
from sanbo.retrieval.inputs import InputFile, Unreadable, files_at, upload
from sanbo.retrieval.library import Library
from sanbo.retrieval.model import CollectionInfo, DocumentInfo, Filter, Frozen, Hit, Span
from sanbo.runs.files import RunFiles
from sanbo.runs.model import FileRef
from sanbo.service.access import Caller
from sanbo.storage.blobs import Blobs
from sanbo.storage.database import Database, open_database

__all__ = [
    "CollectionInfo",
    "Collections",
    "DocumentInfo",
    "Filter",
    "Format",
    "Hit",
    "Outcome",
    "Place",
    "Position",
    "Span",
    "open_collections",
]

AROUND_CHARACTERS = 2_000


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
        self._library = Library(database, settings)
        self._readers = Readers(count=min(2, os.cpu_count() or 1))

    # ---- looking ----

    def all(self) -> list[CollectionInfo]:
        return self._library.collections()

    def info(self, name: str) -> CollectionInfo:
        return self._library.open(name).info()

    def documents(
        self, name: str, *, containing: str = "", offset: int = 0, limit: int = 100
    ) -> list[DocumentInfo]:
        """In the order of their names."""
        collection = self._library.open(name)
        return collection.documents(containing=containing, offset=offset, limit=limit)

    def search(
        self, name: str, query: str, *, limit: int = 10, where: Filter | None = None
    ) -> list[Hit]:
        return self._library.open(name).search(query, limit=limit, where=where)

    @staticmethod
    def filter(*, folders: Sequence[str], formats: Sequence[str]) -> Filter:
        """From what a person typed; a format that does not exist is a problem that names them."""
        known = get_args(Format)
        for format in formats:
            if format not in known:
                choices = "、".join(known)
                raise InvalidInput("format_unknown", format=format[:40], choices=choices)
        return Filter.model_validate(
            {"folders": [folder.strip("/") for folder in folders], "formats": list(formats)}
        )

    def place(self, name: str, chunk_id: str) -> Place:
        """The page, sheet or passage that a hit came from."""
        collection = self._library.open(name)
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
        return self._index(name, files_at(paths), metadata)

    def index_uploads(
        self,
        caller: Caller,
        name: str,
        files: Sequence[FileRef],
        *,
        metadata: dict[str, str] | None = None,
    ) -> Iterator[Outcome]:
        """For everybody: files that the caller has uploaded."""
        self._files.check(caller.owner, list(files))
        uploads = (upload(file.name, self._files.read(file.file_id)) for file in files)
        return self._index(name, uploads, metadata)

    @staticmethod
    def count_files(paths: Sequence[Path]) -> int:
        """How many outcomes to expect; archives count as one."""
        return sum(1 for _ in files_at(paths))

    def remove_missing(self, name: str, paths: Sequence[Path]) -> Iterator[Outcome]:
        """Takes out what was indexed from below these paths and is not there any more."""
        collection = self._library.open(name)
        roots = tuple(f"{path.resolve()}{os.sep}" for path in paths)
        for info in collection.all_documents():
            source = info.source.partition("!")[0]
            if source.startswith(roots) and not Path(source).exists():
                collection.remove([info.document_id])
                yield Outcome(name=info.name, status="removed", document_id=info.document_id)

    def remove(self, name: str, document_id: str) -> DocumentInfo:
        collection = self._library.open(name)
        info = collection.document(document_id)
        collection.remove([document_id])
        return info

    def delete(self, name: str) -> None:
        self._library.delete(name)

    def close(self) -> None:
        self._readers.close()
        self._library.close()

    def _index(
        self,
        name: str,
        files: Iterable[InputFile | Unreadable],
        metadata: dict[str, str] | None,
    ) -> Iterator[Outcome]:
        collection = self._library.open_or_create(name)
        return index(collection, files, self._readers, metadata=metadata)


@contextmanager
def open_collections(settings: Settings) -> Generator[Collections]:
    """Collections alone, for who needs no runs."""
    database = open_database(settings)
    files = RunFiles(database, Blobs(settings.workspace / "blobs"))
    collections = Collections(database, files, settings)
    try:
        yield collections
    finally:
        collections.close()
        database.close()
