"""The process of one action: it gives up its rights, does the job, leaves its report, ends."""

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn, Protocol, cast

from sanbo.kernel.messages import set_language
from sanbo.kernel.problems import PermissionDenied, Problem, SanboError, Unexpected
from sanbo.sandbox.guards import (
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    control,
    drop_capabilities,
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
from sanbo.sandbox.wire import NO_MEMORY, PROBLEM, REPORT, Request

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
