"""Threads for blocks: one that hangs holds nobody, and what it prints goes to the log."""

import logging
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TextIO, TypeVar

from typing_extensions import override

from sanbo.kernel.secrets import redact

P = ParamSpec("P")
T = TypeVar("T")
_Work = tuple[Future[Any], Callable[[], Any]]


class DaemonThreads(Executor):
    def __init__(self, max_workers: int, name: str) -> None:
        self._most = max_workers
        self._name = name
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        """Threads that wait for work, less the work that waits for them."""
        self._abandoned: set[Future[Any]] = set()
        self._is_closed = False

    @override
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("no more work is taken")
            self._idle -= 1
            if self._idle < 0 and len(self._threads) < self._most:
                self._start()
        self._queue.put((future, lambda: fn(*args, **kwargs)))
        return future

    def abandon(self, future: Future[Any]) -> None:
        """Nobody wants its result: if its work never ends, another thread stands in for it."""
        if future.cancel():
            return
        with self._lock:
            if future.running() and not self._is_closed:
                self._abandoned.add(future)
                self._most += 1
                if self._idle < 0:
                    self._start()

    @override
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            self._is_closed = True
            threads = list(self._threads)
        if cancel_futures:
            self._cancel_waiting()
        for _ in threads:
            self._queue.put(None)
        if wait:
            for thread in threads:
                thread.join()

    def _start(self) -> None:
        thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._threads.append(thread)
        self._idle += 1
        thread.start()

    def _cancel_waiting(self) -> None:
        with suppress(Empty):
            while True:
                if (work := self._queue.get_nowait()) is not None:
                    work[0].cancel()
                    work[0].set_running_or_notify_cancel()

    def _work(self) -> None:
        while (work := self._queue.get()) is not None:
            future, call = work
            if future.set_running_or_notify_cancel():
                try:
                    result = call()
                except BaseException as error:  # noqa: BLE001 - it belongs to whoever asked
                    future.set_exception(error)
                else:
                    future.set_result(result)
                    del result
            with self._lock:
                if future in self._abandoned:
                    self._abandoned.discard(future)
                    self._most -= 1
                    self._threads.remove(threading.current_thread())
                    return
                self._idle += 1
            # Nothing of the work is kept alive while waiting for the next.
            del work, future, call


logger = logging.getLogger(__name__)

LONGEST_LINE = 2000
_lock = threading.Lock()
_here = threading.local()
_printing = 0
_in_place: list[tuple[str, "_Divided"]] = []


class _Divided:
    """Standard output or error: a block's words are logged, all others pass through."""

    def __init__(self, own: TextIO) -> None:
        self.own = own

    def write(self, text: str) -> int:
        block: str | None = getattr(_here, "block", None)
        if block is None:
            return self.own.write(text)
        *lines, _here.rest = (_here.rest + text).split("\n")
        for line in lines:
            _log(block, line)
        if len(_here.rest) > LONGEST_LINE:
            _log(block, _here.rest)
            _here.rest = ""
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)


@contextmanager
def printed_to_log(block: str) -> Generator[None]:
    """For this thread, while a block computes in it."""
    _put_in_place()
    _here.block, _here.rest = block, ""
    try:
        yield
    finally:
        _log(block, _here.rest)
        _here.block = None
        _take_away()


def _put_in_place() -> None:
    global _printing  # noqa: PLW0603 - a process has one standard output
    with _lock:
        _printing += 1
        if _printing > 1:
            return
        for name in ("stdout", "stderr"):
            divided = _Divided(getattr(sys, name))
            setattr(sys, name, divided)
            _in_place.append((name, divided))


def _take_away() -> None:
    global _printing  # noqa: PLW0603
    with _lock:
        _printing -= 1
        if _printing:
            return
        for name, divided in _in_place:
            if getattr(sys, name) is divided:  # nobody else has put something in its place
                setattr(sys, name, divided.own)
        _in_place.clear()


def _log(block: str, text: str) -> None:
    if text.strip():
        logger.info("%s: %s", block, redact(text)[:LONGEST_LINE])
