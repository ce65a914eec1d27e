"""`matching.reconcile`: invoices and payments brought together, and every difference explained.
Which column holds the amount, the day, the name is named in the plan, or told by its heading.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import JsonValue

from sanbo.blocks.block import BlockContext, Given, PureBlock
from sanbo.blocks.excel.records import field_of, has_field
from sanbo.blocks.matching.reconciling.model import Entry, Open, Rules, alike_companies, hundredths
from sanbo.blocks.matching.reconciling.outcome import Sides, outputs_of
from sanbo.blocks.matching.reconciling.passes import Passes
from sanbo.blocks.matching.reconciling.report import Report
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.tables.values import as_day, as_number, is_blank, text_of

# ---- which column holds what ---------------------------------------------------------------------


HEADINGS: Mapping[str, Mapping[str, str]] = {
    "invoices": {
        "amount": """
            請求金額 ご請求金額 御請求金額 請求額 ご請求額 御請求額 今回請求額 税込請求額 税込金額
            税込合計 合計金額 請求合計 合計 総額 売掛金額 金額 invoice_amount amount total
        """,
        "date": """
            支払期限 お支払期限 支払期日 お支払期日 支払予定日 入金予定日 入金期日 期限 期日
            due_date duedate due
        """,
        "issued": "請求日 発行日 請求書発行日 請求年月日 invoice_date issued date 日付",
        "name": """
            請求先 請求先名 請求先会社名 取引先 取引先名 得意先 得意先名 顧客 顧客名 宛先 宛名
            会社名 社名 名称 customer customer_name bill_to company name
        """,
        "id": """
            請求書番号 請求番号 請求書no 請求書no. 請求no 伝票番号 管理番号
            invoice_no invoice_number invoice_id invoice no no. 番号 id
        """,
    },
    "payments": {
        "amount": """
            入金額 入金金額 お預り金額 お預かり金額 お預入金額 お預入額 預入金額 預り金額 ご入金額
            預入 入金 振込金額 受入金額 deposit payment_amount amount 金額
        """,
        "date": """
            入金日 取引日 お取引日 取扱日 振込日 勘定日 起算日 年月日 日付 操作日
            payment_date transaction_date date
        """,
        "name": """
            振込依頼人 振込依頼人名 振込人 振込名義 振込名義人 依頼人 依頼人名 入金者 支払人
            相手先 取引先 取引先名 摘要 お取引内容 取引内容 内容 payer name description
        """,
        "id": """
            入金番号 取引番号 明細番号 照会番号 整理番号 payment_id transaction_id id no no. 番号
        """,
        "memo": "備考 メモ 摘要 edi情報 通信欄 取引内容 memo note reference",
    },
}
# A heading that holds one of these is another amount, though it also says 金額.
OTHERS: Mapping[str, tuple[str, ...]] = {
    "invoices": ("入金", "残高", "消費税", "税抜", "単価", "手数料"),
    "payments": ("支払", "出金", "引出", "払出", "残高", "手数料", "withdrawal", "balance"),
}


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
            f"reconcile_amount_missing.{port}", headings="、".join(headings[:20]) or "–"
        )
    return Fields(**found)


def _check_named(rows: Rows, port: str, field: str, written: str, headings: Sequence[str]) -> None:
    if rows and not any(has_field(row, written) for row in rows):
        raise InvalidInput(
            f"reconcile_heading_missing.{port}",
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


# ---- the block -----------------------------------------------------------------------------------


_FEES = (110.0, 880.0)
"""What banks charge for a transfer, in yen, from the cheapest to the dearest."""
_WINDOW = {"before": 90, "after": 60}
_WEAKER = 25.0
"""How much less alike names may be where the amount is equal to the yen."""
_LEAST_WEAK = 50.0


class Reconcile(PureBlock[Given]):
    needed = ("invoices", "payments")

    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        invoice_fields = fields_of(given.invoices, "invoices", given.invoice_fields)
        payment_fields = fields_of(given.payments, "payments", given.payment_fields)
        payments, ignored = payments_of(given.payments, payment_fields)
        sides = Sides(invoices_of(given.invoices, invoice_fields), payments, ignored)
        rules = _rules(given)
        aliases = {payer: str(customer) for payer, customer in given.aliases.items() if customer}
        alike = alike_companies(
            [each.name for each in payments],
            [each.name for each in sides.invoices],
            aliases,
            rules.weak,
        )
        open_ = Open(
            {each.index: each for each in sides.invoices if each.is_readable and each.amount},
            {each.index: each for each in payments if each.is_readable},
        )
        passes = Passes(open_, alike, rules)
        passes.run()
        report = Report(rules, context.language, _as_of(given, [*payments, *ignored]))
        outputs = outputs_of(report, sides, open_, alike)
        summary = outputs["summary"]
        assert isinstance(summary, dict)
        return {
            **outputs,
            "summary": {
                **summary,
                "invoice_fields": invoice_fields.told(),
                "payment_fields": payment_fields.told(),
                "search_limited": passes.is_limited,
            },
        }


def _rules(given: Given) -> Rules:
    before, after = _window(given.date_window)
    return Rules(
        tolerance=hundredths(given.amount_tolerance),
        fees=_fees(given.fee_range),
        days_before=before,
        days_after=after,
        strong=given.name_threshold,
        weak=min(given.name_threshold, max(_LEAST_WEAK, given.name_threshold - _WEAKER)),
        largest_group=given.max_group,
        grace_days=given.grace_days,
    )


def _window(given: int | dict[str, JsonValue] | None) -> tuple[int, int]:
    if isinstance(given, int):
        return given, given
    return _days(given or {}, "before"), _days(given or {}, "after")


def _days(given: Mapping[str, JsonValue], side: str) -> int:
    for key in given:
        if key not in _WINDOW:
            near = alternatives(key, list(_WINDOW))
            raise InvalidInput(
                "reconcile_option_unknown", port="date_window", key=key, nearest=near
            )
    found = given.get(side)
    if found is None:
        return _WINDOW[side]
    number = as_number(found)
    if number is None or number < 0:
        raise InvalidInput("reconcile_option_value", port=f"date_window.{side}", found=str(found))
    return int(number)


def _fees(given: bool | list[float] | dict[str, JsonValue] | None) -> tuple[int, int] | None:
    """`false` or an empty range: nobody keeps fees back."""
    if given is False:
        return None
    least, most = _FEES
    if isinstance(given, list):
        if len(given) != 2:
            raise InvalidInput("reconcile_option_value", port="fee_range", found=str(given))
        least, most = given
    elif isinstance(given, dict):
        least, most = (
            found if (found := as_number(given.get(key))) is not None else default
            for key, default in (("min", least), ("max", most))
        )
    if least > most or least < 0:
        raise InvalidInput("reconcile_option_value", port="fee_range", found=f"{least}–{most}")
    return (max(1, hundredths(least)), hundredths(most)) if most > 0 else None


def _as_of(given: Given, payments: Sequence[Entry]) -> date | None:
    """The day for which it is told what is overdue; else the last day of the statement."""
    if given.as_of:
        day = as_day(given.as_of)
        if day is None:
            raise InvalidInput("reconcile_option_value", port="as_of", found=given.as_of)
        return day
    return max((each.day for each in payments if each.day), default=None)
