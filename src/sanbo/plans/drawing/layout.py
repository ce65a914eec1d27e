"""A figure on paper: boxes with their lines of text, frames around what is inside, and wires.

Positions are relative: a box's to its sheet, a text's and an inner sheet's to its box. Colours go
by status, for light and dark screens.
"""

import unicodedata
from dataclasses import dataclass
from typing import Literal

from sanbo.kernel.text import TURNS
from sanbo.plans.drawing.figure import ChangeStatus, Figure, Item, LinkKind, NodeStatus
from sanbo.plans.drawing.rows import Point, Size, arrange

Theme = Literal["auto", "light", "dark"]


@dataclass(frozen=True)
class Colours:
    paper: str
    text: str
    muted: str
    line: str
    frame: str
    chip: str
    chip_text: str
    fills: dict[NodeStatus | ChangeStatus, str]
    edges: dict[NodeStatus | ChangeStatus, str]
    """Of boxes, and of the signs and words of their status."""


LIGHT = Colours(
    paper="#ffffff",
    text="#1f2328",
    muted="#59636e",
    line="#6e7781",
    frame="#f6f8fa",
    chip="#ddf4ff",
    chip_text="#0550ae",
    fills={
        "pending": "#ffffff",
        "running": "#ddf4ff",
        "waiting": "#fff8c5",
        "succeeded": "#dafbe1",
        "failed": "#ffebe9",
        "skipped": "#f0f1f3",
        "same": "#ffffff",
        "added": "#dafbe1",
        "removed": "#ffebe9",
        "changed": "#fff8c5",
    },
    edges={
        "pending": "#59636e",
        "running": "#0550ae",
        "waiting": "#7d4e00",
        "succeeded": "#116329",
        "failed": "#b31d28",
        "skipped": "#59636e",
        "same": "#59636e",
        "added": "#116329",
        "removed": "#b31d28",
        "changed": "#7d4e00",
    },
)
DARK = Colours(
    paper="#0d1117",
    text="#e6edf3",
    muted="#9aa4af",
    line="#8b949e",
    frame="#151b23",
    chip="#122d4d",
    chip_text="#9ecbff",
    fills={
        "pending": "#0d1117",
        "running": "#122d4d",
        "waiting": "#3a2d05",
        "succeeded": "#12351f",
        "failed": "#4a1a1a",
        "skipped": "#22272e",
        "same": "#0d1117",
        "added": "#12351f",
        "removed": "#4a1a1a",
        "changed": "#3a2d05",
    },
    edges={
        "pending": "#9aa4af",
        "running": "#79c0ff",
        "waiting": "#e3b341",
        "succeeded": "#56d364",
        "failed": "#ff9a92",
        "skipped": "#9aa4af",
        "same": "#9aa4af",
        "added": "#56d364",
        "removed": "#ff9a92",
        "changed": "#e3b341",
    },
)


def rules(colours: Colours, scope: str) -> str:
    """The same colours as a style sheet, which goes before the attributes that the picture has."""
    lines = [
        f"{scope} .text{{fill:{colours.text}}}",
        f"{scope} .muted{{fill:{colours.muted}}}",
        f"{scope} .wire{{stroke:{colours.line}}}",
        f"{scope} .tip{{fill:{colours.line}}}",
        f"{scope} .chip{{fill:{colours.chip};stroke:{colours.chip_text}}}",
        f"{scope} .chip-text{{fill:{colours.chip_text}}}",
    ]
    for status, fill in colours.fills.items():
        edge = colours.edges[status]
        lines += [
            f"{scope} .{status}>.face{{fill:{fill};stroke:{edge}}}",
            f"{scope} .{status}>.sign{{fill:{edge}}}",
            f"{scope} .{status}>.sign-on{{fill:{fill}}}",
        ]
    lines.append(f"{scope} .pending>.frame{{fill:{colours.frame}}}")
    return "".join(lines)


_NOT_FIRST = frozenset(
    "、。，．・：；？！ー～…‥）〕］｝〉》」』】ゝゞ々ぁぃぅぇぉっゃゅょァィゥェォッャュョヵヶ,.:;?!)]}%”’"
)
_NOT_LAST = frozenset("（〔［｛〈《「『【([{“‘¥＄$")
_NARROW = frozenset("ijlftrI.,:;!|'`()[]{} ")
_BROAD = frozenset("mwMW@%")
ELLIPSIS = "…"


def printable(text: str) -> str:
    """On one line, without what XML forbids or what turns the direction of reading."""
    kept = "".join(
        letter if unicodedata.category(letter)[0] != "Z" else " "
        for letter in text.replace("\r", " ").replace("\n", " ").replace("\t", " ")
        if unicodedata.category(letter) not in ("Cc", "Cs", "Cn") and letter not in TURNS
    )
    return " ".join(kept.split())


def width(text: str, size: float) -> float:
    return size * sum(map(_width, text))


def _width(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WFA":
        return 1.0
    if unicodedata.combining(letter):
        return 0.0
    if letter in _NARROW:
        return 0.36
    if letter in _BROAD:
        return 0.92
    return 0.7 if letter.isupper() else 0.6


def wrapped(text: str, size: float, room: float, most: int) -> list[str]:
    """At most `most` lines that fit into `room`; what is left out shows as an ellipsis."""
    lines: list[str] = []
    rest = printable(text)
    while rest:
        if len(lines) == most - 1 and width(rest, size) > room:
            return [*lines, shortened(rest, size, room)]
        end = _line_end(rest, size, room)
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return lines


def shortened(text: str, size: float, room: float) -> str:
    if width(text, size) <= room:
        return text
    while text and width(text + ELLIPSIS, size) > room:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def _line_end(text: str, size: float, room: float) -> int:
    used, fits = 0.0, 0
    for letter in text:
        used += size * _width(letter)
        if used > room:
            break
        fits += 1
    if fits == len(text):
        return fits
    fits = max(fits, 1)
    for end in range(fits, fits // 2, -1):
        if _may_break(text[end - 1], text[end]):
            return end
    return fits


def _may_break(before: str, after: str) -> bool:
    if before == " " or after == " ":
        return True
    if after in _NOT_FIRST or before in _NOT_LAST:
        return False
    if before in "/_.-":
        return True
    return any(unicodedata.east_asian_width(letter) in "WF" for letter in (before, after))


Direction = Literal["down", "right"]

BOX_WIDTH = 208.0
FRAME_WIDTH = 272.0
PADDING = 12.0
FRAME_PADDING = 18.0
SIGN_ROOM = 26.0
"""At the left of a title."""
TITLE_SIZE, SMALL_SIZE = 13.5, 11.0
TITLE_LINE, SMALL_LINE = 19.0, 16.0
MOST_TITLE_LINES, MOST_CONDITION_LINES = 4, 2
CHIP_HEIGHT = 18.0
WIDEST: dict[Direction, int] = {"down": 5, "right": 8}
"""Nodes side by side before a row goes on in the next."""

TextStyle = Literal["title", "about", "condition"]


@dataclass(frozen=True)
class Words:
    """The words on a picture, in its language."""

    form: str
    loop: str
    subflow: str
    condition: str


@dataclass(frozen=True)
class TextLine:
    text: str
    style: TextStyle
    y: float


@dataclass(frozen=True)
class Box:
    item: Item
    width: float
    height: float
    chip: str
    """What kind of node it is, where that is not plain: `人の確認`, `繰り返し`."""
    chip_width: float
    text_x: float
    lines: tuple[TextLine, ...]
    status_y: float
    inside: "Sheet | None" = None
    inside_at: Point = (0.0, 0.0)


@dataclass(frozen=True)
class Wire:
    kind: LinkKind
    points: tuple[Point, ...]
    """In pairs: within a pair straight on, from one to the next a curve."""


@dataclass(frozen=True)
class Sheet:
    width: float
    height: float
    boxes: tuple[tuple[Point, Box], ...]
    wires: tuple[Wire, ...]
    left_out: int = 0
    """Links that are too long to be drawn, also of the sheets inside."""


def lay_out(
    figure: Figure, words: Words, direction: Direction = "down", *, has_status: bool = True
) -> Sheet:
    """`has_status`: with room for a sign and a line that tell how far each node has come."""
    boxes = [_box(item, words, direction, has_status=has_status) for item in figure.items]
    sizes = [Size(*_turned((box.width, box.height), direction)) for box in boxes]
    links = [(link.source, link.target, link.kind) for link in figure.links]
    arranged = arrange(sizes, links, WIDEST[direction])
    across, along = _turned((arranged.size.across, arranged.size.along), direction)
    places = [_turned(place, direction) for place in arranged.places]
    wires = [
        Wire(link.kind, tuple(_turned(point, direction) for point in route))
        for link, route in zip(figure.links, arranged.routes, strict=True)
        if route
    ]
    left_out = len(figure.links) - len(wires)
    left_out += sum(box.inside.left_out for box in boxes if box.inside)
    placed = tuple(zip(places, boxes, strict=True))
    return Sheet(across, along, placed, tuple(wires), left_out)


def _turned(point: Point, direction: Direction) -> Point:
    return point if direction == "down" else (point[1], point[0])


def _box(item: Item, words: Words, direction: Direction, *, has_status: bool) -> Box:
    inside = None
    if item.inside is not None:
        inside = lay_out(item.inside, words, direction, has_status=has_status)
    box_width = BOX_WIDTH
    if inside is not None:
        box_width = max(inside.width + 2 * FRAME_PADDING, FRAME_WIDTH)
    chip = _chip(item, words)
    top = PADDING + (CHIP_HEIGHT + 4 if chip else 0)
    text_x = PADDING + (SIGN_ROOM if has_status else 0)
    lines, below = _lines(item, words, box_width - PADDING - text_x, top)
    ends = below + (SMALL_LINE + PADDING / 2 if has_status else PADDING)
    return Box(
        item=item,
        width=box_width,
        height=ends if inside is None else ends + inside.height + FRAME_PADDING,
        chip=chip,
        chip_width=width(chip, SMALL_SIZE) + 14,
        text_x=text_x,
        lines=lines,
        status_y=below + SMALL_LINE - 4,
        inside=inside,
        inside_at=(0, 0) if inside is None else ((box_width - inside.width) / 2, ends),
    )


def _lines(item: Item, words: Words, room: float, top: float) -> tuple[tuple[TextLine, ...], float]:
    """Texts from top to bottom, and where they end."""
    lines: list[TextLine] = []
    y = top
    for text in wrapped(item.title, TITLE_SIZE, room, MOST_TITLE_LINES) or [" "]:
        y += TITLE_LINE
        lines.append(TextLine(text, "title", y - 5))
    for text in wrapped(item.about, SMALL_SIZE, room, 1):
        y += SMALL_LINE
        lines.append(TextLine(text, "about", y - 4))
    condition = f"{words.condition} {item.condition}" if item.condition else ""
    for text in wrapped(condition, SMALL_SIZE, room, MOST_CONDITION_LINES):
        y += SMALL_LINE
        lines.append(TextLine(text, "condition", y - 2))
    return tuple(lines), y + (2 if condition else 0)


def _chip(item: Item, words: Words) -> str:
    match item.kind:
        case "form":
            return words.form
        case "loop":
            return words.loop
        case "subflow":
            return words.subflow
        case "block":
            return ""
