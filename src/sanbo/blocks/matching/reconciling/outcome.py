"""The outputs of a reconciliation, once the matching is done."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.blocks.matching.reconciling.candidates import Candidates
from sanbo.blocks.matching.reconciling.companies import Alike, customer_key
from sanbo.blocks.matching.reconciling.model import Entry, Match, Open, amount_of
from sanbo.blocks.matching.reconciling.report import Report
from sanbo.blocks.matching.reconciling.rows import difference_rows, payment_rows, rows_of

_DAYS_BETWEEN_TWINS = 31
_MOST_CANDIDATES = 3


@dataclass(frozen=True)
class Sides:
    invoices: Sequence[Entry]
    payments: Sequence[Entry]
    ignored: Sequence[Entry]


def outputs_of(report: Report, sides: Sides, open_: Open, alike: Alike) -> dict[str, JsonValue]:
    matches = sorted(open_.matches, key=lambda each: min(entry.index for entry in each.invoices))
    matched = [report.match(match, number) for number, match in enumerate(matches, start=1)]
    settled = {entry.index for match in matches for entry in match.invoices}
    paid = {entry.index for match in matches for entry in match.payments}
    likely = _Likely(report, open_, alike, matches)
    unmatched_invoices = [
        report.invoice(each, likely.payments(each))
        for each in sides.invoices
        if each.index not in settled
    ]
    unmatched_payments = [
        report.payment(each, likely.twin(each), likely.invoices(each))
        for each in sides.payments
        if each.index not in paid
    ]
    rows = rows_of(sides.invoices, matches, matched, unmatched_invoices, report.language)
    return {
        "matched": list[JsonValue](matched),
        "unmatched_invoices": list[JsonValue](unmatched_invoices),
        "unmatched_payments": list[JsonValue](unmatched_payments),
        "ignored_payments": [
            {"row": each.index + 1, "source": dict(each.source)} for each in sides.ignored
        ],
        "differences": list[JsonValue](report.differences),
        "rows": list[JsonValue](rows),
        "difference_rows": list[JsonValue](difference_rows(report.differences)),
        "unmatched_payment_rows": list[JsonValue](payment_rows(unmatched_payments)),
        "summary": _summary(report, sides, matches, matched),
    }


class _Likely:
    """What a person would look at first for a row that found no partner."""

    def __init__(self, report: Report, open_: Open, alike: Alike, matches: Sequence[Match]) -> None:
        self._strong = report.rules.strong
        self._alike = alike
        self._left = Candidates(open_, alike, report.rules)
        self._payments = _by_amount(open_.payments.values())
        self._invoices = _by_amount(open_.invoices.values())
        self._paid: dict[int, list[tuple[Entry, Match]]] = {}
        for match in matches:
            for payment in match.payments:
                self._paid.setdefault(payment.amount, []).append((payment, match))

    def payments(self, invoice: Entry) -> list[Entry]:
        return self._payments.get(invoice.amount, [])[:_MOST_CANDIDATES]

    def invoices(self, payment: Entry) -> list[tuple[Entry, bool]]:
        """Open ones, and whether the amount is what speaks for it; else it is the name."""
        same = [(each, True) for each in self._invoices.get(payment.amount, [])]
        named = (
            (invoice, False)
            for invoices, _ in self._left.of_customer(payment, self._strong)
            for invoice in self._left.nearest(invoices, payment)
        )
        found = same[:_MOST_CANDIDATES]
        while len(found) < _MOST_CANDIDATES and (each := next(named, None)) is not None:
            found.append(each)
        return found

    def twin(self, payment: Entry) -> Match | None:
        """A match with the same payer and amount, within a month: paid twice, it seems."""
        customers = {
            key for key, score in self._alike.customers(payment.name) if score >= self._strong
        }
        for other, match in self._paid.get(payment.amount, ())[:50]:
            is_same = any(customer_key(each.name) in customers for each in match.invoices)
            if is_same and _are_near(payment, other):
                return match
        return None


def _are_near(one: Entry, other: Entry) -> bool:
    if one.day is None or other.day is None:
        return True
    return abs((one.day - other.day).days) <= _DAYS_BETWEEN_TWINS


def _by_amount(entries: Iterable[Entry]) -> dict[int, list[Entry]]:
    found: dict[int, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.amount, []).append(entry)
    return found


def _summary(
    report: Report,
    sides: Sides,
    matches: Sequence[Match],
    matched: Sequence[Mapping[str, JsonValue]],
) -> dict[str, JsonValue]:
    owed = sum(each.amount for each in sides.invoices)
    paid = sum(each.amount for each in sides.payments)
    settled = sum(match.owed for match in matches)
    received = sum(match.paid for match in matches)
    exact = sum(told["kinds"] == ["exact"] for told in matched)
    kinds = Counter(str(each["kind"]) for each in report.differences)
    return {
        "invoices": len(sides.invoices),
        "payments": len(sides.payments),
        "ignored_payments": len(sides.ignored),
        "matches": len(matched),
        "exact": exact,
        "with_differences": len(matched) - exact,
        "matched_invoices": sum(len(match.invoices) for match in matches),
        "matched_payments": sum(len(match.payments) for match in matches),
        "unmatched_invoices": len(sides.invoices) - sum(len(match.invoices) for match in matches),
        "unmatched_payments": len(sides.payments) - sum(len(match.payments) for match in matches),
        "differences": len(report.differences),
        "kinds": dict[str, JsonValue](kinds),
        "labels": dict[str, JsonValue](Counter(str(each["label"]) for each in report.differences)),
        "invoice_amount": amount_of(owed),
        "payment_amount": amount_of(paid),
        "matched_invoice_amount": amount_of(settled),
        "matched_payment_amount": amount_of(received),
        "unmatched_invoice_amount": amount_of(owed - settled),
        "unmatched_payment_amount": amount_of(paid - received),
        "as_of": report.as_of.isoformat() if report.as_of else None,
    }
