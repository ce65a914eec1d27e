"""ZIP files, read file by file: each with its own problem, and the whole bounded."""

import stat
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

from sanbo.documents.archive_entries import packed_range, unpack
from sanbo.documents.archive_names import entry_name, refuse_way_out
from sanbo.documents.model import Source
from sanbo.documents.skipped import Skipped, is_litter
from sanbo.kernel.problems import InvalidInput, LimitExceeded, SanboError, UnsupportedFormat

_MB = 1 << 20
_ENTRY = b"PK\x01\x02"
_END = b"PK\x05\x06"
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
        names: Counter[str] = Counter()
        for info in self._entries(archive):
            name = entry_name(info)
            if not name.strip("/") or name.endswith("/") or is_litter(name):
                continue
            full_name = f"{archive.name}/{name}"
            try:
                refuse_way_out(name)
                _refuse_link(info, full_name)
                names[name] += 1
                full_name = f"{archive.name}/{_numbered(name, names[name])}"
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
            with ZipFile(BytesIO(data)) as package:
                entries = package.infolist()
        except (BadZipFile, struct.error, ValueError, NotImplementedError, OSError) as error:
            raise UnsupportedFormat("archive_damaged", name=archive.name) from error
        if _overlap(data, entries):
            raise _Stopped("archive_bomb", name=archive.name)
        return entries

    def _count_files(self, archive: Source) -> None:
        """Before they are listed: a list of millions is itself too much."""
        end = archive.data.rfind(_END)
        if end < 0:
            raise BadZipFile
        (size,) = struct.unpack_from("<L", archive.data, end + 12)
        begin = end - size if size < end else 0  # the largest archives say their sizes elsewhere
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


def _numbered(name: str, count: int) -> str:
    """The second file of the same name is told apart: `file (2).txt`."""
    if count == 1:
        return name
    path = PurePosixPath(name)
    return str(path.with_name(f"{path.stem} ({count}){path.suffix}"))


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
