"""The paragraphs of a text on a slide, with the numbers of numbered lists."""

from dataclasses import dataclass

from sanbo.documents.ooxml.xml import MC, A, Element, M, texts_of
from sanbo.language.list_numbers import numeral

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


def _integer(text: str | None, default: int) -> int:
    try:
        return default if text is None else int(text)
    except ValueError:
        return default
