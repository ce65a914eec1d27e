"""What a PDF page holds, whichever library read it: glyphs, put into lines whichever way the page
is written, and ruling lines; and whether that can be what stands on it.

All places are those of the page as a person sees it (turned and cropped): points from its left
upper corner, x to the right, y downwards. A PDF can show text that its own tables do not explain; a
reader then returns other characters, or fewer, and says nothing. The checks cost a pass over the
characters, no more.

A line's place is told in the direction of reading: `start` and `end` along the line, `near` and
`far` across it, counted from where the page begins. So whatever follows need not know whether
lines run to the right or, in vertical Japanese, downwards in columns from right to left.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median
from typing import Literal, NamedTuple

Reader = Literal["pdfium", "pdfminer"]

LINE_BREAK = "\n"
FULL_PAGE = 0.7
"""Share of its area from which on a picture is the page."""
UNREADABLE = "�"
"""Stands for a glyph that is drawn but that no table in the file maps to a character."""


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom


NOWHERE = Box(0.0, 0.0, 0.0, 0.0)
_FURTHEST = 20_000.0
"""Points; the largest page that PDF knows has 14,400."""


def is_sane(box: Box) -> bool:
    """Files can name any place, also one that is no number."""
    return all(-_FURTHEST < place < _FURTHEST for place in box)


class Style(NamedTuple):
    size: float
    bold: bool
    font: str
    lies: bool = False
    """Drawn on its side, on a page that is to be turned."""


PLAIN = Style(10.0, False, "")


@dataclass(slots=True)
class Glyphs:
    """Characters one by one. What the reader added (spaces, line breaks) has no box."""

    reader: Reader
    characters: list[str] = field(default_factory=list[str])
    boxes: list[Box | None] = field(default_factory=list["Box | None"])
    styles: dict[int, Style] = field(default_factory=dict[int, Style])
    """Of the first glyph of each line: asking for every glyph would double the time."""

    def add(self, character: str, box: Box | None = None) -> None:
        self.characters.append(character)
        self.boxes.append(box)

    @property
    def drawn(self) -> int:
        return sum(box is not None for box in self.boxes)


class Field(NamedTuple):
    """What a person filled into a form, and where."""

    text: str
    box: Box


@dataclass(slots=True)
class Page:
    number: int
    width: float
    height: float
    glyphs: Glyphs
    rulings: list[Box] = field(default_factory=list[Box])
    """Straight thin lines, each a box of no width or no height."""
    text_objects: int = 0
    paths: int = 0
    image_share: float = 0.0
    """Of the page's area, covered by pictures."""
    fields: list[Field] = field(default_factory=list[Field])
    notes: list[str] = field(default_factory=list[str])
    """What readers of the file wrote on the page or beside it."""
    invisible: int = 0
    """Text objects that are drawn without ink, as OCR lays them over a scanned page."""
    unseen: int = 0
    """Characters left out because nobody who looks at the page can see them."""

    def turn(self, glyphs: Glyphs, *, left: bool) -> None:
        """A quarter turn of everything, for what was set on its side."""

        def turned(box: Box) -> Box:
            if left:
                return Box(box.top, self.width - box.right, box.bottom, self.width - box.left)
            return Box(self.height - box.bottom, box.left, self.height - box.top, box.right)

        glyphs.boxes = [None if box is None else turned(box) for box in glyphs.boxes]
        self.rulings = [turned(rule) for rule in self.rulings]
        self.width, self.height = self.height, self.width

    @property
    def laid_over(self) -> int:
        """Characters that are no part of the page's own text."""
        return sum(len(field.text) for field in self.fields) + sum(map(len, self.notes))

    @property
    def is_picture(self) -> bool:
        return self.image_share >= FULL_PAGE

    def shows(self, box: Box) -> bool:
        x, y = box.middle
        return -1 <= x <= self.width + 1 and -1 <= y <= self.height + 1

    @property
    def has_grid(self) -> bool:
        """Cheap, and false for most pages: enough lines both ways for two cells by two."""
        across = {round(rule.top) for rule in self.rulings if rule.top == rule.bottom}
        down = {round(rule.left) for rule in self.rulings if rule.left == rule.right}
        return len(across) >= 3 and len(down) >= 1


@dataclass(slots=True)
class RuledTable:
    rows: list[list[str]]
    has_header: bool
    columns: tuple[float, ...]
    """Where its columns begin, and where the last ends: a table that goes on has the same."""
    order: int
    """Place among the glyphs that are left."""
    header: list[str] | None = None
    """The names of its columns once they are known, from itself or from the page before."""

    def goes_on_from(self, before: "RuledTable") -> bool:
        return len(self.columns) == len(before.columns) and all(
            abs(here - there) <= 3 for here, there in zip(self.columns, before.columns, strict=True)
        )


Fault = Literal["missing", "unreadable", "wrong_script"]

MOST_UNREADABLE = 0.1
_FEW = 20

_CJK = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿가-힣\U00020000-\U0003ffff]")
_OTHER_LETTERS = re.compile(r"[\x80-\u2dff]")
_PRIVATE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffe\uffff]|" + UNREADABLE
)
_CJK_FONT = re.compile(
    r"mincho|gothic|明朝|ゴシック|hei?sei|kozuka|hiragino|meiryo|cjk|ryumin|ipa(ex)?[mg]|"
    r"simsun|simhei|songti|batang|malgun|biz ?ud|yu(min|got)",
    re.IGNORECASE,
)


def fault(page: Page, glyphs: Glyphs) -> Fault | None:
    """The first reason not to trust these glyphs of the page."""
    text = "".join(glyphs.characters)
    drawn = glyphs.drawn
    # Each text object draws a glyph or more. Doubled ones (a shadow, a false bold) are read once.
    if page.text_objects >= _FEW and drawn < page.text_objects / 4:
        return "missing"
    if drawn and unreadable(text) > MOST_UNREADABLE * drawn:
        return "unreadable"
    if drawn >= _FEW and _is_cjk(glyphs) and not _CJK.search(text):
        others = len(_OTHER_LETTERS.findall(text))
        if others > 0.2 * drawn:
            return "wrong_script"
    return None


def unreadable(text: str) -> int:
    return len(_PRIVATE.findall(text))


def readable(glyphs: Glyphs) -> int:
    """Characters that can be trusted: what two readers of one page are compared by."""
    text = "".join(glyphs.characters)
    visible = sum(not character.isspace() for character in text)
    return visible - unreadable(text)


def choose(page: Page, second: Glyphs | None) -> tuple[Glyphs, Fault | None]:
    """Between pdfium's glyphs and those of a second reader, and what is still wrong with them."""
    first = page.glyphs
    if second is None:
        return first, fault(page, first)
    enough = readable(second) >= readable(first) / 2 and readable(second) > 0
    is_sound = enough and fault(page, second) is None
    chosen = second if is_sound or readable(second) > readable(first) else first
    found = fault(page, chosen)
    if found == "missing" and readable(second) <= 1.2 * readable(first):
        found = None  # two readers find no more: what else is drawn there is blank
        chosen = first
    return chosen, found


def without_unreadable(glyphs: Glyphs) -> Glyphs:
    """What no table explains is left out: wrong characters are worse than missing ones."""
    if UNREADABLE not in glyphs.characters:
        return glyphs
    kept = Glyphs(glyphs.reader)
    for index, (character, box) in enumerate(zip(glyphs.characters, glyphs.boxes, strict=True)):
        if index in glyphs.styles:
            kept.styles[len(kept.characters)] = glyphs.styles[index]
        if character != UNREADABLE:
            kept.add(character, box)
    return kept


def _is_cjk(glyphs: Glyphs) -> bool:
    """Whether most lines begin in a font made for Chinese, Japanese or Korean."""
    fonts = [style.font for style in glyphs.styles.values()]
    return 2 * sum(_CJK_FONT.search(font) is not None for font in fonts) > len(fonts)


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
