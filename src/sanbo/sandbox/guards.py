"""What keeps an action in: the limits that every Unix has, Landlock, and seccomp.

Landlock: the kernel lets an action read the libraries of Python, and no other file. seccomp: it
refuses an action every call that leads out of its own memory. How strong the two are here is found
out by trying, in a process that gives up its rights.

The table of system calls, for x86_64 and aarch64, is `syscalls.yaml`. Every call that Linux has up
to `newest` was looked at: what is not named there is harmless to an action that can open nothing.
What is newer does not exist for it.
"""

import ctypes
import errno
import math
import os
import platform
import resource
import site
import socket
import struct
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from pydantic import BaseModel

import sanbo
from sanbo.kernel.messages import read_yaml
from sanbo.sandbox.limits import Level, level_of
from sanbo.sandbox.wire import Request

Numbers = Mapping[str, tuple[int | None, int | None]]
"""The call's number on x86_64 and on aarch64; None where there is no such call."""

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""By machine: the place in `Numbers`, and the name that the kernel gives the architecture."""


class _Table(BaseModel):
    newest: int
    killed: Numbers
    network: Numbers
    processes: Numbers
    privileges: Numbers
    system: Numbers
    memory_elsewhere: Numbers
    files_changed: Numbers
    opening: Numbers
    special: Numbers


CALLS = _Table.model_validate(read_yaml(Path(__file__).with_name("syscalls.yaml")))


def architecture() -> tuple[int, int] | None:
    """Of this machine; None where the numbers are not known."""
    # A 32-bit Python on a 64-bit kernel makes calls of another architecture.
    is_wide = sys.maxsize > 1 << 32
    return ARCHITECTURES.get(platform.machine()) if is_wide else None


def numbers_of(calls: Numbers, place: int) -> list[int]:
    found = (numbers[place] for numbers in calls.values())
    return [number for number in found if number is not None]


def number_of(name: str) -> int:
    """Of a call that both architectures have, on this machine."""
    known = architecture()
    number = {**CALLS.privileges, **CALLS.special}[name][known[0]] if known else None
    if number is None:
        raise OSError(f"the number of {name} is not known on this machine")
    return number


# ---- system calls that Python has no name for, through the C library -----------------------------


PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38

_CAPABILITY_VERSION = 0x20080522

_library = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def system_call(number: int, *arguments: int) -> int:
    """Arguments are numbers and addresses alone."""
    assert _library is not None
    result: int = _library.syscall(
        ctypes.c_long(number), *(ctypes.c_long(each) for each in arguments)
    )
    return _checked(result)


def control(option: int, *arguments: int) -> int:
    """prctl(2)."""
    assert _library is not None
    given = [*arguments, 0, 0, 0, 0][:4]
    result: int = _library.prctl(ctypes.c_int(option), *(ctypes.c_ulong(each) for each in given))
    return _checked(result)


def drop_capabilities() -> None:
    """Also the process of an administrator has no rights beyond those of files' owners."""
    head = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()
    system_call(number_of("capset"), ctypes.addressof(head), ctypes.addressof(none))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


# ---- limits --------------------------------------------------------------------------------------


_FILES = 64
# The parent's clock is the limit; this one is for a process whose parent is gone.
_SPARE_SECONDS = 2


def limit_self(request: Request, inputs: int) -> None:
    """Call it after the inputs are mapped: they do not count."""
    seconds = math.ceil(request.seconds) + _SPARE_SECONDS
    largest_file = max(request.output_bytes, request.report_bytes + 1)
    wanted = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: largest_file,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _FILES + inputs,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    size = _address_space()
    if size is not None:
        wanted[resource.RLIMIT_AS] = size + request.memory_bytes
    for kind, most in wanted.items():
        with suppress(ValueError):  # the limit in force is lower already
            resource.setrlimit(kind, (most, most))


def _address_space() -> int | None:
    """Bytes that this process has mapped; None where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


# ---- Landlock ------------------------------------------------------------------------------------


_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_TCP_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
# Python and pyarrow look up time zones there; it is the same on every machine.
_TIME_ZONES = "/usr/share/zoneinfo"


def landlock_abi() -> int:
    """The version that the kernel offers; 0 where there is none."""
    try:
        return system_call(_CREATE, 0, 0, _VERSION)
    except (OSError, AssertionError):
        return 0


def new_ruleset(abi: int) -> int:
    """A descriptor; every right that this kernel can judge is refused but reading libraries."""
    fields = [_rights_on_files(abi)]
    if abi >= 4:
        fields.append(_TCP_BIND_AND_CONNECT)
    if abi >= 6:
        fields.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = _buffer(struct.pack(f"={len(fields)}Q", *fields))
    ruleset = system_call(_CREATE, ctypes.addressof(attributes), len(attributes), 0)
    for folder in readable_folders():
        _allow_reading(ruleset, folder)
    return ruleset


def restrict_files(ruleset: int) -> None:
    """For good, and for this process only; it needs `no_new_privs`."""
    system_call(_RESTRICT, ruleset, 0)


def readable_folders() -> list[str]:
    """Where modules that are imported late are found."""
    named = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {sysconfig.get_path(name) for name in named}
    folders.update(site.getsitepackages())
    folders.add(str(Path(sanbo.__file__).parent))
    folders.add(_TIME_ZONES)
    return sorted(folder for folder in folders if Path(folder).is_dir())


def _rights_on_files(abi: int) -> int:
    """As many bits as the ABI has rights; a right that is not handled would be granted."""
    count = 13 + (abi >= 2) + (abi >= 3) + (abi >= 5)
    return (1 << count) - 1


def _allow_reading(ruleset: int, folder: str) -> None:
    parent = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _buffer(struct.pack("=Qi", _READ_FILE | _READ_DIR, parent))
        system_call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.addressof(rule), 0)
    finally:
        os.close(parent)


def _buffer(data: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(data, len(data))


# ---- seccomp -------------------------------------------------------------------------------------


_MODE_FILTER = 2
_KILL = 0x80000000
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.EPERM
_DOES_NOT_EXIST = 0x00050000 | errno.ENOSYS

# One instruction of classic BPF: code, steps to skip when true, when false, operand.
_INSTRUCTION = struct.Struct("=HBBI")
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

# x86_64 takes the calls of its variant x32 with this bit set.
_X32 = 0x40000000
# Whether it is a terminal, and whether a child would inherit it: Python asks when it opens files.
_HARMLESS_IOCTLS = (0x5401, 0x5450, 0x5451)
# F_SETOWN, F_SETSIG, F_SETOWN_EX: they make the kernel send signals to others.
_SIGNALLING_FCNTLS = (8, 10, 15)


def is_known_here() -> bool:
    return architecture() is not None


def restrict_calls(*, may_open: bool) -> None:
    """For good; it needs `no_new_privs`. `may_open`: where Landlock judges what is opened."""
    program = ctypes.create_string_buffer(filter_program(os.getpid(), may_open=may_open))
    count = (len(program) - 1) // _INSTRUCTION.size
    head = ctypes.create_string_buffer(struct.pack("@HP", count, ctypes.addressof(program)))
    control(PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(head))


def filter_program(own_pid: int, *, may_open: bool) -> bytes:
    known = architecture()
    if known is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    place, name_of_architecture = known
    special = {name: numbers[place] for name, numbers in CALLS.special.items()}
    refused = (
        CALLS.network,
        CALLS.processes,
        CALLS.privileges,
        CALLS.system,
        CALLS.memory_elsewhere,
        CALLS.files_changed,
        *(() if may_open else (CALLS.opening,)),
    )
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, name_of_architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
        (_AT_LEAST, 0, 1, CALLS.newest + 1),
        (_RETURN, 0, 0, _DOES_NOT_EXIST),
    ]
    for number in numbers_of(CALLS.killed, place):
        program += _answer(number, _KILL)
    for calls in refused:
        for number in numbers_of(calls, place):
            program += _answer(number, _REFUSE)
    program += _answer(special["clone3"], _DOES_NOT_EXIST)
    # Its own threads alone: abort() needs it.
    program += _judge(special["tgkill"], 0, allowed=(own_pid,))
    program += _judge(special["tkill"], 0, allowed=(own_pid,))
    program += _judge(special["ioctl"], 1, allowed=_HARMLESS_IOCTLS)
    program += _judge(special["fcntl"], 1, refused=_SIGNALLING_FCNTLS)
    program += _only_without(special["prlimit64"], 2)
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(_INSTRUCTION.pack(*each) for each in program)


_Program = list[tuple[int, int, int, int]]


def _answer(number: int | None, answer: int) -> _Program:
    assert number is not None
    return [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)]


def _judge(
    number: int | None, argument: int, *, allowed: Iterable[int] = (), refused: Iterable[int] = ()
) -> _Program:
    """By the lower half of an argument, which the kernel takes as an int."""
    body: _Program = [(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument)]
    for value in allowed:
        body += _answer(value, _ALLOW)
    for value in refused:
        body += _answer(value, _REFUSE)
    body.append((_RETURN, 0, 0, _ALLOW if refused else _REFUSE))
    return _when(number, body)


def _only_without(number: int | None, argument: int) -> _Program:
    """Only while a pointer is NULL: prlimit may ask for limits, not change them."""
    at = _ARGUMENTS_AT + 8 * argument
    body: _Program = [
        (_LOAD, 0, 0, at),
        (_EQUAL, 0, 3, 0),
        (_LOAD, 0, 0, at + 4),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return _when(number, body)


def _when(number: int | None, body: _Program) -> _Program:
    """A body always returns, so what it loaded is not in the way of what follows."""
    assert number is not None
    return [(_EQUAL, 0, len(body), number), *body]


# ---- how strong they are -------------------------------------------------------------------------


def find_level() -> tuple[Level, int | None]:
    """And the rules of Landlock, which every action puts on."""
    abi = landlock_abi()
    ruleset = new_ruleset(abi) if abi else None
    if ruleset is not None and not _holds(partial(_landlock_holds, ruleset)):
        os.close(ruleset)
        abi, ruleset = 0, None
    has_seccomp = is_known_here() and _holds(_seccomp_holds)
    return level_of(abi, has_seccomp), ruleset


def _landlock_holds(ruleset: int) -> bool:
    control(PR_SET_NO_NEW_PRIVS, 1)
    restrict_files(ruleset)
    os.listdir(readable_folders()[0])
    return _is_refused(lambda: os.listdir("/"))


def _seccomp_holds() -> bool:
    control(PR_SET_NO_NEW_PRIVS, 1)
    restrict_calls(may_open=False)
    return (
        _is_refused(lambda: os.listdir("/"))
        and _is_refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        and _is_refused(os.fork)
    )


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except PermissionError:
        return True
    return False


def _holds(attempt: Callable[[], bool]) -> bool:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = 0 if attempt() else 1
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status) == 0
