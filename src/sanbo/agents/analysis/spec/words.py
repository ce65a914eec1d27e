"""What all specs are made of: names of columns, inputs, aggregates, time units, sorting.

A date as people write it for a condition: a day, or a whole month, quarter or year.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.language.cells import parse_date
from sanbo.language.eras import FIRST, LETTERS, NAMES, western
from sanbo.language.moments import FULL_MONTHS, MONTHS, month_number

_YEAR = (
    r"(?:(?P<year>\d{4})"
    rf"|(?P<era>{NAMES}|[{LETTERS.lower()}])(?P<count>元|\d{{1,2}}))"
)
_FISCAL = rf"(?:fy ?{_YEAR}|{_YEAR.replace('?P<', '?P<f_')} ?年度)"
_HALF = r"(?:-?h(?P<half>[12])|(?P<half_ja>[上下])半?期)"
_Q = r"[- ]?(?:q(?P<quarter>[1-4])|第(?P<quarter_ja>[1-4])四半期)"


class Months(NamedTuple):
    first: int
    """Since January 1970."""
    number: int


class Days(NamedTuple):
    first: date
    number: int


WrittenSpan = Months | Days | datetime
"""Light: who only asks whether a text is a date loads no numpy."""


def written_span(text: str, fiscal_start: int = 4) -> WrittenSpan | None:
    """2025, 2025-04, 2025/4/1, 2025年4月, 令和7年, 2025年度, 2025-Q1, 2025-W03, or a moment."""
    if len(text) > 64:
        return None
    moment = parse_date(text, compact=True)
    if moment is not None:
        return moment if isinstance(moment, datetime) else Days(moment, 1)
    written = matching_form(text)
    for pattern, read in _SHAPES:
        found = pattern.fullmatch(written)
        if found is not None:
            return read(found, fiscal_start)
    return None


def _months(year: int, month: int, count: int) -> Months:
    """`count` months from this one; the month may lie beyond December."""
    return Months((year - 1970) * 12 + month - 1, count)


def _year(found: re.Match[str], prefix: str = "") -> int | None:
    if found[f"{prefix}year"]:
        return int(found[f"{prefix}year"])
    if not found[f"{prefix}era"]:
        return None
    era = found[f"{prefix}era"]
    count = found[f"{prefix}count"]
    return western(era, 1 if count == FIRST else int(count))


def _fiscal(found: re.Match[str], start: int) -> WrittenSpan | None:
    year = _year(found) or _year(found, "f_")
    if year is None:
        return None
    quarter = found["quarter"] or found["quarter_ja"]
    if quarter:
        return _months(year, start + 3 * (int(quarter) - 1), 3)
    half = found["half"] or found["half_ja"]
    if half:
        return _months(year, start if half in ("1", "上") else start + 6, 6)
    return _months(year, start, 12)


def _calendar(found: re.Match[str], _: int) -> WrittenSpan | None:
    year = _year(found)
    if year is None:
        return None
    parts = found.groupdict()
    if parts.get("name"):
        return _months(year, month_number(parts["name"]), 1)
    if parts.get("month"):
        month = int(parts["month"])
        return _months(year, month, 1) if 1 <= month <= 12 else None
    quarter = parts.get("quarter") or parts.get("quarter_ja")
    if quarter:
        return _months(year, 3 * int(quarter) - 2, 3)
    half = parts.get("half") or parts.get("half_ja")
    if half:
        return _months(year, 1 if half in ("1", "上") else 7, 6)
    return _months(year, 1, 12)


def _week(found: re.Match[str], _: int) -> WrittenSpan | None:
    try:
        monday = date.fromisocalendar(int(found["year"]), int(found["week"]), 1)
    except ValueError:
        return None
    return Days(monday, 7)


_SHAPES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], int], WrittenSpan | None]], ...] = (
    (re.compile(rf"{_FISCAL}(?:{_Q}|(?: |の)?{_HALF})?", re.ASCII), _fiscal),
    (re.compile(rf"{_YEAR} ?年? ?{_Q}", re.ASCII), _calendar),
    (re.compile(rf"{_YEAR} ?年? ?{_HALF}", re.ASCII), _calendar),
    (re.compile(r"(?P<year>\d{4})-?w(?P<week>\d{1,2})", re.ASCII), _week),
    (re.compile(rf"{_YEAR} ?(?:年|[-/.]) ?(?P<month>\d{{1,2}}) ?月?", re.ASCII), _calendar),
    (re.compile(r"(?P<year>\d{4})(?P<month>\d{2})(?P<era>)(?P<count>)", re.ASCII), _calendar),
    (re.compile(rf"(?P<name>{FULL_MONTHS}|{'|'.join(MONTHS)})[., -]*{_YEAR}", re.ASCII), _calendar),
    (re.compile(rf"{_YEAR} ?年?", re.ASCII), _calendar),
)


DATASET = "dataset"
"""The input that is the table itself; earlier results are r1, r2 …"""


class Strict(BaseModel):
    """Closed: what the vocabulary does not know is refused, never ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Need = Literal["number", "date", "amount"]
"""`amount`: what can be added or subtracted; a date's difference is the executor's to judge."""


@dataclass(frozen=True)
class ColumnMark:
    """On a field's type: its text names a column of the spec's input; so says its JSON Schema."""

    need: Need | None = None
    """What the column must hold, whatever else the spec says."""

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(core) | {"format": "column"}


ColumnName = Annotated[str, Field(min_length=1, max_length=500), ColumnMark()]
NumberColumn = Annotated[str, Field(min_length=1, max_length=500), ColumnMark("number")]
DateColumn = Annotated[str, Field(min_length=1, max_length=500), ColumnMark("date")]
Scalar = str | int | float | bool

Aggregate = Literal[
    "sum", "mean", "median", "min", "max", "count", "nunique", "std", "var", "q10", "q25", "q75",
    "q90", "range", "mode", "first", "last",
]  # fmt: skip
"""`count` counts values that are there; a row count needs no column (`metrics` left empty)."""

NUMERIC_AGGREGATES: frozenset[Aggregate] = frozenset(
    {"sum", "mean", "median", "std", "var", "q10", "q25", "q75", "q90", "range"}
)

Metrics = dict[ColumnName, tuple[Aggregate, ...]]
"""By column; the result's columns are named 売上_sum, 売上_mean …"""

ROW_COUNT = "count"
"""The column of a row count."""

PeriodUnit = Literal[
    "year", "half", "quarter", "month", "week", "day", "hour", "fiscal_year", "fiscal_quarter"
]
"""Periods in order of time."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
CycleUnit = Literal["month_of_year", "day_of_month", "weekday", "hour_of_day"]
"""Positions in a cycle."""
TimeUnit = Literal[PeriodUnit, CycleUnit]

Ddof = Literal[0, 1]


class Sort(Strict):
    by: str
    """A column of the result, such as 売上_sum."""
    ascending: bool = False


class OnTable(Strict):
    """Works on the dataset or on an earlier result."""

    input: str = Field(default=DATASET, validation_alias=AliasChoices("input", "dataset_id"))
    """`dataset`, or the id of an earlier result: r1, r2 …"""

    @property
    def modules(self) -> tuple[str, ...]:
        """What the sandbox must have loaded before it closes its doors."""
        return ()


def metric_name(column: str, aggregate: str) -> str:
    return f"{column}_{aggregate}"


CANDIDATES = 5
SHOWN_LENGTH = 80


def alike(name: str, known: Iterable[str]) -> str | None:
    """The one that is the same but for width, case and spaces; None where two are."""
    wanted = matching_form(name)
    found = {candidate for candidate in known if matching_form(candidate) == wanted}
    return found.pop() if len(found) == 1 else None


def shown(text: object) -> str:
    """A name from outside, as part of a sentence: one line, not too long."""
    line = " ".join(str(text)[: 4 * SHOWN_LENGTH].split())
    return line if len(line) <= SHOWN_LENGTH else f"{line[: SHOWN_LENGTH - 1]}…"


def listed(names: Sequence[object]) -> str:
    return " / ".join(shown(name) for name in names)


def refused(
    text_id: str, candidates: Sequence[str] | None = None, /, **given: object
) -> InvalidInput:
    """With what was given, and the nearest that would do."""
    told: dict[str, Any] = {name: shown(value) for name, value in given.items()}
    if candidates is None:
        return InvalidInput(text_id, details=told, **told)
    details = {**told, "candidates": list(candidates)}
    return InvalidInput(text_id, details=details, candidates=listed(candidates) or "–", **told)
