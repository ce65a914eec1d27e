"""Reads files, also those of a folder one by one, in guarded processes of their own: a file that
crashes, hangs or swells its reader is a problem of that file alone, and a reader that was taken
over has no network and no other file."""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from errno import EACCES
from pathlib import Path

from sanbo.documents.builder import DOCUMENT, ReadingLimits
from sanbo.documents.extract import (
    MOST_BYTES,
    Failed,
    More,
    document_in,
    files_in,
    format_in,
    pictures_in,
    unpacked,
    unpacked_files,
)
from sanbo.documents.file_formats import formats
from sanbo.documents.formats.zip import ArchiveLimits, composed, decode_name
from sanbo.documents.model import Document, Format, Skipped, Source, is_litter
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import (
    InvalidInput,
    LimitExceeded,
    NotFound,
    PermissionDenied,
    Problem,
    SanboError,
    TimedOut,
    Unexpected,
    UnsupportedFormat,
)
from sanbo.sandbox.calls import Calls
from sanbo.sandbox.client import ActionFailed
from sanbo.sandbox.limits import Limits
from sanbo.sandbox.memory import Memory

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


READ_SECONDS = 300.0
MEMORY_MB = 4096
MOST_ANSWER_BYTES = 1 << 30
_TOO_LARGE = frozenset(
    ("sandbox_memory", "sandbox_killed", "sandbox_output_large", "sandbox_report_large")
)
_ENDED = frozenset(("sandbox_ended", "sandbox_crashed", "sandbox_forbidden", "sandbox_defect"))


def is_of_the_file(error: SanboError) -> bool:
    """Whether another file may do better: else nothing can be read now."""
    return not error.problem.text_id.startswith("sandbox_")


class ReadingFailed(SanboError):
    """A problem that was found in the reading process, raised again here."""

    def __init__(self, problem: Problem) -> None:
        Exception.__init__(self, f"{problem.code}: {problem.message}")
        self.problem = problem


class Readers:
    """So many files at once, for all threads; processes are started when needed."""

    def __init__(self, count: int = 2, *, timeout_seconds: float = READ_SECONDS) -> None:
        self._limits = Limits(
            seconds=timeout_seconds, memory_bytes=MEMORY_MB << 20, output_bytes=MOST_ANSWER_BYTES
        )
        self.calls = Calls(self._limits, at_once=count)

    def read(self, source: Source, most: ReadingLimits = DOCUMENT) -> Document:
        """Blocks. At most as much as the limits allow comes back, whatever is in the file."""
        with self.read_packed(source, most) as answer:
            try:
                document = unpacked(answer.view())
            except ValueError:  # no longer itself when it wrote this
                raise UnsupportedFormat("file_reader_ended", name=source.name) from None
        most.check(characters=len(document.text), parts=len(document.blocks))
        return document

    def read_packed(self, source: Source, most: ReadingLimits = DOCUMENT) -> Memory:
        """The document as `extract` packs it, for another process to work on."""
        return self._asked(source, document_in, source.name, most)

    async def read_apart(self, source: Source, most: ReadingLimits = DOCUMENT) -> Document:
        """As `read`; cancelled, it ends the process that reads."""
        return await self.calls.waiting(lambda: self.read(source, most))

    async def pictures_apart(self, source: Source, most: int) -> list[Source]:
        """The first pages as they look, as PNG; none where the format has no pages."""

        def drawn() -> list[Source]:
            with self._asked(source, pictures_in, source.name, most) as answer:
                found = _unpacked_files(answer, source.name)
                return [each for each in found if isinstance(each, Source)]

        return await self.calls.waiting(drawn)

    def container_format(self, source: Source) -> Format | None:
        """`zip` or `eml` where the file holds others; told by its content."""
        if not _may_hold_files(source.data):
            return None
        with self._asked(source, format_in, source.name) as answer:
            found = formats().get(bytes(answer.view()).decode("ascii", "replace"))
        return found.name if found is not None and found.unpacker else None

    def files_in(
        self, source: Source, kind: Format, allowed: ArchiveLimits | None = None
    ) -> Iterator[Source | Skipped]:
        """The files in an archive or a mail, one in memory at a time."""
        skip = 0
        is_over = False
        while not is_over:
            is_over = True
            given = (source.name, kind, allowed or ArchiveLimits(), skip)
            before = skip
            with self._asked(source, files_in, *given) as answer:
                for file in _unpacked_files(answer, source.name):
                    if isinstance(file, Failed):
                        raise ReadingFailed(_in_our_words(file.problem, source.name))
                    if isinstance(file, More):
                        is_over = skip == before  # who has more, but nothing, is not itself
                        continue
                    skip += 1
                    yield file

    def close(self) -> None:
        """Ends every process, also one that is at work: its reader gets a problem."""
        self.calls.close()

    def _asked(
        self, source: Source, function: Callable[..., Iterator[bytes]], *args: object
    ) -> Memory:
        """What the function yields about the file."""
        if len(source.data) > MOST_BYTES:
            raise LimitExceeded("file_too_large", name=source.name, limit_mb=MOST_BYTES >> 20)
        with Memory.of([source.data]) as given:
            try:
                return self.calls.pieces(function, *args, inputs=[given]) or Memory()
            except SanboError as error:
                raise self._told(error, source.name) from error

    def _told(self, error: SanboError, name: str) -> SanboError:
        """What ended the process, as a problem of the file."""
        problem = error.problem
        if isinstance(error, ActionFailed) and not problem.text_id.startswith("sandbox_"):
            return ReadingFailed(problem)
        if isinstance(error, TimedOut):
            return TimedOut("file_reading_slow", name=name, seconds=int(self._limits.seconds))
        if problem.text_id in _TOO_LARGE:
            return LimitExceeded("file_reading_large", name=name, limit_mb=MEMORY_MB)
        if problem.text_id in _ENDED:
            return UnsupportedFormat("file_reader_ended", name=name)
        return error  # no process could be started, or all are ended: it is not the file's fault


def _unpacked_files(answer: Memory, name: str) -> Iterator[Source | Skipped | Failed | More]:
    try:
        for file in unpacked_files(lambda size, at: os.pread(answer.fd, size, at), answer.size):
            if isinstance(file, Skipped):
                told = _in_our_words(file.problem, file.name)
                yield file.model_copy(update={"problem": told})
            else:
                yield file
    except ValueError:
        raise UnsupportedFormat("file_reader_ended", name=name) from None


def _in_our_words(problem: Problem, name: str) -> Problem:
    """Its texts are taken from the catalogue, not from what came across."""
    try:
        return problem.in_language(current_language())
    except (LookupError, ValueError, AttributeError):
        return UnsupportedFormat("file_reader_ended", name=name).problem


def _may_hold_files(data: bytes) -> bool:
    """Most files do not, and need not be asked about."""
    return any(each.may_hold_files and each.may_hold_files(data) for each in formats().values())


def problem_of(error: BaseException, name: str) -> Problem:
    """A reader's failure as a person should see it; the cause of a defect stays in the log."""
    if isinstance(error, SanboError):
        return error.problem
    if isinstance(error, MemoryError | RecursionError):
        return LimitExceeded("file_reading_large", name=name, limit_mb=MEMORY_MB).problem
    return Unexpected("file_reader_defect", name=name, kind=type(error).__name__).problem
