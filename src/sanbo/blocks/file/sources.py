"""Where blocks read: in the workspace's `files/`; what strangers wrote, in guarded processes."""

import atexit
import os
import threading
from pathlib import Path, PurePosixPath, PureWindowsPath

from sanbo.blocks.block import BlockContext
from sanbo.documents.extract import MOST_BYTES
from sanbo.documents.model import Source
from sanbo.documents.reading import Readers
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import LimitExceeded, NotFound, PermissionDenied

_MB = 1 << 20


def read_workspace_file(path: str, context: BlockContext) -> Source:
    """Under its own name. `PermissionDenied` for a path that leads, or links, out of the folder."""
    root = context.workspace_files
    if root is None:
        raise PermissionDenied("block_path_not_here", path=path)
    found = _inside(root, path)
    if not found.is_file():
        raise _missing(root, path)
    if found.stat().st_size > MOST_BYTES:
        raise LimitExceeded("file_too_large", name=path, limit_mb=MOST_BYTES // _MB)
    try:
        return Source(name=found.name, data=found.read_bytes())
    except OSError:
        raise PermissionDenied("block_path_unreadable", path=path) from None


def _inside(root: Path, path: str) -> Path:
    written = PurePosixPath(path.replace("\\", "/"))
    is_elsewhere = (
        "\0" in path
        or ".." in written.parts
        or written.is_absolute()
        or bool(PureWindowsPath(path).drive)
        or path.startswith("~")
    )
    home = root.resolve()
    # Only a plain path is looked at on the disk at all.
    resolved = home if is_elsewhere else (home / written).resolve()
    if is_elsewhere or not resolved.is_relative_to(home):
        raise PermissionDenied("block_path_outside", path=path)
    return resolved


def _missing(root: Path, path: str) -> NotFound:
    known = [
        each.relative_to(root).as_posix() for each in sorted(root.rglob("*")) if each.is_file()
    ]
    near = nearest(path, known, 3, least=0.5)
    if near:
        return NotFound("block_path_missing_near", path=path, nearest="、".join(near))
    return NotFound("block_path_missing", path=path)


READERS = min(2, os.cpu_count() or 1)
_lock = threading.Lock()
_of_process: dict[int, Readers] = {}


def shared_readers() -> Readers:
    """One set a process, also in a process that began as a copy of this one."""
    with _lock:
        process = os.getpid()
        if process not in _of_process:
            _of_process.clear()  # those of the process that this one is a copy of are not ours
            _of_process[process] = Readers(count=READERS)
            atexit.register(_close, process)
        return _of_process[process]


def _close(process: int) -> None:
    if process == os.getpid() and process in _of_process:
        _of_process.pop(process).close()
