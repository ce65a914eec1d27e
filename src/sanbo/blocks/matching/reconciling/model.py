"""Invoices, payments, and what is found between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal

from pydantic import JsonValue

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
