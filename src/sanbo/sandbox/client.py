"""The sandbox as its callers see it: a job and inputs go in, an answer or a problem comes out.

Behind it is the parent's side of a zygote: starts it, asks it for actions, ends it.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

from pydantic import ValidationError

from sanbo.kernel.messages import current_language, has_text
from sanbo.kernel.problems import (
    Conflict,
    LimitExceeded,
    MissingDependency,
    PermissionDenied,
    Problem,
    SanboError,
    TimedOut,
    Unexpected,
)
from sanbo.sandbox.limits import DEFAULT, Level, Limits
from sanbo.sandbox.memory import MEBIBYTE, Memory, output_too_large, report_too_large
from sanbo.sandbox.wire import (
    MOST_DESCRIPTORS,
    NO_MEMORY,
    PROBLEM,
    REPORT,
    Ended,
    Gone,
    Ready,
    Request,
    Started,
    receive,
    send,
)

T = TypeVar("T")


class Stopped(Exception):
    """The action was ended because nobody waits for it."""


class Stop:
    """Set once, from any thread; then what is registered is called, and nothing starts any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_set = False
        self._endings: list[Callable[[], None]] = []

    def set(self) -> None:
        with self._lock:
            self._is_set = True
            for end in self._endings:
                end()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Generator[None]:
        """While it is entered, `set` calls `end`."""
        with self._lock:
            if self._is_set:
                raise Stopped
            self._endings.append(end)
        try:
            yield
        finally:
            with self._lock:
                self._endings.remove(end)
            if self._is_set:
                raise Stopped


STOP: ContextVar[Stop | None] = ContextVar("STOP", default=None)
"""By which the actions of this thread can be ended."""


class StoppableThreads:
    """As many as work at once: the others wait in the queue, where they can be cancelled.

    The loop's own threads are for all: actions that wait for a place would take them away.
    """

    def __init__(self, count: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(count, thread_name_prefix=name)

    async def run(self, work: Callable[[], T]) -> T:
        """Cancelled, it also ends the action that is at work."""
        stop = Stop()

        def working() -> T:
            STOP.set(stop)
            return work()

        context = copy_context()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, context.run, working)
        except asyncio.CancelledError:
            stop.set()
            raise

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


# Loading pandas and its friends from a cold disk takes a while.
START_SECONDS = 120.0
# A zygote that takes longer to fork, or to tell of an end, is not well; but it may have to load.
ANSWER_SECONDS = 15.0

# An action needs no keys: it gets nothing of the environment but what libraries are found by.
_ENVIRONMENT = ("LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH")
_SET = {
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",  # see `__main__`
    # Arrow's own allocator reserves far more addresses than it uses, which the limit would count.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class NeverStarted(Exception):
    """The zygote was gone before the action began: it can be asked again of another one."""


class Lost(Exception):
    """The zygote went away while the action was at work."""


class Late(Exception):
    """The action was ended because its time was over."""


class ZygoteProcess:
    def __init__(self, jobs: str) -> None:
        self._sending = threading.Lock()
        self._channels: set[socket.socket] = set()
        self._line, theirs = socket.socketpair()
        with theirs:
            # -P: modules are never taken from the folder a person happens to be in.
            module = ["-P", "-m", "sanbo.sandbox.zygote"]
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, *module, str(theirs.fileno()), jobs],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment(),
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        try:
            self.level = self._wait_until_ready()
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def perform(self, request: Request, descriptors: Sequence[int]) -> Ended:
        """Waits for the end of the action; leaving early, however that happens, ends the action."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self._channels.add(ours)
            try:
                with (STOP.get() or Stop()).ending(lambda: _hang_up(ours)):
                    self._ask(request, [theirs.fileno(), *descriptors])
                    theirs.close()  # so that the zygote's end is noticed
                    self._wait_until_started(ours, request)
                    return self._wait_until_ended(ours, request.seconds)
            finally:
                self._channels.discard(ours)

    def end(self) -> None:
        """Also the actions that are at work: the zygote ends them and waits for them."""
        for channel in list(self._channels):
            _hang_up(channel)
        with self._sending:
            self._line.close()
        try:
            self._process.wait(ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Its children go with it: the kernel sees to that."""
        self._process.kill()
        self._process.wait()
        self._line.close()

    def _wait_until_ready(self) -> Level:
        self._line.settimeout(START_SECONDS)
        try:
            ready = receive(self._line, Ready)
        except (Gone, TimeoutError):
            raise Unexpected("sandbox_not_started") from None
        if ready.failure:
            raise Unexpected("sandbox_not_started", details={"kind": ready.failure})
        self._line.settimeout(ANSWER_SECONDS)
        return Level(ready.guard, ready.landlock_abi)

    def _ask(self, request: Request, descriptors: Sequence[int]) -> None:
        try:
            with self._sending:
                send(self._line, request, descriptors)
        except Gone:
            raise NeverStarted from None

    def _wait_until_started(self, channel: socket.socket, request: Request) -> None:
        channel.settimeout(START_SECONDS if request.preload else ANSWER_SECONDS)
        try:
            started = receive(channel, Started)
        except (Gone, TimeoutError):
            raise NeverStarted from None
        if not started.forked:
            raise LimitExceeded("sandbox_no_process")

    def _wait_until_ended(self, channel: socket.socket, seconds: float) -> Ended:
        channel.settimeout(seconds)
        try:
            return receive(channel, Ended)
        except Gone:
            raise Lost from None
        except TimeoutError:
            pass
        try:
            channel.shutdown(socket.SHUT_WR)  # asks for its end
            channel.settimeout(ANSWER_SECONDS)
            receive(channel, Ended)
        except (Gone, OSError):
            self.kill()
        raise Late


def _hang_up(channel: socket.socket) -> None:
    """The zygote ends the action; whoever waits for its answer hears that it is lost."""
    with suppress(OSError):
        channel.shutdown(socket.SHUT_RDWR)


def environment() -> dict[str, str]:
    """Of a process beside this one that needs none of its keys."""
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    if given := os.environ.get("PYTHONPATH"):
        # The zygote stands in another folder.
        kept["PYTHONPATH"] = os.pathsep.join(
            str(Path(entry).absolute()) for entry in given.split(os.pathsep) if entry
        )
    return kept | _SET


ATTEMPTS = 2
MOST_INPUTS = MOST_DESCRIPTORS - 4
_MOST_PROBLEM_BYTES = 1 << 20


@dataclass(frozen=True)
class Answer:
    report: bytes
    output: Memory | None
    """What the action wrote beside its report, for later actions; whoever gets it closes it."""


class ActionFailed(SanboError):
    """A problem that was found in the sandbox, raised again here."""

    def __init__(self, problem: Problem) -> None:
        Exception.__init__(self, f"{problem.code}: {problem.message}")
        self.problem = problem


class Sandbox:
    """One zygote, started when it is first needed and again when it is gone; for all threads."""

    def __init__(self, jobs: str, limits: Limits = DEFAULT, *, at_once: int | None = None) -> None:
        """`jobs`: a module with `perform(job, inputs, output) -> bytes`, perhaps `warm_up()`."""
        self._jobs = jobs
        self._limits = limits
        self.at_once = at_once or max(2, os.cpu_count() or 1)
        self._places = threading.Semaphore(self.at_once)
        self._lock = threading.Lock()
        self._zygote: ZygoteProcess | None = None
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def level(self) -> Level:
        return self._running().level

    @property
    def pid(self) -> int:
        """Of the zygote."""
        return self._running().pid

    def run(
        self,
        job: bytes,
        inputs: Sequence[Memory],
        limits: Limits | None = None,
        *,
        preload: tuple[str, ...] = (),
    ) -> Answer:
        """Blocks until the action has ended, or was ended at its limit."""
        if len(inputs) > MOST_INPUTS:
            raise LimitExceeded("sandbox_inputs_many", limit=MOST_INPUTS)
        limits = limits or self._limits
        asked, report, output = Memory.of([job]), Memory(), Memory()
        keeps_output = False
        try:
            descriptors = [each.fd for each in (asked, report, output, *inputs)]
            with self._places:  # time spent waiting here does not count
                exit_code = self._perform(limits, descriptors, preload)
            _raise_for(exit_code, limits)
            told = _report_in(report, limits)
            size = output.size
            if size > limits.output_bytes:
                raise output_too_large(limits.output_bytes)
            if size:
                output.seal()
                keeps_output = True
            return Answer(told, output if keeps_output else None)
        finally:
            asked.close()
            report.close()
            if not keeps_output:
                output.close()

    def close(self) -> None:
        """Ends everything; an action that is at work ends in a problem. It can't be used again."""
        self._is_closed = True
        with self._lock:
            zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.end()

    def _perform(self, limits: Limits, descriptors: Sequence[int], preload: tuple[str, ...]) -> int:
        request = Request(
            language=current_language(),
            seconds=limits.seconds,
            memory_bytes=limits.memory_bytes,
            output_bytes=limits.output_bytes,
            report_bytes=limits.report_bytes,
            preload=preload,
        )
        for _ in range(ATTEMPTS):
            zygote = self._running()
            try:
                return zygote.perform(request, descriptors).exit_code
            except Late:
                raise TimedOut("sandbox_time", seconds=_shown(limits.seconds)) from None
            except Lost:
                break
            except NeverStarted:
                self._forget(zygote)
        if self._is_closed:
            raise Conflict("sandbox_closed")
        raise Unexpected("sandbox_lost")

    def _running(self) -> ZygoteProcess:
        if not hasattr(os, "fork"):
            raise MissingDependency("sandbox_unsupported")
        with self._lock:
            if self._is_closed:
                raise Conflict("sandbox_closed")
            if self._zygote is not None and not self._zygote.is_running:
                self._zygote.kill()
                self._zygote = None
            if self._zygote is None:
                self._zygote = ZygoteProcess(self._jobs)
            return self._zygote

    def _forget(self, zygote: ZygoteProcess) -> None:
        with self._lock:
            if self._zygote is zygote:
                self._zygote = None
        zygote.kill()


def _raise_for(exit_code: int, limits: Limits) -> None:
    """By how the process ended; the words of the process itself are in its report."""
    if exit_code == 0:
        return
    if exit_code > 0:
        raise Unexpected("sandbox_ended", details={"exit_code": exit_code})
    if exit_code == -signal.SIGKILL:
        # Not by us: the system was short of memory.
        raise LimitExceeded("sandbox_killed")
    if exit_code == -signal.SIGXCPU:
        raise TimedOut("sandbox_time", seconds=_shown(limits.seconds))
    if exit_code == -signal.SIGXFSZ:
        raise output_too_large(limits.output_bytes)
    if exit_code == -signal.SIGSYS:
        raise PermissionDenied("sandbox_forbidden")
    raise Unexpected("sandbox_crashed", details={"signal": -exit_code})


def _report_in(report: Memory, limits: Limits) -> bytes:
    """Nothing that is in it is trusted: the process may not have been itself any more."""
    size = report.size - 1
    if size > limits.report_bytes:
        raise report_too_large(limits.report_bytes)
    kind = os.pread(report.fd, 1, 0)
    if kind == NO_MEMORY:
        raise LimitExceeded("sandbox_memory", limit_mb=limits.memory_bytes // MEBIBYTE)
    if kind == REPORT:
        return bytes(report.view()[1:])
    if kind == PROBLEM and size <= _MOST_PROBLEM_BYTES:
        raise ActionFailed(_problem_in(bytes(report.view()[1:])))
    raise Unexpected("sandbox_ended")


def _problem_in(data: bytes) -> Problem:
    """Its texts are taken from the catalogue, not from what came across."""
    try:
        problem = Problem.model_validate_json(data)
        if has_text(f"{problem.text_id}.message"):
            return problem.in_language(current_language())
    except (ValidationError, LookupError, ValueError, AttributeError):
        pass
    return Unexpected("sandbox_ended").problem


def _shown(seconds: float) -> int | float:
    return int(seconds) if seconds == int(seconds) else seconds
