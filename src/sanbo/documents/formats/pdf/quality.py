"""Whether what was read from a page can be what stands on it.

A PDF can show text that its own tables do not explain; a reader then returns other characters,
or fewer, and says nothing. These checks cost a pass over the characters, no more.
"""

import re
from typing import Literal

from sanbo.documents.formats.pdf.page import UNREADABLE, Glyphs, Page

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
