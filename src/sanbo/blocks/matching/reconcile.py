"""`matching.reconcile`: invoices and payments brought together, and every difference explained."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from pydantic import JsonValue

from sanbo.blocks.block import BlockContext, Given, PureBlock
from sanbo.blocks.matching.reconciling.companies import alike_companies
from sanbo.blocks.matching.reconciling.fields import fields_of, invoices_of, payments_of
from sanbo.blocks.matching.reconciling.model import Entry, Open, Rules, hundredths
from sanbo.blocks.matching.reconciling.outcome import Sides, outputs_of
from sanbo.blocks.matching.reconciling.passes import Passes
from sanbo.blocks.matching.reconciling.report import Report
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.values import as_day, as_number

Rows = list[dict[str, JsonValue]]

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
