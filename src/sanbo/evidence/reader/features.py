"""A question beside a passage as numbers: words, sentences, and what ties one word to another."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sanbo.evidence.model import Passage
from sanbo.evidence.reader.meanings import meanings_of
from sanbo.evidence.rules.sentences import header_of, readable, sentences
from sanbo.kernel.text import matching_form
from sanbo.language.english import EMPTY, stem
from sanbo.language.likeness import Floats
from sanbo.retrieval.tokens import morphemes

Numbers = NDArray[np.int64]
Lists = Mapping[str, int]
"""Of a word its number; 0 is no word, 1 one that is not in the list."""

_LONGEST_QUESTION, _LONGEST_ABOVE, _LONGEST_SENTENCE, _LONGEST = 40, 24, 60, 160
_PIECE = re.compile(
    r"([a-z]+(?:['’][a-z]{1,3})?)|(\d+(?:[.,:/]\d+)*)|([ぁ-ヿ㐀-鿿々〆〇ー]+)|[^\W_]"
)
_EMPTY_CLASSES = frozenset(("補助記号", "空白", "記号"))
_TOLD = frozenset(("まで", "から", "より", "のみ", "だけ", "毎", "程", "しか", "ない", "ず", "ぬ"))
"""Particles and auxiliaries that say something."""
_TELLING_TEXT = """
no not nor none never without must should may can could over under between any each every per
only both either out off up who when where how why until before after unless
"""
_TELLING = frozenset(_TELLING_TEXT.split())
_EMPTY_WORDS = EMPTY - _TELLING
_KANJI = re.compile("[一-鿿々]")
NUMBER = "#"


class Word(NamedTuple):
    form: str
    """One for all spellings and inflections; as it is written, of a number."""
    listed: str
    """As it stands in the list of words."""


@lru_cache(maxsize=4096)
def words_of(text: str, *, every: bool = False) -> tuple[Word, ...]:
    """`every`: of a question all of them say something, in a passage not."""
    return tuple(_words(matching_form(text), every=every))


def _words(form: str, *, every: bool) -> Iterator[Word]:
    for piece in _PIECE.finditer(form):
        english, number, japanese = piece.groups()
        if english:
            if every or english not in _EMPTY_WORDS:
                yield Word(stem(english), stem(english))
        elif number:
            yield Word(number.replace(",", ""), NUMBER)
        elif japanese:
            for one in morphemes(japanese):
                says = every or one.part not in ("助詞", "助動詞") or one.normal in _TOLD
                if says and one.part not in _EMPTY_CLASSES:
                    yield Word(one.normal, one.normal)
        else:
            yield Word(piece[0], piece[0])


class Line(NamedTuple):
    """A sentence or a row."""

    start: int
    """Of it in the passage's text."""
    words: tuple[Word, ...]
    is_row: bool
    is_heading: bool


class Text(NamedTuple):
    """A passage as the reader sees it."""

    above: tuple[Word, ...]
    lines: tuple[Line, ...]

    @property
    def words(self) -> tuple[Word, ...]:
        return (*self.above, *(word for line in self.lines for word in line.words))


def text_of(passage: Passage) -> Text:
    headings = "\n".join(passage.position.headings)
    return _text(passage.text, passage.context, headings, passage.document, _header(passage))


def _header(passage: Passage) -> tuple[str, ...]:
    return header_of(passage) if "\t" in passage.text else ()


@lru_cache(maxsize=2048)
def _text(text: str, context: str, headings: str, document: str, header: tuple[str, ...]) -> Text:
    told = "\n".join((document.replace("_", " "), context, headings))
    above = tuple(dict.fromkeys(words_of(told)))[-_LONGEST_ABOVE:]
    lines: list[Line] = []
    left = _LONGEST - len(above)
    for each in sentences(text):
        written = readable(each, header, "ja") if each.is_row and header else each.text
        words = words_of(written)[: min(_LONGEST_SENTENCE, left)]
        if words:
            lines.append(Line(each.start, words, each.is_row, each.is_heading))
            left -= len(words)
    return Text(above, tuple(lines))


# ---- a question beside several passages ------------------------------------------------------

ABOVE, ASKED = -1, -2
"""Where a word stands that is in no sentence."""
_REACH = 6
_RUN = 2 * _REACH + 1
_OTHER, _TO_ABOVE, _FROM_ABOVE = _RUN, _RUN + 1, _RUN + 2
LEVELS = 5
"""How a word is tied to one of the question: not, somewhat alike, much alike, partly, the same."""
_TIED = _RUN + 3
TIES = _TIED + 4 * LEVELS
_MUCH_ALIKE, _ALIKE = 0.6, 0.42
KINDS = 6
"""Of words: asked, above, in a sentence, in a row, in a heading, a number in any of these."""
SPREADS = 6
"""In how many of the passages a word stands."""
SIGNS = 5
"""What is told of a sentence beside its words."""


class Pair(NamedTuple):
    """A question beside a passage."""

    numbers: Numbers
    kinds: Numbers
    levels: Numbers
    """How each word that is asked is tied to each that is told."""
    best: Numbers
    """Of each word how it is tied to the other side at best."""
    spreads: Numbers
    meanings: Floats
    ties: NDArray[np.int8]
    places: Numbers
    """Of each word the sentence it stands in."""
    signs: Floats
    """A row for each sentence."""


class Pool:
    """A question beside the passages that were found for it."""

    def __init__(self, question: str, texts: Sequence[Text], odds: Sequence[float]) -> None:
        """`odds`: how relevant each passage is by its words, as log odds."""
        self._asked = words_of(question, every=True)[:_LONGEST_QUESTION]
        self._texts, self._odds = texts, list(zip(odds, _ahead(odds), strict=True))
        having = [frozenset(word.form for word in text.words) for text in texts]
        self._having = Counter(form for forms in having for form in forms)

    def pair(self, at: int, lists: Lists) -> Pair:
        asked, text = self._asked, self._texts[at]
        told = text.words
        every = (*asked, *told)
        places = np.array(
            [ASKED] * len(asked)
            + [ABOVE] * len(text.above)
            + [place for place, line in enumerate(text.lines) for _ in line.words],
            np.int64,
        )
        meanings = meanings_of(tuple(word.form for word in every))
        levels = _levels(asked, told, meanings[: len(asked)] @ meanings[len(asked) :].T)
        best = (levels.max(1), levels.max(0)) if levels.size else (levels.sum(1), levels.sum(0))
        return Pair(
            numbers=np.array([lists.get(word.listed, 1) for word in every], np.int64),
            kinds=_kinds(every, places, text),
            levels=levels,
            best=np.concatenate(best),
            spreads=np.array([self._spread(word.form) for word in every], np.int64),
            meanings=meanings,
            ties=_ties(places, levels),
            places=places,
            signs=_signs(text, self._odds[at]),
        )

    def _spread(self, form: str) -> int:
        having = self._having[form]
        if having <= 1:
            return having
        share = having / len(self._texts)
        return 2 if share <= 0.15 else 3 if share <= 0.3 else 4 if share <= 0.6 else 5


def _ahead(odds: Sequence[float]) -> list[float]:
    first, second = (*sorted(odds, reverse=True), -6.0, -6.0)[:2]
    return [own - (second if own == first else first) for own in odds]


def _levels(asked: Sequence[Word], told: Sequence[Word], alike: Floats) -> Numbers:
    found = (alike >= _ALIKE).astype(np.int64) + (alike >= _MUCH_ALIKE)
    theirs = [word.form for word in told]
    known = np.array(theirs, dtype=object)
    for row, word in zip(found, asked, strict=True):
        signs = frozenset(_KANJI.findall(word.form))
        if signs:
            row[[not signs.isdisjoint(other) for other in theirs]] = 3
        row[known == word.form] = 4
    return found


def _kinds(every: Sequence[Word], places: Numbers, text: Text) -> Numbers:
    of_line = [3 if line.is_row else 4 if line.is_heading else 2 for line in text.lines]
    by_place = np.array([*of_line, 0, 1], np.int64)  # the last two: asked, above
    is_number = np.array([word.listed == NUMBER for word in every], np.int64)
    return np.asarray(by_place[places] + KINDS * is_number, np.int64)


def _ties(places: Numbers, levels: Numbers) -> NDArray[np.int8]:
    asked, count = len(levels), len(places)
    at = np.arange(count)
    run = np.clip(at[None] - at[:, None], -_REACH, _REACH) + _REACH
    found = np.where(places[None] == places[:, None], run, _OTHER)
    above = places == ABOVE
    found[np.ix_(~above, above)] = _TO_ABOVE
    found[np.ix_(above, ~above)] = _FROM_ABOVE
    between = _TIED + levels + LEVELS * above[None, asked:]
    found[:asked, asked:] = between
    found[asked:, :asked] = between.T + 2 * LEVELS
    return found.astype(np.int8)


def _signs(text: Text, odds: tuple[float, float]) -> Floats:
    own, before = odds
    rows = [
        (own / 4, before / 4, line.is_row, line.is_heading, np.log(len(line.words)))
        for line in text.lines
    ]
    return np.array(rows, np.float32).reshape(-1, SIGNS)
