"""A value that was found in a text, with what it means."""

from collections.abc import Callable
from typing import Literal, NamedTuple

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
