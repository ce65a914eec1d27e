"""From the surest matches to the least sure: each pass takes what the ones before have left.

Open invoices stand by customer and amount, so that a payment finds its likely ones at once. Within
a pass pairs are chosen together, for the best whole; sets of several rows one by one, the earliest
first.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain

import numpy as np

from sanbo.blocks.matching.pairing import best_pairs
from sanbo.blocks.matching.reconciling.model import (
    Alike,
    Entry,
    Kind,
    Match,
    Open,
    Rules,
    customer_key,
)

# ---- open invoices -------------------------------------------------------------------------------


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


# ---- the passes ----------------------------------------------------------------------------------


# With fees to guess as well, large sets would add up by chance.
_LARGEST_WITH_FEES = 3
_MOST_PARTIAL = 0.5
_MOST_SEARCHES = 5_000
# One pair more is worth more than any difference of scores.
_A_PAIR = 10_000.0


class Passes:
    def __init__(self, open_: Open, alike: Alike, rules: Rules) -> None:
        self._open = open_
        self._rules = rules
        self._candidates = Candidates(open_, alike, rules)
        self._alike = alike
        self._searches = 0

    @property
    def is_limited(self) -> bool:
        """Whether sets of rows were left unsearched, so as to come to an end."""
        return (
            self._searches >= _MOST_SEARCHES
            or self._alike.is_limited
            or self._candidates.is_exhausted
        )

    def run(self) -> None:
        rules = self._rules
        self._pairs("exact", rules.strong, self._equal)
        self._whole_groups()
        self._pairs("fee_deducted", rules.strong, self._less_fee)
        self._combined(with_fees=False)
        self._split(with_fees=False)
        self._combined(with_fees=True)
        self._split(with_fees=True)
        self._pairs("exact", rules.weak, self._equal)
        self._nameless()
        self._pairs("short_paid", rules.strong, self._partial)

    # One payment, one invoice

    def _pairs(
        self,
        basis: Kind,
        score: float,
        likely: Callable[[Entry, float], Iterable[tuple[Entry, float]]],
    ) -> None:
        self._candidates.refresh()
        pairs: list[tuple[Entry, Entry, float]] = sorted(
            (
                (invoice, payment, alike)
                for payment in self._open.payments.values()
                for invoice, alike in likely(payment, score)
            ),
            key=lambda pair: (pair[0].index, pair[1].index),
        )
        chosen: list[int] = best_pairs(
            np.array([invoice.index for invoice, _, _ in pairs], np.int64),
            np.array([payment.index for _, payment, _ in pairs], np.int64),
            np.array([_A_PAIR + self._worth(*pair) for pair in pairs]),
        ).tolist()
        for invoice, payment, alike in (pairs[place] for place in sorted(chosen)):
            self._open.settle(
                Match((invoice,), (payment,), self._basis(basis, invoice, payment), alike)
            )

    def _basis(self, basis: Kind, invoice: Entry, payment: Entry) -> Kind:
        if basis == "short_paid" and payment.amount > invoice.amount:
            return "over_paid"
        if basis == "exact" and payment.amount != invoice.amount:
            return "within_tolerance"
        return basis

    def _worth(self, invoice: Entry, payment: Entry, alike: float) -> float:
        days = min(self._rules.distance(invoice, payment), 400) / 10
        missing = abs(invoice.amount - payment.amount) / max(1, abs(invoice.amount))
        named = 100 if invoice in self._candidates.named_in(payment) else 0
        return alike + named - days - 100 * min(1.0, missing)

    def _equal(self, payment: Entry, score: float) -> Iterable[tuple[Entry, float]]:
        least, most = payment.amount - self._rules.tolerance, payment.amount + self._rules.tolerance
        return self._candidates.with_amount(payment, least, most, score)

    def _less_fee(self, payment: Entry, score: float) -> Iterator[tuple[Entry, float]]:
        if self._rules.fees is None:
            return
        least, most = (payment.amount + fee for fee in self._rules.fees)
        for invoice, alike in self._candidates.with_amount(payment, least, most, score):
            if self._rules.is_fee(invoice.amount, payment.amount):
                yield invoice, alike

    def _partial(self, payment: Entry, score: float) -> Iterator[tuple[Entry, float]]:
        least, most = int(payment.amount / (1 + _MOST_PARTIAL)), int(payment.amount / _MOST_PARTIAL)
        if payment.amount > 0:
            yield from self._candidates.with_amount(payment, least, most, score)

    def _nameless(self) -> None:
        """Where a side has no name, an amount that only one row of each side has."""
        invoices = _by_amount(self._open.invoices.values())
        payments = _by_amount(self._open.payments.values())
        for amount, paid in payments.items():
            owed = invoices.get(amount, [])
            if len(paid) != 1 or len(owed) != 1 or (paid[0].name and owed[0].name):
                continue
            if self._rules.in_window(owed[0], paid[0]):
                self._open.settle(Match((owed[0],), (paid[0],), "exact", 0.0))

    # One payment, several invoices

    def _whole_groups(self) -> None:
        """All open invoices of a customer that are due on one day, in one month, or at all."""
        self._candidates.refresh()
        for payment in self._earliest(self._open.payments.values()):
            named = self._candidates.named_in(payment)
            likely = self._candidates.of_customer(payment, self._rules.strong)
            for invoices, alike in chain([(named, 100.0)], likely):
                found = next(self._adding_up(payment, invoices), None)
                if found is not None:
                    self._open.settle(Match(tuple(found), (payment,), "combined_payment", alike))
                    break

    def _adding_up(self, payment: Entry, invoices: Sequence[Entry]) -> Iterator[list[Entry]]:
        groups = [group for group in _natural(invoices) if len(group) > 1]
        sums = [sum(invoice.amount for invoice in group) for group in groups]
        equal = (self._rules.is_equal(total, payment.amount) for total in sums)
        less = (self._rules.is_fee(total, payment.amount) for total in sums)
        for group, fits in chain(zip(groups, equal, strict=True), zip(groups, less, strict=True)):
            if fits:
                yield group

    def _combined(self, *, with_fees: bool) -> None:
        self._candidates.refresh()
        for payment in self._earliest(self._open.payments.values()):
            for invoices, alike in self._candidates.of_customer(payment, self._rules.strong):
                pool = self._candidates.nearest(invoices, payment)[:MOST_AMOUNTS]
                found = self._search(pool, payment.amount, with_fees=with_fees, owed_is_sum=True)
                if found is not None:
                    members, others = found
                    match = Match(members, (payment,), "combined_payment", alike, others)
                    self._open.settle(match)
                    break

    # Several payments, one invoice

    def _split(self, *, with_fees: bool) -> None:
        self._candidates.refresh()
        by_customer = self._payments_by_invoice()
        for invoice in self._earliest(self._open.invoices.values()):
            every = by_customer.get(invoice.index, [])
            pool = [
                (payment, alike) for payment, alike in every if payment.index in self._open.payments
            ]
            pool.sort(key=lambda each: (self._rules.distance(invoice, each[0]), each[0].index))
            payments = [payment for payment, _ in pool][:MOST_AMOUNTS]
            found = self._search(payments, invoice.amount, with_fees=with_fees, owed_is_sum=False)
            if found is not None:
                members, others = found
                alike = min(score for payment, score in pool if payment in members)
                self._open.settle(Match((invoice,), members, "split_payment", alike, others))

    def _payments_by_invoice(self) -> dict[int, list[tuple[Entry, float]]]:
        """Only of customers with few open rows: others have too many sets that add up."""
        found: dict[int, list[tuple[Entry, float]]] = {}
        for payment in self._open.payments.values():
            for invoices, alike in self._candidates.of_customer(payment, self._rules.strong):
                for invoice in self._candidates.nearest(invoices, payment)[:MOST_AMOUNTS]:
                    if payment.amount < invoice.amount:
                        found.setdefault(invoice.index, []).append((payment, alike))
        return found

    def _search(
        self, pool: Sequence[Entry], amount: int, *, with_fees: bool, owed_is_sum: bool
    ) -> tuple[tuple[Entry, ...], int] | None:
        """Rows that add up to the amount, or miss it by a fee: their owner keeps it back."""
        if len(pool) < 2 or self._searches >= _MOST_SEARCHES:
            return None
        self._searches += 1
        amounts = [each.amount for each in pool]
        largest = self._rules.largest_group
        least, most = amount - self._rules.tolerance, amount + self._rules.tolerance
        if with_fees:
            if self._rules.fees is None:
                return None
            largest = min(largest, _LARGEST_WITH_FEES)
            low, high = self._rules.fees
            least, most = (
                (amount + low, amount + high)
                if owed_is_sum
                else (amount - high * largest, amount - low)
            )
        found = adding_up(amounts, least, most, largest)
        if found is None or (with_fees and (found.others or amount <= 0)):
            return None
        members = tuple(pool[position] for position in found.members)
        if with_fees and not owed_is_sum:
            paid = sum(each.amount for each in members)
            if not self._rules.is_fee(amount, paid, len(members)):
                return None
        return tuple(sorted(members, key=lambda each: each.index)), found.others

    def _earliest(self, entries: Iterable[Entry]) -> list[Entry]:
        return sorted(entries, key=lambda each: (each.day or each.issued or date.max, each.index))


def _natural(invoices: Sequence[Entry]) -> Iterator[list[Entry]]:
    """As customers pay: what is due on one day, what is due in one month, everything."""
    by_day: dict[object, list[Entry]] = {}
    by_month: dict[object, list[Entry]] = {}
    for invoice in sorted(invoices, key=lambda each: each.index):
        if invoice.day is not None:
            by_day.setdefault(invoice.day, []).append(invoice)
            by_month.setdefault((invoice.day.year, invoice.day.month), []).append(invoice)
    yield from by_day.values()
    yield from by_month.values()
    yield sorted(invoices, key=lambda each: each.index)


def _by_amount(entries: Iterable[Entry]) -> dict[int, list[Entry]]:
    found: dict[int, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.amount, []).append(entry)
    return found


MOST_AMOUNTS = 20
"""Halves of so many have a thousand sums each: every set is looked at, in a millisecond."""
_MOST_HITS = 500


@dataclass(frozen=True)
class Found:
    members: tuple[int, ...]
    """Positions in the list of amounts."""
    others: int
    """How many other sets would do as well."""


_Sum = tuple[int, int, int]
"""A total, how many amounts are in it, and which, as the bits of a number: plain, since there are
millions of them."""


def adding_up(amounts: Sequence[int], least: int, most: int, largest: int) -> Found | None:
    """The set of two or more with its sum between the two: the fewest, then the first ones.

    Of more than `MOST_AMOUNTS` only the first are looked at: the caller brings the nearest first.
    """
    looked_at = amounts[:MOST_AMOUNTS]
    middle = len(looked_at) // 2
    left = _sums(looked_at, range(middle), largest)
    right = sorted(_sums(looked_at, range(middle, len(looked_at)), largest))
    totals = [total for total, _, _ in right]
    best: tuple[int, tuple[int, ...]] | None = None
    hits = 0
    for total, count, bits in left:
        first = bisect_left(totals, least - total)
        last = bisect_right(totals, most - total, first)
        for _, more, other_bits in right[first:last]:
            size = count + more
            if not 2 <= size <= largest or (best is not None and size > best[0]):
                continue
            rank = size, _members(bits | other_bits)
            hits = hits + 1 if best is not None and best[0] == size else 1
            best = rank if best is None else min(best, rank)
            if hits >= _MOST_HITS:
                return Found(best[1], hits - 1)
    return None if best is None else Found(best[1], hits - 1)


def _sums(amounts: Sequence[int], positions: range, largest: int) -> list[_Sum]:
    sums: list[_Sum] = [(0, 0, 0)]
    for position in positions:
        amount, bit = amounts[position], 1 << position
        sums += [
            (total + amount, count + 1, bits | bit)
            for total, count, bits in sums
            if count < largest
        ]
    return sums


def _members(bits: int) -> tuple[int, ...]:
    return tuple(position for position in range(MOST_AMOUNTS) if bits >> position & 1)
