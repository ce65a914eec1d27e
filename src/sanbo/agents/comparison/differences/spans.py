"""What was found in a text, by where it stands, in order and disjoint; a value with its meaning."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, Protocol, TypeVar

from sanbo.language.numerals import amount_of

ValueKind = Literal["amount", "date", "deadline"]


class Value(NamedTuple):
    start: int
    end: int
    kind: ValueKind
    read: Callable[[], str]

    @property
    def meaning(self) -> str:
        """The same for every writing of the same value; asked of the few that changed."""
        return self.read()

    def moved(self, by: int) -> "Value":
        return Value(self.start + by, self.end + by, self.kind, self.read)


def date_meaning(year: int | None, month: str | None, day: str | None, fiscal: str = "") -> str:
    parts = [str(year or ""), *(str(whole(part) or part) for part in (month, day) if part)]
    return "/".join(parts) + fiscal


def whole(text: str) -> int | None:
    value = amount_of(text)
    return None if value is None else int(value)


SMALLER_UNITS = {"hour": (60, "minute"), "week": (7, "day"), "year": (12, "month")}
"""Fourteen days are two weeks; a month is not so many days."""

CURRENCIES = {
    "¥": "yen",
    "円": "yen",
    "jpy": "yen",
    "$": "dollar",
    "us$": "dollar",
    "ドル": "dollar",
    "米ドル": "dollar",
    "usd": "dollar",
    "dollars": "dollar",
    "€": "euro",
    "ユーロ": "euro",
    "eur": "euro",
    "euros": "euro",
    "£": "pound",
    "ポンド": "pound",
    "gbp": "pound",
    "pounds": "pound",
}


Span = tuple[int, int]


class Found(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


F = TypeVar("F", bound=Found)


def spans(found: Iterable[Found]) -> tuple[Span, ...]:
    return tuple([(one.start, one.end) for one in found])


def within(found: Sequence[F], start: int, end: int) -> Sequence[F]:
    """Those that reach into this stretch."""
    if not found:
        return found
    first = bisect_right(found, start, key=lambda one: one.end)
    return found[first : max(first, bisect_left(found, end, key=lambda one: one.start))]


def spans_within(found: Sequence[Span], start: int, end: int) -> Sequence[Span]:
    if not found:
        return found
    first = bisect_right(found, start, key=lambda one: one[1])
    return found[first : max(first, bisect_left(found, end, key=lambda one: one[0]))]


def shifted(found: Iterable[Span], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in found]


def apart(found: Iterable[F], taken: Iterable[Span]) -> list[F]:
    """Those that overlap none of these."""
    found = list(found)
    order = sorted(taken) if found else []
    if not order:
        return found
    starts = [start for start, _ in order]
    ends = list(accumulate((end for _, end in order), max))
    kept: list[F] = []
    for one in found:
        before = bisect_left(starts, one.end)
        if before == 0 or ends[before - 1] <= one.start:
            kept.append(one)
    return kept
