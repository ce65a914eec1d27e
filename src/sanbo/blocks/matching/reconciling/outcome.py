"""The outputs of a reconciliation, once the matching is done."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.blocks.matching.reconciling.model import (
    Alike,
    Entry,
    Match,
    Open,
    amount_of,
    customer_key,
)
from sanbo.blocks.matching.reconciling.passes import Candidates
from sanbo.blocks.matching.reconciling.report import Report
from sanbo.kernel.messages import Language, tell

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


Row = dict[str, JsonValue]


def rows_of(
    invoices: Sequence[Entry],
    matches: Sequence[Match],
    matched: Sequence[Mapping[str, JsonValue]],
    unmatched: Sequence[Mapping[str, JsonValue]],
    language: Language,
) -> list[Row]:
    """In the order of the invoices; what was paid is shared out so that it adds up."""
    rows: dict[int, Row] = {}
    for match, told in zip(matches, matched, strict=True):
        for invoice, paid in zip(match.invoices, _shared(match), strict=True):
            rows[invoice.index] = _settled(invoice, paid, match, told, language)
    for told in unmatched:
        rows[int(str(told["row"])) - 1] = _open(told, language)
    return [rows[invoice.index] for invoice in invoices]


def _shared(match: Match) -> list[int]:
    """Each invoice its own amount; what is missing or too much goes to the last one."""
    amounts = [invoice.amount for invoice in match.invoices]
    return [*amounts[:-1], amounts[-1] + match.paid - match.owed]


def _settled(
    invoice: Entry, paid: int, match: Match, told: Mapping[str, JsonValue], language: Language
) -> Row:
    labels, kinds = told["labels"], told["kinds"]
    assert isinstance(labels, list)
    assert isinstance(kinds, list)
    differing = [str(label) for kind, label in zip(kinds, labels, strict=True) if kind != "exact"]
    is_exact = not differing
    days = [each.day.isoformat() for each in match.payments if each.day]
    return {
        "照合番号": told["match"],
        "請求書番号": invoice.id,
        "請求先": invoice.name,
        "支払期限": invoice.day.isoformat() if invoice.day else None,
        "請求金額": amount_of(invoice.amount),
        "判定": tell(
            "reconcile.verdict.exact" if is_exact else "reconcile.verdict.differs", language
        ),
        "入金日": max(days) if days else None,
        "入金額": amount_of(paid),
        "差額": amount_of(paid - invoice.amount),
        "振込名義": "、".join(dict.fromkeys(each.name for each in match.payments)),
        "入金番号": "、".join(each.id for each in match.payments),
        "差異": "、".join(differing),
        "説明": told["explanation"],
    }


def _open(told: Mapping[str, JsonValue], language: Language) -> Row:
    amount = told["amount"]
    known = isinstance(amount, int | float)
    return {
        "照合番号": None,
        "請求書番号": told["id"],
        "請求先": told["name"],
        "支払期限": told["date"],
        "請求金額": amount,
        "判定": tell("reconcile.verdict.open", language),
        "入金日": None,
        "入金額": 0,
        "差額": -amount if known else None,
        "振込名義": "",
        "入金番号": "",
        "差異": told["label"],
        "説明": told["explanation"],
    }


def difference_rows(differences: Sequence[Mapping[str, JsonValue]]) -> list[Row]:
    return [
        {
            "差異の種類": each["label"],
            "取引先・名義": each["name"],
            "請求書番号": _joined(each["invoices"]),
            "請求金額": each["invoice_amount"],
            "入金額": each["payment_amount"],
            "差額": each["difference"],
            "説明": each["explanation"],
        }
        for each in differences
    ]


def payment_rows(payments: Sequence[Mapping[str, JsonValue]]) -> list[Row]:
    return [
        {
            "取引日": each["date"],
            "振込名義": each["name"],
            "入金額": each["amount"],
            "区分": each["label"],
            "説明": each["explanation"],
        }
        for each in payments
    ]


def _joined(ids: JsonValue) -> str:
    return "、".join(map(str, ids)) if isinstance(ids, list) else ""
