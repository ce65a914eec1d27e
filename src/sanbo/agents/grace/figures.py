"""Figures in what was found: a value with what it counts, and which of them was asked for."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from sanbo.agents.grace.schemas import AnswerSentence, StepResult
from sanbo.evidence.rules.sentences import with_units
from sanbo.evidence.rules.terms import content_words, is_japanese, key_terms, synonyms
from sanbo.evidence.rules.values import Value, holds_what, values
from sanbo.kernel.messages import Language
from sanbo.language.figures import MONEY, written
from sanbo.language.numerals import COMPOUND, PLAIN, amount_of, narrow
from sanbo.language.questions import ABOUT_MONEY, COUNTED
from sanbo.retrieval.tokens import letters

YEAR = "年"
"""Of the calendar; how long something takes is in 年間."""
_LONGEST = 20_000
_BARE = re.compile(
    rf"(?<![0-9A-Za-z.,:/#第-])(?P<number>{COMPOUND}|{PLAIN})"
    r"(?![0-9:/-])\s?(?P<unit>[一-鿿ァ-ヶー々]{1,6}|[A-Za-z]{1,10}(?![A-Za-z]))?"
)
# What stands after a number that counts nothing: 第5条, 3月末, 2時.
_NO_FIGURE = re.compile("^(?:月|日|時|条|章|項|号|番|丁目|節|版)")
_ABOUT_MONEY = re.compile(
    rf"{ABOUT_MONEY}"
    r"|\b(?:cost|price|fee|rate|budget|sales|revenue|amount|allowance|salary|how much)",
    re.IGNORECASE,
)
# A table's row as it is told: 品名:ノート、単価:320円
_CELL = re.compile(r"(?:^|[、;]\s?)([^、;:]{1,40}):\s?([^、;]*)")
# Plan A is not plan B.
_NAME_LETTER = re.compile(r"\b[A-Za-z]+ [A-HJ-Z]\b")
_DIGITS = 2
_MOST_DIGITS = 12


@dataclass(frozen=True)
class Figure:
    value: Fraction
    unit: str = ""
    """What it counts: 円, 人, 日; empty for a mere number."""
    written: str = ""
    """As the source has it."""


def figures(text: str) -> tuple[Figure, ...]:
    """All that a text counts, in its order; of dates the year, of times of day nothing."""
    return tuple(figure for _, figure in _placed(text))


def _placed(text: str) -> list[tuple[int, Figure]]:
    """With their places in the text as `with_units` gives it."""
    form = with_units(text[:_LONGEST])
    read = values(form)
    placed = [(value.start, figure) for value in read if (figure := _figure(value))]
    for found in _BARE.finditer(form):
        if any(value.start < found.end() and found.start() < value.end for value in read):
            continue
        unit = found["unit"] or ""
        if not _NO_FIGURE.match(unit):
            placed.append(
                (
                    found.start(),
                    Figure(amount_of(found["number"]) or Fraction(0), unit, found.group().strip()),
                )
            )
    return sorted(placed, key=lambda each: each[0])


def figures_of(text: str) -> list[float]:
    return [float(figure.value) for figure in figures(text)]


def _figure(value: Value) -> Figure | None:
    if value.unit in {"date", "fiscal"}:
        year = value.meaning.split("-")[0]
        return Figure(Fraction(year), YEAR, value.written) if year else None
    if value.unit == "clock":
        return None
    return Figure(Fraction(value.meaning), value.unit, value.written)


def asked_figure(question: str, text: str) -> Figure | None:
    """The figure that answers: of the kind asked for, and not one that the question says itself."""
    known = {figure.written for figure in figures(question)}
    told = _asked_cell(question, text)
    found = [figure for figure in figures(told) if figure.written not in known]
    if told != text and found:
        return found[0]
    found = [figure for figure in _next_to_name(question, text) if figure.written not in known]
    for wanted in (_counted, _of_money, _of_the_kind):
        fitting = [figure for figure in found if wanted(question, figure)]
        if fitting:
            return fitting[0]
    return min(found, key=lambda figure: figure.unit not in MONEY, default=None)


def _next_to_name(question: str, text: str) -> list[Figure]:
    """東京は14,000円、大阪は11,000円: first what stands by the name asked for."""
    form = with_units(text[:_LONGEST])
    at, name = max((form.find(name), name) for name in ("", *map(narrow, _whose(question))))

    def distance(placed: tuple[int, Figure]) -> int:
        start, figure = placed
        if start >= at:
            return start - at - len(name)
        if is_japanese(form):  # which says it after the name
            return len(form) + start
        return at - start - len(figure.written)

    return [figure for _, figure in sorted(_placed(text), key=distance if at > 0 else _start)]


def _start(placed: tuple[int, Figure]) -> int:
    return placed[0]


def _asked_cell(question: str, text: str) -> str:
    """Of a row that is told, what stands in the column that the question names; else all of it."""
    cells = _CELL.findall(with_units(text[:_LONGEST]))
    asked = letters(question)
    named = [
        (name, value) for name, value in cells if letters(name) in asked and figures(str(value))
    ]
    if len(cells) < 2 or not named:
        return text
    return max(named, key=lambda cell: len(cell[0]))[1]


def _counted(question: str, figure: Figure) -> bool:
    counted = COUNTED.search(narrow(question))
    if counted is None:
        return False
    return any(figure.unit == asked.unit for asked in figures(f"1{counted[1]}"))


def _of_money(question: str, figure: Figure) -> bool:
    return figure.unit in MONEY and _ABOUT_MONEY.search(question) is not None


def _of_the_kind(question: str, figure: Figure) -> bool:
    holds = holds_what(question)
    return holds is not None and holds(figure.written)


def figure_of(question: str, result: StepResult) -> Figure | None:
    """What a step came to: a computed value, or a figure of a sentence about what was asked for."""
    if result.value is not None:
        unit = next((each.unit for each in reversed(figures(result.output))), "")
        return Figure(Fraction(repr(result.value)), unit, result.output)
    if result.action == "ask_user":
        return asked_figure(question, result.output)
    for sentence in result.sentences:
        if speaks_of(question, " ".join((sentence.text, *_around(sentence, result)))):
            found = _within_span(question, sentence) or asked_figure(question, sentence.text)
            if found is not None:
                return found
    return None


def _within_span(question: str, sentence: AnswerSentence) -> Figure | None:
    """Of the very words that answer."""
    if sentence.span is None:
        return None
    return asked_figure(question, sentence.text[slice(*sentence.span)])


def _around(sentence: AnswerSentence, result: StepResult) -> Iterator[str]:
    """What the places that it stands in are about."""
    for source in result.sources:
        if source.id in sentence.sources:
            yield from (source.document, source.sheet or "", *source.headings)


def speaks_of(question: str, text: str) -> bool:
    """Whether a text names whose figure it is: one of 大阪 is not taken for 名古屋's."""
    written = letters(text)
    if not all(letters(name) in written for name in _NAME_LETTER.findall(question)):
        return False
    known = frozenset(content_words(text))
    return all(
        any(letters(each) in written for each in (term, *synonyms(term)))
        or known.issuperset(_telling(term))
        for term in _whose(question)
    )


def _whose(question: str) -> tuple[str, ...]:
    """Not what is counted itself: that has many names."""
    terms = key_terms(question)
    if len(terms) < 2:
        return terms
    return terms[:-1] if is_japanese(question) else terms[-1:]


def _telling(term: str) -> tuple[str, ...]:
    """東京 of 東京都内; all of it where nothing of it tells more."""
    words = content_words(term)
    return tuple(word for word in words if len(word) > 1 or word.isascii()) or words or (term,)


def told(figure: Figure, language: Language) -> str:
    """12,000円, $1,200, 3.5; in English a unit stands apart: 10 days."""
    return written(_number(figure.value), figure.unit, language)


def is_rounded(figure: Figure) -> bool:
    """Whether what is told of it is not all of it."""
    return round(figure.value, _decimals(figure.value)) != figure.value


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return f"{value.numerator:,}"
    decimals = _decimals(value)
    return f"{float(round(value, decimals)):,.{decimals}f}".rstrip("0").rstrip(".")


def _decimals(value: Fraction) -> int:
    """Two, and of what is small so many that something of it is seen."""
    small = 0 < abs(value) < 1
    return min(_DIGITS - math.floor(math.log10(abs(value))), _MOST_DIGITS) if small else 2
