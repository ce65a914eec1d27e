"""A collection in a folder of the workspace: no server, nothing to install.

A command keeps the index in its own process; a server in one beside it. Making, loading, writing
and searching an index takes milliseconds to seconds, and all that time the library would let no
other thread of its process have a turn.
"""

import itertools
import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from typing_extensions import override

from sanbo.kernel.problems import SanboError, Unexpected
from sanbo.retrieval.engines.engine import SearchEngine, searched_text
from sanbo.retrieval.model import Candidate, Filter, IndexedChunk
from sanbo.retrieval.tokens import grams, speakable
from sanbo.retrieval.vectors import TextVectors
from sanbo.sandbox.client import environment

if TYPE_CHECKING:
    from sanbo.retrieval.embedding import Embedder
    from sanbo.retrieval.engines.shard import Shard


logger = logging.getLogger(__name__)

END_SECONDS = 10.0
TRIES = 2


class ShardPlace(NamedTuple):
    folder: Path
    name: str
    """The collection's, for problems."""
    timeout_seconds: float


class Call(NamedTuple):
    number: int
    place: ShardPlace
    method: str
    arguments: tuple[Any, ...]


class Reply(NamedTuple):
    number: int
    result: Any = None
    error: Exception | None = None


class Logged(NamedTuple):
    level: int
    text: str


class ProcessEnded(Exception):
    """In the middle of its work, and not by our will."""


class ShardProcess:
    """One process for all collections; called from several threads."""

    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        with theirs:
            # -P: modules are never taken from the folder a person happens to be in.
            module = ["-P", "-m", "sanbo.retrieval.engines.shard_server"]
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, *module, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment(),
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C is for the process in front
            )
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._waiting: dict[int, Future[Any]] = {}
        self._has_ended = False
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def is_running(self) -> bool:
        return not self._has_ended

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, place: ShardPlace, method: str, *arguments: object) -> Any:
        future: Future[Any] = Future()
        with self._lock:
            if self._has_ended:
                raise ProcessEnded
            number = next(self._numbers)
            self._waiting[number] = future
            try:
                self._connection.send(Call(number, place, method, arguments))
            except BaseException as error:
                del self._waiting[number]
                if isinstance(error, OSError):
                    raise ProcessEnded from None
                raise
        return future.result()

    def end(self) -> None:
        """It closes what it has open; where that takes too long, the next one recovers it."""
        with self._lock:
            self._has_ended = True
            with suppress(OSError):  # it has just died
                self._connection.send(None)
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _listen(self) -> None:
        try:
            while True:
                told: Reply | Logged = self._connection.recv()
                if isinstance(told, Logged):
                    logger.log(told.level, "%s", told.text)
                    continue
                future = self._waiting.pop(told.number)
                if told.error is None:
                    future.set_result(told.result)
                else:
                    future.set_exception(told.error)
        except (EOFError, OSError):
            pass
        except Exception:
            logger.exception("an answer of the process that keeps the collections is unreadable")
            self._process.kill()
        with self._lock:
            was_wanted, self._has_ended = not self._has_ended, True
            waiting = list(self._waiting.values())
            self._waiting.clear()
            self._connection.close()
        for future in waiting:
            future.set_exception(ProcessEnded())
        code = self._process.wait()
        if was_wanted:
            logger.error("the process that keeps the collections has ended by itself: %d", code)


class Shards:
    """The process of a server, started when it is first needed, and again should it have died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: ShardProcess | None = None
        self._is_closed = False

    def start(self) -> None:
        self.process()

    def process(self) -> ShardProcess:
        with self._lock:
            if self._is_closed:
                raise ProcessEnded
            if self._process is None or not self._process.is_running:
                self._process = ShardProcess()
            return self._process

    @property
    def running(self) -> ShardProcess | None:
        with self._lock:
            return self._process if self._process and self._process.is_running else None

    def close(self) -> None:
        process = self.running
        with self._lock:
            self._is_closed = True
        if process is not None:
            process.end()


class ShardApart:
    """A `Shard` of that process."""

    def __init__(self, shards: Shards, place: ShardPlace) -> None:
        self._shards = shards
        self._place = place._replace(folder=place.folder.absolute())
        self._lock = threading.Lock()
        self._changes = 0
        self._changed_in: ShardProcess | None = None
        """Where what was changed since it was last stored is; were it gone, so would that be."""

    def add(
        self,
        chunks: Sequence[IndexedChunk],
        vectors: Sequence[TextVectors] | None,
        meanings: Sequence[list[float]] | None,
    ) -> None:
        self._change("add", list(chunks), vectors, meanings)

    def remove(self, document_id: str, version: str) -> None:
        self._change("remove", document_id, version)

    def flush(self) -> None:
        self._store("flush")

    def settle(self) -> None:
        self._store("settle")

    def search(
        self, query: str, limit: int, where: Filter, meaning: list[float] | None
    ) -> list[Candidate]:
        return self._ask_again("search", query, limit, where, meaning)

    def drop(self) -> None:
        with self._lock:
            self._changed_in = None
        self._ask_again("drop")

    def close(self) -> None:
        if (process := self._shards.running) is not None:
            with suppress(ProcessEnded):
                self._ask(process, "close")

    def _change(self, method: str, *arguments: object) -> None:
        """What was added and not yet stored when the process died may be lost: that is told."""
        process = self._the_same()
        with self._lock:
            self._changes += 1
            self._changed_in = process
        self._ask_once(process, method, *arguments)

    def _store(self, method: str) -> None:
        process = self._the_same()
        with self._lock:
            changes = self._changes
        self._ask_once(process, method)
        with self._lock:
            if self._changes == changes:  # none came in between
                self._changed_in = None

    def _the_same(self) -> ShardProcess:
        try:
            process = self._shards.process()
        except ProcessEnded:
            raise self._ended() from None
        with self._lock:
            if self._changed_in in (None, process):
                return process
            self._changed_in = None
        raise self._ended()

    def _ask_once(self, process: ShardProcess, method: str, *arguments: object) -> None:
        try:
            self._ask(process, method, *arguments)
        except ProcessEnded:
            with self._lock:
                self._changed_in = None
            raise self._ended() from None

    def _ask_again(self, method: str, *arguments: object) -> Any:
        """Where the process dies, in a new one: it may have been another's work that killed it."""
        for _ in range(TRIES):
            with suppress(ProcessEnded):
                return self._ask(self._shards.process(), method, *arguments)
        raise self._ended()

    def _ask(self, process: ShardProcess, method: str, *arguments: object) -> Any:
        try:
            return process.call(self._place, method, *arguments)
        except SanboError as error:
            error.problem = error.problem.received()
            raise

    def _ended(self) -> Unexpected:
        return Unexpected("collection_process_ended", collection=self._place.name)


_of_server: Shards | None = None


def provide(shards: Shards) -> None:
    """A server does so; a command has nobody else to keep waiting."""
    global _of_server  # noqa: PLW0603 - one for the process, as its event loop
    _of_server = shards


def withdraw() -> None:
    global _of_server  # noqa: PLW0603 - see above
    _of_server = None


def provided() -> Shards | None:
    return _of_server


class EmbeddedEngine(SearchEngine):
    def __init__(
        self,
        folder: Path,
        *,
        name: str | None = None,
        timeout_seconds: float = 30,
        embedder: "Embedder | None" = None,
    ) -> None:
        """`name`: the collection's, for problems; the folder's own where it is not given."""
        self._folder = folder
        self._embedder = embedder
        self.in_process = embedder is None
        self.name = name or folder.name
        self._shard = _shard(ShardPlace(folder, self.name, timeout_seconds))

    def add(
        self, chunks: Sequence[IndexedChunk], vectors: Sequence[TextVectors] | None = None
    ) -> None:
        if not chunks:
            return
        texts = [searched_text(chunk) for chunk in chunks] if self._embedder else []
        meanings = self._embedder.embed(texts) if self._embedder else None
        self._shard.add(chunks, vectors, meanings)

    def remove(self, document_id: str, version: str) -> None:
        self._shard.remove(document_id, version)

    def flush(self) -> None:
        self._shard.flush()

    def settle(self) -> None:
        self._shard.settle()

    def search(self, query: str, limit: int, where: Filter) -> list[Candidate]:
        query = speakable(query)
        if not grams(query):
            return []
        meaning = self._embedder.embed([query])[0] if self._embedder else None
        return self._shard.search(query, limit, where, meaning)

    @override
    def is_there(self) -> bool:
        return (self._folder / "shard").exists()

    def drop(self) -> None:
        self._shard.drop()

    def close(self) -> None:
        self._shard.close()


def _shard(place: ShardPlace) -> "Shard | ShardApart":
    if (shards := provided()) is not None:
        return ShardApart(shards, place)
    from sanbo.retrieval.engines.shard import Shard  # noqa: PLC0415 - a server does not load it

    return Shard(place)
