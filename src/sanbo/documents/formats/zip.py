"""ZIP files: no documents themselves, but files that may be, read one by one and the whole bounded.

The sizes in a ZIP file are claims. Decompressors are therefore given room for a little at a time,
which Python's own zipfile does not do for every method. Windows writes names in the encoding of the
country without saying so, macOS in UTF-8 without saying so and with voiced marks apart; Python
takes all of them for the code page of MS-DOS.
"""

import bz2
import re
import stat
import struct
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from sanbo.documents.encodings import decode_cp932
from sanbo.documents.file_formats import FileFormat
from sanbo.documents.model import Skipped, Source, is_litter
from sanbo.kernel.problems import InvalidInput, LimitExceeded, SanboError, UnsupportedFormat

FORMAT = FileFormat(
    name="zip",
    titles={"ja": "ZIP", "en": "ZIP"},
    rank=110,
    endings={".zip": "application/zip"},
    unpacker="sanbo.documents.formats.zip:read_archive",
    may_hold_files=lambda data: data[:2] == b"PK",
)


_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_STEP = 1 << 20
_PACKED_STEP = 1 << 16
_IS_ENCRYPTED = 0x1
_METHODS = {
    6: "Implode",
    9: "Deflate64",
    14: "LZMA",
    20: "Zstandard",
    93: "Zstandard",
    95: "XZ",
    98: "PPMd",
}


def unpack(data: bytes, info: ZipInfo, name: str, count: Callable[[int, int], None]) -> bytes:
    """`count` is told of every piece before the next one is made, and may stop it all: how many
    packed bytes were used up so far, and how many the new piece has."""
    if info.flag_bits & _IS_ENCRYPTED:
        raise UnsupportedFormat("archive_entry_encrypted", name=name)
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2):
        method = _METHODS.get(info.compress_type, str(info.compress_type))
        raise UnsupportedFormat("archive_entry_compression", name=name, method=method)
    pieces: list[bytes] = []
    checksum = size = 0
    try:
        for used, piece in _pieces(_packed(data, info), info.compress_type):
            size += len(piece)
            count(used, len(piece))
            checksum = zlib.crc32(piece, checksum)
            pieces.append(piece)
    except (zlib.error, OSError, EOFError, struct.error) as error:
        raise UnsupportedFormat("archive_entry_damaged", name=name) from error
    if checksum != info.CRC or size != info.file_size:
        raise UnsupportedFormat("archive_entry_damaged", name=name)
    return b"".join(pieces)


def packed_range(data: bytes, info: ZipInfo) -> tuple[int, int]:
    """Where the packed bytes begin and end; struct.error if there is no such place."""
    header = _LOCAL_HEADER.unpack_from(data, info.header_offset)
    if header[0] != b"PK\x03\x04":
        raise struct.error("no file begins here")
    begin = info.header_offset + _LOCAL_HEADER.size + header[-2] + header[-1]
    end = begin + info.compress_size
    if end > len(data):
        raise struct.error("the file ends before its end")
    return begin, end


def _packed(data: bytes, info: ZipInfo) -> memoryview:
    begin, end = packed_range(data, info)
    return memoryview(data)[begin:end]


def _pieces(packed: memoryview, method: int) -> Iterator[tuple[int, bytes]]:
    if method == ZIP_STORED:
        for at in range(0, len(packed), _STEP):
            yield at + _STEP, bytes(packed[at : at + _STEP])
    elif method == ZIP_DEFLATED:
        yield from _inflated(packed)
    else:
        yield from _bunzipped(packed)


def _inflated(packed: memoryview) -> Iterator[tuple[int, bytes]]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(0, len(packed), _PACKED_STEP):
        rest: bytes | memoryview = packed[at : at + _PACKED_STEP]
        while rest and not inflater.eof:
            piece = inflater.decompress(rest, _STEP)
            rest = inflater.unconsumed_tail
            yield at + _PACKED_STEP - len(rest), piece
    if not inflater.eof:
        yield len(packed), inflater.flush()
    if not inflater.eof:
        raise EOFError


def _bunzipped(packed: memoryview) -> Iterator[tuple[int, bytes]]:
    unzipper = bz2.BZ2Decompressor()
    for at in range(0, len(packed), _PACKED_STEP):
        yield at + _PACKED_STEP, unzipper.decompress(packed[at : at + _PACKED_STEP], _STEP)
        while not unzipper.eof and not unzipper.needs_input:
            yield at + _PACKED_STEP, unzipper.decompress(b"", _STEP)
        if unzipper.eof:
            return
    raise EOFError


_UNICODE_PATH = 0x7075
# Controls, and what turns the direction of writing: "exe.pdf" may be shown for what is no PDF.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_DRIVE = re.compile("[A-Za-z]:")


def entry_name(info: ZipInfo) -> str:
    """With / between folders."""
    return composed(_INVISIBLE.sub("", _decoded(info)).replace("\\", "/").removeprefix("./"))


def composed(name: str) -> str:
    """With voiced marks on their letters, which macOS writes apart."""
    if any(unicodedata.combining(character) for character in name):
        # Only then: composing also replaces some kanji of surnames by others.
        return unicodedata.normalize("NFC", name)
    return name


def decode_name(raw: bytes) -> str:
    """Bytes of a name that do not say their encoding."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return decode_cp932(raw, replace=True)


def _decoded(info: ZipInfo) -> str:
    if info.flag_bits & _IS_UTF_8:
        return info.orig_filename
    raw = info.orig_filename.encode("cp437")  # back to the bytes of the file
    stated = _stated_name(info.extra, raw)
    return decode_name(raw) if stated is None else stated


def _stated_name(extra: bytes, raw: bytes) -> str | None:
    """The name in UTF-8 that Info-ZIP and 7-Zip add, if it belongs to this very name."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind != _UNICODE_PATH or len(field) < 5:
            continue
        version, checksum = struct.unpack_from("<BL", field)
        if version == 1 and checksum == zlib.crc32(raw):
            return field[5:].decode("utf-8", "replace")
    return None


def refuse_way_out(name: str) -> None:
    """InvalidInput for a name that leads out of the folder it would be unpacked in."""
    parts = name.split("/")
    if name.startswith("/") or _DRIVE.match(name) or ".." in (part.strip(" ") for part in parts):
        raise InvalidInput("archive_entry_outside", name=name)


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
