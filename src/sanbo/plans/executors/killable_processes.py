"""A few warm worker processes as an `Executor` whose running work can be stopped.

Killing one disturbs no other. A worker that dies by itself (a crash in a library, a machine short
of memory) is replaced and its work done once more; when it dies again, that is the answer.
A cluster's worker computes in them too, and stops what the cluster no longer wants.
"""

import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, Future, wait
from typing import Any, ParamSpec, TypeVar, cast

from typing_extensions import override

from sanbo import __version__
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import MissingDependency, SanboError, TimedOut, Unexpected
from sanbo.plans.executors.call import BlockCall, Performed, perform
from sanbo.plans.executors.threads import DaemonThreads
from sanbo.plans.executors.worker import Overdue, Work, Worker, WorkerDied, pack, unpack

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


def failed(call: BlockCall, error: Exception, timeout_ms: int | None = None) -> Performed:
    """In the current language."""
    match error:
        case SanboError():
            return Performed(problem=error.problem)
        case Overdue():
            slow = TimedOut("block_slow", node=call.node, limit=_shown(timeout_ms or 0))
            return Performed(problem=slow.problem)
        case WorkerDied():
            ended = Unexpected("block_process_ended", node=call.node, how=error.how)
            return Performed(problem=ended.problem)
        case _:
            kind = type(error).__name__
            defect = Unexpected(
                "block_defect", block=call.block, node=call.node, kind=kind, reason=str(error)[:300]
            )
            told = "".join(traceback.format_exception(error))
            return Performed(problem=defect.problem, defect=told)


def _shown(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.10g}"


# How many there are at once is for the cluster to say: as many as the worker has threads.
MOST_PROCESSES = 256
LOOK_SECONDS = 0.5

_lock = threading.Lock()
_processes: KillableProcesses | None = None


def perform_sent(packed: bytes, version: str, timeout_ms: int | None) -> Performed:
    if version != __version__:
        # Not even the call may be readable here.
        other = MissingDependency("cluster_other_version", here=version, there=__version__)
        return Performed(problem=other.problem)
    try:
        seconds = None if timeout_ms is None else timeout_ms / 1000
        future = _killable().submit_within(seconds, _perform_packed, packed)
        is_wanted = True
        while is_wanted and not wait([future], LOOK_SECONDS).done:
            is_wanted = _is_wanted()
        if not is_wanted:
            future.cancel()  # its process ends, and with it whatever that has begun
        return future.result()
    except Exception as error:  # noqa: BLE001 - told as the node's problem
        call: BlockCall = unpack(packed)
        with use_language(call.language):
            return failed(call, error, timeout_ms)


def _is_wanted() -> bool:
    """A thread can't be stopped from outside: what was cancelled is found out here."""
    from distributed import get_worker  # noqa: PLC0415 - there on a worker alone

    worker = cast("Any", get_worker())
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state != "cancelled"


def _perform_packed(packed: bytes) -> Performed:
    return perform(unpack(packed))


def _killable() -> KillableProcesses:
    global _processes  # noqa: PLW0603 - one for each worker of the cluster
    with _lock:
        if _processes is None:
            _processes = KillableProcesses(MOST_PROCESSES)
        return _processes
