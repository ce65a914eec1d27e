"""The process that has everything loaded and forks one child for each action, which gives up its
rights, does the job, leaves its report, ends.

It holds no data and no state: what an action needs comes with its request. It ends when the
process that started it does.
"""

import gc
import importlib
import mimetypes
import os
import selectors
import signal
import socket
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any, BinaryIO, NoReturn, Protocol, cast

from sanbo.kernel.messages import catalogue, set_language
from sanbo.kernel.problems import PermissionDenied, Problem, SanboError, Unexpected
from sanbo.sandbox.guards import (
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    control,
    drop_capabilities,
    find_level,
    limit_self,
    restrict_calls,
    restrict_files,
)
from sanbo.sandbox.limits import Level
from sanbo.sandbox.memory import (
    Output,
    is_too_large,
    output_too_large,
    report_too_large,
    view_of,
    write_all,
)
from sanbo.sandbox.wire import (
    NO_MEMORY,
    PROBLEM,
    REPORT,
    Ended,
    Gone,
    Ready,
    Request,
    Started,
    receive_with_descriptors,
    send,
)

# ---- nothing is written to disk, nor by libraries that like to keep caches -----------------------


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = frozenset(
    {
        "os.mkdir",
        "os.rename",
        "os.remove",
        "os.rmdir",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.chmod",
        "os.chown",
        "os.utime",
    }
)
_NOWHERE = os.path.join(os.devnull, "none")
_is_refusing = True


def refuse_writing() -> None:
    """From now on whatever Python does to change a file fails, as on a disk that is read-only."""
    sys.addaudithook(_judge)
    # Libraries that want a folder for their caches are told of one that can't exist.
    # pyrefly: ignore[bad-assignment]
    tempfile.mkdtemp = _no_folder


def leave_judging_to_the_kernel() -> None:
    """In an action under Landlock the kernel refuses, and more than Python can see."""
    global _is_refusing  # noqa: PLW0603 - a hook can't be taken away
    _is_refusing = False


def _judge(event: str, arguments: tuple[Any, ...]) -> None:
    if not _is_refusing:
        return
    if event in _CHANGING:
        _refuse()
    if event == "open":
        path, mode, flags = arguments
        # A number is a descriptor that is open already.
        if not isinstance(path, int) and path != os.devnull:
            writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
            if writes or (isinstance(flags, int) and flags & _WRITING):
                _refuse()


def _refuse() -> NoReturn:
    raise PermissionError("nothing is written to disk here")


def _no_folder(*_: object, **__: object) -> str:
    return _NOWHERE


# ---- one action ----------------------------------------------------------------------------------


NOT_GUARDED = 71
_FRAMES_TOLD = 8


class Perform(Protocol):
    def __call__(self, job: bytes, inputs: Sequence[memoryview], output: BinaryIO, /) -> bytes: ...


@dataclass(frozen=True)
class Setting:
    """What the zygote found out once, for all its children."""

    perform: Perform
    level: Level
    ruleset: int | None
    null: int
    zygote: int


@dataclass(frozen=True)
class Descriptors:
    job: int
    report: int
    output: int
    inputs: tuple[int, ...]


# pyrefly: ignore[bad-return]
def live(setting: Setting, request: Request, descriptors: Descriptors) -> NoReturn:
    """From the fork to the end; it never returns to what the zygote was doing."""
    code = NOT_GUARDED
    try:
        _leave_the_zygote(setting, descriptors)
        inputs = tuple(view_of(fd) for fd in descriptors.inputs)
        job = bytes(view_of(descriptors.job))
        set_language(request.language)
        limit_self(request, len(inputs))
        _guard(setting)
        code = 1
        _work(setting.perform, request, descriptors, job, inputs)
        code = 0
    finally:
        # Nothing of what the zygote would do at its end, and no traceback with data in it.
        os._exit(code)


def _leave_the_zygote(setting: Setting, descriptors: Descriptors) -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    with suppress(PermissionError):  # the zygote did it already
        os.setpgid(0, 0)
    if sys.platform == "linux":
        control(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != setting.zygote:
        os._exit(1)
    for standard in range(3):
        os.dup2(setting.null, standard)
    needed = {descriptors.job, descriptors.report, descriptors.output, *descriptors.inputs}
    if setting.ruleset is not None:
        needed.add(setting.ruleset)
    low = 3
    for fd in sorted(needed):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


def _guard(setting: Setting) -> None:
    """Exactly what the level says, or the action does not start."""
    level = setting.level
    if not (level.has_landlock or level.has_seccomp):
        return
    control(PR_SET_NO_NEW_PRIVS, 1)
    with suppress(OSError):  # some systems refuse to talk about capabilities
        drop_capabilities()
    if level.has_landlock:
        assert setting.ruleset is not None
        restrict_files(setting.ruleset)
        os.close(setting.ruleset)
        leave_judging_to_the_kernel()
    if level.has_seccomp:
        restrict_calls(may_open=level.has_landlock)


def _work(
    perform: Perform,
    request: Request,
    descriptors: Descriptors,
    job: bytes,
    inputs: Sequence[memoryview],
) -> None:
    try:
        with Output(descriptors.output, request.output_bytes) as output:
            report = perform(job, inputs, cast("BinaryIO", output))
        if len(report) > request.report_bytes:
            raise report_too_large(request.report_bytes)
        kind = REPORT
    except MemoryError:
        os.pwrite(descriptors.report, NO_MEMORY, 0)
        return
    except BaseException as error:  # noqa: BLE001 - also SystemExit is no way out
        kind = PROBLEM
        report = _problem_of(error, request).model_dump_json().encode()
    write_all(descriptors.report, report, 1)
    os.pwrite(descriptors.report, kind, 0)


def _problem_of(error: BaseException, request: Request) -> Problem:
    """Never the exception's own words: they may quote the table."""
    if isinstance(error, SanboError):
        return error.problem
    if is_too_large(error):
        return output_too_large(request.output_bytes).problem
    if isinstance(error, PermissionError):
        return PermissionDenied("sandbox_forbidden").problem
    where = [
        f"{frame.f_globals.get('__name__', '?')}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    details = {"kind": type(error).__name__, "where": where[-_FRAMES_TOLD:]}
    return Unexpected("sandbox_defect", details=details).problem


# How often it looks whether its parent is still there. A closed line tells at once; but a copy of
# the line may live on in a process that the parent has forked. (PR_SET_PDEATHSIG would not do: it
# listens for the end of the thread that started the zygote, and threads of servers come and go.)
_LOOK_SECONDS = 2.0
_THREAD_SECONDS = 5.0
# Where processors are short, whoever answers people comes first, and their work second.
_BEHIND_THE_SERVER = 5


def main() -> None:
    line = socket.socket(fileno=int(sys.argv[1]))
    parent = os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process in front
    os.nice(_BEHIND_THE_SERVER)
    refuse_writing()
    gc.disable()  # nothing of what is loaded is rubbish
    try:
        perform = _load(sys.argv[2])
        level, ruleset = find_level()
    except Exception as error:
        send(line, Ready(failure=type(error).__name__))
        raise
    null = os.open(os.devnull, os.O_RDWR)
    setting = Setting(perform, level, ruleset, null, os.getpid())
    gc.enable()
    gc.freeze()  # else the collector of every child would touch, and so copy, all these pages
    with suppress(Gone):
        send(line, Ready(guard=level.guard, landlock_abi=level.landlock_abi))
        Zygote(line, setting).serve(parent)
    os._exit(0)


def _load(jobs: str) -> Perform:
    module = _warmed_up(jobs)
    catalogue()  # read now: an action may not be able to open it
    mimetypes.init()  # likewise
    return cast("Perform", module.perform)


def _warmed_up(name: str) -> ModuleType:
    module = importlib.import_module(name)
    warm_up = cast("Callable[[], None] | None", getattr(module, "warm_up", None))
    if warm_up is not None:
        warm_up()
    for thread in threading.enumerate():  # a fork takes along the calling thread alone
        if thread is not threading.current_thread():
            thread.join(_THREAD_SECONDS)
    return module


def _wake_up(number: int, frame: object) -> None:
    """Nothing to do: that a signal came is what the bell tells."""


class Zygote:
    def __init__(self, line: socket.socket, setting: Setting) -> None:
        self._line = line
        self._setting = setting
        self._preloaded: set[str] = set()
        self._channels: dict[int, socket.socket] = {}
        """By process: where its end is told, and where it is heard that it must end."""
        self._selector = selectors.PollSelector()
        self._bell, bell_rope = socket.socketpair()
        for each in (self._bell, bell_rope):
            each.setblocking(False)
        self._bell_rope = bell_rope
        signal.signal(signal.SIGCHLD, _wake_up)
        signal.set_wakeup_fd(bell_rope.fileno(), warn_on_full_buffer=False)
        self._selector.register(line, selectors.EVENT_READ)
        self._selector.register(self._bell, selectors.EVENT_READ)

    def serve(self, parent: int) -> None:
        """Until whoever asks is gone; no child outlives it."""
        try:
            while os.getppid() == parent:
                for key, _ in self._selector.select(_LOOK_SECONDS):
                    if key.fileobj is self._line:
                        self._start(*receive_with_descriptors(self._line, Request))
                    elif key.fileobj is self._bell:
                        self._bell.recv(4096)
                    else:
                        self._kill(cast("int", key.data))
                self._reap()
        finally:
            for pid in list(self._channels):
                self._kill(pid)
                os.waitpid(pid, 0)

    def _start(self, request: Request, descriptors: list[int]) -> None:
        channel_fd, job, report, output, *inputs = descriptors
        channel = socket.socket(fileno=channel_fd)
        self._preload(request.preload)
        try:
            pid = os.fork()
        except OSError:
            with suppress(Gone):
                send(channel, Started(forked=False))
            channel.close()
            return
        else:
            if pid == 0:
                live(self._setting, request, Descriptors(job, report, output, tuple(inputs)))
            with suppress(OSError):  # the child did it already, or is gone
                os.setpgid(pid, pid)
            self._channels[pid] = channel
            self._selector.register(channel, selectors.EVENT_READ, pid)
            with suppress(Gone):
                send(channel, Started())
        finally:
            for fd in (job, report, output, *inputs):
                os.close(fd)

    def _preload(self, names: Iterable[str]) -> None:
        new = [name for name in names if name not in self._preloaded]
        if not new:
            return
        self._preloaded.update(new)
        for name in new:
            with suppress(Exception):  # the action that needs it fails in the same way, and says so
                _warmed_up(name)
        gc.collect()
        gc.freeze()

    def _kill(self, pid: int) -> None:
        """Whoever asked has hung up: nobody waits for this action any more."""
        channel = self._channels[pid]
        with suppress(KeyError):
            self._selector.unregister(channel)
        for kill in (os.killpg, os.kill):
            with suppress(OSError):
                kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        while self._channels:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            channel = self._channels.pop(pid)
            with suppress(KeyError):
                self._selector.unregister(channel)
            with suppress(Gone):
                send(channel, Ended(exit_code=os.waitstatus_to_exitcode(status)))
            channel.close()


if __name__ == "__main__":
    main()
