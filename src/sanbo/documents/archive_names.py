"""The names of files in a ZIP file: as whoever packed it saw them, and never a way out of it.

Windows writes names in the encoding of the country without saying so, macOS in UTF-8 without
saying so and with voiced marks apart; Python takes all of them for the code page of MS-DOS.
"""

import re
import struct
import unicodedata
import zlib
from zipfile import ZipInfo

from sanbo.documents.japanese_bytes import decode_cp932
from sanbo.kernel.problems import InvalidInput

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
