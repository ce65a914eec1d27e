"""Figures with bounds: which of several steps (3万円以上20万円未満) a figure falls into."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sanbo.evidence.rules.values import Value, values
from sanbo.language.numerals import narrow

_FROM = re.compile(r"\s?(?:以上|以降|を?超|超過|より(?:多|大き|高|上))|\s(?:or more|or above)\b")
_TO = re.compile(r"\s?(?:以下|未満|より(?:少|小さ|低|下))|\s(?:or less|or below)\b")
_OPEN = re.compile(r"\s?(?:未満|を?超|より)|\b(?:under|over|below|above|(?:more|less) than)\s*$")
_FROM_BEFORE = re.compile(r"\b(?:over|above|more than|at least|from)\s*$", re.IGNORECASE)
_TO_BEFORE = re.compile(r"\b(?:under|below|less than|up to|at most)\s*$", re.IGNORECASE)
# Between two bounds of one range: 以上, and up to.
_NEAR = re.compile(
    r"[^、。\s]{0,4}[、 ]?|\s?(?:or more )?(?:and|but) (?:up to|under|below|less than|at most) "
)
_NOT_COUNTED = frozenset({"date", "fiscal", "clock"})


@dataclass(frozen=True)
class Bound:
    unit: str
    value: Fraction
    low: bool
    """Whether the range begins here."""
    open: bool
    """The figure itself is not in it."""
    start: int
    end: int

    def admits(self, figure: Fraction) -> bool:
        if figure == self.value:
            return not self.open
        return figure > self.value if self.low else figure < self.value


@dataclass(frozen=True)
class AskedFigure:
    unit: str
    value: Fraction
    written: str


@lru_cache(maxsize=256)
def asked_figures(question: str) -> tuple[AskedFigure, ...]:
    """What a question says how much it is about; just below it where it says 未満."""
    form = narrow(question)
    return tuple(_asked(form, value) for value in _counted(form))


def falls_into(question: str, sentence: str) -> bool | None:
    """Whether a figure of the question is within a range of the sentence; None where it has none.

    10万円以上の備品 is not what 3万円以上10万円未満 speaks of.
    """
    asked = asked_figures(question)
    if not asked:
        return None
    found = _ranges(narrow(sentence))
    units = {bounds[0].unit for bounds in found}
    told = [figure for figure in asked if figure.unit in units]
    if not told:
        return None
    return all(
        any(
            bounds[0].unit == figure.unit and all(each.admits(figure.value) for each in bounds)
            for bounds in found
        )
        for figure in told
    )


def _counted(form: str) -> Iterator[Value]:
    yield from (value for value in values(form) if value.unit not in _NOT_COUNTED)


def _asked(form: str, value: Value) -> AskedFigure:
    number = Fraction(value.meaning)
    bound = _bound(form, value)
    if bound is not None and bound.open:
        number += Fraction(1, 1000) if bound.low else -Fraction(1, 1000)
    return AskedFigure(value.unit, number, value.written)


@lru_cache(maxsize=2048)
def _ranges(form: str) -> tuple[tuple[Bound, ...], ...]:
    """Of two bounds next to each other, the lower first, one range is made."""
    found: list[tuple[Bound, ...]] = []
    for value in _counted(form):
        bound = _bound(form, value)
        if bound is None:
            continue
        last = found[-1] if found else ()
        if len(last) == 1 and _belongs(last[0], bound, form):
            found[-1] = (last[0], bound)
        else:
            found.append((bound,))
    return tuple(found)


def _belongs(first: Bound, second: Bound, form: str) -> bool:
    is_range = first.low and not second.low and first.unit == second.unit
    if not is_range or first.value >= second.value:
        return False
    return _NEAR.fullmatch(form, first.end, second.start) is not None


def _bound(form: str, value: Value) -> Bound | None:
    before, after = form[max(0, value.start - 12) : value.start], form[value.end :]
    low = _FROM.match(after) or _FROM_BEFORE.search(before)
    high = _TO.match(after) or _TO_BEFORE.search(before)
    if not low and not high:
        return None
    is_open = bool(_OPEN.match(after) or _OPEN.search(before))
    number = Fraction(value.meaning)
    return Bound(value.unit, number, low is not None, is_open, value.start, value.end)
