"""seccomp: the kernel refuses an action every call that leads out of its own memory."""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable

from sanbo.sandbox import syscalls
from sanbo.sandbox.kernel_calls import PR_SET_SECCOMP, control

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
    return syscalls.architecture() is not None


def restrict_self(*, may_open: bool) -> None:
    """For good; it needs `no_new_privs`. `may_open`: where Landlock judges what is opened."""
    program = ctypes.create_string_buffer(filter_program(os.getpid(), may_open=may_open))
    count = (len(program) - 1) // _INSTRUCTION.size
    head = ctypes.create_string_buffer(struct.pack("@HP", count, ctypes.addressof(program)))
    control(PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(head))


def filter_program(own_pid: int, *, may_open: bool) -> bytes:
    known = syscalls.architecture()
    if known is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    place, architecture = known
    special = {name: numbers[place] for name, numbers in syscalls.SPECIAL.items()}
    refused = (
        syscalls.NETWORK,
        syscalls.PROCESSES,
        syscalls.PRIVILEGES,
        syscalls.SYSTEM,
        syscalls.MEMORY_ELSEWHERE,
        syscalls.FILES_CHANGED,
        *(() if may_open else (syscalls.OPENING,)),
    )
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
        (_AT_LEAST, 0, 1, syscalls.NEWEST + 1),
        (_RETURN, 0, 0, _DOES_NOT_EXIST),
    ]
    for number in syscalls.numbers_of(syscalls.KILLED, place):
        program += _answer(number, _KILL)
    for calls in refused:
        for number in syscalls.numbers_of(calls, place):
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
