"""What a PDF page holds, whichever library read it: glyphs in reading order and ruling lines; and
whether that can be what stands on it.

All places are those of the page as a person sees it (turned and cropped): points from its left
upper corner, x to the right, y downwards. A PDF can show text that its own tables do not explain; a
reader then returns other characters, or fewer, and says nothing. The checks cost a pass over the
characters, no more.
"""

import re
from dataclasses import dataclass, field
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
