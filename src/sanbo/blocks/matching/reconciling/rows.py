"""Flat rows with Japanese headings, ready for a form or a workbook."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sanbo.blocks.matching.reconciling.model import Entry, Match, amount_of
from sanbo.kernel.messages import Language, tell

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
