"""The best way to give payments to invoices, where each takes one at most."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

# Larger tangles are settled best pair first: a table of all their pairs would not fit.
_MOST_CELLS = 250_000
# One pair more is worth more than any difference of scores.
_A_PAIR = 10_000.0


@dataclass(frozen=True)
class Pair:
    invoice: int
    payment: int
    score: float


def best_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """As many pairs as can be, with the highest scores; ties go to the first rows."""
    chosen: list[Pair] = []
    for tangle in _tangles(pairs):
        chosen.extend(_best_of(tangle))
    return sorted(chosen, key=lambda pair: (pair.invoice, pair.payment))


def _best_of(pairs: Sequence[Pair]) -> Iterable[Pair]:
    if len(pairs) == 1:
        return pairs
    invoices = sorted({pair.invoice for pair in pairs})
    payments = sorted({pair.payment for pair in pairs})
    if len(invoices) * len(payments) > _MOST_CELLS:
        return _greedy(pairs)
    row = {invoice: at for at, invoice in enumerate(invoices)}
    column = {payment: at for at, payment in enumerate(payments)}
    worth = np.zeros((len(invoices), len(payments)))
    by_cell: dict[tuple[int, int], Pair] = {}
    for pair in pairs:
        at = row[pair.invoice], column[pair.payment]
        if at not in by_cell or pair.score > by_cell[at].score:
            by_cell[at] = pair
            worth[at] = _A_PAIR + pair.score
    # Half a second to load, which a plan that is only looked at need not wait for.
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

    rows, columns = linear_sum_assignment(worth, maximize=True)
    cells = zip(rows.tolist(), columns.tolist(), strict=True)
    return [by_cell[at] for at in cells if at in by_cell]


def _greedy(pairs: Sequence[Pair]) -> Iterator[Pair]:
    invoices: set[int] = set()
    payments: set[int] = set()
    for pair in sorted(pairs, key=lambda pair: (-pair.score, pair.invoice, pair.payment)):
        if pair.invoice not in invoices and pair.payment not in payments:
            invoices.add(pair.invoice)
            payments.add(pair.payment)
            yield pair


def _tangles(pairs: Sequence[Pair]) -> Iterable[list[Pair]]:
    """Pairs that compete with each other, directly or through others."""
    parent: dict[tuple[str, int], tuple[str, int]] = {}

    def root(node: tuple[str, int]) -> tuple[str, int]:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for pair in pairs:
        parent[root(("i", pair.invoice))] = root(("p", pair.payment))
    tangles: dict[tuple[str, int], list[Pair]] = {}
    for pair in pairs:
        tangles.setdefault(root(("i", pair.invoice)), []).append(pair)
    return tangles.values()
