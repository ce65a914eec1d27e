"""XML of Office files: parsed without entities, network or unbounded trees; typed, written back.

Of charts and diagrams, the text and the numbers behind the picture.
"""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol, cast

from lxml import etree

from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

# libxml2 needs 100-200 bytes for an element or attribute: this many stay below 1 GB.
MAX_NODES = 6_000_000

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V = "{urn:schemas-microsoft-com:vml}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"

# "Strict" files say the same under other names: one set of names is enough for the readers.
_STRICT = b"http://purl.oclc.org/ooxml/"
_TRANSITIONAL = (
    (b"officeDocument/relationships", b"officeDocument/2006/relationships"),
    (b"officeDocument/math", b"officeDocument/2006/math"),
    (b"wordprocessingml/main", b"wordprocessingml/2006/main"),
    (b"presentationml/main", b"presentationml/2006/main"),
    (b"drawingml/wordprocessingDrawing", b"drawingml/2006/wordprocessingDrawing"),
    (b"drawingml/diagram", b"drawingml/2006/diagram"),
    (b"drawingml/chart", b"drawingml/2006/chart"),
    (b"drawingml/main", b"drawingml/2006/main"),
)


class Element(Protocol):
    """What readers and writers use of lxml's elements."""

    tag: str
    text: str | None
    tail: str | None
    attrib: MutableMapping[str, str]

    def get(self, key: str, default: str | None = None) -> str | None: ...
    def set(self, key: str, value: str) -> None: ...
    def find(self, path: str) -> "Element | None": ...
    def findall(self, path: str) -> "list[Element]": ...
    def iter(self, *tags: str) -> "Iterator[Element]": ...
    def iterancestors(self, *tags: str) -> "Iterator[Element]": ...
    def getparent(self) -> "Element | None": ...
    def getnext(self) -> "Element | None": ...
    def append(self, element: "Element") -> None: ...
    def insert(self, index: int, element: "Element") -> None: ...
    def remove(self, element: "Element") -> None: ...
    def replace(self, old: "Element", new: "Element") -> None: ...
    def addnext(self, element: "Element") -> None: ...
    def addprevious(self, element: "Element") -> None: ...
    def __iter__(self) -> "Iterator[Element]": ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> "Element": ...


def parse(data: bytes, *, file: str, part: str) -> Element:
    """The root of one part; comments and processing instructions are left out."""
    if data.count(b"<") + data.count(b"=") > MAX_NODES:
        raise LimitExceeded("office_part_too_complex", name=file, part=part)
    try:
        root = cast("Any", etree).fromstring(in_transitional_names(data), _parser())
    except (cast("type[Exception]", cast("Any", etree).XMLSyntaxError), ValueError) as error:
        raise UnsupportedFormat(
            "office_part_damaged", name=file, part=part, details={"reason": str(error)}
        ) from error
    if root.getroottree().docinfo.doctype:  # the format forbids DTDs: only attacks have them
        raise UnsupportedFormat("office_part_damaged", name=file, part=part)
    return cast("Element", root)


def _parser() -> object:
    """Nesting deeper than 256 elements and texts above 10 MB are syntax errors to libxml2."""
    return cast("Any", etree).XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def in_transitional_names(data: bytes) -> bytes:
    if _STRICT not in data:
        return data
    for strict, transitional in _TRANSITIONAL:
        data = data.replace(_STRICT + strict, b"http://schemas.openxmlformats.org/" + transitional)
    return data


def local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def value_of(element: Element | None, default: str | None = None) -> str | None:
    """The `w:val` of an element that may be missing."""
    return default if element is None else element.get(f"{W}val", default)


def number_of(element: Element | None) -> int | None:
    value = value_of(element)
    try:
        return None if value is None else int(value)
    except ValueError:
        return None


def is_on(element: Element | None) -> bool:
    """A switch such as `w:vanish`: there and not turned off."""
    return element is not None and value_of(element, "1") not in ("0", "false", "off")


def texts_of(elements: Iterable[Element]) -> str:
    return "".join(element.text or "" for element in elements)


def serialise(root: Element) -> bytes:
    lxml = cast("Any", etree)
    return lxml.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def element(
    tag: str, attributes: Mapping[str, str] | None = None, text: str | None = None
) -> Element:
    """A new element; text keeps the white space at its ends."""
    made = cast("Element", cast("Any", etree).Element(tag, attributes or {}))
    if text is not None:
        made.text = text
        if text != text.strip():
            made.set(_SPACE, "preserve")
    return made


def copy_of(node: Element) -> Element:
    return deepcopy(node)


def number(node: Element, name: str, default: int = 0) -> int:
    """A counting attribute; what is not one counts as missing."""
    text = (node.get(name) or "").strip()
    return int(text) if text.isdecimal() and len(text) < 12 else default


def is_set(node: Element | None, name: str) -> bool:
    return node is not None and node.get(name) in ("1", "true")


def discard(node: Element) -> None:
    parent = node.getparent()
    assert parent is not None
    parent.remove(node)


def child(parent: Element, name: str, order: Sequence[str], namespace: str = MAIN) -> Element:
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


def same(one: Element, other: Element) -> bool:
    """Both say the same: names, attributes, texts and children."""
    return (
        one.tag == other.tag
        and (one.text or "") == (other.text or "")
        and dict(one.attrib) == dict(other.attrib)
        and len(one) == len(other)
        and all(same(a, b) for a, b in zip(one, other, strict=True))
    )


_MAX_CELLS = 200_000


@dataclass(frozen=True)
class ChartTable:
    title: str | None
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class _Series:
    name: str
    values: dict[int, str]


def chart_tables(root: Element) -> list[ChartTable]:
    """One table for all series over the same categories; a scatter chart may give several."""
    title = texts_of(root.findall(f"{C}chart/{C}title//{A}t")) or None
    groups: dict[tuple[tuple[int, str], ...], list[_Series]] = {}
    for series in root.iter(f"{C}ser"):
        values = _points(series, "val") or _points(series, "yVal")
        if values:
            name = texts_of(series.findall(f"{C}tx//{C}v"))
            groups.setdefault(_categories(series), []).append(_Series(name, values))
    return [
        table
        for categories, series in groups.items()
        for table in _tables(title, dict(categories), series)
    ]


def _tables(
    title: str | None, categories: dict[int, str], series: list[_Series]
) -> list[ChartTable]:
    """Only points that are there: a file of a few bytes may number one 200,000."""
    places = sorted(categories.keys() | {at for entry in series for at in entry.values})
    if len(series) > 1 and len(places) * len(series) > _MAX_CELLS:  # mostly empty side by side
        return [table for one in series for table in _tables(title, categories, [one])]
    rows = [
        [
            categories.get(at, "") if categories else str(at + 1),
            *(entry.values.get(at, "") for entry in series),
        ]
        for at in places
    ]
    return [ChartTable(title, ["", *(entry.name for entry in series)], rows)]


def _categories(series: Element) -> tuple[tuple[int, str], ...]:
    """Categories of several levels (quarter within year) are joined, outermost first."""
    levels = series.findall(f"{C}cat//{C}lvl") or series.findall(f"{C}cat") + series.findall(
        f"{C}xVal"
    )
    read = [_points_of(level) for level in levels]
    joined: list[tuple[int, str]] = []
    seen = [""] * len(read)
    for at in sorted({place for points in read for place in points}):
        for level, points in enumerate(read):
            # An outer category is stored once, at the first of its inner ones.
            seen[level] = points.get(at, seen[level] if level else "")
        joined.append((at, " ".join(text for text in reversed(seen) if text)))
    return tuple(joined)


def _points(series: Element, kind: str) -> dict[int, str]:
    values = series.find(f"{C}{kind}")
    return {} if values is None else _points_of(values)


def _points_of(element: Element) -> dict[int, str]:
    points: dict[int, str] = {}
    for point in element.iter(f"{C}pt"):
        index = point.get("idx") or ""
        if index.isascii() and index.isdigit() and len(index) < 9:
            points[int(index)] = _short(texts_of(point.findall(f"{C}v")))
    return points


def _short(value: str) -> str:
    """12.300000000000001 as a person sees it: 12.3."""
    try:
        return f"{float(value):.12g}" if "." in value and len(value) > 12 else value
    except ValueError:
        return value


def diagram_texts(root: Element) -> list[str]:
    """The texts of a SmartArt diagram, one a shape, in the order of its outline."""
    texts: list[str] = []
    for point in root.iter(f"{DGM}pt"):
        if point.get("type") in ("pres", "parTrans", "sibTrans"):
            continue
        lines = [texts_of(paragraph.iter(f"{A}t")) for paragraph in point.iter(f"{A}p")]
        texts.append("\n".join(line for line in lines if line.strip()))
    return [text for text in texts if text]
