"""Watched folders: which files are there, and which of them have fully arrived."""

import hashlib
import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from sanbo.kernel.problems import LimitExceeded, NotFound, PermissionDenied

MOST_FILES = 10_000
_UNFINISHED = (".tmp", ".part", ".partial", ".crdownload")


class Arrival(NamedTuple):
    path: Path
    key: str
    """The same as long as the file is: its name, size and time."""
    size: int


def allowed_folder(folder: str, allowed: Iterable[str]) -> Path:
    """The real one, where links lead; below one that the settings name."""
    path = Path(folder).expanduser()
    real = path.resolve()
    if not any(real.is_relative_to(Path(each).expanduser().resolve()) for each in allowed):
        raise PermissionDenied("trigger_folder_refused", folder=folder[:300])
    if not real.is_dir():
        raise NotFound("trigger_folder_missing", folder=folder[:300])
    return real


def files_in(folder: Path, pattern: str) -> list[Arrival]:
    """Not links, nor hidden ones, nor what a program is still writing under another name."""
    found: list[Arrival] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            is_odd = name.startswith((".", "~$")) or name.endswith(_UNFINISHED)
            if is_odd or not fnmatchcase(name, pattern):
                continue
            if not entry.is_file(follow_symlinks=False):
                continue
            if len(found) >= MOST_FILES:
                raise LimitExceeded("trigger_folder_full", folder=str(folder), limit=MOST_FILES)
            told = entry.stat(follow_symlinks=False)
            key = os.fsencode(f"{name}|{told.st_size}|{told.st_mtime_ns}")
            digest = hashlib.sha256(key).hexdigest()[:40]
            found.append(Arrival(Path(entry.path), f"file:{digest}", told.st_size))
    return sorted(found)
