"""Office files (DOCX, PPTX, XLSX) are ZIP packages: checked before anything reads them, and written
back so that a part nobody changed keeps its bytes and its place."""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from urllib.parse import quote, unquote

from typing_extensions import override

from sanbo.documents.model import Source
from sanbo.documents.ooxml.xml import Element, discard, element, parse, serialise
from sanbo.kernel.problems import LimitExceeded, SanboError, UnsupportedFormat

MAX_PARTS = 20_000
MAX_PART_BYTES = 512 * 1024 * 1024
MAX_TOTAL_BYTES = 1024 * 1024 * 1024
# A large part that shrinks this far holds no text that a person wrote.
MAX_RATIO = 200
_RATIO_APPLIES_FROM = 32 * 1024 * 1024
_CHUNK = 4 << 20

_TYPES = "[Content_Types].xml"
_TYPES_NS = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_RELS_NS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_RELS_TYPE = "application/vnd.openxmlformats-package.relationships+xml"
_OFFICE_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_COMPOUND_FILE = bytes.fromhex("d0cf11e0a1b11ae1")
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_NEW = (1980, 1, 1, 0, 0, 0)  # a clock would make equal changes unequal files
# What zipfile and zlib raise on damaged archives, beyond BadZipFile.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, LookupError)


def is_compound_file(data: bytes) -> bool:
    """Word, Excel and PowerPoint before 2007, and today's files under a password."""
    return data.startswith(_COMPOUND_FILE)


def has_password(data: bytes) -> bool:
    return is_compound_file(data) and _ENCRYPTED in data


@dataclass(frozen=True)
class Relationship:
    id: str
    type: str
    target: str
    """The part it leads to, or the address outside the file."""
    external: bool = False

    @property
    def kind(self) -> str:
        """The end of its type's address, such as `styles` or `table`."""
        return self.type.rpartition("/")[2]


class Package:
    """A whole, bounded, unprotected package: its parts by name, and how they relate."""

    def __init__(self, source: Source, *, whole: bool = True) -> None:
        """`whole`: every part is unpacked once before any is used, else each when it is read:
        sizes are what they claim to be and checksums hold."""
        self.name = source.name
        self._archive = self._open(source.data)
        # Part names don't distinguish case; some programs write them otherwise than they refer.
        self._entries = {_key(info.filename): info for info in self._archive.infolist()}
        self._check_limits()
        if whole:
            if not self.has(_TYPES):
                raise UnsupportedFormat("office_part_missing", name=self.name, part=_TYPES)
            for info in self._archive.infolist():
                for _ in self._unpacked(info):
                    pass

    def main_part(self, usual: str) -> str:
        """The part that holds the document itself; `usual` is where every known program puts it."""
        part = self.related_part("", "officeDocument") or usual
        if not self.has(part):
            raise UnsupportedFormat("office_part_missing", name=self.name, part=part)
        return part

    def names(self) -> list[str]:
        return [info.filename for info in self._entries.values()]

    def has(self, part: str) -> bool:
        return _key(part) in self._entries

    def size(self, part: str) -> int:
        """As it claims; reading it finds out whether that is true."""
        return self._entry(part).file_size

    def data(self, part: str) -> bytes:
        return b"".join(self.pieces(part))

    def pieces(self, part: str) -> Iterator[bytes]:
        """The part's bytes, some megabytes at a time."""
        return self._unpacked(self._entry(part))

    def xml(self, part: str) -> Element:
        return parse(self.data(part), file=self.name, part=part)

    def relationships(self, part: str, *, outside: bool = False) -> list[Relationship]:
        """Of a part, or of the package itself for the empty name; those that lead out of the file
        only where `outside` asks for them."""
        return [found for found in self._relationships(part) if outside or not found.external]

    def related(self, part: str, kind: str) -> list[Relationship]:
        """Of this kind, to parts that are there."""
        found = self.relationships(part)
        return [each for each in found if each.kind == kind and self.has(each.target)]

    def related_part(self, part: str, kind: str) -> str | None:
        return next((found.target for found in self.related(part, kind)), None)

    def _relationships(self, part: str) -> Iterator[Relationship]:
        rels = _rels_of(part)
        folder = part.rpartition("/")[0]
        for entry in self._tree(rels) if self.has(rels) else ():
            target = entry.get("Target") or ""
            external = entry.get("TargetMode") == "External"
            if not external:
                path = posixpath.join("/", folder, unquote(target).partition("#")[0])
                target = posixpath.normpath(path).lstrip("/")
            if target or external:
                type_ = entry.get("Type") or ""
                yield Relationship(entry.get("Id") or "", type_, target, external)

    def _tree(self, part: str) -> Element:
        return self.xml(part)

    def _entry(self, part: str) -> zipfile.ZipInfo:
        entry = self._entries.get(_key(part))
        if entry is None:
            raise UnsupportedFormat("office_part_missing", name=self.name, part=part)
        return entry

    def _open(self, data: bytes) -> zipfile.ZipFile:
        if has_password(data):
            raise UnsupportedFormat("office_file_protected", name=self.name)
        if is_compound_file(data):
            raise UnsupportedFormat("office_file_old_format", name=self.name)
        try:
            return zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE as error:
            raise self._damaged(error) from error

    def _check_limits(self) -> None:
        parts = self._archive.infolist()
        if len(parts) > MAX_PARTS:
            raise LimitExceeded("office_package_too_many_parts", name=self.name, limit=MAX_PARTS)
        for info in parts:
            suspicious = info.file_size > _RATIO_APPLIES_FROM and info.file_size > MAX_RATIO * max(
                info.compress_size, 1
            )
            if info.file_size > MAX_PART_BYTES or suspicious:
                raise self._too_large(info.filename)
        if sum(info.file_size for info in parts) > MAX_TOTAL_BYTES:
            raise self._too_large(None)
        if len(self._entries) != len(parts):  # programs would disagree about which of two is meant
            raise self._damaged("a part is there twice")

    def _unpacked(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        if info.flag_bits & 1:
            raise UnsupportedFormat("office_file_protected", name=self.name)
        if info.compress_type not in _READABLE:
            raise self._damaged(f"compression {info.compress_type}")
        size = 0
        # zipfile stops at the claimed size; other unpackers don't. One byte more shows who lies.
        open_ended = copy(info)
        open_ended.file_size += 1
        try:
            with self._archive.open(open_ended) as part:
                while chunk := part.read(_CHUNK):
                    size += len(chunk)
                    yield chunk
        except _DAMAGE as error:
            raise self._damaged(error) from error
        if size != info.file_size:
            claim = f"{info.filename}: {info.file_size} bytes claimed, {size} or more found"
            raise self._damaged(claim)

    def _damaged(self, reason: object) -> SanboError:
        return UnsupportedFormat(
            "office_package_damaged", name=self.name, details={"reason": str(reason)}
        )

    def _too_large(self, part: str | None) -> SanboError:
        return LimitExceeded(
            "office_package_too_large",
            name=self.name,
            limit_mb=MAX_TOTAL_BYTES // (1024 * 1024),
            details={"part": part},
        )


class EditablePackage(Package):
    """Parts are read, changed, added and written back; the same changes give the same file."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._original = source.data
        self._added: dict[str, bytes] = {}
        self._trees: dict[str, Element] = {}
        """By the part's name in the archive, as those below."""
        self._touched: set[str] = set()
        self._changed = False

    @property
    def changed(self) -> bool:
        return self._changed

    @override
    def pieces(self, part: str) -> Iterator[bytes]:
        spelling = self._entry(part).filename
        if spelling in self._touched:
            return iter((serialise(self._trees[spelling]),))
        if spelling in self._added:
            return iter((self._added[spelling],))
        return super().pieces(part)

    def tree(self, part: str) -> Element:
        """The part's XML, to look at; whoever changes it says so with `touch`."""
        spelling = self._entry(part).filename
        if spelling not in self._trees:
            self._trees[spelling] = self.xml(part)
        return self._trees[spelling]

    _tree = tree

    def touch(self, part: str) -> None:
        self._touched.add(self._entry(part).filename)
        self._changed = True

    def add(self, part: str, data: bytes, content_type: str) -> None:
        self._store(part, data)
        types = self.tree(_TYPES)
        types.append(
            element(f"{_TYPES_NS}Override", {"PartName": f"/{part}", "ContentType": content_type})
        )
        self.touch(_TYPES)

    def add_tree(self, part: str, root: Element, content_type: str) -> None:
        """A part that may go on changing."""
        self.add(part, b"", content_type)
        self._trees[part] = root
        self.touch(part)

    def remove(self, part: str) -> None:
        """The part and its entry in the list of types; relationships are their owners' matter."""
        spelling = self._entries.pop(_key(part)).filename
        self._added.pop(spelling, None)
        self._trees.pop(spelling, None)
        self._touched.discard(spelling)
        for entry in self.tree(_TYPES).findall(f"{_TYPES_NS}Override"):
            if _key(entry.get("PartName") or "") == _key(part):
                discard(entry)
        self.touch(_TYPES)

    def content_type(self, part: str) -> str | None:
        extension = part.rpartition(".")[2].lower()
        default: str | None = None
        for entry in self.tree(_TYPES):
            if _key(entry.get("PartName") or "") == _key(part):
                return entry.get("ContentType")
            if (entry.get("Extension") or "").lower() == extension:
                default = entry.get("ContentType")
        return default

    def free_name(self, like: str) -> str:
        """`xl/charts/chart3.xml` → the first of these numbers that no part has."""
        stem, dot, extension = like.rpartition(".")
        stem = stem.rstrip("0123456789")
        number = 1
        while self.has(f"{stem}{number}{dot}{extension}"):
            number += 1
        return f"{stem}{number}{dot}{extension}"

    def relate(self, part: str, type_: str, target: str, *, external: bool = False) -> str:
        """A new relationship; returns its id. `type_` may be the end of an Office type."""
        rels = _rels_of(part)
        if not self.has(rels):
            self._store(rels, serialise(element(f"{_RELS_NS}Relationships")))
            self._declare_rels()
        taken = {relationship.id for relationship in self.relationships(part, outside=True)}
        number = len(taken) + 1
        while f"rId{number}" in taken:
            number += 1
        attributes = {
            "Id": f"rId{number}",
            "Type": type_ if "/" in type_ else _OFFICE_REL + type_,
            "Target": target if external else quote(f"/{target}"),
        }
        if external:
            attributes["TargetMode"] = "External"
        self.tree(rels).append(element(f"{_RELS_NS}Relationship", attributes))
        self.touch(rels)
        return f"rId{number}"

    def unrelate(self, part: str, id_: str) -> None:
        rels = _rels_of(part)
        for entry in self.tree(rels).findall(f"{_RELS_NS}Relationship"):
            if entry.get("Id") == id_:
                discard(entry)
        self.touch(rels)

    def save(self) -> bytes:
        if not self._changed:
            return self._original
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for before in self._entries.values():
                info = zipfile.ZipInfo(before.filename, date_time=before.date_time)
                info.compress_type = before.compress_type
                info.create_system = before.create_system
                info.external_attr = before.external_attr
                archive.writestr(info, self.data(before.filename), compresslevel=6)
        return out.getvalue()

    def _store(self, part: str, data: bytes) -> None:
        info = zipfile.ZipInfo(part, date_time=_NEW)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = 0
        self._entries[_key(part)] = info
        self._added[part] = data
        self._changed = True

    def _declare_rels(self) -> None:
        types = self.tree(_TYPES)
        if all(entry.get("Extension") != "rels" for entry in types):
            attributes = {"Extension": "rels", "ContentType": _RELS_TYPE}
            types.insert(0, element(f"{_TYPES_NS}Default", attributes))
            self.touch(_TYPES)


def _rels_of(part: str) -> str:
    folder, _, file = part.rpartition("/")
    return posixpath.join(folder, "_rels", f"{file}.rels")


def _key(part: str) -> str:
    return part.replace("\\", "/").lstrip("/").lower()
