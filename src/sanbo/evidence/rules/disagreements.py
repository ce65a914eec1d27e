"""Two places that say different things about the same: other amounts, dates, or yes and no."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sanbo.evidence.model import Part, Passage, Quoted, View
from sanbo.evidence.rules.choosing import Chosen
from sanbo.evidence.rules.other_answers import Given, other_answers
from sanbo.evidence.rules.resemblance import pairs
from sanbo.evidence.rules.row_disagreements import differing_cells
from sanbo.evidence.rules.sameness import (
    comparable,
    contradicts,
    differing_value,
    statement,
)
from sanbo.evidence.rules.sentences import Sentence, one_line, sentences
from sanbo.evidence.rules.supporting import relevance_for
from sanbo.evidence.rules.table_rows import header_of
from sanbo.evidence.rules.wordings import plainly
from sanbo.kernel.messages import Language, tell
from sanbo.language.numerals import KANJI_LARGE

MOST = 5
# How many of the most relevant passages are held against what was chosen.
_LOOKED_AT = 15
_LONGEST_SUBJECT = 40
_FIGURES = re.compile(f"[0-9０-９{KANJI_LARGE},，.]+")


@dataclass(frozen=True)
class Place:
    passage: Passage
    sentence: Sentence
    quote: str
    pairs: frozenset[str]
    """Neighbouring letters without figures: a cheap look before a close one."""


def disagreements(
    chosen: Sequence[Chosen],
    answers: Sequence[tuple[int, str, Chosen]],
    view: View,
    language: Language,
) -> Iterator[Part]:
    """Each pair of places once; only what was chosen for the answer is held against the rest.

    `answers`: the best sentence of each sub-question, with its number and the question.
    """
    others = _others(view)
    told: set[str] = set()
    for nth, question, best in answers:
        for mine, theirs in other_answers(question, best, view, nth):
            told.add("\n".join(sorted((mine.chosen.quote, theirs.chosen.quote))))
            yield _answered_otherwise(question, mine, theirs, language)
    for each in chosen:
        mine = Place(each.passage, each.sentence, each.quote, _pairs(each.sentence))
        for other in others:
            text = _told(mine, other, language) if _may_differ(mine, other) else None
            key = "\n".join(sorted((mine.quote, other.quote)))
            if text is not None and key not in told and len(told) < MOST:
                told.add(key)
                quotes = (
                    Quoted(passage=mine.passage.id, quote=mine.quote),
                    Quoted(passage=other.passage.id, quote=other.quote),
                )
                yield Part(section="disagreement", text=text, quotes=quotes)


def _answered_otherwise(question: str, mine: Given, theirs: Given, language: Language) -> Part:
    one, two = mine.chosen, theirs.chosen
    text = tell(
        "evidence.disagreement.values",
        language,
        subject=_short(plainly(question).rstrip("。.?？")),
        first=one.passage.document,
        one=mine.written,
        second=two.passage.document,
        other=theirs.written,
    )
    quotes = tuple(Quoted(passage=each.passage.id, quote=each.quote) for each in (one, two))
    return Part(section="disagreement", text=text, quotes=quotes)


def _others(view: View) -> list[Place]:
    count = max(1, len(view.sub_questions))
    best = {
        passage.id: passage
        for nth in range(count)
        for passage in sorted(view.passages, key=lambda each: -relevance_for(each, nth))[
            :_LOOKED_AT
        ]
    }
    return [
        Place(passage, sentence, sentence.text, _pairs(sentence))
        for passage in best.values()
        for sentence in sentences(passage.text)
    ]


def _pairs(sentence: Sentence) -> frozenset[str]:
    return pairs(_FIGURES.sub("", sentence.text))


def _may_differ(mine: Place, other: Place) -> bool:
    if mine.sentence.is_row != other.sentence.is_row:
        return False
    shared = len(mine.pairs & other.pairs)
    if 2 * shared < min(len(mine.pairs), len(other.pairs)):
        return False
    return comparable(mine.passage, other.passage)


def _told(mine: Place, other: Place, language: Language) -> str | None:
    if mine.sentence.is_row:
        return _rows(mine, other, language)
    one, two = statement(mine.sentence.text), statement(other.sentence.text)
    nth = differing_value(one, two)
    if nth is not None:
        subject = one.topic or one.form
        return _values(
            mine, other, (subject, one.values[nth].written, two.values[nth].written), language
        )
    if contradicts(one, two):
        first, second = _names(mine, other, language)
        return tell(
            "evidence.disagreement.words",
            language,
            first=first,
            one=one_line(mine.sentence.text).rstrip("。."),
            second=second,
            other=one_line(other.sentence.text).rstrip("。."),
        )
    return None


def _rows(mine: Place, other: Place, language: Language) -> str | None:
    found = differing_cells(
        mine.sentence, header_of(mine.passage), other.sentence, header_of(other.passage)
    )
    return None if found is None else _values(mine, other, found, language)


def _values(mine: Place, other: Place, found: tuple[str, str, str], language: Language) -> str:
    subject, one, two = found
    first, second = _names(mine, other, language)
    return tell(
        "evidence.disagreement.values",
        language,
        subject=_short(subject),
        first=first,
        one=one,
        second=second,
        other=two,
    )


def _short(subject: str) -> str:
    return subject if len(subject) <= _LONGEST_SUBJECT else subject[: _LONGEST_SUBJECT - 1] + "…"


def _names(mine: Place, other: Place, language: Language) -> tuple[str, str]:
    """The documents, and where in them if it is one and the same."""
    first, second = mine.passage.document, other.passage.document
    if first != second:
        return first, second
    return _place(mine.passage, language), _place(other.passage, language)


def _place(passage: Passage, language: Language) -> str:
    position = passage.position
    if position.page is None and position.row is None:
        return passage.document
    kind, number = ("page", position.page) if position.page else ("row", position.row)
    return tell(f"evidence.beside.{kind}", language, document=passage.document, number=number)
