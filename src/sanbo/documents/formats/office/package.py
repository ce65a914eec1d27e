"""Office files (DOCX, PPTX, XLSX) are ZIP packages: checked before anything reads them."""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from sanbo.documents.formats.office.xml import Element, parse_part
from sanbo.documents.model import Source
from sanbo.kernel.problems import LimitExceeded, SanboError, UnsupportedFormat

MAX_PARTS = 20_000
MAX_PART_BYTES = 512 * 1024 * 1024
MAX_TOTAL_BYTES = 1024 * 1024 * 1024
# A large part that shrinks this far holds no text that a person wrote.
MAX_RATIO = 200
_RATIO_APPLIES_FROM = 32 * 1024 * 1024

_CONTENT_TYPES = "[content_types].xml"
_COMPOUND_FILE = bytes.fromhex("d0cf11e0a1b11ae1")
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile and zlib raise on damaged archives, beyond BadZipFile.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, LookupError)


@dataclass(frozen=True)
class Relationship:
    id: str
    kind: str
    """The end of its type's address, such as `styles` or `footnotes`."""
    target: str
    """The part it leads to. Relations that lead out of the file are left out."""


def check_package(source: Source) -> None:
    """Raises a SanboError unless this is a whole, bounded, unprotected Office package.

    Every part has been unpacked once: sizes are what they claim to be and checksums hold.
    """
    with _open(source) as archive:
        _check_limits(archive, source)
        for info in archive.infolist():
            _check_part(archive, info, source)


class OfficePackage:
    """A checked package: its parts by name, and how they relate."""

    def __init__(self, source: Source) -> None:
        check_package(source)
        self.name = source.name
        self._archive = _open(source)
        # Part names don't distinguish case; some programs write them otherwise than they refer.
        self._entries = {_key(name): name for name in self._archive.namelist()}

    def main_part(self, usual: str) -> str:
        """The part that holds the document itself; `usual` is where every known program puts it."""
        for relationship in self.relationships(""):
            if relationship.kind == "officeDocument" and self.has(relationship.target):
                return relationship.target
        if not self.has(usual):
            raise UnsupportedFormat("office_part_missing", name=self.name, part=usual)
        return usual

    def has(self, part: str) -> bool:
        return _key(part) in self._entries

    def data(self, part: str) -> bytes:
        entry = self._entries.get(_key(part))
        if entry is None:
            raise UnsupportedFormat("office_part_missing", name=self.name, part=part)
        return self._archive.read(entry)

    def xml(self, part: str) -> Element:
        return parse_part(self.data(part), file=self.name, part=part)

    def relationships(self, part: str) -> list[Relationship]:
        """Of a part, or of the package itself for the empty name."""
        folder, _, file = part.rpartition("/")
        rels = posixpath.join(folder, "_rels", f"{file}.rels")
        return list(self._relationships(rels, folder)) if self.has(rels) else []

    def related(self, part: str, kind: str) -> str | None:
        """The part of this kind that `part` refers to, if it is there."""
        for relationship in self.relationships(part):
            if relationship.kind == kind and self.has(relationship.target):
                return relationship.target
        return None

    def _relationships(self, rels: str, folder: str) -> Iterator[Relationship]:
        for element in self.xml(rels):
            target = unquote(element.get("Target") or "")
            if element.get("TargetMode") == "External" or not target:
                continue
            yield Relationship(
                id=element.get("Id") or "",
                kind=(element.get("Type") or "").rpartition("/")[2],
                target=posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/"),
            )


def _key(part: str) -> str:
    return part.replace("\\", "/").lstrip("/").lower()


def _open(source: Source) -> zipfile.ZipFile:
    if source.data.startswith(_COMPOUND_FILE):
        if _ENCRYPTED in source.data:
            raise UnsupportedFormat("office_file_protected", name=source.name)
        raise UnsupportedFormat("office_file_old_format", name=source.name)
    try:
        return zipfile.ZipFile(io.BytesIO(source.data))
    except _DAMAGE as error:
        raise _damaged(source, error) from error


def _check_limits(archive: zipfile.ZipFile, source: Source) -> None:
    parts = archive.infolist()
    if len(parts) > MAX_PARTS:
        raise LimitExceeded("office_package_too_many_parts", name=source.name, limit=MAX_PARTS)
    for info in parts:
        suspicious = info.file_size > _RATIO_APPLIES_FROM and info.file_size > MAX_RATIO * max(
            info.compress_size, 1
        )
        if info.file_size > MAX_PART_BYTES or suspicious:
            raise _too_large(source, info.filename)
    if sum(info.file_size for info in parts) > MAX_TOTAL_BYTES:
        raise _too_large(source, None)
    names = [_key(info.filename) for info in parts]
    if len(set(names)) != len(names):  # programs would disagree about which of two is meant
        raise _damaged(source, "a part is there twice")
    if _CONTENT_TYPES not in names:
        raise UnsupportedFormat("office_part_missing", name=source.name, part="[Content_Types].xml")


def _check_part(archive: zipfile.ZipFile, info: zipfile.ZipInfo, source: Source) -> None:
    if info.flag_bits & 1:
        raise UnsupportedFormat("office_file_protected", name=source.name)
    if info.compress_type not in _READABLE:
        raise _damaged(source, f"compression {info.compress_type}")
    claimed = info.file_size
    size = 0
    # zipfile stops at the claimed size; other unpackers don't. One byte more shows who lies.
    info.file_size += 1
    try:
        with archive.open(info) as part:
            while chunk := part.read(1 << 20):
                size += len(chunk)
    except _DAMAGE as error:
        raise _damaged(source, error) from error
    finally:
        info.file_size = claimed
    if size != claimed:
        raise _damaged(source, f"{info.filename}: {claimed} bytes claimed, {size} or more found")


def _damaged(source: Source, reason: object) -> SanboError:
    return UnsupportedFormat(
        "office_package_damaged", name=source.name, details={"reason": str(reason)}
    )


def _too_large(source: Source, part: str | None) -> SanboError:
    return LimitExceeded(
        "office_package_too_large",
        name=source.name,
        limit_mb=MAX_TOTAL_BYTES // (1024 * 1024),
        details={"part": part},
    )
