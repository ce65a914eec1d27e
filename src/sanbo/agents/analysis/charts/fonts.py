"""Fonts that are always there, and texts made of what they can show."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import unicodedata
from functools import cache

import matplotlib_fontja
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

JAPANESE = "IPAexGothic"
FALLBACK = "DejaVu Sans"
"""Ships with Matplotlib; has signs that the Japanese font lacks."""

NOT_SHOWN = "〓"
"""What Japanese printers set for a letter they don't have."""

_LONGEST_NAME = 24


def register() -> None:
    """Makes the Japanese font known to Matplotlib; the file lies in the library's own folder."""
    known = {entry.name for entry in font_manager.fontManager.ttflist}
    if JAPANESE not in known:
        font_manager.fontManager.addfont(matplotlib_fontja.get_font_ttf_path())


@cache
def _letters() -> frozenset[int]:
    fallback = font_manager.findfont(FALLBACK, fallback_to_default=False)
    paths = (matplotlib_fontja.get_font_ttf_path(), fallback)
    return frozenset(code for path in paths for code in FT2Font(path).get_charmap())


def has_letter(letter: str) -> bool:
    return ord(letter) in _letters()


def one_line(text: str) -> str:
    """Without line breaks, control characters, direction marks and other letters unseen."""
    return " ".join("".join(map(_seen, text)).split())


def drawable(text: str) -> str:
    """One line that the fonts can show: letters without a glyph are replaced."""
    return " ".join("".join(_shown(letter) for letter in one_line(text)).split())


@cache
def _seen(letter: str) -> str:
    category = unicodedata.category(letter)
    if letter.isspace() or category == "Cc":
        return " "
    if category in {"Cf", "Cs"} or unicodedata.name(letter, "").startswith("VARIATION SELECTOR"):
        return ""
    return letter


@cache
def _shown(letter: str) -> str:
    category = unicodedata.category(letter)
    if has_letter(letter):
        return letter
    simpler = unicodedata.normalize("NFKC", letter)
    if simpler != letter and all(map(has_letter, simpler)):
        return simpler
    # Signs and emoji have names that tell them apart; letters of other scripts do not.
    name = unicodedata.name(letter, "").lower() if category == "So" else ""
    return f"[{name}]" if 0 < len(name) <= _LONGEST_NAME else NOT_SHOWN


def is_drawable(text: str) -> bool:
    """Whether nothing had to be replaced by a sign that stands for it."""
    return all(_shown(letter) == letter for letter in one_line(text))


def width(text: str) -> int:
    """In half-width letters: 売上 is 4 wide, ABC is 3."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WFA" else 1 for letter in text)


def shortened(text: str, most: int) -> str:
    """At most `most` half-width letters wide, with … where something was left out."""
    if width(text) <= most:
        return text
    return _start(text, most - 2) + "…"


def shortened_apart(texts: list[str], most: int) -> list[str]:
    """Like `shortened`, but texts that differ stay different."""
    short = [shortened(text, most) for text in texts]
    if len(set(short)) == len(set(texts)):
        return short
    counts: dict[str, set[str]] = {}
    for text, cut in zip(texts, short, strict=True):
        counts.setdefault(cut, set()).add(text)
    apart = [
        _without_middle(text, most) if len(counts[cut]) > 1 else cut
        for text, cut in zip(texts, short, strict=True)
    ]
    if len(set(apart)) == len(set(texts)):
        return apart
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts), 1)}
    return [
        f"{_start(cut, most - 5)}({numbers[text]})" if len(counts[first]) > 1 else cut
        for text, cut, first in zip(texts, apart, short, strict=True)
    ]


def _without_middle(text: str, most: int) -> str:
    if width(text) <= most:
        return text
    half = (most - 2) // 2
    return _start(text, half) + "…" + _start(text[::-1], half)[::-1]


def _start(text: str, most: int) -> str:
    used = 0
    for index, letter in enumerate(text):
        used += width(letter)
        if used > most:
            return text[:index].rstrip()
    return text
