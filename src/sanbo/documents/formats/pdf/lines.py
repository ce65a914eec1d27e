"""Glyphs into lines, whichever way the page is written.

A line's place is told in the direction of reading: `start` and `end` along the line, `near` and
`far` across it, counted from where the page begins. So whatever follows need not know whether
lines run to the right or, in vertical Japanese, downwards in columns from right to left.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Literal

from sanbo.documents.formats.pdf.page import LINE_BREAK, NOWHERE, PLAIN, Box, Glyphs, Page, Style

Direction = Literal["right", "down"]

WIDE_GAP = 1.5
"""Ems."""

CJK = re.compile(
    r"[\u2e80-\u303f\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    r"\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)

# PDF makers map kanji to the look-alike radicals of their font, and vertical punctuation to its
# presentation forms; nobody could search for either.
_LOOK_ALIKES = {
    code: unicodedata.normalize("NFKC", chr(code))
    for block in ((0x2E80, 0x2FE0), (0xFB00, 0xFB07), (0xFE10, 0xFE1A), (0xFE30, 0xFE50))
    for code in range(*block)
} | dict(
    zip(
        map(ord, "⺠⻁⻄⻅⻆⻉⻋⻑⻘⻝⻤⻨⻩⻫⻭⻯⻲⼾"),
        "民虎西見角貝車長青食鬼麦黄斉歯竜亀戸",
        strict=True,
    )
)
_BULLETS = {code: "•" for code in (0xF0B7, 0xF0A7, 0xF06C, 0xF0D8, 0xF0FC, 0xF02D)}
_READABLE = _LOOK_ALIKES | _BULLETS | {0x00AD: "", 0x00A0: " "}


@dataclass(slots=True)
class Line:
    text: str
    box: Box
    start: float
    end: float
    near: float
    far: float
    style: Style
    order: int
    """Place in the page's order of reading."""
    spaced: bool = False
    """Ends in a space: what follows is another word, also between kanji and Latin letters."""
    gapped: bool = False
    """Has a gap wider than any space between words, as between the columns of a table."""

    @property
    def length(self) -> float:
        return self.end - self.start


@dataclass(slots=True)
class PageLines:
    number: int
    height: float
    reach: float
    """How long a line can be."""
    lines: list[Line]


@dataclass(slots=True)
class Run:
    """Glyphs of one line: from the first number to before the last, and those that are drawn."""

    first: int
    last: int
    drawn: list[int]


def set_upright(page: Page, glyphs: Glyphs) -> tuple[Glyphs, Direction]:
    """How most glyphs of the page follow each other. A page set on its side is turned first."""
    total = down = up = 0
    alone: list[Box] = []
    for run in runs(glyphs):
        boxes = [box for index in run.drawn if (box := glyphs.boxes[index]) is not None]
        total += len(boxes)
        if len(boxes) == 1:
            if CJK.match(glyphs.characters[run.drawn[0]]):
                alone.append(boxes[0])
            continue
        (x0, y0), (x1, y1) = boxes[0].middle, boxes[-1].middle
        if abs(y1 - y0) > abs(x1 - x0):
            down, up = (down + len(boxes), up) if y1 > y0 else (down, up + len(boxes))
    lying = sum(style.lies for style in glyphs.styles.values())
    if 2 * max(up, down) > total and 2 * lying > len(glyphs.styles):
        page.turn(glyphs, left=down > up)
        return _from_top_to_bottom(glyphs), "right"
    # Characters drawn one by one, or row by row across the columns, come as lines of one glyph.
    stacked = len(alone) if 3 * len({round(box.left) for box in alone}) <= len(alone) else 0
    is_vertical = down + stacked >= 8 and 2 * (down + stacked) > total
    return glyphs, "down" if is_vertical else "right"


def _from_top_to_bottom(glyphs: Glyphs) -> Glyphs:
    """Lines of a turned page: pdfium put them in the order of the page as it lay."""
    ordered = Glyphs(glyphs.reader)
    tops = {run.first: glyphs.boxes[run.drawn[0]] or NOWHERE for run in runs(glyphs)}
    for run in sorted(runs(glyphs), key=lambda run: round(tops[run.first].top)):
        for index in range(run.first, run.last):
            if index in glyphs.styles:
                ordered.styles[len(ordered.characters)] = glyphs.styles[index]
            ordered.add(glyphs.characters[index], glyphs.boxes[index])
        ordered.add(LINE_BREAK)
    return ordered


def lines_of(page: Page, glyphs: Glyphs, way: Direction) -> list[Line]:
    if way == "down":
        return _columns(page, glyphs)
    found: list[Line] = []
    styles = sorted(glyphs.styles)
    for run in runs(glyphs):
        text = "".join(glyphs.characters[run.first : run.last]).translate(_READABLE)
        box = around([box for index in run.drawn if (box := glyphs.boxes[index]) is not None])
        style = _style(glyphs, styles, run.drawn[0])
        line = Line(text.strip(), box, box.left, box.right, box.top, box.bottom, style, run.first)
        line.spaced = text[-1:].isspace()
        line.gapped = _has_gap(glyphs, run, WIDE_GAP * style.size)
        if not line.text:
            continue
        if found and _goes_on(found, line):
            found[-1] = _one_row(found[-1], line)
        else:
            found.append(line)
    return found


def _goes_on(found: list[Line], line: Line) -> bool:
    """pdfium ends some lines at a wide gap; below a row with gaps it is the rest of a row."""
    before = found[-1]
    same_level = abs(line.near - before.near) + abs(line.far - before.far) < 0.3 * line.style.size
    is_aside = line.start - before.end > WIDE_GAP * line.style.size
    return same_level and is_aside and (before.gapped or (len(found) > 1 and found[-2].gapped))


def _one_row(first: Line, second: Line) -> Line:
    return replace(
        first,
        text=f"{first.text} {second.text}",
        box=around([first.box, second.box]),
        end=second.end,
        spaced=second.spaced,
        gapped=True,
    )


def _has_gap(glyphs: Glyphs, run: Run, wide: float) -> bool:
    """Only where something undrawn stands between: there both readers tell the boxes."""
    for one, other in pairwise(run.drawn):
        if other - one > 1:
            before, after = glyphs.boxes[one], glyphs.boxes[other]
            if before and after and after.left - before.right > wide:
                return True
    return False


def joined(first: str, second: str, *, spaced: bool = False) -> str:
    """A line and the one it runs on in: words by a space, Japanese by nothing."""
    if not first or not second:
        return first + second
    before, after = first[-1], second[0]
    if before in "-‐" and after.islower() and first[-2:-1].isalpha() and not CJK.match(after):
        return first[:-1] + second
    if CJK.match(before) and CJK.match(after):
        return first + second
    if CJK.match(before) or CJK.match(after):
        return f"{first} {second}" if spaced else first + second
    return f"{first} {second}"


def around(boxes: Sequence[Box]) -> Box:
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )


def runs(glyphs: Glyphs) -> Iterator[Run]:
    first = 0
    drawn: list[int] = []
    boxes = glyphs.boxes
    for index, character in enumerate(glyphs.characters):
        if character == LINE_BREAK:
            if drawn:
                yield Run(first, index, drawn)
                drawn = []
            first = index + 1
        elif boxes[index] is not None:
            drawn.append(index)
    if drawn:
        yield Run(first, len(glyphs.characters), drawn)


def _style(glyphs: Glyphs, starts: list[int], index: int) -> Style:
    at = bisect_right(starts, index)
    return glyphs.styles[starts[at - 1]] if at else PLAIN


def _columns(page: Page, glyphs: Glyphs) -> list[Line]:
    """Vertical writing from the places alone: the order in which a file draws it means nothing."""
    placed = [(index, box) for index, box in enumerate(glyphs.boxes) if box is not None]
    em = median(max(box.right - box.left, box.bottom - box.top) for _, box in placed) or 10.0
    styles = sorted(glyphs.styles)
    found: list[Line] = []
    for tier in _tiers(placed, em):
        for column in _stacks(tier, em):
            box = around([box for _, box in column])
            text, first = _read_down(glyphs, column, em)
            line = Line(
                text,
                box,
                start=box.top,
                end=box.bottom,
                near=page.width - box.right,
                far=page.width - box.left,
                style=_style(glyphs, styles, first),
                order=len(found),
            )
            if line.text:
                found.append(line)
    return found


Placed = tuple[int, Box]


def _tiers(placed: list[Placed], em: float) -> Iterator[list[Placed]]:
    """Parts of the page one above the other: set in two tiers, or a page number below the text."""
    tier: list[Placed] = []
    reached = 0.0
    for index, box in sorted(placed, key=lambda item: item[1].top):
        if tier and box.top - reached > 1.6 * em:
            yield tier
            tier = []
        reached = max(reached, box.bottom) if tier else box.bottom
        tier.append((index, box))
    if tier:
        yield tier


def _stacks(tier: list[Placed], em: float) -> Iterator[list[Placed]]:
    """Columns from right to left; a tier of one line's height is a horizontal line."""
    whole = around([box for _, box in tier])
    if whole.bottom - whole.top < 1.5 * em and whole.right - whole.left > 1.5 * em:
        yield sorted(tier, key=lambda item: item[1].left)
        return
    column: list[Placed] = []
    middle = 0.0
    for index, box in sorted(tier, key=lambda item: -item[1].middle[0]):
        x = box.middle[0]
        if column and middle - x > 0.6 * em:
            yield _from_the_top(column, em)
            column = []
        column.append((index, box))
        middle += (x - middle) / len(column)
    yield _from_the_top(column, em)


def _from_the_top(column: list[Placed], em: float) -> list[Placed]:
    """Downwards; digits set side by side in one place from left to right."""
    ordered: list[Placed] = []
    row: list[Placed] = []
    for item in sorted(column, key=lambda item: item[1].middle[1]):
        if row and item[1].middle[1] - row[0][1].middle[1] > 0.35 * em:
            ordered.extend(sorted(row, key=lambda item: item[1].left))
            row = []
        row.append(item)
    return ordered + sorted(row, key=lambda item: item[1].left)


def _read_down(glyphs: Glyphs, column: list[Placed], em: float) -> tuple[str, int]:
    pieces: list[str] = []
    last: tuple[str, Box] | None = None
    for index, box in column:
        character = glyphs.characters[index]
        if last is not None:
            gap = max(box.top - last[1].bottom, box.left - last[1].right)
            if last[0].isascii() and character.isascii() and last[0].isalnum():
                pieces.append(" " if gap > 0.15 * em else "")
            elif gap > 0.8 * em:
                pieces.append("\u3000")
        pieces.append(character)
        last = character, box
    return "".join(pieces).translate(_READABLE), column[0][0]
