"""A file that a command writes its result to: never over another, and refused before the work."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sanbo.cli.screen import say
from sanbo.kernel.messages import tell
from sanbo.kernel.private_files import show_as_usual
from sanbo.kernel.problems import Conflict, NotFound, PermissionDenied

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
