"""Masks personal data in what is noted: marks in its place, also where it was taken apart.

A search takes the words of a question one by one; so an address that a question holds comes back
as a name and a domain, a phone number as its groups. Those are masked where the question is known.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sanbo.agents.research.personal_data import Kind, Personal, personal_data
from sanbo.kernel.messages import tell

Parts = Mapping[str, Kind]

_HYPHENS = frozenset("−ー─━➖⁃・·")
"""Beside the dashes proper: what is written in their place between digits."""
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
SHORTEST_PART = 3


def masked(text: str, parts: Parts | None = None) -> str:
    """With marks in the current language; `parts` are masked wherever they stand as words."""
    plain, places = _plain(text)
    found = sorted([*personal_data(plain), *_parts_in(plain, parts or {})])
    pieces: list[str] = []
    end = 0
    for start, stop, kind in found:
        begin = places[start]
        if begin >= end:
            pieces += [text[end:begin], tell(f"research_mask.{kind}")]
            end = places[stop - 1] + 1
    return "".join((*pieces, text[end:]))


def parts_of(text: str) -> dict[str, Kind]:
    """Words of the personal data in a text, each of which still tells something by itself."""
    plain, _ = _plain(text)
    found: dict[str, Kind] = {}
    for start, end, kind in personal_data(plain):
        data = plain[start:end].casefold()
        name, _, domain = data.partition("@")
        words = re.findall(r"[0-9]+" if kind != "email" else r"[^\W_]+", name)
        for part in (*words, "".join(words), name, domain):
            if len(part) >= SHORTEST_PART:
                found[part] = kind
    return found


def _parts_in(plain: str, parts: Parts) -> list[Personal]:
    if not parts:
        return []
    longest_first = sorted(parts, key=len, reverse=True)
    words = "|".join(map(re.escape, longest_first))
    wanted = re.compile(rf"(?<![0-9A-Za-z])(?:{words})(?![0-9A-Za-z])", re.IGNORECASE)
    return [Personal(*found.span(), parts[found[0].casefold()]) for found in wanted.finditer(plain)]


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """As it is read, and where each character stands: full width as ASCII, every dash as a hyphen,
    without invisible characters and the backslashes of Markdown."""
    if text.isascii() and "\\" not in text:
        return text, range(len(text))
    escapes = {found.start() for found in _ESCAPE.finditer(text)}
    form: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if place not in escapes and (plain := _plain_character(character)):
            form.append(plain)
            places.append(place)
    return "".join(form), places


@lru_cache(maxsize=8192)
def _plain_character(character: str) -> str:
    """One character, or none where it can't be seen."""
    if unicodedata.category(character) == "Cf":
        return ""
    form = unicodedata.normalize("NFKC", character)
    if len(form) != 1:
        return character
    if form in _HYPHENS or unicodedata.category(form) == "Pd":
        return "-"
    return " " if form.isspace() and form not in "\r\n" else form
