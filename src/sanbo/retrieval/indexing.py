"""Reads files into a collection: several at a time, in batches that each survive a crash."""

import hashlib
import json
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Literal

from sanbo.documents.model import Source
from sanbo.documents.reading import Readers, problem_of
from sanbo.kernel.messages import Language, current_language, use_language
from sanbo.kernel.problems import Problem, SanboError
from sanbo.retrieval.collection import Collection, ReadDocument, Stopped
from sanbo.retrieval.inputs import Emptied, Input, InputFile, Unreadable, opened
from sanbo.retrieval.model import Frozen

logger = logging.getLogger(__name__)

# Part of every version: raise it when reading or cutting changes, and files are read anew.
READING = "2"
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


_Result = Outcome | ReadDocument | Emptied


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
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Outcome]:
    """Outcomes come when they are safe on disk. Closing the iterator drops what is not yet.

    Files are taken from the iterable as they are needed, so it may be endless. `stopped` is asked
    between files and within long ones: once it says yes, the rest is left as it was.
    """
    indexing = _Indexing(collection, readers, metadata or {}, stopped)
    with ThreadPoolExecutor(2, thread_name_prefix="reading") as pool:
        reading: deque[Future[_Result]] = deque()
        try:
            for file in opened(files, readers):
                if stopped():
                    return
                reading.append(pool.submit(indexing.read, file))
                if len(reading) > AHEAD:
                    yield from indexing.take(reading.popleft().result())
            while reading:
                yield from indexing.take(reading.popleft().result())
            yield from indexing.finish()
        except Stopped:
            return
        finally:
            for future in reading:
                future.cancel()
    indexing.settle()


class _Indexing:
    def __init__(
        self,
        collection: Collection,
        readers: Readers,
        metadata: dict[str, str],
        stopped: Callable[[], bool],
    ) -> None:
        self._stopped = stopped
        self._collection = collection
        self._readers = readers
        self._metadata = metadata
        self._language: Language = current_language()
        self._batch = _Batch()
        self._unsettled = 0

    def read(self, file: Input) -> _Result:
        """In a thread of the pool."""
        with use_language(self._language):
            return self._read(file)

    def _read(self, file: Input) -> _Result:
        if isinstance(file, Emptied):
            return file
        if isinstance(file, Unreadable):
            status = "failed" if file.is_failure else "skipped"
            return Outcome(name=file.name, status=status, problem=file.problem)
        try:
            data = file.load()
            sha256 = hashlib.sha256(data).hexdigest()
            version = self._version(sha256, file.name)
            current = self._collection.version_of(file.document_id)
            if current == version and self._collection.is_whole(file.document_id, version):
                return Outcome(name=file.name, status="unchanged", document_id=file.document_id)
            document = self._readers.read(Source(name=file.name, data=data))
        except Exception as error:  # noqa: BLE001 - whatever one file does, the others go on
            problem = problem_of(error, file.name)
            return Outcome(name=file.name, status="failed", problem=problem)
        return ReadDocument(
            document_id=file.document_id,
            source=file.identity,
            container=file.container,
            version=version,
            sha256=sha256,
            size=len(data),
            document=document,
            metadata=self._metadata,
            replaces=current,
        )

    def _version(self, sha256: str, name: str) -> str:
        """Of everything that is kept: the content, its name and what is noted about it."""
        about = json.dumps([sha256, name, self._metadata], sort_keys=True)
        return f"{READING}-{hashlib.sha256(about.encode()).hexdigest()[:32]}"

    def take(self, result: _Result) -> Iterator[Outcome]:
        if isinstance(result, Outcome):
            yield result
            return
        if isinstance(result, Emptied):
            yield from self._take_out(result)
            return
        if result.document_id in self._batch.documents:  # the same name twice: one, then the other
            yield from self.finish()
            current = self._collection.version_of(result.document_id)
            result = result.model_copy(update={"replaces": current})
        self._batch.add(result)
        if self._batch.is_full:
            yield from self.finish()

    def _take_out(self, emptied: Emptied) -> Iterator[Outcome]:
        """What was in an archive or mail and is not any more."""
        gone = [
            document_id
            for document_id in self._collection.within(emptied.container)
            if document_id not in emptied.document_ids
        ]
        if not gone:
            return
        names = [self._collection.document(document_id).name for document_id in gone]
        self._collection.remove(gone)
        for document_id, name in zip(gone, names, strict=True):
            yield Outcome(name=name, status="removed", document_id=document_id)

    def finish(self) -> Iterator[Outcome]:
        """Puts the gathered documents into the collection, all of them at once."""
        batch, self._batch = self._batch, _Batch()
        items = list(batch.documents.values())
        if not items:
            return
        infos = self._collection.put(items, self._stopped)
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
        """What is indexed can be found without it, only not as fast."""
        if self._unsettled:
            self._unsettled = 0
            try:
                self._collection.settle()
            except SanboError:
                logger.warning("the index could not be put in order", exc_info=True)
