"""Problems: on the screen with what to do, and in the log file of a workspace, secrets masked."""

import errno
import logging
import os
import secrets
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from sanbo.cli.screen import err, print_json, say, words
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import PermissionDenied, Problem, SanboError, Unexpected
from sanbo.kernel.secrets import RedactingFilter, redact
from sanbo.kernel.settings import DEFAULT_WORKSPACE

MAX_BYTES = 2_000_000
KEPT_FILES = 3


def log_file(workspace: Path) -> Path:
    return workspace / "logs" / "sanbo.log"


def keep_log(workspace: Path) -> bool:
    """Everything that is logged from now on goes there, and nothing to the screen."""
    root = logging.getLogger()
    logging.captureWarnings(capture=True)
    path = log_file(workspace)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(
            path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8"
        )
    except OSError:  # a log that can't be written must not stop the work
        handler = logging.NullHandler()
    handler.addFilter(RedactingFilter())
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for earlier in root.handlers[:]:
        if isinstance(earlier, RotatingFileHandler | logging.NullHandler):
            root.removeHandler(earlier)
            earlier.close()
    root.addHandler(handler)
    logging.getLogger("sanbo").setLevel(logging.INFO)
    return isinstance(handler, RotatingFileHandler)


logger = logging.getLogger(__name__)

MAX_DETAILS = 5
_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EFBIG)


def show_failure(error: Exception, arguments: Sequence[str]) -> None:
    """What a command raised: a problem as it is, anything else as a defect of ours."""
    known = error if isinstance(error, SanboError) else _of_the_machine(error, arguments)
    problem = known.problem if known else _unexpected(error, arguments)
    show_problem(problem)
    if "--json" in arguments:
        shown = problem.in_language(current_language())
        with suppress(OSError):  # standard output itself may be what failed
            print_json({"problem": shown.model_dump(mode="json")})


def _of_the_machine(error: Exception, arguments: Sequence[str]) -> SanboError | None:
    """Files and disks that refuse their service: no defect, and a person can do something."""
    if isinstance(error, sqlite3.DatabaseError):
        # The journal's own problems come with their words; graphs keep their state beside it.
        # Here: a command that only helps loads no database.
        from sanbo.service.health import REFUSED, storage_failure, told  # noqa: PLC0415

        path = str(_workspace(arguments).absolute() / "checkpoints.db")
        return storage_failure(error, path) or told(REFUSED, path, error)
    if isinstance(error, OSError) and error.filename is not None:
        path = os.fsdecode(error.filename) if not isinstance(error.filename, int) else "?"
        reason = error.strerror or type(error).__name__
        return PermissionDenied("path_refused", path=path, reason=reason)
    if isinstance(error, OSError) and error.errno in _NOT_WRITTEN:
        return PermissionDenied("output_refused", reason=error.strerror)
    return None


def show_problem(problem: Problem) -> None:
    problem = problem.in_language(current_language())
    console = err()
    lines = list(_lines(problem))
    if not console.is_terminal:
        say(tell("cli.problem.first", message=problem.message))
        for line in lines[1:]:
            say(f"  {line}")
        return
    console.print(_panel(console, lines))


def _panel(console: Console, lines: Sequence[Text]) -> Panel:
    return Panel(
        Group(*lines),
        title=Text(tell("cli.problem.title"), style="bold red"),
        title_align="left",
        border_style="red",
        width=min(console.width, 100),
    )


def _lines(problem: Problem) -> Iterator[Text]:
    yield words(problem.message, "bold")
    yield words(tell("cli.problem.advice", hint=problem.hint))
    if isinstance(node := problem.details.get("node_id"), str):
        title = str(problem.details.get("node_title", node))
        yield words(tell("cli.problem.node", title=title, node=node))
    yield words(tell("cli.problem.code", code=problem.code), "dim")
    for name, value in _details(problem):
        yield words(f"{name}: {value}", "dim")


def _details(problem: Problem) -> list[tuple[str, str]]:
    """Those that the message and the hint have not said already."""
    said = f"{problem.message} {problem.hint}"
    short = [
        (name, str(value))
        for name, value in problem.details.items()
        if isinstance(value, str | int | float)
        and str(value) not in said
        and name not in ("node_id", "node_title")
    ]
    return short[:MAX_DETAILS]


def _unexpected(error: Exception, arguments: Sequence[str]) -> Problem:
    """Logged with its traceback; the person gets a reference to find it by."""
    reference = f"e-{secrets.token_hex(4)}"
    workspace = _workspace(arguments)
    kept = keep_log(workspace)
    logger.error("%s: %s", reference, redact(" ".join(sys.argv[1:2])), exc_info=error)
    text = "unexpected_logged" if kept else "unexpected"
    return Unexpected(
        text, kind=type(error).__name__, reference=reference, log=str(log_file(workspace))
    ).problem


def _workspace(arguments: Sequence[str]) -> Path:
    """Where the log is, even when the settings could not be read."""
    wanted = os.environ.get("SANBO_WORKSPACE")
    for position, argument in enumerate(arguments):
        if argument == "--workspace":
            wanted = "".join(arguments[position + 1 : position + 2])
        elif argument.startswith("--workspace="):
            wanted = argument.removeprefix("--workspace=")
    return Path(wanted) if wanted else DEFAULT_WORKSPACE
