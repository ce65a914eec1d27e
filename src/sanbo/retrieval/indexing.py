"""Reads files into a collection: several at a time, in batches that each survive a crash."""

import hashlib
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Literal

from sanbo.documents.model import Source
from sanbo.documents.reading import Readers
from sanbo.kernel.messages import Language, current_language, use_language
from sanbo.kernel.problems import Problem, SanboError
from sanbo.retrieval.collection import Collection, ReadDocument
from sanbo.retrieval.inputs import InputFile, Unreadable, opened
from sanbo.retrieval.model import Frozen

# Part of every version: raise it when reading or cutting changes, and files are read anew.
READING = "1"
BATCH_CHARACTERS = 100_000
BATCH_DOCUMENTS = 64
BATCH_SECONDS = 2.0
# Chunks that were added one by one are kept in memory; settling puts them on disk in good order.
SETTLE_CHUNKS = 5_000
AHEAD = 4

Status = Literal["added", "replaced", "unchanged", "failed", "skipped", "removed"]


class Outcome(Frozen):
    """What became of one file."""

    name: str
    status: Status
    document_id: str | None = None
    format: str | None = None
    pages: int | None = None
    chunks: int = 0
    warnings: tuple[Problem, ...] = ()
    problem: Problem | None = None


class _Batch:
    def __init__(self) -> None:
        self.documents: dict[str, ReadDocument] = {}
        self.characters = 0
        self.since = time.monotonic()

    def add(self, item: ReadDocument) -> None:
        self.documents[item.document_id] = item
        self.characters += len(item.document.text)

    @property
    def is_full(self) -> bool:
        return bool(self.documents) and (
            self.characters >= BATCH_CHARACTERS
            or len(self.documents) >= BATCH_DOCUMENTS
            or time.monotonic() - self.since > BATCH_SECONDS
        )


def index(
    collection: Collection,
    files: Iterable[InputFile | Unreadable],
    readers: Readers,
    *,
    metadata: dict[str, str] | None = None,
) -> Iterator[Outcome]:
    """Outcomes come when they are safe on disk. Closing the iterator drops what is not yet.

    Files are taken from the iterable as they are needed, so it may be endless.
    """
    indexing = _Indexing(collection, readers, metadata or {})
    with ThreadPoolExecutor(2, thread_name_prefix="reading") as pool:
        reading: deque[Future[Outcome | ReadDocument]] = deque()
        try:
            for file in opened(files):
                reading.append(pool.submit(indexing.read, file))
                if len(reading) > AHEAD:
                    yield from indexing.take(reading.popleft().result())
            while reading:
                yield from indexing.take(reading.popleft().result())
            yield from indexing.finish()
        finally:
            for future in reading:
                future.cancel()
    indexing.settle()


class _Indexing:
    def __init__(self, collection: Collection, readers: Readers, metadata: dict[str, str]) -> None:
        self._collection = collection
        self._readers = readers
        self._metadata = metadata
        self._language: Language = current_language()
        self._batch = _Batch()
        self._unsettled = 0

    def read(self, file: InputFile | Unreadable) -> Outcome | ReadDocument:
        """In a thread of the pool."""
        with use_language(self._language):
            return self._read(file)

    def _read(self, file: InputFile | Unreadable) -> Outcome | ReadDocument:
        if isinstance(file, Unreadable):
            status = "failed" if file.is_failure else "skipped"
            return Outcome(name=file.name, status=status, problem=file.problem)
        try:
            data = file.load()
            sha256 = hashlib.sha256(data).hexdigest()
            version = f"{READING}-{sha256[:32]}"
            current = self._collection.version_of(file.document_id)
            if current == version:
                return Outcome(name=file.name, status="unchanged", document_id=file.document_id)
            document = self._readers.read(Source(name=file.name, data=data))
        except SanboError as error:
            return Outcome(name=file.name, status="failed", problem=error.problem)
        return ReadDocument(
            document_id=file.document_id,
            source=file.identity,
            version=version,
            sha256=sha256,
            size=len(data),
            document=document,
            metadata=self._metadata,
            replaces=current,
        )

    def take(self, result: Outcome | ReadDocument) -> Iterator[Outcome]:
        if isinstance(result, Outcome):
            yield result
            return
        self._batch.add(result)
        if self._batch.is_full:
            yield from self.finish()

    def finish(self) -> Iterator[Outcome]:
        """Puts the gathered documents into the collection, all of them at once."""
        batch, self._batch = self._batch, _Batch()
        items = list(batch.documents.values())
        if not items:
            return
        infos = self._collection.put(items)
        self._unsettled += sum(info.chunks for info in infos)
        if self._unsettled >= SETTLE_CHUNKS:
            self.settle()
        for item, info in zip(items, infos, strict=True):
            yield Outcome(
                name=info.name,
                status="added" if item.replaces is None else "replaced",
                document_id=info.document_id,
                format=info.format,
                pages=info.pages,
                chunks=info.chunks,
                warnings=info.warnings,
            )

    def settle(self) -> None:
        if self._unsettled:
            self._collection.settle()
            self._unsettled = 0
