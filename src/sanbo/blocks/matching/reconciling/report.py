"""What a person reads of a reconciliation: every difference with its reason, a row an invoice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from pydantic import JsonValue

from sanbo.blocks.matching.reconciling.model import Entry, Kind, Match, Rules, amount_of
from sanbo.kernel.messages import Language, tell

_SATURDAY = 5
_SURENESS: Mapping[Kind, float] = {
    "exact": 1.0,
    "within_tolerance": 0.95,
    "fee_deducted": 0.9,
    "combined_payment": 0.85,
    "split_payment": 0.85,
    "short_paid": 0.6,
    "over_paid": 0.6,
}


@dataclass(frozen=True)
class Told:
    """A match or an open row, with the kinds of what differs and a text for each."""

    kinds: tuple[Kind, ...]
    texts: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.texts)


@dataclass
class Report:
    rules: Rules
    language: Language
    as_of: date | None
    differences: list[dict[str, JsonValue]] = field(default_factory=list[dict[str, JsonValue]])

    # Matches

    def match(self, match: Match, number: int) -> dict[str, JsonValue]:
        told = self.told(match)
        kinds = list[JsonValue](told.kinds)
        for kind, text in zip(told.kinds, told.texts, strict=True):
            if kind != "exact":
                self._differ(kind, text, match.invoices, match.payments, f"M{number}")
        return {
            "match": f"M{number}",
            "kinds": kinds,
            "labels": [self.label(kind) for kind in told.kinds],
            "invoices": [self._entry(each) for each in match.invoices],
            "payments": [self._entry(each) for each in match.payments],
            "invoice_amount": amount_of(match.owed),
            "payment_amount": amount_of(match.paid),
            "difference": amount_of(match.paid - match.owed),
            "name_score": round(match.name_score, 1),
            "confidence": self._confidence(match),
            "explanation": told.text,
        }

    def told(self, match: Match) -> Told:
        """The kinds in the order in which a person asks: amount, sets, days, names."""
        found: list[tuple[Kind, str]] = []
        owed, paid = match.owed, match.paid
        if len(match.invoices) > 1 or len(match.payments) > 1:
            found.append(self._set(match))
        if paid == owed:
            if not found:
                found.append(("exact", self._say("exact", amount=_shown(owed))))
        else:
            found.append(self._amount(match, owed, paid))
        if (late := self._late(match)) is not None:
            found.append(late)
        if match.name_score < 100:
            found.append(self._name(match))
        if match.alternatives:
            text = self._say("several_ways", count=match.alternatives + 1)
            found.append(("several_ways", text))
        return Told(tuple(kind for kind, _ in found), tuple(text for _, text in found))

    def _set(self, match: Match) -> tuple[Kind, str]:
        if len(match.invoices) > 1:
            ids = "、".join(each.id for each in match.invoices)
            text = self._say("combined_payment", count=len(match.invoices), ids=ids)
            return "combined_payment", text
        days = "、".join(each.day.isoformat() if each.day else "–" for each in match.payments)
        return "split_payment", self._say("split_payment", count=len(match.payments), days=days)

    def _amount(self, match: Match, owed: int, paid: int) -> tuple[Kind, str]:
        difference = _shown(abs(paid - owed))
        if self.rules.is_equal(owed, paid):
            return "within_tolerance", self._say("within_tolerance", difference=difference)
        if self.rules.is_fee(owed, paid, len(match.payments)):
            return "fee_deducted", self._say("fee_deducted", difference=difference)
        kind: Kind = "short_paid" if paid < owed else "over_paid"
        return kind, self._say(kind, difference=difference, owed=_shown(owed), paid=_shown(paid))

    def _late(self, match: Match) -> tuple[Kind, str] | None:
        due = min((each.day for each in match.invoices if each.day), default=None)
        last = max((each.day for each in match.payments if each.day), default=None)
        if due is None or last is None:
            return None
        if last <= _payable_until(due) + timedelta(days=self.rules.grace_days):
            return None
        days = (last - due).days
        return "late", self._say("late", due=due.isoformat(), paid=last.isoformat(), days=days)

    def _name(self, match: Match) -> tuple[Kind, str]:
        customer, payer = match.invoices[0].name, match.payments[0].name
        kind = "name_missing" if not (customer and payer) else "name_differs"
        text = self._say(kind, customer=customer or "–", payer=payer or "–")
        return "name_differs", text

    def _confidence(self, match: Match) -> float:
        sure = _SURENESS[match.basis] * (0.5 + match.name_score / 200)
        return round(sure / (1 + match.alternatives / 4), 3)

    # What is left

    def invoice(self, invoice: Entry, payments: Sequence[Entry]) -> dict[str, JsonValue]:
        kind, text = self._open_invoice(invoice)
        self._differ(kind, text, (invoice,), (), None)
        return self._left(invoice, kind, text, payments)

    def _open_invoice(self, invoice: Entry) -> tuple[Kind, str]:
        if not invoice.is_readable or not invoice.amount:
            return "amount_unreadable", self._say("amount_unreadable")
        if invoice.day is not None and self.as_of is not None:
            if invoice.day > self.as_of:
                due = invoice.day.isoformat()
                return "not_due", self._say("not_due", due=due, day=self.as_of.isoformat())
            days = (self.as_of - invoice.day).days
            due, day = invoice.day.isoformat(), self.as_of.isoformat()
            return "missing_payment", self._say("missing_payment", due=due, day=day, days=days)
        return "missing_payment", self._say("missing_payment_undated")

    def payment(
        self, payment: Entry, twin: Match | None, invoices: Sequence[tuple[Entry, bool]]
    ) -> dict[str, JsonValue]:
        """`invoices`: open ones that may be meant, and whether the amount is what speaks for it."""
        if not payment.is_readable:
            kind, text = _told("amount_unreadable", self._say("amount_unreadable"))
        elif twin is not None:
            ids = "、".join(each.id for each in twin.invoices)
            kind, text = _told("duplicate_payment", self._say("duplicate_payment", ids=ids))
        elif invoices:
            nearest, by_amount = invoices[0]
            say = "same_amount_other_name" if by_amount else "same_name_other_amount"
            text = self._say(say, id=nearest.id, name=nearest.name, amount=_shown(nearest.amount))
            kind, text = _told(say, text)
        else:
            kind, text = _told("unknown_payment", self._say("unknown_payment"))
        self._differ(kind, text, (), (payment,), None)
        return self._left(payment, kind, text, [entry for entry, _ in invoices])

    def _left(
        self, entry: Entry, kind: Kind, text: str, candidates: Sequence[Entry]
    ) -> dict[str, JsonValue]:
        return {
            **self._entry(entry),
            "kind": kind,
            "label": self.label(kind),
            "explanation": text,
            "candidates": [self._entry(each) for each in candidates],
            "source": dict(entry.source),
        }

    # Texts

    def label(self, kind: Kind) -> str:
        return tell(f"reconcile.label.{kind}", self.language)

    def _say(self, kind: str, **params: object) -> str:
        return tell(f"reconcile.explain.{kind}", self.language, **params)

    def _differ(
        self,
        kind: Kind,
        text: str,
        invoices: Sequence[Entry],
        payments: Sequence[Entry],
        match: str | None,
    ) -> None:
        owed = sum(each.amount for each in invoices)
        paid = sum(each.amount for each in payments)
        named = invoices[0] if invoices else payments[0]
        self.differences.append(
            {
                "kind": kind,
                "label": self.label(kind),
                "match": match,
                "invoices": [each.id for each in invoices],
                "payments": [each.id for each in payments],
                "name": named.name,
                "invoice_amount": amount_of(owed) if invoices else None,
                "payment_amount": amount_of(paid) if payments else None,
                "difference": amount_of(paid - owed),
                "explanation": text,
            }
        )

    def _entry(self, entry: Entry) -> dict[str, JsonValue]:
        return {
            "row": entry.index + 1,
            "id": entry.id,
            "name": entry.name,
            "amount": amount_of(entry.amount) if entry.is_readable else None,
            "date": entry.day.isoformat() if entry.day else None,
        }


def _told(kind: Kind, text: str) -> tuple[Kind, str]:
    return kind, text


def _payable_until(due: date) -> date:
    """A due date on a weekend is met on the Monday after it."""
    weekday = due.weekday()
    return due + timedelta(days=7 - weekday) if weekday >= _SATURDAY else due


def _shown(units: int) -> str:
    return f"{amount_of(units):,}"
