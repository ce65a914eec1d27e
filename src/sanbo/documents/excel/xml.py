"""XML of a workbook's parts, as they are edited: typed, in the schema's order, and written back."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from copy import deepcopy
from typing import Any, Protocol, cast

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue,reportUnknownVariableType]

from sanbo.documents.formats.office.xml import parse_part

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


class Node(Protocol):
    """What editing uses of lxml's elements."""

    tag: str
    text: str | None
    attrib: MutableMapping[str, str]

    def get(self, key: str, default: str | None = None) -> str | None: ...
    def set(self, key: str, value: str) -> None: ...
    def find(self, path: str) -> "Node | None": ...
    def findall(self, path: str) -> "list[Node]": ...
    def iter(self, *tags: str) -> "Iterator[Node]": ...
    def iterancestors(self, *tags: str) -> "Iterator[Node]": ...
    def getparent(self) -> "Node | None": ...
    def append(self, node: "Node") -> None: ...
    def insert(self, index: int, node: "Node") -> None: ...
    def remove(self, node: "Node") -> None: ...
    def replace(self, old: "Node", new: "Node") -> None: ...
    def addnext(self, node: "Node") -> None: ...
    def addprevious(self, node: "Node") -> None: ...
    def __iter__(self) -> "Iterator[Node]": ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> "Node": ...


def parse(data: bytes, *, file: str, part: str) -> Node:
    return cast("Node", parse_part(data, file=file, part=part))


def serialise(root: Node) -> bytes:
    lxml = cast("Any", etree)
    return lxml.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def element(tag: str, attributes: Mapping[str, str] | None = None, text: str | None = None) -> Node:
    """A new element; text keeps the white space at its ends."""
    made = cast("Node", cast("Any", etree).Element(tag, attributes or {}))
    if text is not None:
        made.text = text
        if text != text.strip():
            made.set(_SPACE, "preserve")
    return made


def copy_of(node: Node) -> Node:
    return deepcopy(node)


def local(node: Node) -> str:
    return node.tag.rpartition("}")[2]


def number(node: Node, name: str, default: int = 0) -> int:
    """A counting attribute; what is not one counts as missing."""
    text = (node.get(name) or "").strip()
    return int(text) if text.isdecimal() and len(text) < 12 else default


def is_on(node: Node | None, name: str) -> bool:
    return node is not None and node.get(name) in ("1", "true")


def discard(node: Node) -> None:
    parent = node.getparent()
    assert parent is not None
    parent.remove(node)


def child(parent: Node, name: str, order: Sequence[str], namespace: str = MAIN) -> Node:
    """The child of this name, made where the schema's order wants it: Excel refuses another."""
    found = parent.find(namespace + name)
    if found is not None:
        return found
    made = element(namespace + name)
    later = {namespace + other for other in order[order.index(name) + 1 :]}
    for index, sibling in enumerate(parent):
        if sibling.tag in later:
            parent.insert(index, made)
            return made
    parent.append(made)
    return made


def same(one: Node, other: Node) -> bool:
    """Both say the same: names, attributes, texts and children."""
    return (
        one.tag == other.tag
        and (one.text or "") == (other.text or "")
        and dict(one.attrib) == dict(other.attrib)
        and len(one) == len(other)
        and all(same(a, b) for a, b in zip(one, other, strict=True))
    )
