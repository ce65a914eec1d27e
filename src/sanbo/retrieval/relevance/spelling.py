"""Texts as characters: pieces, runs, and whether a word is written in a text."""

import re
from collections.abc import Iterable

_CONTENT = re.compile(r"[一-龠々〆ァ-ヶー]+|[a-z0-9]+")
_PLAIN_LATIN = re.compile(r"[a-z0-9]+")
_LATIN = re.compile(r"[a-z]+|\d+")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ies|ing|ed|es|s|e|y)$")
# A shorter run of letters is in any text.
_SHORTEST_RUN = 3
_SHORTEST_LATIN_RUN = 8


def is_plain_latin(word: str) -> bool:
    return _PLAIN_LATIN.fullmatch(word) is not None


def stem(word: str) -> str:
    """Brings `opened`, `opening` and `opens` together; no more than that."""
    return _ENDING.sub("", word)


def latin_words(form: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _LATIN.findall(form))


def pieces(form: str) -> tuple[str, ...]:
    """Each once: pairs of kanji or katakana, words of Latin letters."""
    found: dict[str, None] = {}
    for run in _CONTENT.findall(form):
        if len(run) == 1 or is_plain_latin(run):
            found[run] = None
        else:
            found.update(dict.fromkeys(run[at : at + 2] for at in range(len(run) - 1)))
    return tuple(found)


def is_written(forms: Iterable[str], form: str, latin: frozenset[str]) -> bool:
    """Japanese runs on, so a part counts; a Latin word or a number counts whole."""
    return any(word in latin if is_plain_latin(word) else word in form for word in forms)


def are_near(first: tuple[str, ...], second: tuple[str, ...], form: str) -> bool:
    """Whether one stands close to the other, in any order."""
    for word in first:
        reach = 40 if is_plain_latin(word) else 14
        at = form.find(word)
        while at >= 0:
            before, after = form[max(0, at - reach) : at], form[at + len(word) :][:reach]
            if any(other in before or other in after for other in second):
                return True
            at = form.find(word, at + 1)
    return False


def verbatim(asked: str, text: str) -> int:
    """How many letters of `asked` stand in `text` in runs that are no accident."""
    at = covered = 0
    while at + _SHORTEST_RUN <= len(asked):
        length = _SHORTEST_RUN
        if asked[at : at + length] not in text:
            at += 1
            continue
        while at + length < len(asked) and asked[at : at + length + 1] in text:
            length += 1
        if length >= _SHORTEST_LATIN_RUN or not asked[at : at + length].isascii():
            covered += length
        at += length
    return covered
