"""A worker process as the one that started it sees it, with all that it has started."""

import ctypes
import logging
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sanbo.kernel.secrets import redact

_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """From now on this process is the parent of all that is started below it, however deep."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_family(pid: int) -> None:
    """The youngest first: as long as its parent lives, a process's number is no other's."""
    family = [pid]
    for each in family:  # grows on the way
        _signal(each, signal.SIGSTOP)  # what stands still starts nothing more
        family += _children(each)
    for each in reversed(family):
        _signal(each, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it has just ended
            found += map(int, listed.read_text().split())
    return found


def _signal(pid: int, what: signal.Signals) -> None:
    with suppress(OSError):
        os.kill(pid, what)


HEADER = struct.Struct(">cQ")
WORK = b"W"
BEGUN = b"B"
ANSWER = b"A"


@dataclass(frozen=True, slots=True)
class Work:
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    result: Any = None
    error: BaseException | None = None


def pack(content: object) -> bytes:
    return pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)


def unpack(data: bytes) -> Any:
    return pickle.loads(data)  # noqa: S301 - only between a process and those it has started


def send(pipe: IO[bytes], kind: bytes, content: bytes = b"") -> None:
    pipe.write(HEADER.pack(kind, len(content)))
    pipe.write(content)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[bytes, bytes]:
    kind, size = HEADER.unpack(_exactly(pipe, HEADER.size))
    return kind, _exactly(pipe, size)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


logger = logging.getLogger(__name__)

# A worker is replaced after so many calls: what libraries leak does not add up.
CALLS_A_WORKER = 500
# Loading a block's libraries does not count towards its own limit, but ends at some time.
LOADING_SECONDS = 120.0
LONGEST_LINE = 2000
# A worker needs no keys: it gets nothing of the environment but what Python itself needs.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "SYSTEMROOT", "PYTHONPATH")
# Many workers side by side: each computes on one core.
_ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class WorkerDied(Exception):
    """It ended in the middle of its work, not by our will."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class Overdue(Exception):
    """It was killed when its time was up."""


class Worker:
    def __init__(self) -> None:
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        lifeline, self._lifeline = os.pipe()
        try:
            # -P: modules are never taken from the folder a person happens to be in.
            module = ["-P", "-m", "sanbo.plans.executors.worker_process", str(lifeline)]
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, *module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**environment, **_ONE_CORE, "PYTHONUTF8": "1"},
                pass_fds=(lifeline,),
                start_new_session=True,  # Ctrl-C is for the process in front
            )
        except OSError:
            os.close(self._lifeline)
            raise
        finally:
            os.close(lifeline)
        self._calls = 0
        self._is_broken = False
        self._is_over = False
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._is_late = False
        self.idle_since = time.monotonic()
        assert self._process.stderr is not None
        printed = (self._process.pid, self._process.stderr)
        threading.Thread(target=_log_printed, args=printed, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_fit(self) -> bool:
        return not self._is_broken and self._calls < CALLS_A_WORKER and self._process.poll() is None

    def compute(self, work: bytes, seconds: float | None) -> Any:
        """What the work returns or raises; `seconds` count from when the block itself begins."""
        self._calls += 1
        self._is_broken = True  # until the whole answer is here
        try:
            answer = self._exchange(work, seconds)
        except (OSError, EOFError, ValueError):
            if self._is_late:
                raise Overdue from None
            raise WorkerDied(self._how_it_ended()) from None
        finally:
            self._stop_timer()
        self._is_broken = self._is_late
        if answer.error is not None:
            raise answer.error
        return answer.result

    def kill(self) -> None:
        """With everything that a block has started; from any thread."""
        with self._lock:
            if self._is_over:
                return  # its number may be another's by now
            if sys.platform == "linux" and self._process.poll() is None:
                kill_family(self._process.pid)  # of one that has ended, the number is free
            self._process.kill()
            if sys.platform != "win32":
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """By the thread that has it: nobody else computes with it any more."""
        self.kill()  # also of one that has died by itself: what it had started may live on
        with self._lock:
            self._is_over = True
            self._process.wait()
        os.close(self._lifeline)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what could not be written any more

    def _exchange(self, work: bytes, seconds: float | None) -> Answer:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if seconds is not None:
            self._start_timer(LOADING_SECONDS)
        send(self._process.stdin, WORK, work)
        while True:
            kind, content = receive(self._process.stdout)
            if kind == ANSWER:
                self._stop_timer()
                return unpack(content)
            if seconds is not None:
                self._stop_timer()
                self._start_timer(seconds)

    def _start_timer(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._give_up, (self._calls,))
        self._timer.daemon = True
        self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self, call: int) -> None:
        if call == self._calls:  # the answer may have come in the last moment
            self._is_late = True
            self.kill()

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "pipe closed"
        if code >= 0:
            return f"exit {code}"
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"


def _log_printed(pid: int, printed: IO[bytes]) -> None:
    """What blocks print goes to the log, without secrets, and never over a person's screen."""
    with printed:
        for line in iter(lambda: printed.readline(LONGEST_LINE), b""):
            text = redact(line.decode("utf-8", "replace").rstrip())
            if text:
                logger.info("worker %d: %s", pid, text)
