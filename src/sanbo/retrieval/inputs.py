"""What is to be indexed: files, folders and archives, one file at a time."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

from sanbo.documents.folders import FolderFile, name_of, read_folder
from sanbo.documents.model import Skipped, Source
from sanbo.documents.reading import Readers, problem_of
from sanbo.kernel.problems import (
    LimitExceeded,
    NotFound,
    PermissionDenied,
    Problem,
    UnsupportedFormat,
)

MOST_BYTES = 500 * 1024 * 1024
DEEPEST = 5


@dataclass(frozen=True)
class InputFile:
    """A file by what identifies it; its bytes are read when their turn comes."""

    name: str
    identity: str
    load: Callable[[], bytes]
    container: str | None = None
    """The identity of the archive or mail that it is in, the outermost one."""
    size: int = 0
    """Of what is in memory of it."""

    @property
    def document_id(self) -> str:
        return hashlib.sha256(self.identity.encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Unreadable:
    """A file that a person should know was left out."""

    name: str
    problem: Problem
    is_failure: bool = False
    """Whether it should have been read, or only was none of those that can be."""


@dataclass(frozen=True)
class Emptied:
    """An archive or mail was read to its end: these are the documents in it, and no others."""

    container: str
    document_ids: frozenset[str]


Input = InputFile | Unreadable | Emptied


def files_at(
    paths: Iterable[Path], *, without: Path | None = None
) -> Iterator[InputFile | Unreadable]:
    """Every file at these paths; folders are walked, archives are still closed.

    `without`: a folder that is left alone; the workspace does not index itself.
    """
    closed = None if without is None else without.resolve()
    for path in paths:
        if path.is_dir():
            for entry in read_folder(path):
                if isinstance(entry, FolderFile) and closed and _is_below(entry.path, closed):
                    continue
                name = f"{name_of(path.resolve().name)}/{entry.name}"
                if isinstance(entry, Skipped):
                    yield Unreadable(name, entry.problem)
                else:
                    yield file_at(entry.path, name)
        elif path.exists():
            yield file_at(path, name_of(path.name))
        else:
            name = name_of(path)
            yield Unreadable(name, NotFound("index_path_missing", path=name).problem)


def file_at(path: Path, name: str) -> InputFile:
    return InputFile(name, _identity(path.resolve()), lambda: _load(path, name))


def _identity(path: Path) -> str:
    """Told apart by its bytes; a path that is no text, which no database holds, as an address."""
    raw = os.fsencode(path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return f"file://{quote_from_bytes(raw)}"


def path_of(identity: str) -> Path | None:
    """Where a document is on disk; None for an upload."""
    if identity.startswith("upload:"):
        return None
    if identity.startswith("file://"):
        return Path(os.fsdecode(unquote_to_bytes(identity.removeprefix("file://"))))
    return Path(identity)


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder)


def upload(name: str, data: bytes) -> InputFile:
    """A file that came without a place of its own: the same name is the same document."""
    return InputFile(name, f"upload:{name}", lambda: data)


def opened(files: Iterable[InputFile | Unreadable], readers: Readers) -> Iterator[Input]:
    """Archives and mails opened: what is in them follows, one file in memory at a time."""
    for file in files:
        inside: set[str] = set()
        is_whole = True
        for part in _opened_each([file], readers, 0):
            if isinstance(part, Unreadable):
                is_whole = False
            elif part.container is not None:
                inside.add(part.document_id)
            yield part
        if is_whole and isinstance(file, InputFile):
            yield Emptied(file.identity, frozenset(inside))


def _opened_each(
    files: Iterable[InputFile | Unreadable], readers: Readers, depth: int
) -> Iterator[InputFile | Unreadable]:
    for file in files:
        if isinstance(file, Unreadable):
            yield file
            continue
        try:
            yield from _opened(file, readers, depth)
        except Exception as error:  # noqa: BLE001 - whatever one file does, the others go on
            yield Unreadable(file.name, problem_of(error, file.name), is_failure=True)


def _opened(file: InputFile, readers: Readers, depth: int) -> Iterator[InputFile | Unreadable]:
    source = Source(name=file.name, data=file.load())
    kind = readers.container_format(source)
    if depth > DEEPEST:
        raise LimitExceeded("index_nested", name=file.name, limit=DEEPEST)
    if kind != "zip":
        yield replace(file, load=lambda: source.data, size=len(source.data))
    if kind is not None:
        entries = (_inside(file, entry) for entry in readers.files_in(source, kind))
        yield from _opened_each(entries, readers, depth + 1)


def _inside(file: InputFile, source: Source | Skipped) -> InputFile | Unreadable:
    if isinstance(source, Skipped):
        return Unreadable(source.name, source.problem)
    inner = source.name.removeprefix(file.name).lstrip("/")
    name = f"{file.name}/{inner}"
    return InputFile(
        name,
        f"{file.identity}!{inner}",
        lambda: source.data,
        container=file.container or file.identity,
    )


def _load(path: Path, name: str) -> bytes:
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # a pipe or a device may never end
            raise UnsupportedFormat("index_no_file", name=name)
        if about.st_size > MOST_BYTES:
            raise LimitExceeded("file_too_large", name=name, limit_mb=MOST_BYTES // (1024 * 1024))
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound("index_path_missing", path=name) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PermissionDenied("index_file_refused", name=name, reason=reason) from None
