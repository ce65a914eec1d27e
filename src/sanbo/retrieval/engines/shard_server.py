"""The process that keeps a server's shards: calls in, answers out, several at a time."""

import logging
import os
import pickle
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

from typing_extensions import override

from sanbo.kernel.problems import SanboError
from sanbo.retrieval.engines.embedded import Call, Logged, Reply, ShardPlace
from sanbo.retrieval.engines.shard import Shard
from sanbo.retrieval.tokens import words

logger = logging.getLogger(__name__)

# Most of them wait for their turn at a folder that another process has open.
AT_ONCE = 32
BEHIND_THE_SERVER = 5
LOOK_SECONDS = 2.0


class _Server:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._lock = threading.Lock()
        self._shards: dict[ShardPlace, Shard] = {}

    def send(self, told: Reply | Logged) -> None:
        with self._sending:
            self._connection.send(told)

    def answer(self, call: Call) -> None:
        try:
            self.send(Reply(call.number, self._do(call)))
        except Exception as error:
            if not isinstance(error, SanboError):
                logger.exception("collection %s: %s", call.place.name, call.method)
            self.send(Reply(call.number, error=_sendable(error)))

    def close(self) -> None:
        for place, shard in self._shards.items():
            try:
                shard.close()
            except Exception:
                logger.exception("collection %s could not be closed", place.name)

    def _do(self, call: Call) -> Any:
        with self._lock:
            shard = self._shards.get(call.place) or Shard(call.place)
            self._shards[call.place] = shard
            if call.method == "close":
                del self._shards[call.place]
        return getattr(shard, call.method)(*call.arguments)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own; many can't be made again
    except Exception:  # noqa: BLE001 - then its words must do
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


class _ToServer(logging.Handler):
    """What is logged here stands in the server's log."""

    def __init__(self, server: _Server) -> None:
        super().__init__(logging.WARNING)
        self._server = server

    @override
    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._server.send(Logged(record.levelno, self.format(record)))
        except OSError:  # the server is gone
            self.handleError(record)


def main() -> None:
    # It ends when its server lets go of it, not when somebody stops them both.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.SIG_IGN)
    os.nice(BEHIND_THE_SERVER)
    parent = os.getppid()
    connection: Connection = Connection(int(sys.argv[1]))
    server = _Server(connection)
    logging.getLogger().addHandler(_ToServer(server))
    words("辞書")  # the dictionary is there before the first question
    with ThreadPoolExecutor(AT_ONCE) as threads:
        while (call := _next(connection, parent)) is not None:
            threads.submit(server.answer, call)
    server.close()


def _next(connection: Connection, parent: int) -> Call | None:
    """None at the end, also at that of a server which was killed.

    A closed connection tells at once; but a copy of it may live on in a process that was forked.
    """
    try:
        while not connection.poll(LOOK_SECONDS):
            if os.getppid() != parent:
                return None
        return connection.recv()
    except (EOFError, OSError):
        return None


if __name__ == "__main__":
    main()
