"""Finds out how strong the sandbox is by trying: in a process that gives up its rights."""

import os
import socket
from collections.abc import Callable
from functools import partial

from sanbo.sandbox import landlock, seccomp
from sanbo.sandbox.kernel_calls import PR_SET_NO_NEW_PRIVS, control
from sanbo.sandbox.level import Level, level_of


def find_level() -> tuple[Level, int | None]:
    """And the rules of Landlock, which every action puts on."""
    abi = landlock.landlock_abi()
    ruleset = landlock.new_ruleset(abi) if abi else None
    if ruleset is not None and not _holds(partial(_landlock_holds, ruleset)):
        os.close(ruleset)
        abi, ruleset = 0, None
    has_seccomp = seccomp.is_known_here() and _holds(_seccomp_holds)
    return level_of(abi, has_seccomp), ruleset


def _landlock_holds(ruleset: int) -> bool:
    control(PR_SET_NO_NEW_PRIVS, 1)
    landlock.restrict_self(ruleset)
    os.listdir(landlock.readable_folders()[0])
    return _is_refused(lambda: os.listdir("/"))


def _seccomp_holds() -> bool:
    control(PR_SET_NO_NEW_PRIVS, 1)
    seccomp.restrict_self(may_open=False)
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
