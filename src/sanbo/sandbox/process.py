"""The parent's side of a zygote: starts it, asks it for actions, ends it."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import TypeVar

from sanbo.kernel.problems import LimitExceeded, Unexpected
from sanbo.sandbox.limits import Level
from sanbo.sandbox.wire import (
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
