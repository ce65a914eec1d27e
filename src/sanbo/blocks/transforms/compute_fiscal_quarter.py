"""transforms.compute_fiscal_quarter: when a quarter is, and what its sheet is called."""

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, PureBlock
from sanbo.kernel.problems import InvalidInput
from sanbo.language.cells import parse_date
from sanbo.language.eras import LETTERS, NAMES
from sanbo.language.numerals import number_of

_DIGITS = str.maketrans("０１２３４５６７８９ⅠⅡⅢⅣＱ", "01234567891234Q")
_YEAR = re.compile(r"(?:FY ?)?(?P<year>\d{4})(?:年度?|年[1-9]月期)?", re.IGNORECASE)
_ERA_YEAR = re.compile(
    rf"(?P<era>(?:{NAMES}|[{LETTERS}{LETTERS.lower()}])\s*(?:元|\d{{1,2}}))(?:年度?)?"
)
_QUARTER = re.compile(r"(?:第 ?)?Q?(?P<number>[1-4一二三四])(?:Q|四半期|/4)?", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")  # in the name of a sheet
_LONGEST_NAME = 31


@dataclass(frozen=True)
class Quarter:
    fiscal_year: int
    number: int
    start_month: int

    @property
    def start(self) -> date:
        month = self.start_month - 1 + (self.number - 1) * 3
        return date(self.fiscal_year + month // 12, month % 12 + 1, 1)

    @property
    def months(self) -> list[date]:
        first = self.start
        return [
            date(first.year + (first.month - 1 + step) // 12, (first.month - 1 + step) % 12 + 1, 1)
            for step in range(3)
        ]

    @property
    def end(self) -> date:
        last = self.months[-1]
        return last.replace(day=monthrange(last.year, last.month)[1])

    @property
    def previous(self) -> "Quarter":
        if self.number == 1:
            return Quarter(self.fiscal_year - 1, 4, self.start_month)
        return Quarter(self.fiscal_year, self.number - 1, self.start_month)


class ComputeFiscalQuarter(PureBlock[Given]):
    needed = ()

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        quarter = Quarter(
            read_fiscal_year(given.fiscal_year), read_quarter(given.quarter), given.start_month
        )
        return {
            "period": {
                "start": quarter.start.isoformat(),
                "end": quarter.end.isoformat(),
                "months": [f"{month.year:04}-{month.month:02}" for month in quarter.months],
                "fiscal_year": quarter.fiscal_year,
                "quarter": quarter.number,
            },
            "is_q1": quarter.number == 1,
            "target_sheet_name": sheet_name(given.sheet_name, quarter),
            "template_sheet_name": sheet_name(given.sheet_name, quarter.previous),
            "quarter_label": (
                f"{quarter.fiscal_year}年度{quarter.start.month}月～{quarter.end.month}月"
            ),
            "quarter_sheet_name": f"{quarter.fiscal_year}_Q{quarter.number}",
        }


def read_fiscal_year(value: JsonValue) -> int:
    """2024, 2024年度, FY2024, 令和6年度, R6."""
    text = str(value).strip().translate(_DIGITS)
    # pyrefly: ignore[missing-attribute]
    if isinstance(value, float) and value.is_integer():
        text = str(int(value))
    if found := _YEAR.fullmatch(text):
        year = int(found["year"])
        if 1900 <= year <= 2199:
            return year
    elif found := _ERA_YEAR.fullmatch(text):
        day = parse_date(f"{found['era']}年12月1日")
        if day is not None and day.year >= 1900:
            return day.year
    raise InvalidInput("transform_fiscal_year", port="fiscal_year", given=str(value)[:40])


def read_quarter(value: JsonValue) -> int:
    """1, Q1, 1Q, 第1四半期, 第一四半期."""
    text = str(value).strip().translate(_DIGITS)
    # pyrefly: ignore[missing-attribute]
    if isinstance(value, float) and value.is_integer():
        text = str(int(value))
    found = _QUARTER.fullmatch(text)
    if found is None:
        raise InvalidInput("transform_quarter", port="quarter", given=str(value)[:40])
    return number_of(found["number"]) or 0


def sheet_name(pattern: str, quarter: Quarter) -> str:
    """`{fiscal_year}年度{quarter}Q`; what no sheet can be called becomes `_`."""
    known = {
        "fiscal_year": str(quarter.fiscal_year),
        "fy2": f"{quarter.fiscal_year % 100:02}",
        "quarter": str(quarter.number),
        "start": quarter.start.isoformat(),
        "end": quarter.end.isoformat(),
        "start_month": str(quarter.start.month),
        "end_month": str(quarter.end.month),
        "end_year": str(quarter.end.year),
    }

    def put(found: re.Match[str]) -> str:
        if found[1] not in known:
            raise InvalidInput(
                "transform_sheet_placeholder",
                port="sheet_name",
                given=found[1],
                known=", ".join(known),
            )
        return known[found[1]]

    return _FORBIDDEN.sub("_", _PLACEHOLDER.sub(put, pattern))[:_LONGEST_NAME]
