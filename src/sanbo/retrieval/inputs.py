"""What is to be indexed: files, folders and archives, one file at a time."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sanbo.documents.archives import Skipped, read_archive
from sanbo.documents.extract import format_of
from sanbo.documents.folders import read_folder
from sanbo.documents.formats.eml.reader import attachments
from sanbo.documents.model import Format, Source
from sanbo.documents.reading import problem_of
from sanbo.kernel.problems import LimitExceeded, NotFound, PermissionDenied, Problem, SanboError

MOST_BYTES = 500 * 1024 * 1024
DEEPEST = 5


@dataclass(frozen=True)
class InputFile:
    """A file by what identifies it; its bytes are read when their turn comes."""

    name: str
    identity: str
    load: Callable[[], bytes]

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


def files_at(paths: Iterable[Path]) -> Iterator[InputFile | Unreadable]:
    """Every file at these paths; folders are walked, archives are still closed."""
    for path in paths:
        if path.is_dir():
            for entry in read_folder(path):
                name = f"{path.resolve().name}/{entry.name}"
                if isinstance(entry, Skipped):
                    yield Unreadable(name, entry.problem)
                else:
                    yield file_at(entry.path, name)
        elif path.exists():
            yield file_at(path, path.name)
        else:
            yield Unreadable(str(path), NotFound("index_path_missing", path=str(path)).problem)


def file_at(path: Path, name: str) -> InputFile:
    return InputFile(name, str(path.resolve()), lambda: _load(path, name))


def upload(name: str, data: bytes) -> InputFile:
    """A file that came without a place of its own: the same name is the same document."""
    return InputFile(name, f"upload:{name}", lambda: data)


def opened(
    files: Iterable[InputFile | Unreadable], depth: int = 0
) -> Iterator[InputFile | Unreadable]:
    """Archives and mails opened: what is in them follows, one file in memory at a time."""
    for file in files:
        if isinstance(file, Unreadable):
            yield file
            continue
        try:
            yield from _opened(file, depth)
        except Exception as error:  # noqa: BLE001 - whatever one file does, the others go on
            yield Unreadable(file.name, problem_of(error, file.name), is_failure=True)


def _opened(file: InputFile, depth: int) -> Iterator[InputFile | Unreadable]:
    source = Source(name=file.name, data=file.load())
    kind = _kind(source)
    if depth > DEEPEST:
        raise LimitExceeded("index_nested", name=file.name, limit=DEEPEST)
    if kind == "zip":
        yield from opened((_inside(file, entry) for entry in read_archive(source)), depth + 1)
        return
    yield InputFile(file.name, file.identity, lambda: source.data)
    if kind == "eml":
        yield from opened((_inside(file, entry) for entry in attachments(source)), depth + 1)


def _kind(source: Source) -> Format | None:
    try:
        return format_of(source)
    except SanboError:
        return None  # reading it says what is wrong


def _inside(file: InputFile, source: Source | Skipped) -> InputFile | Unreadable:
    if isinstance(source, Skipped):
        return Unreadable(source.name, source.problem)
    inner = source.name.removeprefix(file.name).lstrip("/")
    name = f"{file.name}/{inner}"
    return InputFile(name, f"{file.identity}!{inner}", lambda: source.data)


def _load(path: Path, name: str) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise LimitExceeded("file_too_large", name=name, limit_mb=MOST_BYTES // (1024 * 1024))
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound("index_path_missing", path=name) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PermissionDenied("index_file_refused", name=name, reason=reason) from None
