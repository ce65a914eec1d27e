"""A file that a command writes its result to: never over another, and refused before the work."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import typer

from sanbo.cli.screen import say
from sanbo.kernel.messages import tell
from sanbo.kernel.private_files import show_as_usual
from sanbo.kernel.problems import Conflict, NotFound, PermissionDenied
from sanbo.reports.formats import ReportFormat, format_of

STANDARD_OUTPUT = Path("-")


def refuse_unwritable(output: Path) -> None:
    """Looked at before the work: nobody waits for a result that can't be written."""
    if output.exists():
        raise Conflict("output_exists", path=str(output))
    folder = output.absolute().parent
    if not folder.is_dir():
        raise NotFound("path_not_found", path=str(output.parent))
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PermissionDenied("path_refused", path=str(folder), reason=reason) from error


def report_format(output: Path, wanted: ReportFormat | None = None) -> ReportFormat:
    """Of a report that is to be written there, else by its ending; looked at before the work."""
    form = wanted or format_of(output.name)
    if form is None:
        raise typer.BadParameter(tell("cli.usage.report_suffix"), param_hint="--output")
    refuse_unwritable(output)
    return form


def unused(path: Path) -> Path:
    """The name itself, or numbered: 新旧対照表 (2).docx."""
    number, target = 1, path
    while target.exists():
        number += 1
        target = path.with_name(f"{path.stem} ({number}){path.suffix}")
    return target


@contextmanager
def opened_output(output: Path, *, replace: bool = False) -> Generator[BinaryIO]:
    """A file for the person who asked for it: as readable as any other that they make."""
    is_new = not output.exists()
    with output.open("wb" if replace else "xb") as writer:
        if is_new:
            show_as_usual(output)
        yield writer


def make_output_folder(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        show_as_usual(made)


def write_new(output: Path, data: bytes) -> None:
    with opened_output(output) as writer:
        writer.write(data)
    say(tell("cli.saved", path=output))
