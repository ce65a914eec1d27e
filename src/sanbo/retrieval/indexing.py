"""Reads files, folders and archives into a collection: several files at a time, in batches that
each survive a crash.
"""

import gc
import hashlib
import json
import logging
import os
import stat
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal, TypeVar, cast
from urllib.parse import quote_from_bytes, unquote_to_bytes

from sanbo.documents.model import Skipped, Source
from sanbo.documents.reading import FolderFile, Readers, name_of, problem_of, read_folder
from sanbo.kernel.messages import Language, current_language, use_language
from sanbo.kernel.problems import (
    LimitExceeded,
    NotFound,
    PermissionDenied,
    Problem,
    SanboError,
    UnsupportedFormat,
)
from sanbo.retrieval.collection import Batch, Collection, Portion, ReadDocument, Stopped
from sanbo.retrieval.engines.engine import searched_text
from sanbo.retrieval.model import Frozen, IndexedChunk
from sanbo.retrieval.vectors import vectors_apart
from sanbo.sandbox.calls import Calls

MOST_BYTES = 500 * 1024 * 1024
DEEPEST = 5


@dataclass(frozen=True)
class InputFile:
    """A file by what identifies it; its bytes are read when their turn comes."""

    name: str
    identity: str
    load: Callable[[], bytes]
    container: str | None = None
    """The identity of the archive or mail that it is in, the outermost one."""
    size: int = 0
    """Of what is in memory of it."""

    @property
    def document_id(self) -> str:
        return hashlib.sha256(self.identity.encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Unreadable:
    """A file that a person should know was left out."""

    name: str
    problem: Problem
    is_failure: bool = False
    """Whether it should have been read, or only was none of those that can be."""


@dataclass(frozen=True)
class Emptied:
    """An archive or mail was read to its end: these are the documents in it, and no others."""

    container: str
    document_ids: frozenset[str]


Input = InputFile | Unreadable | Emptied


def files_at(
    paths: Iterable[Path], *, without: Path | None = None
) -> Iterator[InputFile | Unreadable]:
    """Every file at these paths; folders are walked, archives are still closed.

    `without`: a folder that is left alone; the workspace does not index itself.
    """
    closed = None if without is None else without.resolve()
    for path in paths:
        if path.is_dir():
            for entry in read_folder(path):
                if isinstance(entry, FolderFile) and closed and _is_below(entry.path, closed):
                    continue
                name = f"{name_of(path.resolve().name)}/{entry.name}"
                if isinstance(entry, Skipped):
                    yield Unreadable(name, entry.problem)
                else:
                    yield file_at(entry.path, name)
        elif path.exists():
            yield file_at(path, name_of(path.name))
        else:
            name = name_of(path)
            yield Unreadable(name, NotFound("index_path_missing", path=name).problem)


def file_at(path: Path, name: str) -> InputFile:
    return InputFile(name, _identity(path.resolve()), lambda: _load(path, name))


def _identity(path: Path) -> str:
    """Told apart by its bytes; a path that is no text, which no database holds, as an address."""
    raw = os.fsencode(path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return f"file://{quote_from_bytes(raw)}"


def path_of(identity: str) -> Path | None:
    """Where a document is on disk; None for an upload."""
    if identity.startswith("upload:"):
        return None
    if identity.startswith("file://"):
        return Path(os.fsdecode(unquote_to_bytes(identity.removeprefix("file://"))))
    return Path(identity)


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder)


def upload(name: str, data: bytes) -> InputFile:
    """A file that came without a place of its own: the same name is the same document."""
    return InputFile(name, f"upload:{name}", lambda: data)


def opened(files: Iterable[InputFile | Unreadable], readers: Readers) -> Iterator[Input]:
    """Archives and mails opened: what is in them follows, one file in memory at a time."""
    for file in files:
        inside: set[str] = set()
        is_whole = True
        for part in _opened_each([file], readers, 0):
            if isinstance(part, Unreadable):
                is_whole = False
            elif part.container is not None:
                inside.add(part.document_id)
            yield part
        if is_whole and isinstance(file, InputFile):
            yield Emptied(file.identity, frozenset(inside))


def _opened_each(
    files: Iterable[InputFile | Unreadable], readers: Readers, depth: int
) -> Iterator[InputFile | Unreadable]:
    for file in files:
        if isinstance(file, Unreadable):
            yield file
            continue
        try:
            yield from _opened(file, readers, depth)
        except Exception as error:  # noqa: BLE001 - whatever one file does, the others go on
            yield Unreadable(file.name, problem_of(error, file.name), is_failure=True)


def _opened(file: InputFile, readers: Readers, depth: int) -> Iterator[InputFile | Unreadable]:
    source = Source(name=file.name, data=file.load())
    kind = readers.container_format(source)
    if depth > DEEPEST:
        raise LimitExceeded("index_nested", name=file.name, limit=DEEPEST)
    if kind != "zip":
        yield replace(file, load=lambda: source.data, size=len(source.data))
    if kind is not None:
        entries = (_inside(file, entry) for entry in readers.files_in(source, kind))
        yield from _opened_each(entries, readers, depth + 1)


def _inside(file: InputFile, source: Source | Skipped) -> InputFile | Unreadable:
    if isinstance(source, Skipped):
        return Unreadable(source.name, source.problem)
    inner = source.name.removeprefix(file.name).lstrip("/")
    name = f"{file.name}/{inner}"
    return InputFile(
        name,
        f"{file.identity}!{inner}",
        lambda: source.data,
        container=file.container or file.identity,
    )


def _load(path: Path, name: str) -> bytes:
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # a pipe or a device may never end
            raise UnsupportedFormat("index_no_file", name=name)
        if about.st_size > MOST_BYTES:
            raise LimitExceeded("file_too_large", name=name, limit_mb=MOST_BYTES // (1024 * 1024))
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound("index_path_missing", path=name) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PermissionDenied("index_file_refused", name=name, reason=reason) from None


logger = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")

# Part of every version: raise it when reading or cutting changes, and files are read anew.
READING = "2"
BATCH_CHARACTERS = 2_000_000
BATCH_DOCUMENTS = 2048
BATCH_SECONDS = 2.0
# Chunks that were added one by one are kept in memory; settling puts them on disk in good order,
# and now and then writes again what was settled before: the more is stored, the seldomer it is due.
SETTLE_CHUNKS, MOST_UNSETTLED = 8_000, 40_000
_COLLECTED_AFTER = 100_000
# Files that are being read while the first of them is waited for; and no more bytes than these.
AHEAD = 32
AHEAD_BYTES = 64 << 20

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


Result = Outcome | ReadDocument | Emptied
"""Of one file: what is known of it already, or what is to be stored."""
_Step = Outcome | Emptied | Batch | Portion
"""A batch is followed by its portions."""


class _Gathered:
    def __init__(self) -> None:
        self.documents: dict[str, ReadDocument] = {}
        self.characters = 0
        self.since = time.monotonic()

    def add(self, item: ReadDocument) -> None:
        self.documents[item.document_id] = item
        self.characters += len(item.document.text)

    @property
    def is_full(self) -> bool:
        return (
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
    reading = _Reading(collection, readers, metadata or {})
    with ThreadPoolExecutor(readers.calls.sandbox.at_once, "reading") as pool:
        inputs = _until(stopped, opened(files, readers))
        with closing(
            _ahead(inputs, lambda file: pool.submit(reading.read, file), AHEAD, _size)
        ) as results:
            yield from store(collection, results, readers.calls, stopped=stopped)


def store(
    collection: Collection,
    results: Iterable[Result],
    calls: Calls,
    *,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Outcome]:
    """Puts documents into a collection, a batch at a time, while processes make the next's vectors.

    What was stored when this process dies counts; whoever goes on reads the rest.
    """
    storing = _Storing(collection, stopped)
    at_once = calls.sandbox.at_once
    with _seldom_collecting(), ThreadPoolExecutor(at_once, "vectors") as pool:

        def begin(step: _Step) -> Future[_Step]:
            if isinstance(step, tuple):
                return pool.submit(_with_vectors, step[0], calls)
            known: Future[_Step] = Future()
            known.set_result(step)
            return known

        try:
            with closing(_ahead(_until(stopped, _steps(results)), begin, 2 * at_once)) as steps:
                for step in steps:
                    yield from storing.take(step, steps)
        except Stopped:
            return
    storing.settle()


@contextmanager
def _seldom_collecting() -> Generator[None]:
    """Vectors are millions of numbers in lists, none of them in a circle: looking for circles among
    them again and again takes a twentieth of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(_COLLECTED_AFTER, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _until(stopped: Callable[[], bool], items: Iterable[T]) -> Iterator[T]:
    for item in items:
        if stopped():
            raise Stopped
        yield item


def _ahead(
    items: Iterable[T],
    begin: Callable[[T], Future[R]],
    most: int,
    size: Callable[[T], int] = lambda _: 0,
) -> Generator[R]:
    """In their order, while so many of the next are under way."""
    begun: deque[tuple[Future[R], int]] = deque()
    held = 0
    try:
        for item in items:
            begun.append((begin(item), size(item)))
            held += begun[-1][1]
            while len(begun) > most or (begun and held > AHEAD_BYTES):
                future, freed = begun.popleft()
                held -= freed
                yield future.result()
        while begun:
            yield begun.popleft()[0].result()
    finally:
        for future, _ in begun:
            future.cancel()


def _size(file: Input) -> int:
    return file.size if isinstance(file, InputFile) else 0


def _steps(results: Iterable[Result]) -> Iterator[_Step]:
    gathered = _Gathered()
    for result in results:
        if not isinstance(result, ReadDocument):
            yield result
            continue
        if result.document_id in gathered.documents:  # the same name twice: one, then the other
            yield from _steps_of(gathered)
            gathered = _Gathered()
        gathered.add(result)
        if gathered.is_full:
            yield from _steps_of(gathered)
            gathered = _Gathered()
    if gathered.documents:
        yield from _steps_of(gathered)


def _steps_of(gathered: _Gathered) -> Iterator[_Step]:
    batch = Batch(list(gathered.documents.values()))
    yield batch
    for chunks in batch.chunks():
        yield chunks, None


def _with_vectors(chunks: Sequence[IndexedChunk], calls: Calls) -> Portion:
    return chunks, vectors_apart([searched_text(chunk) for chunk in chunks], calls)


class _Reading:
    def __init__(self, collection: Collection, readers: Readers, metadata: dict[str, str]) -> None:
        self._collection = collection
        self._readers = readers
        self._metadata = metadata
        self._language: Language = current_language()

    def read(self, file: Input) -> Result:
        """In a thread of the pool."""
        with use_language(self._language):
            return self._read(file)

    def _read(self, file: Input) -> Result:
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
        )

    def _version(self, sha256: str, name: str) -> str:
        """Of everything that is kept: the content, its name and what is noted about it."""
        about = json.dumps([sha256, name, self._metadata], sort_keys=True)
        return f"{READING}-{hashlib.sha256(about.encode()).hexdigest()[:32]}"


class Settling:
    """When what one process stores in a collection is to be settled."""

    def __init__(self) -> None:
        self._stored = 0
        self._unsettled = 0

    def add(self, chunks: int) -> None:
        self._stored += chunks
        self._unsettled += chunks

    @property
    def is_due(self) -> bool:
        return self._unsettled >= max(SETTLE_CHUNKS, min(self._stored // 4, MOST_UNSETTLED))

    def settle(self, collection: Collection) -> None:
        if self._unsettled:
            self._unsettled = 0
            collection.settle()


class _Storing:
    def __init__(self, collection: Collection, stopped: Callable[[], bool]) -> None:
        self._collection = collection
        self._stopped = stopped
        self._settling = Settling()

    def take(self, step: _Step, following: Iterator[_Step]) -> Iterator[Outcome]:
        if isinstance(step, Outcome):
            yield step
        elif isinstance(step, Emptied):
            yield from self._take_out(step)
        elif isinstance(step, Batch):
            portions = cast("Iterator[Portion]", islice(following, step.portions))
            yield from self._put(step, portions)

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

    def _put(self, batch: Batch, portions: Iterator[Portion]) -> Iterator[Outcome]:
        known = self._collection.versions_of(item.document_id for item in batch.documents)
        infos = self._collection.put(batch, portions, self._stopped)
        self._settling.add(sum(info.chunks for info in infos))
        if self._settling.is_due:
            self.settle()
        for info in infos:
            yield Outcome(
                name=info.name,
                status="replaced" if info.document_id in known else "added",
                document_id=info.document_id,
                format=info.format,
                pages=info.pages,
                chunks=info.chunks,
                warnings=info.warnings,
            )

    def settle(self) -> None:
        """What is indexed can be found without it, only not as fast."""
        try:
            self._settling.settle(self._collection)
        except SanboError:
            logger.warning("the index could not be put in order", exc_info=True)
