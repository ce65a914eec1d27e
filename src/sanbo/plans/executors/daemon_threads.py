"""Threads for blocks: like `ThreadPoolExecutor`, but a block that hangs never holds the process.

The standard pool's threads are joined when Python ends; after Ctrl-C a person would wait for a
block that nobody can stop.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TypeVar

from typing_extensions import override

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
