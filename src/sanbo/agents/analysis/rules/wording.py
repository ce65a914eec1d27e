"""How a question and the names of a table are written, so that they can be compared."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 1000
"""Characters of a question that are read."""

_SPELLINGS = {
    "売り上げ": "売上",
    "売上げ": "売上",
    "カテゴリー": "カテゴリ",
    "ヶ月": "か月",
    "ケ月": "か月",
    "カ月": "か月",
    "ヵ月": "か月",
    "箇月": "か月",
    "問合せ": "問い合わせ",
    "問合わせ": "問い合わせ",
    "打合せ": "打ち合わせ",
    "取引き": "取引",
    "~": "〜",
    "v/s": "vs",
    "v.s.": "vs",
}
_SPELLING = re.compile("|".join(re.escape(one) for one in _SPELLINGS))
_WORD = re.compile(r"[a-z0-9]+(?:'s\b)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d{2})")
_SEPARATOR = re.compile(r"[^a-z0-9]+")
_PARENTHESIS = re.compile(r"[\(\[【〔<][^\)\]】〕>]{0,200}[\)\]】〕>]")


def form(text: str) -> str:
    """The matching form (width, case, white space) and one spelling where several are usual."""
    if text.isascii():
        folded = text.lower()
    elif unicodedata.is_normalized("NFKC", text):
        folded = text.casefold()
    else:
        folded = unicodedata.normalize("NFKC", text).casefold()
    folded = " ".join(folded.split())
    return folded if folded.isalnum() and folded.isascii() else _SPELLING.sub(_spelt, folded)


def _spelt(found: re.Match[str]) -> str:
    return _SPELLINGS[found.group()]


def bare(name: str) -> str:
    """A name in its form, without what stands in parentheses: 売上（千円）is 売上."""
    folded = form(name)
    return _PARENTHESIS.sub("", folded).strip(" _-:") or folded


@dataclass(frozen=True, slots=True)
class Word:
    start: int
    end: int
    stem: str


def words(text: str) -> tuple[Word, ...]:
    """The Latin words of a text that is in its form, also inside of Japanese."""
    return tuple(
        Word(found.start(), found.end(), stem(found.group())) for found in _WORD.finditer(text)
    )


@lru_cache(maxsize=4096)
def name_words(name: str) -> tuple[str, ...]:
    """`unit_price`, `unitPrice`, `Unit Price`: each is unit, price."""
    parts = unicodedata.normalize("NFKC", _PARENTHESIS.sub("", name) or name)
    split = _SEPARATOR.split(_CAMEL.sub(" ", parts).lower())
    return tuple(stem(part) for part in split if part)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Singular, roughly; both sides of a comparison go through it."""
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def is_latin(text: str) -> bool:
    return text.isascii()


def is_kanji(character: str) -> bool:
    return "一" <= character <= "鿿" or character in "々〆ヶ"
