"""A collection: documents that were read, and finding things in them."""

import shutil
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from filelock import FileLock, Timeout

from sanbo.documents.chunks import Chunk, chunk
from sanbo.documents.model import Document
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, MissingDependency, NotFound
from sanbo.retrieval.catalogue import Catalogue, CollectionRecord, KeptDocument, KeptTexts, Version
from sanbo.retrieval.engines.engine import SearchEngine
from sanbo.retrieval.model import (
    Candidate,
    CollectionInfo,
    DocumentInfo,
    Filter,
    Frozen,
    Hit,
    IndexedChunk,
)
from sanbo.retrieval.tokens import highlights, speakable, terms_of
from sanbo.retrieval.vectors import TextVectors, with_verbatim

MOST_HITS = 100
CHUNKS_AT_ONCE = 1024
MOST_ASKED = 20_000
LONGEST_QUERY = 2_000


class ReadDocument(Frozen):
    """A document as it was read, ready to be put into a collection."""

    document_id: str
    source: str
    version: str
    container: str | None = None
    sha256: str
    size: int
    document: Document
    metadata: dict[str, str]


Portion = tuple[Sequence[IndexedChunk], Sequence[TextVectors] | None]
"""Chunks, and their vectors where they were made beforehand."""


class Batch:
    """Documents that come into a collection together, cut into chunks."""

    def __init__(self, documents: Sequence[ReadDocument]) -> None:
        self.documents = documents
        self.cut = [chunk(item.document) for item in documents]
        count = sum(map(len, self.cut))
        self._size = -(-count // max(1, round(count / CHUNKS_AT_ONCE)))  # about the same for all
        self.portions = -(-count // self._size) if count else 0
        """How many there are."""

    def chunks(self) -> Iterator[list[IndexedChunk]]:
        """A portion at a time: all of them could be far more than the text."""
        cut = zip(self.documents, self.cut, strict=True)
        indexed = (_indexed(item, piece) for item, pieces in cut for piece in pieces)
        while some := list(islice(indexed, self._size)):
            yield some


class Stopped(Exception):
    """Whoever asked for the work does not want it any more."""


class Collection:
    """Called from several threads; several processes may use the same collection."""

    def __init__(
        self,
        record: CollectionRecord,
        catalogue: Catalogue,
        engine: SearchEngine,
        *,
        folder: Path,
        texts: KeptTexts,
        timeout_seconds: float,
    ) -> None:
        self.name = record.name
        self._key = record.key
        self._catalogue = catalogue
        self._engine = engine
        self._folder = folder
        self._texts = texts
        self._timeout = timeout_seconds
        self._writer = FileLock(folder / "writer.lock", thread_local=False)
        self._writing = threading.RLock()
        self._is_dropped = False

    # ---- looking ----

    def search(self, query: str, *, limit: int = 10, where: Filter | None = None) -> list[Hit]:
        """The best chunks for a query; only of versions that count."""
        limit = max(1, min(limit, MOST_HITS))
        query = speakable(query)[:LONGEST_QUERY]
        where = where or Filter()
        # Chunks that don't count any more, or not yet, may be among the first, and many where a
        # large document is just being written: more are asked for until there are enough.
        asked = limit + 5
        found = self._engine.search(query, asked, where)
        counted = self._counted(found)
        while len(counted) < limit and len(found) >= asked and asked < MOST_ASKED:
            asked *= 4
            found = self._engine.search(query, asked, where)
            counted = self._counted(found)
        if not found:
            self._check_engine()
        terms = terms_of(query)
        return [_hit(terms, candidate) for candidate in with_verbatim(query, counted)[:limit]]

    def _counted(self, found: list[Candidate]) -> list[Candidate]:
        if not self._engine.writable:
            return found
        ids = (candidate.chunk.document_id for candidate in found)
        versions = self._catalogue.versions(self._key, ids)
        return [
            candidate
            for candidate in found
            if versions.get(candidate.chunk.document_id) == candidate.chunk.version
        ]

    def _check_engine(self) -> None:
        """An index that was there and is not any more must not look like nothing found."""
        if self._engine.is_there():
            return
        info = self._catalogue.info(self._key)
        if info is not None and info.chunks:
            reason = tell("collection_index_missing")
            raise MissingDependency("collection_damaged", collection=self.name, reason=reason)

    def info(self) -> CollectionInfo:
        """Its line in the catalogue; a problem where it was deleted meanwhile."""
        info = self._catalogue.info(self._key)
        if info is None:
            raise NotFound("collection_unknown", collection=self.name)
        return info

    @property
    def keeps_texts(self) -> bool:
        """False for an index that others make: what its engine holds is all there is."""
        return self._engine.writable

    @property
    def in_process(self) -> bool:
        """Whether a search works in this process and waits for no server."""
        return self._engine.in_process

    def all_documents(self) -> Iterator[DocumentInfo]:
        """Page by page, and right also when what was given is removed meanwhile."""
        last = ""
        while page := self._catalogue.documents_after(self._key, last):
            yield from page
            last = page[-1].document_id

    def document(self, document_id: str) -> DocumentInfo:
        info = self._catalogue.document(self._key, document_id)
        if info is None:
            raise NotFound("document_unknown", document=document_id, collection=self.name)
        return info

    def version_of(self, document_id: str) -> str | None:
        return self.versions_of([document_id]).get(document_id)

    def versions_of(self, document_ids: Iterable[str]) -> dict[str, str]:
        """Those that count, of documents that are there."""
        return self._catalogue.versions(self._key, document_ids)

    def is_whole(self, document_id: str, version: str) -> bool:
        """Whether what belongs to a version that counts is there; else it is to be read again."""
        return self._texts.has((document_id, version)) and self._engine.is_there()

    def within(self, container: str) -> list[str]:
        return self._catalogue.within(self._key, container)

    def read(self, document_id: str) -> KeptDocument:
        """The document as it was when it was indexed; chunk n is the hit `document_id.n`."""
        info = self.document(document_id)
        kept = self._texts.read((document_id, info.version))
        if kept is None:
            raise NotFound("document_text_missing", document=info.name)
        return kept

    # ---- changing ----

    def put(
        self,
        batch: Batch,
        portions: Iterable[Portion] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> list[DocumentInfo]:
        """Adds documents, or replaces what was read from the same source.

        Until this returns, searches see the versions from before; a crash leaves those, and so
        does `stopped`, which is asked between portions and raises `Stopped`. `portions` are those
        of the batch with their vectors; where they are not given, the engine makes them.
        """
        infos = [
            _info(item, len(pieces))
            for item, pieces in zip(batch.documents, batch.cut, strict=True)
        ]
        versions = [(item.document_id, item.version) for item in batch.documents]
        with self._right_to_write():
            self._catalogue.announce(self._key, versions)
            self._texts.keep(
                ((item.document_id, item.version), KeptDocument.of(item.document, pieces))
                for item, pieces in zip(batch.documents, batch.cut, strict=True)
            )
            for chunks, vectors in portions or ((some, None) for some in batch.chunks()):
                if stopped() or self._is_dropped:
                    raise Stopped
                self._engine.add(chunks, vectors)
            self._engine.flush()
            outdated = self._catalogue.publish(self._key, infos)
            if outdated is None:  # deleted by somebody else meanwhile
                self.drop()
                raise NotFound("collection_unknown", collection=self.name)
            self._remove(outdated)
        return infos

    def remove(self, document_ids: Sequence[str]) -> None:
        with self._right_to_write():
            self._remove(self._catalogue.withdraw(self._key, document_ids))

    def settle(self) -> None:
        self._engine.settle()

    def drop(self) -> None:
        """The engine's part and the texts; the catalogue's part is the library's."""
        self._is_dropped = True  # who is writing stops soon
        with self._writing:
            self._engine.drop()
            self._engine.close()
            self._texts.drop()
            shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        self._engine.close()

    def _remove(self, versions: Sequence[Version]) -> None:
        if not versions:
            return
        for document_id, version in versions:
            self._engine.remove(document_id, version)
        self._texts.remove(versions)
        self._engine.flush()
        self._catalogue.removed(self._key, versions)

    @contextmanager
    def _right_to_write(self) -> Generator[None]:
        """One writer at a time, over all processes; it first clears up after those that died."""
        if not self._engine.writable:
            raise Conflict("collection_read_only", collection=self.name)
        if not self._writing.acquire(timeout=self._timeout):
            raise Conflict("collection_busy", collection=self.name, recoverable=True)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                self._writer.acquire(timeout=self._timeout)
            except Timeout:
                raise Conflict("collection_busy", collection=self.name, recoverable=True) from None
            try:
                self._remove(self._catalogue.abandoned(self._key))
                yield
            finally:
                self._writer.release()
        finally:
            self._writing.release()


def _info(item: ReadDocument, chunks: int) -> DocumentInfo:
    document = item.document
    return DocumentInfo(
        document_id=item.document_id,
        name=document.name,
        source=item.source,
        container=item.container,
        version=item.version,
        sha256=item.sha256,
        format=document.format,
        title=document.title,
        size=item.size,
        pages=document.pages,
        chunks=chunks,
        warnings=document.warnings,
        metadata=item.metadata,
        indexed_at=datetime.fromtimestamp(time.time(), UTC),
    )


def _indexed(item: ReadDocument, piece: Chunk) -> IndexedChunk:
    folders = item.document.name.split("/")[:-1]
    return IndexedChunk(
        document_id=item.document_id,
        version=item.version,
        ordinal=piece.ordinal,
        document_name=item.document.name,
        format=item.document.format,
        folders=tuple("/".join(folders[: depth + 1]) for depth in range(len(folders))),
        text=piece.text,
        context=piece.context,
        position=piece.position,
        metadata=item.metadata,
    )


def _hit(terms: frozenset[str], candidate: Candidate) -> Hit:
    chunk = candidate.chunk
    return Hit(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        document_name=chunk.document_name,
        format=chunk.format,
        text=chunk.text,
        context=chunk.context,
        position=chunk.position,
        score=candidate.score,
        signals=candidate.signals,
        highlights=highlights(terms, chunk.text),
        metadata=chunk.metadata,
    )
