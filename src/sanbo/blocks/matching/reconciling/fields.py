"""Which column holds the amount, the day, the name: named in the plan, or told by its heading."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.blocks.excel.records import field_of
from sanbo.blocks.matching.reconciling.headings import HEADINGS, OTHERS
from sanbo.blocks.matching.reconciling.model import Entry, hundredths
from sanbo.blocks.transforms.written import as_day, as_number, is_blank, text_of
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form

Rows = Sequence[Mapping[str, JsonValue]]

INVOICE_FIELDS = ("amount", "date", "issued", "name", "id")
PAYMENT_FIELDS = ("amount", "date", "name", "id", "memo")

_TOTALS = frozenset(
    {"合計", "計", "小計", "総計", "総合計", "前月繰越", "次月繰越", "繰越", "total"}
)
_NOT_A_NAME = re.compile(r"^(?:お?振込(?:入金)?|フリコミ|振替|入金|ネット振込)[\s*＊・:：]*(?=\S)")
_BRACKETS = re.compile(r"[(（\[［【][^)）\]］】\n]{0,200}[)）\]］】]")


@dataclass(frozen=True)
class Fields:
    amount: str
    date: str = ""
    issued: str = ""
    name: str = ""
    id: str = ""
    memo: str = ""

    def told(self) -> dict[str, JsonValue]:
        return {name: heading for name, heading in vars(self).items() if heading}


def fields_of(rows: Rows, port: str, given: Mapping[str, JsonValue]) -> Fields:
    known = INVOICE_FIELDS if port == "invoices" else PAYMENT_FIELDS
    for key in given:
        if key not in known:
            raise InvalidInput(
                "reconcile_field_unknown",
                port=port,
                field=key,
                nearest=alternatives(key, list(known)),
            )
    headings = list(dict.fromkeys(name for row in rows for name in row))
    found: dict[str, str] = {}
    for field in known:
        written = given.get(field)
        if isinstance(written, str) and written:
            _check_named(rows, port, field, written, headings)
            found[field] = written
        else:
            found[field] = _guessed(port, field, headings)
    if rows and not found["amount"]:
        raise InvalidInput(
            "reconcile_amount_missing", port=port, headings="、".join(headings[:20]) or "–"
        )
    return Fields(**found)


def _check_named(rows: Rows, port: str, field: str, written: str, headings: Sequence[str]) -> None:
    if rows and all(field_of(row, written) is None for row in rows):
        raise InvalidInput(
            "reconcile_heading_missing",
            port=port,
            field=field,
            heading=written,
            nearest=alternatives(written, headings),
        )


def _guessed(port: str, field: str, headings: Sequence[str]) -> str:
    """The heading that is one of the words; else one that holds it, the first word first."""
    forms = [(_form(heading), heading) for heading in headings]
    if field == "amount":
        others = OTHERS[port]
        forms = [each for each in forms if not any(other in each[0] for other in others)]
    words = [_form(word) for word in HEADINGS[port].get(field, "").split()]
    for word in words:
        for form, heading in forms:
            if form == word:
                return heading
    for word in words:
        for form, heading in forms:
            if len(word) > 2 and word in form:
                return heading
    return ""


def _form(heading: str) -> str:
    return "".join(_BRACKETS.sub("", matching_form(heading)).split())


def invoices_of(rows: Rows, fields: Fields) -> list[Entry]:
    """Every row is one; where the amount can't be read, that is what is told of it."""
    return [_entry(row, index, fields, "I") for index, row in enumerate(rows)]


def payments_of(rows: Rows, fields: Fields) -> tuple[list[Entry], list[Entry]]:
    """Payments, and rows that are none: money that went out, totals, empty lines."""
    payments: list[Entry] = []
    others: list[Entry] = []
    for index, row in enumerate(rows):
        entry = _entry(row, index, fields, "P")
        is_other = is_blank(field_of(row, fields.amount)) or (
            entry.is_readable and not entry.amount
        )
        (others if is_other or _is_total(row, entry) else payments).append(entry)
    return payments, others


def _is_total(row: Mapping[str, JsonValue], entry: Entry) -> bool:
    words = {"".join(text_of(value).split()) for value in row.values() if isinstance(value, str)}
    return entry.day is None and bool(words & _TOTALS)


def _entry(row: Mapping[str, JsonValue], index: int, fields: Fields, letter: str) -> Entry:
    written = field_of(row, fields.amount)
    number = as_number(written)
    name = text_of(_read(row, fields.name)).strip()
    return Entry(
        index=index,
        id=text_of(_read(row, fields.id)).strip() or f"{letter}{index + 1}",
        name=_NOT_A_NAME.sub("", name),
        amount=0 if number is None else hundredths(number),
        day=as_day(_read(row, fields.date)),
        issued=as_day(_read(row, fields.issued)),
        memo=text_of(_read(row, fields.memo)),
        source=row,
        is_readable=number is not None,
    )


def _read(row: Mapping[str, JsonValue], field: str) -> JsonValue:
    return field_of(row, field) if field else None
