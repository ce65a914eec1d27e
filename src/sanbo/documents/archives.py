"""ZIP files, read file by file: each with its own problem, and the whole bounded."""

import stat
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

from sanbo.documents.archive_entries import entry_name, packed_range, refuse_way_out, unpack
from sanbo.documents.model import Skipped, Source, is_litter
from sanbo.kernel.problems import InvalidInput, LimitExceeded, SanboError, UnsupportedFormat

_MB = 1 << 20
_ENTRY = b"PK\x01\x02"
_ENTRY_SIZE = 46
_END = b"PK\x05\x06"
_IS_UTF_8 = 0x800
_UNIX = 3


@dataclass(frozen=True)
class ArchiveLimits:
    files: int = 50_000
    file_bytes: int = 500 * _MB
    total_bytes: int = 4096 * _MB
    ratio: int = 200
    """How many times its size a bomb swells to; files of an office rarely reach fifty."""
    harmless_bytes: int = 50 * _MB
    """However well it was packed, so much does no harm."""
    depth: int = 3
    """Archives in archives, the outermost included."""


class _Stopped(LimitExceeded):
    """Ends the reading of the outermost archive, however deep inside it was raised."""


def read_archive(source: Source, limits: ArchiveLimits | None = None) -> Iterator[Source | Skipped]:
    """The files in an archive, one in memory at a time, named `outer.zip/inner.zip/file.txt`.

    A file that can't be read is a `Skipped`. UnsupportedFormat where the archive itself is damaged,
    LimitExceeded where it holds too much.
    """
    yield from _Reading(limits or ArchiveLimits(), len(source.data)).files(source, 1)


class _Reading:
    """What has been unpacked so far, of the outermost archive and of those inside it."""

    def __init__(self, limits: ArchiveLimits, packed_bytes: int) -> None:
        self._limits = limits
        self._packed = packed_bytes
        self._unpacked = 0
        self._files = 0

    def files(self, archive: Source, depth: int) -> Iterator[Source | Skipped]:
        entries = self._entries(archive)
        names = _Names(entry_name(info) for info in entries)
        is_empty = True
        for number, info in enumerate(entries, start=1):
            name = entry_name(info)
            if not name.strip("/") and info.file_size:
                is_empty = False
                yield _unnamed(archive.name, number)
            if not name.strip("/") or name.endswith("/") or is_litter(name):
                continue
            is_empty = False
            full_name = f"{archive.name}/{name}"
            try:
                refuse_way_out(name)
                _refuse_link(info, full_name)
                full_name = f"{archive.name}/{names.told_apart(name)}"
                file = Source(name=full_name, data=self._unpack(archive.data, info, full_name))
            except _Stopped:
                raise
            except SanboError as error:
                yield Skipped(name=full_name, problem=error.problem)
                continue
            if name.lower().endswith(".zip"):
                yield from self._nested(file, depth + 1)
            else:
                yield file
        if is_empty:
            problem = UnsupportedFormat("archive_empty", name=archive.name).problem
            yield Skipped(name=archive.name, problem=problem)

    def _nested(self, archive: Source, depth: int) -> Iterator[Source | Skipped]:
        try:
            if depth > self._limits.depth:
                raise LimitExceeded("archive_too_deep", name=archive.name, limit=self._limits.depth)
            yield from self.files(archive, depth)
        except _Stopped:
            raise
        except SanboError as error:
            yield Skipped(name=archive.name, problem=error.problem)

    def _entries(self, archive: Source) -> list[ZipInfo]:
        data = archive.data
        try:
            self._count_files(archive)
            try:
                entries = _listed(data)
            except UnicodeDecodeError:
                entries = _listed(_without_false_flags(data))
        except (BadZipFile, struct.error, ValueError, NotImplementedError, OSError) as error:
            raise UnsupportedFormat("archive_damaged", name=archive.name) from error
        if _overlap(data, entries):
            raise _Stopped("archive_bomb", name=archive.name)
        return entries

    def _count_files(self, archive: Source) -> None:
        """Before they are listed: a list of millions is itself too much."""
        begin, end = _directory(archive.data)
        self._files += archive.data.count(_ENTRY, begin, end)
        if self._files > self._limits.files:
            raise _Stopped("archive_too_many", name=archive.name, limit=self._limits.files)

    def _unpack(self, data: bytes, info: ZipInfo, name: str) -> bytes:
        limits = self._limits
        unpacked = 0

        def count(used: int, size: int) -> None:
            nonlocal unpacked
            unpacked += size
            self._unpacked += size
            if unpacked > max(limits.ratio * used, limits.harmless_bytes):
                raise _Stopped("archive_bomb", name=name)
            if self._unpacked > max(limits.ratio * self._packed, 2 * limits.harmless_bytes):
                raise _Stopped("archive_bomb", name=name)
            if self._unpacked > limits.total_bytes:
                raise _Stopped("archive_too_large", name=name, limit_mb=limits.total_bytes // _MB)
            if unpacked > limits.file_bytes:
                raise LimitExceeded(
                    "archive_entry_too_large", name=name, limit_mb=limits.file_bytes // _MB
                )

        return unpack(data, info, name, count)


class _Names:
    """The second file of the same name is told apart: `file (2).txt`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._taken = set(names)
        self._counts: Counter[str] = Counter()

    def told_apart(self, name: str) -> str:
        self._counts[name] += 1
        if self._counts[name] == 1:
            return name
        path = PurePosixPath(name)
        while (other := self._numbered(path, self._counts[name])) in self._taken:
            self._counts[name] += 1
        self._taken.add(other)
        return other

    @staticmethod
    def _numbered(path: PurePosixPath, count: int) -> str:
        return str(path.with_name(f"{path.stem} ({count}){path.suffix}"))


def _unnamed(archive: str, number: int) -> Skipped:
    problem = UnsupportedFormat("archive_entry_unnamed", archive=archive, number=number).problem
    return Skipped(name=f"{archive}/", problem=problem)


def _listed(data: bytes | bytearray) -> list[ZipInfo]:
    with ZipFile(BytesIO(data)) as package:
        return package.infolist()


def _directory(data: bytes) -> tuple[int, int]:
    end = data.rfind(_END)
    if end < 0:
        raise BadZipFile
    (size,) = struct.unpack_from("<L", data, end + 12)
    return end - size if size < end else 0, end  # the largest archives say their sizes elsewhere


def _without_false_flags(data: bytes) -> bytearray:
    """Names that claim to be in UTF-8 and are not say nothing instead.

    Python gives up the whole list of files for one of them.
    """
    patched = bytearray(data)
    at, end = _directory(data)
    while (at := data.find(_ENTRY, at, end)) >= 0:
        flags, length = struct.unpack_from("<H18xH", data, at + 8)
        name_at = at + _ENTRY_SIZE
        if flags & _IS_UTF_8 and not _is_utf_8(data[name_at : name_at + length]):
            struct.pack_into("<H", patched, at + 8, flags & ~_IS_UTF_8)
        at = name_at + length
    return patched


def _is_utf_8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _refuse_link(info: ZipInfo, name: str) -> None:
    if info.create_system == _UNIX and stat.S_ISLNK(info.external_attr >> 16):
        raise InvalidInput("archive_entry_link", name=name)


def _overlap(data: bytes, entries: Sequence[ZipInfo]) -> bool:
    """Files that share their bytes: how a small archive claims to hold any amount."""
    last_end = 0
    for info in sorted(entries, key=lambda info: info.header_offset):
        try:
            _, end = packed_range(data, info)
        except struct.error:
            continue  # damaged, which is said when it is its turn
        if info.header_offset < last_end:
            return True
        last_end = end
    return False
