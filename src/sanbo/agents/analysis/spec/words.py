"""What all specs are made of: names of columns, inputs, aggregates, time units, sorting."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form

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
