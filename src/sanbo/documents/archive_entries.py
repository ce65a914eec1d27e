"""Unpacks one file of a ZIP file, counting what really comes out of it.

The sizes in a ZIP file are claims. Decompressors are therefore given room for a little at a time,
which Python's own zipfile does not do for every method.
"""

import bz2
import struct
import zlib
from collections.abc import Callable, Iterator
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipInfo

from sanbo.kernel.problems import UnsupportedFormat

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
