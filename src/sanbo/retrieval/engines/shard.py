"""A collection's index in a folder: Qdrant Edge, no server; processes take turns."""

import logging
import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, cast

from filelock import FileLock, Timeout
from qdrant_edge import (
    Distance,
    EdgeConfig,
    EdgeOptimizersConfig,
    EdgeShard,
    EdgeSparseVectorParams,
    EdgeVectorParams,
    FieldCondition,
    KeywordIndexParams,
    MatchAny,
    MatchValue,
    Memory,
    Modifier,
    Point,
    Query,
    QueryBatchRequest,
    QueryRequest,
    UpdateOperation,
)
from qdrant_edge import Filter as EdgeFilter
from qdrant_edge import SparseVector as EdgeVector

from sanbo.kernel.problems import Conflict, LimitExceeded, MissingDependency, SanboError
from sanbo.retrieval.engines.embedded import ShardPlace
from sanbo.retrieval.engines.engine import fact, facts, searched_text
from sanbo.retrieval.model import Candidate, Filter, IndexedChunk
from sanbo.retrieval.tokens import grams, query_words
from sanbo.retrieval.vectors import (
    SparseVector,
    TextVectors,
    fuse,
    meaning_vector,
    query_vector,
    vectors_of,
)

LOOK_SECONDS = 0.02
# A note is renewed while its writer waits; an older one was left by a process that died.
NOTE_SECONDS = 5.0
RENEW_SECONDS = 1.0
# Long enough that two busy processes spend their time working, not opening and closing.
SLICE_SECONDS = 0.5
IDLE_SECONDS = 60.0


class Turns:
    """`with turns.mine():` the folder is this process's; `on_leave` runs before others get it."""

    def __init__(self, folder: Path, name: str, on_leave: Callable[[], None]) -> None:
        self._folder = folder
        self._name = name
        self._on_leave = on_leave
        self._lock: FileLock | None = None
        self._guard = threading.Condition()
        self._users = 0
        self._since = 0.0
        self._used = 0.0
        self._looked = 0.0
        self._stand_back_until = 0.0
        self._watch: threading.Thread | None = None

    @contextmanager
    def mine(self, timeout_seconds: float) -> Generator[None]:
        """Calls of several threads share the turn; waits for other processes, not for ever."""
        self._enter(timeout_seconds)
        try:
            yield
        finally:
            with self._guard:
                self._users -= 1
                self._used = time.monotonic()
                self._guard.notify_all()

    def leave(self) -> None:
        """Gives the turn up when nobody in this process is at work."""
        with self._guard:
            while self._users:
                self._guard.wait()
            self._give_up()

    def _enter(self, timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        while True:
            with self._guard:
                if self._lock is not None and not self._should_pass_on():
                    self._users += 1
                    return
                if self._lock is not None and self._users == 0:
                    self._give_up()
                if self._lock is None and self._take(deadline):
                    self._users += 1
                    return
                if self._lock is not None:  # others here still work; then it is passed on
                    self._guard.wait(LOOK_SECONDS)
            if time.monotonic() > deadline:
                raise Conflict("collection_busy", collection=self._name, recoverable=True)

    def _take(self, deadline: float) -> bool:
        """Waits with a note on the door. Called with the guard held: threads here wait too."""
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._folder / "turn.lock", thread_local=False)
        note = self._folder / f"wanted-{os.getpid()}-{secrets.token_hex(4)}"
        renewed = 0.0
        try:
            while True:
                # Who has just had its turn lets the others try first.
                if time.monotonic() > self._stand_back_until or not self._is_wanted():
                    with suppress(Timeout):
                        lock.acquire(timeout=0)
                        break
                if time.monotonic() > deadline:
                    return False
                if (
                    time.monotonic() > self._stand_back_until
                    and time.monotonic() - renewed > RENEW_SECONDS
                ):
                    note.touch()
                    renewed = time.monotonic()
                time.sleep(LOOK_SECONDS)
        finally:
            note.unlink(missing_ok=True)
        self._lock = lock
        self._since = self._used = time.monotonic()
        if self._watch is None or not self._watch.is_alive():
            self._watch = threading.Thread(target=self._keep_watch, daemon=True)
            self._watch.start()
        return True

    def _give_up(self) -> None:
        if self._lock is None:
            return
        try:
            self._on_leave()
        finally:
            self._lock.release()
            self._lock = None
            self._stand_back_until = time.monotonic() + LOOK_SECONDS * 10

    def _keep_watch(self) -> None:
        """Passes the turn on while nobody here calls, and after a long silence."""
        while True:
            time.sleep(LOOK_SECONDS * 5)
            with self._guard:
                if self._lock is None:
                    return
                silent = time.monotonic() - self._used > IDLE_SECONDS
                if self._users == 0 and (silent or self._should_pass_on()):
                    self._give_up()
                    return

    def _should_pass_on(self) -> bool:
        now = time.monotonic()
        if now - self._since < SLICE_SECONDS or now - self._looked < LOOK_SECONDS:
            return False
        self._looked = now
        return self._is_wanted()

    def _is_wanted(self) -> bool:
        now = time.time()
        for note in self._folder.glob("wanted-*"):
            with suppress(FileNotFoundError):
                # Dated in the future is as strange as from long ago: a clock was set.
                if abs(now - note.stat().st_mtime) < NOTE_SECONDS:
                    return True
                note.unlink()
        return False


logger = logging.getLogger(__name__)

T = TypeVar("T")
_KEYWORDS = ("document_id", "version", "folders", "format", "facts")
# Two rankings are fused: what is second in both may be first in the sum.
_DEPTH = 50
# Where there are more, the smallest are put together. With 4, a sixth more time went into writing
# again what was there already.
SEGMENTS = 8
# About 5,000 chunks: fewer stay as they were added. They are found as fast, and opening takes a
# twentieth of a second for a thousand of them; settling them takes a third of one, once.
SETTLED_KILOBYTES = 20_000
# So few that a filter lets through are looked at one by one; for more, the terms' lists are read.
SCANNED = 1000
LEAST_FREE_BYTES = 256 * 1024 * 1024


class Shard:
    """Called from several threads; blocking. While it works, nobody else in its process does."""

    def __init__(self, place: ShardPlace) -> None:
        self._folder = place.folder
        self._name = place.name
        self._shard_folder = place.folder / "shard"
        self._timeout = place.timeout_seconds
        self._shard: EdgeShard | None = None
        self._opening = threading.Lock()
        self._turns = Turns(place.folder, place.name, self._close_shard)

    def add(
        self,
        chunks: Sequence[IndexedChunk],
        vectors: Sequence[TextVectors] | None,
        meanings: Sequence[list[float]] | None,
    ) -> None:
        if vectors is None:
            vectors = vectors_of([searched_text(chunk) for chunk in chunks])
        points = [
            Point(
                _point_id(chunk),
                _vectors(vectors[place], meanings[place] if meanings else None),
                _payload(chunk),
            )
            for place, chunk in enumerate(chunks)
        ]
        with self._open_shard(len(meanings[0]) if meanings else 0) as shard:
            self._check_room()
            self._do(lambda: shard.update(UpdateOperation.upsert_points(points)))

    def remove(self, document_id: str, version: str) -> None:
        with self._existing_shard() as shard:
            if shard is None:
                return
            chunks = EdgeFilter(
                must=[_is("document_id", document_id), _is("version", version)],
            )
            self._do(lambda: shard.update(UpdateOperation.delete_points_by_filter(chunks)))

    def flush(self) -> None:
        with self._existing_shard() as shard:
            if shard is not None:
                self._do(shard.flush)

    def settle(self) -> None:
        with self._existing_shard() as shard:
            if shard is not None:
                self._do(shard.optimize)
                self._do(shard.flush)

    def search(
        self, query: str, limit: int, where: Filter, meaning: list[float] | None
    ) -> list[Candidate]:
        vectors: dict[str, Any] = {
            "grams": _edge(query_vector(grams(query))),
            "words": _edge(meaning_vector(query_words(query))),
        }
        if meaning is not None:
            vectors["meaning"] = meaning
        requests = [
            QueryRequest(
                limit=max(_DEPTH, 2 * limit),
                query=Query.Nearest(vector, using=field),
                filter=_filter(where),
            )
            for field, vector in vectors.items()
        ]
        with self._existing_shard() as shard:
            if shard is None:
                return []
            answers = self._do(lambda: shard.query_batch(QueryBatchRequest(requests)))
            rankings = {
                field: {cast("int", point.id): point.score for point in points}
                for field, points in zip(vectors, answers, strict=True)
            }
            best = fuse(rankings)[:limit]
            records = self._do(lambda: shard.retrieve([name for name, _ in best], True, False))
        payloads = {cast("int", record.id): record.payload or {} for record in records}
        return [
            Candidate(
                chunk=_chunk(payloads[name]),
                score=score / len(rankings),
                signals={
                    field: ranking[name] for field, ranking in rankings.items() if name in ranking
                },
            )
            for name, score in best
            if name in payloads
        ]

    def drop(self) -> None:
        if not self._folder.exists():
            return
        with self._turns.mine(self._timeout):
            self._close_shard()
            shutil.rmtree(self._shard_folder, ignore_errors=True)

    def close(self) -> None:
        self._turns.leave()

    @contextmanager
    def _existing_shard(self) -> Generator[EdgeShard | None]:
        """None where nothing was ever added: looking makes no folder."""
        if not self._shard_folder.exists():
            yield None
            return
        with self._open_shard() as shard:
            yield shard

    @contextmanager
    def _open_shard(self, meaning_size: int = 0) -> Generator[EdgeShard]:
        """`meaning_size` is that of its vectors of meaning, where it is to be made."""
        with self._turns.mine(self._timeout):
            with self._opening:
                if self._shard is None:
                    self._shard = self._do(lambda: self._load_or_create(meaning_size))
            yield self._shard

    def _check_room(self) -> None:
        """The index is mapped into memory: on a full disk the process would be killed, not told."""
        if shutil.disk_usage(self._folder).free < LEAST_FREE_BYTES:
            raise LimitExceeded(
                "collection_disk_full", collection=self._name, needed_mb=LEAST_FREE_BYTES >> 20
            )

    def _load_or_create(self, meaning_size: int) -> EdgeShard:
        self._check_room()
        if (self._shard_folder / "edge_config.json").exists():
            return EdgeShard.load(str(self._shard_folder))
        # Left by a process that died while it made the folder: nothing was added yet.
        shutil.rmtree(self._shard_folder, ignore_errors=True)
        self._shard_folder.mkdir(parents=True)
        sparse = EdgeSparseVectorParams(
            modifier=Modifier.Idf, memory=Memory.Cached, full_scan_threshold=SCANNED
        )
        dense = (
            {"meaning": EdgeVectorParams(size=meaning_size, distance=Distance.Cosine)}
            if meaning_size
            else {}
        )
        shard = EdgeShard.create(
            str(self._shard_folder),
            EdgeConfig(
                vectors=dense,
                sparse_vectors={"grams": sparse, "words": sparse},
                payload_memory=Memory.Cold,
                optimizers=EdgeOptimizersConfig(
                    default_segment_number=SEGMENTS, indexing_threshold=SETTLED_KILOBYTES
                ),
                wal_enabled=False,  # what counts was flushed; what was not is added again
            ),
        )
        for field in _KEYWORDS:
            shard.update(UpdateOperation.create_field_index(field, KeywordIndexParams()))
        return shard

    def _close_shard(self) -> None:
        if self._shard is not None:
            shard, self._shard = self._shard, None
            self._do(shard.flush)
            self._do(shard.close)

    def _do(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except SanboError:
            raise
        except Exception as error:  # the library raises nothing more specific
            logger.error("collection %s in %s", self._name, self._folder, exc_info=error)
            # The library names files; where they lie is nobody's business but the operator's.
            reason = str(error).replace(str(self._folder), "…")[:300]
            raise MissingDependency(
                "collection_damaged", collection=self._name, reason=reason
            ) from error


def _point_id(chunk: IndexedChunk) -> int:
    name = f"{chunk.document_id}\n{chunk.version}\n{chunk.ordinal}"
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest())


def _vectors(of_text: TextVectors, meaning: list[float] | None) -> dict[str, Any]:
    vectors: dict[str, Any] = {"grams": _edge(of_text.grams), "words": _edge(of_text.words)}
    if meaning is not None:
        vectors["meaning"] = meaning
    return vectors


def _edge(vector: SparseVector) -> EdgeVector:
    return EdgeVector(vector.indices, vector.values)


def _payload(chunk: IndexedChunk) -> dict[str, Any]:
    """What is filtered by, and the chunk in one piece: the library takes fields in one by one."""
    return {
        "document_id": chunk.document_id,
        "version": chunk.version,
        "folders": chunk.folders,
        "format": chunk.format,
        "facts": facts(chunk.metadata),
        "chunk": chunk.model_dump_json(),
    }


def _chunk(payload: dict[str, Any]) -> IndexedChunk:
    if (whole := payload.get("chunk")) is None:  # as it was kept before
        return IndexedChunk.model_validate(payload)
    return IndexedChunk.model_validate_json(whole)


def _filter(where: Filter) -> EdgeFilter | None:
    must = [
        FieldCondition(field, match=MatchAny(list(values)))
        for field, values in (
            ("document_id", where.documents),
            ("folders", where.folders),
            ("format", where.formats),
        )
        if values
    ]
    must += [_is("facts", fact(key, value)) for key, value in where.metadata.items()]
    return EdgeFilter(must=list(must)) if must else None


def _is(field: str, value: str) -> FieldCondition:
    return FieldCondition(field, match=MatchValue(value))
