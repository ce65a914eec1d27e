"""What a stretch of the question is in a column: a number in its unit, or one of its values."""

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from sanbo.agents.analysis.mentions.figures import in_unit
from sanbo.agents.analysis.mentions.scene import KnownColumn
from sanbo.agents.analysis.mentions.senses import Item
from sanbo.kernel.text import matching_form
from sanbo.language.figures import Figure

QUOTES = "「」『』\"'"
_LONG, _MOST_OF = 4, 0.7
_PARTS = re.compile(r"[\s/・-]+")
_SAY_NO_VALUE = frozenset(("number", "when"))
_DAYS_OF = {"": 1, "日": 1, "泊": 1, "週": 7}


def number_in(item: Item, column: KnownColumn) -> int | float | None:
    """In the column's unit; a year, of a column of years."""
    figure = figure_of(item)
    if figure is None or figure.kind == "clock":
        return None
    return _year_in(figure, column) if figure.value is None else in_unit(figure, column)


def count_of(item: Item) -> int | None:
    """So many rows or groups."""
    figure = figure_of(item)
    if figure is None or figure.value is None or figure.kind in ("share", "money"):
        return None
    return int(figure.value) if figure.value.denominator == 1 else None


def amount_of(item: Item) -> Fraction | None:
    """By which is multiplied, or which limits a calculation; a share (10 %) as a part of one."""
    figure = figure_of(item)
    if figure is None or figure.value is None or figure.kind == "clock":
        return None
    if figure.unit == "回" and figure.numeral is None:
        return None  # twice: a word of its own
    return figure.value / 100 if figure.kind == "share" else figure.value


def days_of(item: Item) -> float | None:
    """Between two dates."""
    figure = figure_of(item)
    if figure is None or figure.value is None or figure.unit not in _DAYS_OF:
        return None
    return float(figure.value * _DAYS_OF[figure.unit])


def month_of(item: Item) -> int | None:
    """Of whatever year."""
    figure = figure_of(item)
    return figure.moment.month if figure is not None and figure.stated is not None else None


def year_of(item: Item) -> int | None:
    figure = figure_of(item)
    return figure.moment.year if figure is not None and figure.stated is not None else None


def figure_of(item: Item) -> Figure | None:
    return next((one.figure for one in item.senses if one.figure is not None), None)


def _year_in(figure: Figure, column: KnownColumn) -> int | None:
    """2022年."""
    is_year = column.is_year and figure.moment.only == figure.moment.year
    return figure.moment.year if is_year and figure.moment.year else None


def value_called(item: Item, column: KnownColumn) -> str | None:
    """The value that is called so, or alone partly so: won, of Closed Won and Closed Lost."""
    if not item.is_content or item.sense.kind in _SAY_NO_VALUE or column.profile.is_numeric:
        return None
    word, known = matching_form(item.text).strip(QUOTES), _known(column.profile.values)
    if word in known.forms:
        return known.forms[word]
    if word.isascii():
        parts = known.begun.get(word[:_LONG], ())
        found = {value for part, value in parts if word == part or _is_like(word, part)}
    else:
        found = {known.forms[form] for form in known.forms if len(word) > 1 and word in form}
    return found.pop() if len(found) == 1 else None


class _Known(NamedTuple):
    forms: dict[str, str]
    begun: dict[str, list[tuple[str, str]]]
    """By the first letters of each word: the word, and the value that it is part of."""


@lru_cache(maxsize=1024)
def _known(values: tuple[str, ...]) -> _Known:
    known = _Known({matching_form(value): value for value in values}, {})
    for form, value in known.forms.items():
        for part in _PARTS.split(form):
            known.begun.setdefault(part[:_LONG], []).append((part, value))
    return known


def _is_like(word: str, part: str) -> bool:
    """Rejection, of Rejected; African, of Africa: most of the shorter one, from the beginning."""
    shared = next(
        (at for at, both in enumerate(zip(word, part, strict=False)) if both[0] != both[1]),
        min(len(word), len(part)),
    )
    return shared >= _LONG and shared >= _MOST_OF * min(len(word), len(part))
