"""The picture as SVG: whole in itself, no script, nothing fetched; every text in it is escaped."""

from collections.abc import Mapping
from html import escape
from itertools import pairwise

from sanbo.kernel.messages import Language, current_language, tell
from sanbo.plans.drawing.figure import NOT_BEGUN, SIGNS, Figure, Mark
from sanbo.plans.drawing.layout import (
    CHIP_HEIGHT,
    DARK,
    LIGHT,
    PADDING,
    SMALL_SIZE,
    TITLE_SIZE,
    Box,
    Colours,
    Direction,
    Sheet,
    TextLine,
    Theme,
    Wire,
    Words,
    lay_out,
    printable,
    rules,
    shortened,
)
from sanbo.plans.drawing.rows import Point
from sanbo.runs.model import Path

MARGIN = 20.0
SCOPE = "sanbo-plan"
FONTS = (
    "system-ui, 'Hiragino Sans', 'Yu Gothic UI', 'Meiryo', 'Noto Sans JP', 'Noto Sans CJK JP', "
    "sans-serif"
)
_DASHES = {"data": "", "condition": "5 4", "after": "2 4"}


def svg_of(
    figure: Figure,
    states: Mapping[Path, Mark] | None = None,
    *,
    title: str = "",
    language: Language | None = None,
    direction: Direction = "down",
    theme: Theme = "auto",
) -> str:
    """`states` by path of node ids; without any, the plan alone is shown."""
    sheet = lay_out(figure, words_in(language), direction, has_status=states is not None)
    writer = _Writer(states, language or current_language(), direction, theme)
    return writer.document(sheet, title)


def words_in(language: Language | None) -> Words:
    return Words(
        form=tell("plan_drawing.form", language),
        loop=tell("plan_drawing.loop", language),
        subflow=tell("plan_drawing.subflow", language),
        condition=tell("plan_drawing.condition", language),
    )


class _Writer:
    def __init__(
        self,
        states: Mapping[Path, Mark] | None,
        language: Language,
        direction: Direction,
        theme: Theme,
    ) -> None:
        self.states = states
        self.language: Language = language
        self.direction = direction
        self.theme: Theme = theme
        self.colours: Colours = DARK if theme == "dark" else LIGHT

    def document(self, sheet: Sheet, title: str) -> str:
        note = self.note(sheet)
        top = MARGIN + (2 * SMALL_SIZE if note else 0)
        across, along = sheet.width + 2 * MARGIN, sheet.height + top + MARGIN
        named = printable(title) or tell("plan_drawing.title", self.language)
        style = ""
        if self.theme == "auto":
            style = (
                f"<style>@media (prefers-color-scheme: dark){{{rules(DARK, f'.{SCOPE}')}}}</style>"
            )
        return "".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" class="{SCOPE}" role="img"'
                f' viewBox="0 0 {_n(across)} {_n(along)}" width="{_n(across)}"'
                f' height="{_n(along)}" font-family="{escape(FONTS)}">',
                f"<title>{escape(named)}</title>",
                style,
                note,
                f'<g transform="translate({_n(MARGIN)} {_n(top)})">',
                self.sheet(sheet),
                "</g></svg>",
            )
        )

    def note(self, sheet: Sheet) -> str:
        if not sheet.left_out:
            return ""
        said = tell("plan_drawing.left_out", self.language, count=sheet.left_out)
        return (
            f'<text class="muted" x="{_n(MARGIN)}" y="{_n(MARGIN)}" font-size="{SMALL_SIZE}"'
            f' fill="{self.colours.muted}">{escape(said)}</text>'
        )

    def sheet(self, sheet: Sheet) -> str:
        wires = "".join(self.wire(wire) for wire in sheet.wires)
        return wires + "".join(self.box(place, box) for place, box in sheet.boxes)

    def wire(self, wire: Wire) -> str:
        dash = _DASHES[wire.kind]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        line = (
            f'<path class="wire" d="{self.route(wire)}" fill="none"'
            f' stroke="{self.colours.line}" stroke-width="1.5"{dashed}/>'
        )
        return line + self.tip(wire)

    def route(self, wire: Wire) -> str:
        points = wire.points
        path = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
        for before, after in pairwise(points):
            path.append(self.segment(before, after))
        return "".join(path)

    def segment(self, start: Point, end: Point) -> str:
        (x, y), (to_x, to_y) = start, end
        if start == end:
            return ""
        if self.direction == "down":
            if x == to_x:
                return f"V{_n(to_y)}"
            half = (y + to_y) / 2
            return f"C{_n(x)} {_n(half)} {_n(to_x)} {_n(half)} {_n(to_x)} {_n(to_y)}"
        if y == to_y:
            return f"H{_n(to_x)}"
        half = (x + to_x) / 2
        return f"C{_n(half)} {_n(y)} {_n(half)} {_n(to_y)} {_n(to_x)} {_n(to_y)}"

    def tip(self, wire: Wire) -> str:
        x, y = wire.points[-1]
        before = next((point for point in reversed(wire.points) if point != (x, y)), (x, y))
        if self.direction == "down":
            back = -8 if before[1] <= y else 8
            corners = ((x, y), (x - 4.5, y + back), (x + 4.5, y + back))
        else:
            back = -8 if before[0] <= x else 8
            corners = ((x, y), (x + back, y - 4.5), (x + back, y + 4.5))
        listed = " ".join(f"{_n(left)},{_n(top)}" for left, top in corners)
        return f'<polygon class="tip" points="{listed}" fill="{self.colours.line}"/>'

    def box(self, place: Point, box: Box) -> str:
        state = (self.states or {}).get(box.item.path, NOT_BEGUN)
        inside = ""
        if box.inside is not None:
            x, y = box.inside_at
            inside = f'<g transform="translate({_n(x)} {_n(y)})">{self.sheet(box.inside)}</g>'
        return "".join(
            (
                f'<g class="{state.status}" transform="translate({_n(place[0])} {_n(place[1])})">',
                f"<title>{escape(self.tooltip(box, state))}</title>",
                self.face(box, state),
                self.sign(box, state),
                self.chip(box),
                *(self.text(line, box.text_x) for line in box.lines),
                self.status(box, state),
                inside,
                "</g>",
            )
        )

    def face(self, box: Box, state: Mark) -> str:
        framed = box.inside is not None
        fill = self.colours.fills[state.status]
        if framed and state.status in ("pending", "same"):
            fill = self.colours.frame
        dash = ' stroke-dasharray="7 4"' if box.item.kind == "loop" else ""
        heavy = 2.5 if box.item.kind == "form" or state.status in ("running", "waiting") else 1.5
        return (
            f'<rect class="face{" frame" if framed else ""}" width="{_n(box.width)}"'
            f' height="{_n(box.height)}" rx="{14 if box.item.kind == "form" else 8}"'
            f' fill="{fill}" stroke="{self.colours.edges[state.status]}"'
            f' stroke-width="{heavy}"{dash}/>'
        )

    def sign(self, box: Box, state: Mark) -> str:
        """A shape of its own: a font may have no such letter."""
        if self.states is None:
            return ""
        y = box.lines[0].y - 5
        x = PADDING + 7
        on, edge = self.colours.fills[state.status], self.colours.edges[state.status]
        ring = f'<circle class="sign" cx="{_n(x)}" cy="{_n(y)}" r="9" fill="{edge}"/>'
        shape = _SHAPES[state.status]
        at = f"translate({_n(x)} {_n(y)})"
        return ring + f'<path class="sign-on" transform="{at}" d="{shape}" fill="{on}"/>'

    def chip(self, box: Box) -> str:
        if not box.chip:
            return ""
        x, y = box.text_x - 2, PADDING
        return (
            f'<rect class="chip" x="{_n(x)}" y="{_n(y)}" width="{_n(box.chip_width)}"'
            f' height="{_n(CHIP_HEIGHT)}" rx="9" fill="{self.colours.chip}"'
            f' stroke="{self.colours.chip_text}" stroke-width="0.8"/>'
            f'<text class="chip-text" x="{_n(x + 7)}" y="{_n(y + 13)}"'
            f' font-size="{SMALL_SIZE}" fill="{self.colours.chip_text}">{escape(box.chip)}</text>'
        )

    def text(self, line: TextLine, x: float) -> str:
        title = line.style == "title"
        colour, shade = (self.colours.text, "text") if title else (self.colours.muted, "muted")
        size = TITLE_SIZE if title else SMALL_SIZE
        weight = ' font-weight="600"' if title else ""
        slant = ' font-style="italic"' if line.style == "condition" else ""
        return (
            f'<text class="{shade}" x="{_n(x)}" y="{_n(line.y)}"'
            f' font-size="{size}" fill="{colour}"{weight}{slant}>{escape(line.text)}</text>'
        )

    def status(self, box: Box, state: Mark) -> str:
        if self.states is None:
            return ""
        room = box.width - 2 * PADDING
        said = shortened(self.state_words(state), SMALL_SIZE, room)
        return (
            f'<text class="sign" x="{_n(box.width - PADDING)}" y="{_n(box.status_y)}"'
            f' font-size="{SMALL_SIZE}" text-anchor="end"'
            f' fill="{self.colours.edges[state.status]}">{escape(said)}</text>'
        )

    def state_words(self, state: Mark) -> str:
        parts = [state.progress, tell(f"plan_drawing.status.{state.status}", self.language)]
        if state.duration_ms is not None and state.status in ("succeeded", "failed"):
            parts.append(
                tell(
                    "plan_drawing.seconds", self.language, seconds=f"{state.duration_ms / 1000:.1f}"
                )
            )
        return " ".join(part for part in parts if part)

    def tooltip(self, box: Box, state: Mark) -> str:
        item = box.item
        lines = [item.title, "/".join(item.path), item.about]
        if item.condition:
            lines.append(f"{tell('plan_drawing.condition', self.language)} {item.condition}")
        if self.states is not None:
            lines.append(f"{SIGNS[state.status]} {self.state_words(state)}")
            lines.append(state.note)
        return "\n".join(printable(line) for line in lines if line)


_SHAPES = {
    "pending": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0",
    "running": "M-3 -5L5.5 0L-3 5z",
    "waiting": "M-3.4 -2.2C-3.4 -6.4 3.4 -6.4 3.4 -2C3.4 0.2 0.9 0.4 0.9 2.2H-0.9C-0.9 -0.4"
    " 1.6 -0.4 1.6 -2C1.6 -4.2 -1.6 -4.2 -1.6 -2.2zM-1.1 3.4h2.2v2.2h-2.2z",
    "succeeded": "M-5 0.2L-3.5 -1.4L-1.3 0.9L3.7 -4.3L5.2 -2.8L-1.3 4z",
    "failed": "M-4.4 -3L-3 -4.4L0 -1.4L3 -4.4L4.4 -3L1.4 0L4.4 3L3 4.4L0 1.4L-3 4.4L-4.4 3L-1.4 0z",
    "skipped": "M-5 -1.2H5V1.2H-5z",
    "same": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0",
    "added": "M-1.2 -5H1.2V-1.2H5V1.2H1.2V5H-1.2V1.2H-5V-1.2H-1.2z",
    "removed": "M-5 -1.2H5V1.2H-5z",
    "changed": "M-5 -3.4H5V-1.2H-5zM-5 1.2H5V3.4H-5z",
}
"""Around the middle of the sign: a ring, a triangle, a question mark, a tick, a cross, a dash."""


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
