"""A question as relevance sees it: what its words are worth, and what kind of answer it wants."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from sanbo.kernel.text import matching_form
from sanbo.language.moments import FULL_MONTHS
from sanbo.language.numerals import KANJI_DIGITS, WORD
from sanbo.language.questions import COUNTED_THING, WHAT, wanted_by_word
from sanbo.retrieval.relevance.coefficients import Presence, WordKind
from sanbo.retrieval.relevance.spelling import is_plain_latin, pieces, stem
from sanbo.retrieval.tokens import letters, query_surfaces, speakable, words

AnswerKind = Literal["date", "number", "other"]

_LONGEST = 600
_MOST_WORDS = 60

# What stands for the answer: 何色, どの国, …の首都は？
_BESIDE = re.compile(r"(?:何|どの|どんな|何の|どういう|どういった|どのような)(\w{1,8})")
_LAST = re.compile(
    r"([^\Wをがにでへはもとのや]{1,8})(?:とは|は|って)、?"
    r"(?:何|なに|なん|誰|だれ|いつ|どこ|どれ|どちら|どう|いくつ|いくら)?"
    r"(?:です|でしょう|だ|である|か|という|といい|ます|なの|になります|だった|でした)*[?。., ]*$"
)
# Say how a thing is asked for in English, not what.
_ENGLISH_TEXT = """
many much long often old far tall may might can could should shall will would must has have had
been being there it its this that these those with from at as into about any
"""
_ENGLISH_AUXILIARIES = frozenset(_ENGLISH_TEXT.split())
_KANJI = re.compile(r"[一-龠々]")
_INFLECTED = re.compile(r"([一-龠々]+)[ぁ-ん]+")


@dataclass(frozen=True)
class AskedWord:
    forms: tuple[str, ...]
    """How it may be written in a passage: as asked, in normal form, without its ending."""
    presence: float
    """How often a passage that answers has such a word."""

    @property
    def evidence(self) -> float:
        """What its absence says against a passage."""
        return -math.log(1.0 - self.presence)


@dataclass(frozen=True)
class Question:
    words: tuple[AskedWord, ...]
    pieces: tuple[str, ...]
    """Pairs of neighbouring characters, whole words of Latin letters."""
    form: str
    letters: str
    told: str
    """Its letters without what makes it a question."""
    characters: tuple[str, ...]
    """Each kanji once."""
    answer: AnswerKind
    counted: str | None
    """人 in 何人, 派 in 何派."""

    @property
    def evidence(self) -> float:
        return sum(word.evidence for word in self.words)


@lru_cache(maxsize=256)
def read_question(text: str, presence: Presence) -> Question:
    text = speakable(text[:_LONGEST])
    form = matching_form(text)
    told = WHAT.sub(" ", form)
    counted = COUNTED_THING.search(form)
    return Question(
        words=tuple(
            AskedWord(word.forms, presence.of(word.normal, word.kind, stands_in=word.stands_in))
            for word in read_words(text)
        ),
        pieces=pieces(told),
        form=form,
        letters=letters(form),
        told=letters(told),
        characters=tuple(dict.fromkeys(_KANJI.findall(told))),
        answer=_answer(form),
        counted=counted[1] if counted else None,
    )


def _answer(form: str) -> AnswerKind:
    asked = wanted_by_word(form)
    if asked == "date":
        return "date"
    return "number" if asked in ("number", "money") else "other"


class ReadWord(NamedTuple):
    normal: str
    kind: WordKind
    stands_in: bool
    """For the answer: a passage says the answer in its place."""
    forms: tuple[str, ...]


def read_words(text: str) -> list[ReadWord]:
    """The question's content words, each once."""
    surfaces = query_surfaces(text)
    forms: dict[str, set[str]] = {}
    for surface, normal in zip(surfaces[::2], surfaces[1::2], strict=True):
        if surface in _ENGLISH_AUXILIARIES:
            continue
        forms.setdefault(normal, set()).update(_forms(surface), _forms(normal))
    standing_in = _standing_in(matching_form(text))
    return [
        ReadWord(normal, _kind(normal, text), normal in standing_in, tuple(sorted(written)))
        for normal, written in list(forms.items())[:_MOST_WORDS]
    ]


def _forms(word: str) -> set[str]:
    word = matching_form(word)
    if is_plain_latin(word):
        return {stem(word)}
    inflected = _INFLECTED.fullmatch(word)
    return {word, inflected[1]} if inflected else {word}


def _standing_in(form: str) -> frozenset[str]:
    """色 in 何色, 首都 in …の首都は？"""
    found: list[str] = []
    if last := _LAST.search(form):
        found += words(last[1])[-1:]
    for beside in _BESIDE.finditer(form):
        found += words(beside[1])[:1]
    return frozenset(found)


def _kind(normal: str, text: str) -> WordKind:
    """Names and numbers, which nothing else says; nouns; what is inflected; English words."""
    if normal.isascii() and normal.isalpha():
        written = re.search(rf"\b{re.escape(normal)}", text, re.IGNORECASE)
        return "english" if written and written[0].islower() else "name"
    if re.search(r"[0-9a-zA-Zァ-ヶ]", normal):
        return "name"
    return "inflected" if re.search(r"[ぁ-ん]", normal) else "noun"


# ---- whether a text holds an answer of the kind ----------------------------------------------

_NUMERAL = f"[0-9{KANJI_DIGITS}十百千万億数半]"
_A_DATE = re.compile(
    rf"(?:\d{{1,4}}|[元{KANJI_DIGITS}十]{{1,12}})(?:年|世紀|月|日)|時代|年代|\d{{3,4}}"
    rf"|\b(?:{FULL_MONTHS})\b"
)
_A_NUMBER = re.compile(
    rf"\d+|[{KANJI_DIGITS}十百千万億数半両]+"
    rf"|\b(?:{WORD}|dozen|hundred|thousand)\b"
)


def holds_kind(question: Question, form: str) -> float:
    """1 where the text has a date or number that is not the question's own, -1 where not."""
    if question.answer == "other":
        return 0.0
    kind = _A_DATE if question.answer == "date" else _A_NUMBER
    return 1.0 if any(found not in question.form for found in kind.findall(form)) else -1.0


def holds_counted(question: Question, form: str) -> float:
    """何条 wants 28条 (1), 何派 wants 国際派 (0.5); -1 where neither stands there."""
    if question.counted is None:
        return 0.0
    unit = re.escape(question.counted)
    if _has_new(rf"{_NUMERAL}[\d,.]{{0,20}}\s?{unit}", question, form):
        return 1.0
    return 0.5 if _has_new(rf"[一-龠ァ-ヶーa-z0-9]{unit}", question, form) else -1.0


def _has_new(pattern: str, question: Question, form: str) -> bool:
    return any(found not in question.form for found in re.findall(pattern, form))
