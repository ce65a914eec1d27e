"""Texts in a picture: how wide they are, where they may be broken, and what may not be in them."""

import unicodedata

from sanbo.kernel.text import TURNS

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
