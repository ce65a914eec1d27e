"""The files of a folder, found one by one in a fixed order, however many there are."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from errno import EACCES
from pathlib import Path

from sanbo.documents.archive_entries import composed, decode_name
from sanbo.documents.model import Skipped, is_litter
from sanbo.kernel.problems import InvalidInput, LimitExceeded, NotFound, PermissionDenied

_MOST_FOLDERS_DEEP = 50


@dataclass(frozen=True)
class FolderFile:
    path: Path
    """What opens the file, even where its name is no proper text."""
    name: str
    """Relative to the folder, with / between folders."""


def read_folder(path: Path) -> Iterator[FolderFile | Skipped]:
    """Names only: whoever reads a file opens it. Hidden and lock files are left out silently."""
    if not path.exists():
        raise NotFound("folder_not_found", path=name_of(path))
    if not path.is_dir():
        raise InvalidInput("folder_is_file", path=name_of(path))
    yield from _files(path, "", path.resolve())


def name_of(path: Path | str) -> str:
    """As a person reads it: an old share may hold names that are not in UTF-8."""
    return composed(decode_name(os.fsencode(path)))


def _files(folder: Path, prefix: str, root: Path) -> Iterator[FolderFile | Skipped]:
    try:
        with os.scandir(folder) as found:
            # One folder's names are held at a time, never the whole tree's.
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        yield _unreadable(prefix.rstrip("/") or name_of(folder.name), error)
        return
    for entry in entries:
        name = prefix + name_of(entry.name)
        if is_litter(entry.name):
            continue
        try:
            yield from _entry(entry, name, root)
        except OSError as error:  # gone in the meantime
            yield _unreadable(name, error)


def _entry(entry: os.DirEntry[str], name: str, root: Path) -> Iterator[FolderFile | Skipped]:
    if entry.is_symlink():
        # What a link inside the folder leads to is met on its own.
        if not Path(os.path.realpath(entry.path)).is_relative_to(root):
            problem = PermissionDenied("folder_link_outside", name=name).problem
            yield Skipped(name=name, problem=problem)
        return
    about = entry.stat(follow_symlinks=False)
    if _is_hidden(about):
        return
    if stat.S_ISDIR(about.st_mode):
        if name.count("/") >= _MOST_FOLDERS_DEEP:
            too_deep = LimitExceeded("folder_too_deep", name=name, limit=_MOST_FOLDERS_DEEP)
            yield Skipped(name=name, problem=too_deep.problem)
        else:
            yield from _files(Path(entry.path), f"{name}/", root)
    elif stat.S_ISREG(about.st_mode):  # a pipe or device would never end
        if os.access(entry.path, os.R_OK):
            yield FolderFile(Path(entry.path), name)
        else:
            yield _unreadable(name, PermissionError(EACCES, os.strerror(EACCES)))


def _unreadable(name: str, error: OSError) -> Skipped:
    reason = error.strerror or type(error).__name__
    problem = PermissionDenied("folder_entry_unreadable", name=name, reason=reason).problem
    return Skipped(name=name, problem=problem)


def _is_hidden(about: os.stat_result) -> bool:
    """On Windows an attribute, not a name, hides a file."""
    hidden = stat.FILE_ATTRIBUTE_HIDDEN | stat.FILE_ATTRIBUTE_SYSTEM
    return bool(getattr(about, "st_file_attributes", 0) & hidden)
