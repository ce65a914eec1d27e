"""A question as relevance sees it: what its words are worth, and what kind of answer it wants."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from sanbo.kernel.text import matching_form
from sanbo.language.english import stem
from sanbo.language.moments import FULL_MONTHS
from sanbo.language.numerals import KANJI_DIGITS, WORD
from sanbo.language.questions import COUNTED_THING, WHAT, wanted_by_word
from sanbo.retrieval.tokens import letters, query_surfaces, speakable, words

WordKind = Literal["name", "noun", "inflected", "english"]


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Origin(Frozen):
    """How the numbers came about."""

    made_on: str
    data: str
    how: str
    questions: int
    passages: int
    held_out: Mapping[str, Mapping[str, float]]
    """Figures on questions that were not fitted on, by question set."""


@dataclass(frozen=True, eq=False)
class Presence:
    """How often a word of a question stands in the passage that answers it."""

    by_kind: Mapping[WordKind, float]
    standing_in: Mapping[WordKind, float]
    """Of a word that stands for the answer: 首都 in …の首都は？"""
    of_words: Mapping[str, float]
    """Of words that questions have and answers often lack: 名前, 理由."""

    def of(self, normal: str, kind: WordKind, *, stands_in: bool) -> float:
        of_kind = self.standing_in if stands_in else self.by_kind
        return self.of_words.get(normal, of_kind[kind])


class Line(Frozen):
    weights: Mapping[str, float]
    """By feature; their sum with the intercept is the logarithm of the odds."""
    intercept: float
    best: float
    """What the best of its passages has more."""


class Coefficients(Frozen):
    version: str
    origin: Origin
    presence: Presence
    ja: Line
    en: Line

    def line_for(self, question: str) -> Line:
        """English has other words for the same, no characters that mean something by themselves."""
        return self.ja if is_japanese(question) else self.en


COEFFICIENTS = Coefficients.model_validate_json(
    files(__package__ or "sanbo.retrieval.relevance")
    .joinpath("coefficients.json")
    .read_text("utf-8")
)


_JAPANESE = re.compile(r"[ぁ-ヿ㐀-鿿々〆]")
_CONTENT = re.compile(r"[一-龠々〆ァ-ヶー]+|[a-z0-9]+")
_PLAIN_LATIN = re.compile(r"[a-z0-9]+")
_LATIN = re.compile(r"[a-z]+|\d+")
# A shorter run of letters is in any text.
_SHORTEST_RUN = 3
_SHORTEST_LATIN_RUN = 8


def is_japanese(text: str) -> bool:
    return _JAPANESE.search(text) is not None


def is_plain_latin(word: str) -> bool:
    return _PLAIN_LATIN.fullmatch(word) is not None


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
_KANJI = re.compile(r"[一-龠々]")
_INFLECTED = re.compile(r"([一-龠々]+)[ぁ-ん]+")


@dataclass(frozen=True)
class AskedWord:
    normal: str
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
            AskedWord(
                word.normal,
                word.forms,
                presence.of(word.normal, word.kind, stands_in=word.stands_in),
            )
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


# Chunks are far shorter; whatever else comes must not cost more than they do.
_LONGEST_PASSAGE = 6_000
_SENTENCE = re.compile(r"(?:[^。！？!?\n.]|\.(?!\s))+[。！？!?\n.]*")
_BETWEEN_TITLES = re.compile(r"[\n>›»|]| / ")


@dataclass(frozen=True)
class Sentence:
    form: str
    latin: frozenset[str]
    letters: str

    @property
    def words(self) -> tuple[str, ...]:
        """Its content words, each once: what others may mean the same as."""
        return _words(self.form)


@dataclass(frozen=True)
class Passage:
    sentences: tuple[Sentence, ...]
    form: str
    letters: str
    context: Sentence
    """Title and headings: they say what the passage is about without being part of it."""
    titles: tuple[str, ...]


@lru_cache(maxsize=2048)
def read_passage(text: str, context: str) -> Passage:
    context = context.replace("_", " ")[:_LONGEST_PASSAGE]
    sentences = tuple(_sentence(part) for part in _SENTENCE.findall(text[:_LONGEST_PASSAGE]))
    sentences = tuple(each for each in sentences if each.letters) or (_sentence(""),)
    titles = (letters(part) for part in _BETWEEN_TITLES.split(context))
    return Passage(
        sentences=sentences,
        form=" ".join(sentence.form for sentence in sentences),
        letters="".join(sentence.letters for sentence in sentences),
        context=_sentence(context),
        titles=tuple(title for title in titles if len(title) > 1),
    )


def _sentence(text: str) -> Sentence:
    form = matching_form(text)
    return Sentence(form, latin_words(form), letters(form))


@lru_cache(maxsize=8192)
def _words(form: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words(form)))
