"""What stands in a workspace is its owner's alone; what a person wants written elsewhere is not.

Everything that this process writes is private from the moment it has prepared a workspace: many
parts write there, SQLite and search engines among them, and none can forget it. Results that go
elsewhere get the mode that the person's own umask gives.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

PRIVATE_FOLDER = 0o700
_OTHERS = 0o077

_umask_before: list[int] = []
_workspaces: set[Path] = set()


def keep_private(workspace: Path) -> None:
    """From now on; also mends a folder that an earlier version has left open."""
    _workspaces.add(workspace.resolve())
    before = os.umask(_OTHERS)
    if not _umask_before:
        _umask_before.append(before)
    if is_open_to_others(workspace) and _may_close(workspace):
        with suppress(PermissionError):  # a disk without modes, such as a memory card
            workspace.chmod(PRIVATE_FOLDER)


def is_open_to_others(folder: Path) -> bool:
    return os.name == "posix" and bool(folder.stat().st_mode & _OTHERS)


def _may_close(folder: Path) -> bool:
    """Not somebody else's, nor one that is meant for all, such as /tmp."""
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & stat.S_ISVTX


def show_as_usual(made: Path) -> None:
    """Gives a file or folder that was just made for a person the mode that person's others have."""
    inside = any(parent in _workspaces for parent in made.resolve().parents)
    if _umask_before and not inside:
        usual = 0o777 if made.is_dir() else 0o666
        with suppress(PermissionError):  # as above
            made.chmod(usual & ~_umask_before[0])
