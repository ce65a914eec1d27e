"""The entry point: one command line in, one exit code out, and never a traceback."""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

import typer

from sanbo.cli import conventions
from sanbo.cli.root import early_language, everywhere_first, root, show_usage
from sanbo.cli.screen import make_streams_safe, say
from sanbo.kernel.messages import set_language, tell


def main(*, is_interrupted: bool = False) -> None:
    """`is_interrupted`: Ctrl-C came before this was loaded."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    make_streams_safe()
    code = _interrupted(sys.argv[1:]) if is_interrupted else run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
    except OSError as error:  # a full disk
        code = code or conventions.FAILED
        _show(error, sys.argv[1:])
        _discard_stdout()
    # Ctrl-C while Python waits for threads that are still at work: it goes at once, in silence.
    signal.signal(signal.SIGINT, _leave)
    if code == conventions.INTERRUPTED:
        # A thread that is in the middle of a step can't be interrupted, and Python would wait
        # for it. The workbench is closed and the lease is back: nothing is lost by leaving now.
        os._exit(code)
    gc.freeze()  # memory goes with the process: nobody need look through it once more
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code."""
    arguments = everywhere_first(arguments)
    set_language(early_language(arguments))
    try:
        code: object = root().main(list(arguments), prog_name="sanbo", standalone_mode=False)
    except conventions.Interrupted as stop:
        say(f"\n{stop}")
        return conventions.INTERRUPTED
    except (typer.Abort, KeyboardInterrupt):
        code = conventions.INTERRUPTED  # as typer itself makes of Ctrl-C
    except typer.TyperException as error:
        show_usage(error)
        return error.exit_code
    except BrokenPipeError:  # `| head` has seen enough
        _discard_stdout()
        return conventions.FAILED
    except Exception as error:  # noqa: BLE001 - whatever it is, a person sees a problem
        _show(error, arguments)
        return conventions.FAILED
    if code == conventions.INTERRUPTED:
        return _interrupted(arguments)
    return code if isinstance(code, int) else conventions.SUCCEEDED


def _interrupted(arguments: Sequence[str]) -> int:
    set_language(early_language(arguments))
    say("\n" + tell("cli.stopped"))
    return conventions.INTERRUPTED


def _show(error: Exception, arguments: Sequence[str]) -> None:
    # Loaded here: help and version need neither Pydantic nor the log.
    from sanbo.cli.problems import show_failure  # noqa: PLC0415

    show_failure(error, arguments)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    os._exit(conventions.INTERRUPTED)


def _discard_stdout() -> None:
    """What is still in the buffer must not fail again when Python closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
