"""The word table of instructions: which words ask for which step, in both languages."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from sanbo.kernel.messages import Language
from sanbo.language.numerals import narrow

_JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")


class Found(NamedTuple):
    start: int
    word: str


@cache
def _table() -> Mapping[str, Any]:
    text = (files("sanbo.plans.designing") / "words.yaml").read_text("utf-8")
    return yaml.safe_load(text)


def plain(text: str) -> str:
    """In one width and case: what words are looked for in."""
    return narrow(text).casefold()


def language_of(text: str) -> Language:
    return "ja" if _JAPANESE.search(text) else "en"


@cache
def _words(name: str, language: Language) -> tuple[str, ...]:
    of: Any = _table()
    for key in name.split("."):
        of = of[key]
    return tuple(str(word).casefold() for word in of[language])


def find(name: str, text: str) -> Found | None:
    """The first of these words in a text in plain form."""
    found = [
        *(_at(text, word, whole=False) for word in _words(name, "ja")),
        *(_at(text, word, whole=True) for word in _words(name, "en")),
    ]
    return min((one for one in found if one is not None), default=None)


def has(name: str, text: str) -> bool:
    return find(name, text) is not None


def _at(text: str, word: str, *, whole: bool) -> Found | None:
    start = 0
    padded = f" {text} " if whole else text
    while (at := padded.find(word, start)) >= 0:
        begins = not whole or not word[0].isalpha() or not padded[at - 1].isascii()
        if begins or not padded[at - 1].isalnum():
            return Found(max(0, at - 1) if whole else at, word)
        start = at + 1
    return None


@cache
def kinds() -> tuple[str, ...]:
    return tuple(_table()["steps"])


def steps_in(text: str) -> dict[str, Found]:
    """By kind, where the words for it stand first."""
    found = {kind: find(f"steps.{kind}", text) for kind in kinds()}
    return {kind: one for kind, one in found.items() if one is not None}


def formats_in(text: str) -> list[tuple[int, str, str]]:
    """Where a format is named, its name, and the word."""
    made: list[tuple[int, str, str]] = []
    for name, about in _table()["formats"].items():
        for word in about["words"]:
            start = 0
            while (at := text.find(word, start)) >= 0:
                start = at + len(word)
                is_part = word.isascii() and (
                    text[at - 1 : at].isascii() and text[at - 1 : at].isalpha()
                )
                behind = text[start : start + 1]
                if not is_part and not (word.isascii() and behind.isascii() and behind.isalpha()):
                    made.append((at, name, word))
    return sorted(made)


def ending_of(name: str) -> str:
    return str(_table()["formats"][name]["ending"])


def roles_in(text: str) -> list[str]:
    """Who is named, from left to right; 経理部長 is not 部長 as well."""
    names = sorted((*_words("roles", "ja"), *_words("roles", "en")), key=len, reverse=True)
    taken: list[tuple[int, int]] = []
    for name in names:
        for match in re.finditer(re.escape(name), text):
            if all(match.end() <= start or end <= match.start() for start, end in taken):
                taken.append(match.span())
    return list(dict.fromkeys(text[start:end] for start, end in sorted(taken)))


def without(text: str, names: Iterable[str]) -> str:
    """The text without these words and the endings of verbs behind them."""
    for name in names:
        for word in sorted((*_words(name, "ja"), *_words(name, "en")), key=len, reverse=True):
            if word.strip().isascii():
                text = re.sub(rf"(?<![a-z]){re.escape(word.strip())}[a-z]{{0,20}}", " ", text)
            else:
                text = re.sub(f"(?:を|に)?{re.escape(word)}[ぁ-ん]{{0,6}}", "、", text)
    return text.strip(" 、,.")
