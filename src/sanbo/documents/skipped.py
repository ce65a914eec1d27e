"""What is left out of a folder or an archive: with its problem, or silently if nobody made it."""

from pathlib import PurePosixPath

from sanbo.documents.model import Frozen
from sanbo.kernel.problems import Problem

_OF_THE_SYSTEM = frozenset(("thumbs.db", "desktop.ini", "ehthumbs.db", "$recycle.bin", "__macosx"))


class Skipped(Frozen):
    """A file that was not read, and why: a person should know."""

    name: str
    problem: Problem


def is_litter(name: str) -> bool:
    """Hidden files, lock files and what systems leave behind; `name` may be a path."""
    return any(
        part.startswith((".", "~$")) or part.lower() in _OF_THE_SYSTEM
        for part in PurePosixPath(name).parts
        if part != ".."
    )
