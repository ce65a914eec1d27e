"""The ZIP package of a workbook: parts that are read, changed, added, and written back.

A part that nobody changed keeps its bytes and its place, and the same changes give the same file.
"""

import io
import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

from sanbo.documents.excel.xml import Node, discard, element, parse, serialise
from sanbo.documents.formats.office.package import check_package
from sanbo.documents.model import Source
from sanbo.kernel.problems import UnsupportedFormat

_TYPES = "[Content_Types].xml"
_TYPES_NS = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_RELS_NS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_RELS_TYPE = "application/vnd.openxmlformats-package.relationships+xml"
_OFFICE_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_NEW = (1980, 1, 1, 0, 0, 0)  # a clock would make equal changes unequal files


@dataclass(frozen=True)
class Relationship:
    id: str
    type: str
    target: str
    """The part it leads to, or the address outside the file."""
    external: bool

    @property
    def kind(self) -> str:
        """The end of its type's address, such as `table` or `drawing`."""
        return self.type.rpartition("/")[2]


class Package:
    def __init__(self, data: bytes, name: str) -> None:
        check_package(Source(name=name, data=data))
        self.name = name
        self._original = data
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            self._infos = {info.filename: info for info in archive.infolist()}
            self._parts = {part: archive.read(part) for part in self._infos}
        # Part names don't distinguish case; some programs write them otherwise than they refer.
        self._spelling = {_key(part): part for part in self._parts}
        self._trees: dict[str, Node] = {}
        self._touched: set[str] = set()
        self._changed = False

    @property
    def changed(self) -> bool:
        return self._changed

    def names(self) -> list[str]:
        return list(self._parts)

    def has(self, part: str) -> bool:
        return _key(part) in self._spelling

    def data(self, part: str) -> bytes:
        spelling = self._spelling.get(_key(part))
        if spelling is None:
            raise UnsupportedFormat("office_part_missing", name=self.name, part=part)
        if spelling in self._touched:
            return serialise(self._trees[spelling])
        return self._parts[spelling]

    def tree(self, part: str) -> Node:
        """The part's XML, to look at; whoever changes it says so with `touch`."""
        spelling = self._spelling.get(_key(part), part)
        if spelling not in self._trees:
            self._trees[spelling] = parse(self.data(part), file=self.name, part=part)
        return self._trees[spelling]

    def touch(self, part: str) -> None:
        self._touched.add(self._spelling[_key(part)])
        self._changed = True

    def add(self, part: str, data: bytes, content_type: str) -> None:
        self._store(part, data)
        types = self.tree(_TYPES)
        types.append(
            element(f"{_TYPES_NS}Override", {"PartName": f"/{part}", "ContentType": content_type})
        )
        self.touch(_TYPES)

    def add_tree(self, part: str, root: Node, content_type: str) -> None:
        """A part that may go on changing."""
        self.add(part, b"", content_type)
        self._trees[part] = root
        self.touch(part)

    def remove(self, part: str) -> None:
        """The part and its entry in the list of types; relationships are their owners' matter."""
        spelling = self._spelling.pop(_key(part))
        del self._parts[spelling]
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

    def relationships(self, part: str) -> list[Relationship]:
        """Of a part, or of the package itself for the empty name."""
        rels = _rels_of(part)
        return list(self._relationships(rels, part)) if self.has(rels) else []

    def related(self, part: str, kind: str) -> list[Relationship]:
        return [
            relationship
            for relationship in self.relationships(part)
            if relationship.kind == kind
            and not relationship.external
            and self.has(relationship.target)
        ]

    def relate(self, part: str, type_: str, target: str, *, external: bool = False) -> str:
        """A new relationship; returns its id. `type_` may be the end of an Office type."""
        rels = _rels_of(part)
        if not self.has(rels):
            self._store(rels, serialise(element(f"{_RELS_NS}Relationships")))
            self._declare_rels()
        taken = {relationship.id for relationship in self.relationships(part)}
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
            for part in self._parts:
                archive.writestr(self._info(part), self.data(part), compresslevel=6)
        return out.getvalue()

    def _info(self, part: str) -> zipfile.ZipInfo:
        before = self._infos.get(part)
        info = zipfile.ZipInfo(part, date_time=before.date_time if before else _NEW)
        info.compress_type = before.compress_type if before else zipfile.ZIP_DEFLATED
        info.create_system = before.create_system if before else 0
        info.external_attr = before.external_attr if before else 0
        return info

    def _store(self, part: str, data: bytes) -> None:
        self._parts[part] = data
        self._spelling[_key(part)] = part
        self._changed = True

    def _declare_rels(self) -> None:
        types = self.tree(_TYPES)
        if all(entry.get("Extension") != "rels" for entry in types):
            attributes = {"Extension": "rels", "ContentType": _RELS_TYPE}
            types.insert(0, element(f"{_TYPES_NS}Default", attributes))
            self.touch(_TYPES)

    def _relationships(self, rels: str, part: str) -> Iterator[Relationship]:
        folder = part.rpartition("/")[0]
        for entry in self.tree(rels).findall(f"{_RELS_NS}Relationship"):
            target = entry.get("Target") or ""
            external = entry.get("TargetMode") == "External"
            if not external:
                path = posixpath.join("/", folder, unquote(target).partition("#")[0])
                target = posixpath.normpath(path).lstrip("/")
            yield Relationship(entry.get("Id") or "", entry.get("Type") or "", target, external)


def _rels_of(part: str) -> str:
    folder, _, file = part.rpartition("/")
    return posixpath.join(folder, "_rels", f"{file}.rels")


def _key(part: str) -> str:
    return part.replace("\\", "/").lstrip("/").lower()
