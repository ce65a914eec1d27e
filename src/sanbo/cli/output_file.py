"""A file that a command writes its result to: never over another, and refused before the work."""

import tempfile
from pathlib import Path

from sanbo.cli.screen import say
from sanbo.kernel.messages import tell
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


def write_new(output: Path, data: bytes) -> None:
    with output.open("xb") as writer:
        writer.write(data)
    say(tell("cli.saved", path=output))
