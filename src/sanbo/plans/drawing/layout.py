"""A figure on paper: boxes with their lines of text, frames around what is inside, and wires.

Positions are relative: a box's to its sheet, a text's and an inner sheet's to its box.
"""

from dataclasses import dataclass
from typing import Literal

from sanbo.plans.drawing.figure import Figure, Item, LinkKind
from sanbo.plans.drawing.look import width, wrapped
from sanbo.plans.drawing.rows import Point, Size, arrange

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
