"""System calls that Python has no name for, through the C library; errors are OSErrors."""

import ctypes
import os
import sys

from sanbo.sandbox.syscalls import number_of

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
