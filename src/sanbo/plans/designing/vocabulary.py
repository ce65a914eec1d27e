"""The word table of instructions: what words stand for, in both languages."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from sanbo.kernel.messages import Language
from sanbo.language.numerals import narrow

_JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")
_LETTERS, _KANA = re.compile("[a-z]{0,20}"), re.compile("[ぁ-ん]{0,8}")


class Found(NamedTuple):
    start: int
    end: int
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


def words(name: str, language: Language) -> tuple[str, ...]:
    of: Any = _table()
    for key in name.split("."):
        of = of[key]
    return tuple(str(word) for word in of[language])


@cache
def _pattern(name: str) -> re.Pattern[str]:
    japanese = [re.escape(word.casefold()) for word in words(name, "ja")]
    english = [
        (r"(?<![a-z])" if word[0].isalpha() else "") + word.casefold() for word in words(name, "en")
    ]
    parts = "|".join(sorted((*japanese, *english), key=len, reverse=True))
    return re.compile(parts)


def found_in(name: str, text: str) -> Iterator[Found]:
    """These words in a text in plain form, from left to right."""
    for match in _pattern(name).finditer(text):
        yield Found(*match.span(), match[0])


def find(name: str, text: str) -> Found | None:
    return next(found_in(name, text), None)


def has(name: str, text: str) -> bool:
    return find(name, text) is not None


@cache
def _acts() -> tuple[str, ...]:
    return tuple(_table()["acts"])


def acts_in(text: str) -> frozenset[str]:
    return frozenset(name for name in _acts() if has(f"acts.{name}", text))


def formats_in(text: str) -> list[tuple[int, str, str]]:
    """Where a format is named, its name, and the word."""
    made: list[tuple[int, str, str]] = []
    for name, about in _table()["formats"].items():
        for word in about["words"]:
            for match in re.finditer(rf"(?<![a-z]){re.escape(word)}(?![a-z])", text):
                made.append((match.start(), name, word))
    return sorted(made)


def ending_of(name: str) -> str:
    return str(_table()["formats"][name]["ending"])


@cache
def answers() -> Mapping[str, frozenset[str]]:
    """Facts about steps, by the sense or the name of the words that they answer."""
    return {str(name): frozenset(facts) for name, facts in _table()["answers"].items()}


@cache
def is_concept(name: str) -> bool:
    """Whether this table has words of that name."""
    head, _, rest = name.partition(".")
    found: Any = _table().get(head, {})
    found = found.get(rest, {}) if rest else found
    return "ja" in found


def without(text: str, names: Iterable[str]) -> str:
    """The text without these words and the endings of verbs behind them."""
    for name in names:
        parts: list[str] = []
        start = 0
        for one in found_in(name, text):
            tail = (_LETTERS if one.word.isascii() else _KANA).match(text[one.end :])
            parts.append(text[start : one.start])
            start = max(start, one.end + (tail.end() if tail else 0))
        text = " ".join((*parts, text[start:])) if parts else text
    return text
