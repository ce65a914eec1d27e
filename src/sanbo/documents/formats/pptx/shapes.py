"""The shapes of a slide in reading order, and their text with its bullets and numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

from sanbo.documents.ooxml.xml import DGM, MC, A, C, Element, M, texts_of
from sanbo.language.list_numbers import numeral

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
# Shapes whose tops differ by less (0.5 cm, in EMU) stand side by side.
_SAME_ROW = 180_000
_TITLES = ("title", "ctrTitle")
_RUNNING = ("dt", "ftr", "sldNum", "hdr")
_PLACES = (f"{P}spPr/{A}xfrm/{A}off", f"{P}grpSpPr/{A}xfrm/{A}off", f"{P}xfrm/{A}off")


@dataclass(frozen=True)
class Placeholder:
    kind: str
    index: str


@dataclass(frozen=True)
class Shape:
    element: Element
    placeholder: Placeholder | None
    top: int
    left: int
    is_hidden: bool = False
    """In the selection pane, or with the group it stands in."""

    @property
    def is_title(self) -> bool:
        return self.placeholder is not None and self.placeholder.kind in _TITLES

    @property
    def says_something(self) -> bool:
        drawn = any(True for _ in self.element.iter(f"{C}chart", f"{DGM}relIds"))
        return drawn or any((text.text or "").strip() for text in self.element.iter(f"{A}t"))

    @property
    def is_outline(self) -> bool:
        """The place for a slide's points, which have bullets unless they say otherwise."""
        return self.placeholder is not None and self.placeholder.kind in ("body", "obj", "")


class Layouts:
    """Where placeholders stand when the slide itself doesn't say: in its layout, or the master."""

    def __init__(self, *roots: Element) -> None:
        self._places: list[tuple[Placeholder, tuple[int, int]]] = []
        for root in roots:
            for element in root.iter(f"{P}sp"):
                placeholder, place = _placeholder(element), _place(element)
                if placeholder is not None and place is not None:
                    self._places.append((placeholder, place))

    def place(self, wanted: Placeholder) -> tuple[int, int] | None:
        """By number, else by kind."""
        numbered = [place for known, place in self._places if known.index == wanted.index != "0"]
        alike = [place for known, place in self._places if _group(known) == _group(wanted)]
        return next(iter((*numbered, *alike)), None)


def _group(placeholder: Placeholder) -> str:
    return "title" if placeholder.kind in _TITLES else placeholder.kind


def shapes_of(tree: Element, layouts: Layouts, *, is_hidden: bool = False) -> Iterator[Shape]:
    """Groups are read as one before what stands below them."""
    found: list[Shape] = []
    for element in _unwrapped(tree):
        placeholder = _placeholder(element)
        if placeholder is not None and placeholder.kind in _RUNNING:
            continue
        place = _place(element)
        if place is None and placeholder is not None:
            place = layouts.place(placeholder)
        top, left = place or (0, 0)
        hidden = is_hidden or _is_hidden(element)
        found.append(Shape(element, placeholder, top, left, hidden))
    for shape in _in_rows(found):
        if shape.element.tag == f"{P}grpSp":
            yield from shapes_of(shape.element, layouts, is_hidden=shape.is_hidden)
        else:
            yield shape


def _unwrapped(tree: Element) -> Iterator[Element]:
    for element in tree:
        if element.tag == f"{MC}AlternateContent":
            yield from next(iter(element), ())
        else:
            yield element


def _in_rows(shapes: list[Shape]) -> list[Shape]:
    ordered: list[Shape] = []
    row: list[Shape] = []
    for shape in sorted(shapes, key=lambda shape: shape.top):
        if row and shape.top - row[0].top > _SAME_ROW:
            ordered += sorted(row, key=lambda shape: shape.left)
            row = []
        row.append(shape)
    return ordered + sorted(row, key=lambda shape: shape.left)


def _placeholder(element: Element) -> Placeholder | None:
    for properties in element:
        mark = properties.find(f"{P}nvPr/{P}ph") if properties.tag.startswith(f"{P}nv") else None
        if mark is not None:
            return Placeholder(mark.get("type") or "", mark.get("idx") or "0")
    return None


def _is_hidden(element: Element) -> bool:
    for properties in element:
        mark = properties.find(f"{P}cNvPr") if properties.tag.startswith(f"{P}nv") else None
        if mark is not None:
            return mark.get("hidden") in ("1", "true")
    return False


def _place(element: Element) -> tuple[int, int] | None:
    for path in _PLACES:
        offset = element.find(path)
        if offset is not None:
            return _integer(offset.get("y")), _integer(offset.get("x"))
    return None


_LIVE_FIELDS = ("slidenum", "datetime")
_SHAPES_OF_NUMBERS = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Minus": "{}-"}
_STYLES = {
    "arabic": "decimal",
    "arabicDb": "decimalFullWidth",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "circleNumDb": "decimalEnclosedCircle",
    "circleNumWdBlack": "decimalEnclosedCircle",
    "circleNumWdWhite": "decimalEnclosedCircle",
    "ea1Jpn": "japaneseCounting",
    "ea1JpnKor": "japaneseCounting",
    "ea1JpnChsDb": "japaneseCounting",
}


@dataclass(frozen=True)
class SlideParagraph:
    text: str
    is_item: bool


def paragraphs_of(body: Element, *, bullets: bool) -> list[SlideParagraph]:
    """`bullets`: the place gives its paragraphs bullets unless they say otherwise."""
    found: list[SlideParagraph] = []
    counts: dict[int, tuple[str, int]] = {}
    for paragraph in body.findall(f"{A}p"):
        properties = paragraph.find(f"{A}pPr")
        label, is_item = "", bullets
        if properties is not None:
            level = _integer(properties.get("lvl"), 0)
            label = _number(properties, level, counts)
            if properties.find(f"{A}buNone") is not None:
                is_item = False
            elif label or properties.find(f"{A}buChar") is not None:
                is_item = True
        text = text_of(paragraph)
        if text.strip():
            found.append(SlideParagraph(label + text, is_item))
    return found


def text_of(paragraph: Element) -> str:
    pieces: list[str] = []
    for child in paragraph:
        if child.tag == f"{A}br":
            pieces.append("\n")
        elif child.tag == f"{A}r":
            pieces.append(texts_of(child.findall(f"{A}t")))
        elif child.tag == f"{A}fld":
            if not (child.get("type") or "").startswith(_LIVE_FIELDS):
                pieces.append(texts_of(child.findall(f"{A}t")))
        elif child.tag == f"{MC}AlternateContent":  # an equation
            pieces.append(texts_of(child.iter(f"{M}t")))
    return "".join(pieces)


def _number(properties: Element, level: int, counts: dict[int, tuple[str, int]]) -> str:
    """Counts on while the kind stays the same; a shallower paragraph begins anew below it."""
    for deeper in [key for key in counts if key > level]:
        del counts[deeper]
    mark = properties.find(f"{A}buAutoNum")
    if mark is None:
        counts.pop(level, None)
        return ""
    kind = mark.get("type") or "arabicPeriod"
    start = _integer(mark.get("startAt"), 1)
    before, count = counts.get(level, ("", 0))
    counts[level] = (kind, count + 1 if before == kind else start)
    return f"{_shown(counts[level][1], kind)} "


def _shown(number: int, kind: str) -> str:
    for ending, shape in _SHAPES_OF_NUMBERS.items():
        if kind.endswith(ending):
            return shape.format(numeral(number, _STYLES.get(kind.removesuffix(ending), "decimal")))
    return numeral(number, _STYLES.get(kind.removesuffix("Plain"), "decimal"))


def _integer(text: str | None, default: int = 0) -> int:
    try:
        return default if text is None else int(text)
    except ValueError:
        return default
