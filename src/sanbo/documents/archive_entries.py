"""One file of a ZIP file: its name as whoever packed it saw it, and what really comes out of it.

The sizes in a ZIP file are claims. Decompressors are therefore given room for a little at a time,
which Python's own zipfile does not do for every method. Windows writes names in the encoding of the
country without saying so, macOS in UTF-8 without saying so and with voiced marks apart; Python
takes all of them for the code page of MS-DOS.
"""

import bz2
import re
import struct
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipInfo

from sanbo.documents.japanese_bytes import decode_cp932
from sanbo.kernel.problems import InvalidInput, UnsupportedFormat

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


_IS_UTF_8 = 0x800
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
