"""A few warm worker processes as an `Executor` whose running work can be stopped.

Killing one disturbs no other. A worker that dies by itself (a crash in a library, a machine short
of memory) is replaced and its work done once more; when it dies again, that is the answer.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

from typing_extensions import override

from sanbo.plans.executors.threads import DaemonThreads
from sanbo.plans.executors.worker import Work, Worker, WorkerDied, pack

P = ParamSpec("P")
T = TypeVar("T")

TRIES = 2
# A worker without work goes after this time: its memory is of use to others.
IDLE_SECONDS = 300.0


class Stopped(Exception):
    """Its worker was killed because nobody wants the result any more."""


class StoppableFuture(Future[T]):
    """Cancelling it while it runs kills the process that works on it."""

    def __init__(self) -> None:
        super().__init__()
        self._hold = threading.Lock()
        self._worker: Worker | None = None
        self._is_unwanted = False

    @property
    def is_unwanted(self) -> bool:
        return self._is_unwanted

    def given_to(self, worker: Worker | None) -> None:
        """Who works on it from now on; `Stopped` when nobody wants it any more."""
        with self._hold:
            self._worker = worker
            if worker is not None and self._is_unwanted:
                raise Stopped

    @override
    def cancel(self) -> bool:
        if super().cancel():
            return True
        with self._hold:
            if self.done():
                return False
            self._is_unwanted = True
            if self._worker is not None:
                self._worker.kill()
        return True


class KillableProcesses(Executor):
    def __init__(self, max_workers: int) -> None:
        self._carriers = DaemonThreads(max_workers, "worker")
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._unfinished: set[StoppableFuture[Any]] = set()
        self._is_closed = False
        self._closing = threading.Event()
        self._sweeper: threading.Thread | None = None

    @override
    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> StoppableFuture[T]:
        return self.submit_within(None, fn, *args, **kwargs)

    def submit_within(
        self, seconds: float | None, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> StoppableFuture[T]:
        """`Overdue` when it takes longer: then it has been stopped."""
        future: StoppableFuture[T] = StoppableFuture()
        with self._lock:
            self._unfinished.add(future)
        self._carriers.submit(self._carry, future, Work(fn, args, kwargs), seconds)
        return future

    @override
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """With `cancel_futures` also what runs is stopped."""
        if cancel_futures:
            with self._lock:
                self._is_closed = True
                unfinished = list(self._unfinished)
            for future in unfinished:
                future.cancel()
        self._carriers.shutdown(wait=wait or cancel_futures, cancel_futures=cancel_futures)
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        self._closing.set()
        for worker in idle:
            worker.end()

    def _carry(self, future: StoppableFuture[Any], work: Work, seconds: float | None) -> None:
        try:
            if future.set_running_or_notify_cancel():
                future.set_result(self._compute(future, pack(work), seconds))
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever asked
            future.set_exception(error)
        finally:
            with self._lock:
                self._unfinished.discard(future)

    def _compute(self, future: StoppableFuture[Any], work: bytes, seconds: float | None) -> Any:
        for tried in range(1, TRIES + 1):
            worker = self._take()
            try:
                future.given_to(worker)
                return worker.compute(work, seconds)
            except WorkerDied:
                if future.is_unwanted:
                    raise Stopped from None
                if tried == TRIES:
                    raise
            finally:
                future.given_to(None)
                self._give_back(worker)
        raise AssertionError("unreachable")

    def _take(self) -> Worker:
        with self._lock:
            if self._is_closed:
                raise Stopped
            while self._idle:
                worker = self._idle.pop()
                if worker.is_fit:
                    return worker
                worker.end()
        return Worker()

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            keep = not self._is_closed and worker.is_fit
            if keep:
                worker.idle_since = time.monotonic()
                self._idle.append(worker)
                if self._sweeper is None:
                    self._sweeper = threading.Thread(target=self._sweep, daemon=True)
                    self._sweeper.start()
        if not keep:
            worker.end()

    def _sweep(self) -> None:
        while not self._closing.wait(IDLE_SECONDS / 10):
            with self._lock:
                old = time.monotonic() - IDLE_SECONDS
                gone = [worker for worker in self._idle if worker.idle_since < old]
                self._idle = [worker for worker in self._idle if worker.idle_since >= old]
            for worker in gone:
                worker.end()
