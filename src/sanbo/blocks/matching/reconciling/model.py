"""Invoices, payments, and what is found between them; which payers may be which customers, by how
their names are written and read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal

import numpy as np
from pydantic import JsonValue
from rapidfuzz import fuzz, process

from sanbo.blocks.matching.readings import company_reading
from sanbo.kernel.text import matching_form
from sanbo.language.companies import company_key, is_kana

Kind = Literal[
    "exact",
    "within_tolerance",
    "fee_deducted",
    "short_paid",
    "over_paid",
    "split_payment",
    "combined_payment",
    "late",
    "name_differs",
    "several_ways",
    "missing_payment",
    "not_due",
    "amount_unreadable",
    "duplicate_payment",
    "same_amount_other_name",
    "same_name_other_amount",
    "unknown_payment",
]

SMALLEST = 100
"""Amounts are whole numbers of hundredths: sums are exact, also in currencies with cents."""


def hundredths(value: float) -> int:
    return int((Decimal(str(value)) * SMALLEST).to_integral_value(ROUND_HALF_EVEN))


def amount_of(units: int) -> int | float:
    return units // SMALLEST if units % SMALLEST == 0 else units / SMALLEST


@dataclass(frozen=True)
class Entry:
    """A row of either side."""

    index: int
    id: str
    name: str
    amount: int
    day: date | None
    """An invoice's due date (or the day of issue), a payment's day."""
    source: Mapping[str, JsonValue]
    memo: str = ""
    issued: date | None = None
    is_readable: bool = True


@dataclass(frozen=True)
class Rules:
    tolerance: int
    fees: tuple[int, int] | None
    days_before: int
    days_after: int
    strong: float
    weak: float
    largest_group: int
    grace_days: int

    def in_window(self, invoice: Entry, payment: Entry) -> bool:
        """A payment may come some days before and after the due date; unknown days don't hinder."""
        if payment.day is None or (invoice.day is None and invoice.issued is None):
            return True
        first = invoice.issued or invoice.day
        last = invoice.day or invoice.issued
        assert first is not None
        assert last is not None
        early = (last - payment.day).days
        return early <= max(self.days_before, (last - first).days) and -early <= self.days_after

    def distance(self, invoice: Entry, payment: Entry) -> int:
        if payment.day is None or invoice.day is None:
            return self.days_before + self.days_after
        return abs((payment.day - invoice.day).days)

    def is_equal(self, one: int, other: int) -> bool:
        return abs(one - other) <= self.tolerance

    def is_fee(self, owed: int, paid: int, transfers: int = 1) -> bool:
        """Whether what is missing looks like fees that the payer kept back."""
        if self.fees is None:
            return False
        return self.fees[0] <= owed - paid <= self.fees[1] * transfers and (owed - paid) * 2 < owed


@dataclass(frozen=True)
class Match:
    invoices: tuple[Entry, ...]
    payments: tuple[Entry, ...]
    basis: Kind
    """What made it one, before days and names are looked at."""
    name_score: float
    alternatives: int = 0
    """Other sets of rows that would have added up as well."""

    @property
    def owed(self) -> int:
        return sum(each.amount for each in self.invoices)

    @property
    def paid(self) -> int:
        return sum(each.amount for each in self.payments)


@dataclass
class Open:
    """What is still to be matched."""

    invoices: dict[int, Entry]
    payments: dict[int, Entry]
    matches: list[Match] = field(default_factory=list[Match])

    def settle(self, match: Match) -> None:
        for invoice in match.invoices:
            del self.invoices[invoice.index]
        for payment in match.payments:
            del self.payments[payment.index]
        self.matches.append(match)

    def holds(self, invoices: Sequence[Entry], payments: Sequence[Entry]) -> bool:
        return all(each.index in self.invoices for each in invoices) and all(
            each.index in self.payments for each in payments
        )


# ---- payers and customers by their names ---------------------------------------------------------


# Two kanji names that are only read alike may be two companies.
_READ_ALIKE = 90.0
_SHORTENED = 92.0
_SHORTEST_TO_SHORTEN = 4
_ROWS_AT_ONCE = 256
_MOST_ALIKE = 30
MOST_PAIRS = 25_000_000
"""Of distinct names; beyond, only names that are equal in their normal form are compared."""


@dataclass(frozen=True)
class Alike:
    by_payer: Mapping[str, Sequence[tuple[str, float]]]
    """A payer's customers by key, most alike first, from 0 to 100."""
    is_limited: bool

    def customers(self, name: str) -> Sequence[tuple[str, float]]:
        return self.by_payer.get(name, ())


@dataclass(frozen=True)
class _Name:
    key: str
    reading: str
    is_kana: bool


def alike_companies(
    payers: Iterable[str], customers: Iterable[str], aliases: Mapping[str, str], weak: float
) -> Alike:
    """By the name as written in a payment; a customer is told by its key (`customer_key`)."""
    known = {customer_key(name): _name(name) for name in customers if name}
    known_as = {company_key(payer): customer for payer, customer in aliases.items()}
    names = sorted({name for name in payers if name})
    resolved = [_name(known_as.get(company_key(name), name)) for name in names]
    is_limited = len(names) * len(known) > MOST_PAIRS
    scores = _equal_only(resolved, known) if is_limited else _scored(resolved, known, weak)
    return Alike(dict(zip(names, scores, strict=True)), is_limited)


def customer_key(name: str) -> str:
    return company_key(name) or matching_form(name)


def _name(name: str) -> _Name:
    key = customer_key(name)
    return _Name(key, company_reading(name), is_kana(key))


def _equal_only(
    payers: Sequence[_Name], known: Mapping[str, _Name]
) -> list[list[tuple[str, float]]]:
    by_reading: dict[str, list[str]] = {}
    for key, name in known.items():
        by_reading.setdefault(name.reading, []).append(key)
    found: list[list[tuple[str, float]]] = []
    for payer in payers:
        keys = [payer.key] if payer.key in known else by_reading.get(payer.reading, [])
        found.append([(key, 100.0) for key in keys])
    return found


def _scored(
    payers: Sequence[_Name], known: Mapping[str, _Name], weak: float
) -> list[list[tuple[str, float]]]:
    keys, names = list(known), list(known.values())
    if not names:
        return [[] for _ in payers]
    written = [name.key for name in names]
    spoken = [name.reading for name in names]
    kana = np.array([name.is_kana for name in names])
    beginnings = _Beginnings(names)
    found: list[list[tuple[str, float]]] = []
    for start in range(0, len(payers), _ROWS_AT_ONCE):
        part = payers[start : start + _ROWS_AT_ONCE]
        # pyrefly: ignore[no-matching-overload]
        by_key = process.cdist([each.key for each in part], written, scorer=fuzz.ratio)
        # pyrefly: ignore[no-matching-overload]
        by_reading = process.cdist([each.reading for each in part], spoken, scorer=fuzz.ratio)
        for row, payer in enumerate(part):
            said = by_reading[row]
            said[kana == payer.is_kana] = np.minimum(said[kana == payer.is_kana], _READ_ALIKE)
            best = np.maximum(by_key[row], said)
            for column in beginnings.shared(payer):
                best[column] = max(best[column], _SHORTENED)
            likely = np.flatnonzero(best >= weak)
            if len(likely) > _MOST_ALIKE:
                likely = likely[np.argsort(-best[likely], kind="stable")[:_MOST_ALIKE]]
            scored = [(keys[column], float(best[column])) for column in likely]
            found.append(sorted(scored, key=lambda each: (-each[1], each[0])))
    return found


class _Beginnings:
    """Banks cut names off, and payers add a branch: one name begins with the other."""

    def __init__(self, names: Sequence[_Name]) -> None:
        self._names = names
        self._columns: dict[str, set[int]] = {}
        for column, name in enumerate(names):
            for text in (name.key, name.reading):
                self._columns.setdefault(text[:_SHORTEST_TO_SHORTEN], set()).add(column)

    def shared(self, payer: _Name) -> Iterator[int]:
        starts = {text[:_SHORTEST_TO_SHORTEN] for text in (payer.key, payer.reading)}
        columns = {column for start in starts for column in self._columns.get(start, ())}
        for column in columns:
            name = self._names[column]
            if _begins(payer.key, name.key) or _begins(payer.reading, name.reading):
                yield column


def _begins(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST_TO_SHORTEN and long.startswith(short)
