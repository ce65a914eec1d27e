"""Open invoices by customer and amount, so that a payment finds its likely ones at once."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from sanbo.blocks.matching.reconciling.companies import Alike, customer_key
from sanbo.blocks.matching.reconciling.model import Entry, Open, Rules

# Of invoices of one customer over one amount, so many nearest days are looked at.
_MOST_ALIKE = 32
_MOST_NEAR = 500
_CERTAIN = 99.5
_SHORTEST_NUMBER = 4
# Invoices looked at for sets, for all payments together: what keeps thousands of open rows of one
# customer from taking hours.
_MOST_LOOKED_AT = 5_000_000
_NUMBER = re.compile(r"[0-9A-Z](?:[0-9A-Z]|[-_/](?=[0-9A-Z])){3,39}", re.ASCII)
_BETWEEN = re.compile(r"[-_/\s]")


class Candidates:
    def __init__(self, open_: Open, alike: Alike, rules: Rules) -> None:
        self._open = open_
        self._alike = alike
        self._rules = rules
        self._by_customer: dict[str, list[tuple[int, int, int]]] = {}
        self._by_number: dict[str, list[int]] = {}
        self._numbers: dict[int, tuple[int, ...]] = {}
        self._looked_at = 0
        for invoice in open_.invoices.values():
            number = _plain(invoice.id)
            if len(number) >= _SHORTEST_NUMBER and any(letter.isdigit() for letter in number):
                self._by_number.setdefault(number, []).append(invoice.index)
        self.refresh()

    def refresh(self) -> None:
        """Without what has been settled since."""
        self._by_customer = {}
        for invoice in self._open.invoices.values():
            entry = (invoice.amount, _ordinal(invoice), invoice.index)
            self._by_customer.setdefault(customer_key(invoice.name), []).append(entry)
        for entries in self._by_customer.values():
            entries.sort()

    def with_amount(
        self, payment: Entry, least: int, most: int, score: float
    ) -> Iterator[tuple[Entry, float]]:
        """Open invoices over an amount between the two, in the window, and how alike the names."""
        named = self.named_in(payment)
        for invoice in named:
            if least <= invoice.amount <= most and self._rules.in_window(invoice, payment):
                yield invoice, 100.0
        seen = {invoice.index for invoice in named}
        for key, alike in self._alike.customers(payment.name):
            if alike < score:
                break
            fitting = [
                invoice
                for index in self._near(self._by_customer.get(key, []), least, most, payment)
                if (invoice := self._open.invoices.get(index)) is not None
                and index not in seen
                and self._rules.in_window(invoice, payment)
            ]
            for invoice in self.nearest(fitting, payment)[:_MOST_ALIKE]:
                yield invoice, alike
            if fitting and alike >= _CERTAIN:
                return  # whoever has the very name needs no comparison with others

    def _near(
        self, entries: Sequence[tuple[int, int, int]], least: int, most: int, payment: Entry
    ) -> list[int]:
        """Of many over one amount those about the payment's day, else those nearest in amount."""
        start = bisect_left(entries, (least,))
        end = bisect_left(entries, (most + 1,))
        if end - start > 2 * _MOST_ALIKE and entries[start][0] == entries[end - 1][0]:
            middle = bisect_left(entries, (entries[start][0], _ordinal(payment)), start, end)
            start, end = max(start, middle - _MOST_ALIKE), min(end, middle + _MOST_ALIKE)
        return [index for _, _, index in entries[start : min(end, start + _MOST_NEAR)]]

    def of_customer(self, payment: Entry, score: float) -> Iterator[tuple[list[Entry], float]]:
        """Open invoices in the window, customer by customer, the most alike first."""
        for key, alike in self._alike.customers(payment.name):
            if alike < score:
                break
            indexes = [index for _, _, index in self._by_customer.get(key, [])]
            self._looked_at += len(indexes)
            if self.is_exhausted:
                return
            invoices = [
                self._open.invoices[each] for each in indexes if each in self._open.invoices
            ]
            fitting = [each for each in invoices if self._rules.in_window(each, payment)]
            if fitting:
                yield fitting, alike

    def nearest(self, invoices: Sequence[Entry], payment: Entry) -> list[Entry]:
        return sorted(invoices, key=lambda each: (self._rules.distance(each, payment), each.index))

    def named_in(self, payment: Entry) -> list[Entry]:
        """Open invoices whose number the payer wrote."""
        if payment.index not in self._numbers:
            written = unicodedata.normalize("NFKC", f"{payment.name} {payment.memo}").upper()
            numbers = {_plain(found) for found in _NUMBER.findall(written)}
            found = {index for number in numbers for index in self._by_number.get(number, ())}
            self._numbers[payment.index] = tuple(sorted(found))
        indexes = self._numbers[payment.index]
        return [self._open.invoices[each] for each in indexes if each in self._open.invoices]

    @property
    def is_exhausted(self) -> bool:
        return self._looked_at > _MOST_LOOKED_AT


def _ordinal(entry: Entry) -> int:
    return entry.day.toordinal() if entry.day else 0


def _plain(number: str) -> str:
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", number).upper())
