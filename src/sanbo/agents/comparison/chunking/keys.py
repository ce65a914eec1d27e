"""What a chunk says, as it is compared: however it is numbered, spaced or set."""

import re
from collections.abc import Iterable

from sanbo.agents.comparison.chunking.lines import BULLET
from sanbo.agents.comparison.numbering.marks import Mark
from sanbo.agents.comparison.numbering.references import masked
from sanbo.kernel.text import matching_form

_JAPANESE = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u30ff\U00020000-\U0003ffff]"
# A line break in a PDF is where the page was full, in Japanese there is no blank for it.
_BLANK = re.compile(rf"(?<={_JAPANESE})\s+|(?<!\s)\s+(?={_JAPANESE})")


def key_of(text: str, mark: Mark | None) -> str:
    """Without its own number, numbers of articles masked; of a number alone, its kind."""
    body = text[mark.end :] if mark else text
    body = body.lstrip()
    bullet = None if mark else BULLET.match(body)
    said = body[bullet.end() :] if bullet else body
    return plain(masked(said)) or plain(masked(text))


def row_key(cells: Iterable[str]) -> str:
    """Its cells one after the other; how many empty ones there are depends on the format."""
    keys = (plain(masked(cell)) for cell in cells)
    return " ".join(key for key in keys if key)


def is_japanese(character: str) -> bool:
    return re.match(_JAPANESE, character) is not None


_WIDE = re.compile("[！-～]+")
_ASCII = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}


def plain(text: str) -> str:
    """Matching form without blanks beside Japanese, and one between words."""
    # NFKC does this too, though in twenty times the time as soon as there is one ０ or （.
    form = matching_form(_WIDE.sub(lambda found: found[0].translate(_ASCII), text))
    return _BLANK.sub("", form) if " " in form else form
