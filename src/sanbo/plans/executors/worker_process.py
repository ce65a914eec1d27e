"""The process that computes for another: work in, an answer out, one at a time."""

import contextlib
import faulthandler
import os
import signal
import sys
import threading
from typing import IO

from sanbo.plans.executors import call
from sanbo.plans.executors.worker import (
    ANSWER,
    BEGUN,
    Answer,
    Work,
    adopt_orphans,
    pack,
    receive,
    send,
    unpack,
)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent(int(sys.argv[1]))
    _leave_no_core()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    questions = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    # What a block prints must not end up among the answers, nor can it eat the next question.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    faulthandler.enable()
    call.listen(lambda: send(answers, BEGUN))
    try:
        while True:
            _answer(questions, answers)
    except (EOFError, BrokenPipeError):
        return  # whoever asked is gone


def _answer(questions: IO[bytes], answers: IO[bytes]) -> None:
    _, content = receive(questions)
    try:
        work: Work = unpack(content)
        answer = pack(Answer(result=work.fn(*work.args, **work.kwargs)))
    except BaseException as error:  # noqa: BLE001 - the process that asked decides what it means
        answer = _failed(error)
    with contextlib.suppress(OSError, ValueError):  # a block may have closed them
        sys.stdout.flush()
        sys.stderr.flush()
    send(answers, ANSWER, answer)


def _failed(error: BaseException) -> bytes:
    try:
        packed = pack(Answer(error=error))
        unpack(packed)  # many an exception can be packed, but not made again
    except Exception:  # noqa: BLE001 - then its words must do
        return pack(Answer(error=RuntimeError(f"{type(error).__name__}: {error}")))
    return packed


def _end_with_parent(lifeline: int) -> None:
    """Nobody writes into the lifeline: it ends with the process at its other end.

    Then the kernel kills this process and what it has started, also in the middle of a regular
    expression that lets no other thread in. Where it can't (outside Linux), a thread does it.
    Not by prctl: that listens for the death of the thread that started us.
    """
    if sys.platform == "linux":
        adopt_orphans()
        import fcntl  # noqa: PLC0415 - not on Windows

        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)

    def watch() -> None:
        os.read(lifeline, 1)  # it may have ended before the kernel was told
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _leave_no_core() -> None:
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
