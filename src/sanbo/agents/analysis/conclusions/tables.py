"""A result's table as sentences need it: which rows it speaks of, numbers with their units."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sanbo.agents.analysis.decision import ResultView
from sanbo.agents.analysis.outcome import JsonCell, ResultTable, TableColumn
from sanbo.agents.analysis.report.content import shower
from sanbo.agents.analysis.spec.filters import (
    Among,
    AnyOf,
    Compare,
    Condition,
    Contains,
    Filter,
    Outlying,
)
from sanbo.agents.analysis.spec.words import Scalar
from sanbo.kernel.markdown import plain
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.text import matching_form
from sanbo.language.cells import parse_boolean

MOST_TIES = 3
"""Names that share a place and are all said."""
_LONGEST_NAME = 60
_ENGLISH_UNITS = {"円": "yen", "千円": "thousand yen", "百万円": "million yen"}
_PERIODS = (
    (re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[ T]00:00:00)?"), "day"),
    (re.compile(r"(\d{4})-(\d{2})"), "month"),
    (re.compile(r"(\d{4})-Q([1-4])"), "quarter"),
    (re.compile(r"(\d{4})-H([12])"), "half"),
    (re.compile(r"(\d{4})-W(\d{2})"), "week"),
    (re.compile(r"(\d{4})"), "year"),
)

RATIO = "ratio"
"""The unit of a column of ratios: 0.123 is said as 12.3%."""

Row = Sequence[JsonCell]


@dataclass(frozen=True)
class Named:
    """A row's value with the name of the row."""

    name: str
    value: str
    number: float


class Reading:
    """All that is said of a table is read from it here."""

    def __init__(self, table: ResultTable) -> None:
        self.table = table
        self.names = [column.name for column in table.columns]

    @property
    def rows(self) -> Sequence[Row]:
        return self.table.rows

    def position(self, name: str) -> int | None:
        return self.names.index(name) if name in self.names else None

    def column(self, position: int) -> TableColumn:
        return self.table.columns[position]

    def cells(self, position: int) -> list[JsonCell]:
        return [row[position] for row in self.rows]

    def is_numeric(self, position: int) -> bool:
        return self.column(position).kind in ("integer", "number", "share")

    def numeric(self, after: int = 0) -> list[int]:
        return [place for place in range(after, len(self.names)) if self.is_numeric(place)]

    def label(self, position: int) -> str:
        return short(self.column(position).label)

    def value(self, position: int, cell: JsonCell, unit: str | None = None) -> str:
        """With its unit: 33,210,000円."""
        column = self.column(position)
        shown = shower(column, [cell])(cell)  # with the digits that this one needs
        if isinstance(cell, str):
            return short(shown)
        if column.kind == "share":
            return shown
        shown = re.sub(r"\.0+$", "", shown)
        return with_unit(shown, column.unit if unit is None else unit)

    def at(self, row: Row, name: str, unit: str | None = None) -> str:
        """Of a row by the column's name; empty where there is none."""
        position = self.position(name)
        return "" if position is None else self.value(position, row[position], unit)

    def number(self, row: Row, name: str) -> float | None:
        position = self.position(name)
        cell = None if position is None else row[position]
        if isinstance(cell, bool) or not isinstance(cell, int | float):
            return None
        return cell

    def text(self, row: Row, name: str) -> str:
        position = self.position(name)
        cell = None if position is None else row[position]
        return cell if isinstance(cell, str) else ""

    def name(self, row: Row, positions: Sequence[int], *, is_time: bool = False) -> str:
        """Of a row by its groups; `is_time`: the first of them is a period."""
        parts = [
            period(str(row[place]))
            if is_time and index == 0 and isinstance(row[place], str)
            else self._key(place, row[place])
            for index, place in enumerate(positions)
        ]
        return tell("analysis_conclusion.key_separator").join(parts)

    def _key(self, position: int, cell: JsonCell) -> str:
        column = self.column(position)
        if cell is None:
            return tell("analysis_conclusion.blank")
        if column.kind in ("date", "datetime") and isinstance(cell, str):
            return period(cell)
        if column.kind == "integer" and not column.unit:
            return str(cell)  # a year or a code has no separators
        if column.kind == "integer" and current_language() == "en":
            return f"{plain(column.unit)} {cell}"  # month 12
        return self.value(position, cell)

    def named(self, position: int, keys: Sequence[int], *, is_time: bool = False) -> list[Named]:
        """In the order of the table, without rows that have no number there."""
        return [
            Named(self.name(row, keys, is_time=is_time), self.value(position, cell), cell)
            for row in self.rows
            if isinstance(cell := row[position], int | float) and not isinstance(cell, bool)
        ]


def short(text: str) -> str:
    """Shown as it is written, never as Markdown."""
    line = " ".join(text.split())
    return plain(line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1] + "…")


def with_unit(shown: str, unit: str) -> str:
    if not unit or not shown:
        return shown
    if current_language() == "en":
        if unit == tell("analysis_result.count_unit"):  # the sentence says what is counted
            return shown
        unit = _ENGLISH_UNITS.get(unit, unit)
        return shown + unit if unit == "%" else f"{shown} {plain(unit)}"
    return shown + plain(unit)


def period(text: str) -> str:
    """2025-04 as 2025年4月."""
    for form, kind in _PERIODS:
        if found := form.fullmatch(text):
            year, part, day = (*map(int, found.groups()), 0, 0)[:3]
            name = f"half_{part}" if kind == "half" else kind
            return tell(f"analysis_conclusion.period.{name}", year=year, part=part, day=day)
    return short(text)


def is_period(value: object) -> bool:
    return isinstance(value, str) and any(form.fullmatch(value) for form, _ in _PERIODS)


def holders(rows: Sequence[Named], number: float) -> str:
    """Whose number it is; of many that share it the first ones."""
    return together([row.name for row in rows if row.number == number])


def together(names: Sequence[str]) -> str:
    """A and B; of many the first ones."""
    joined = tell("analysis_conclusion.and").join(names[:MOST_TIES])
    return joined if len(names) <= MOST_TIES else tell("analysis_conclusion.and_more", names=joined)


def largest(rows: Sequence[Named]) -> Named:
    return max(rows, key=lambda row: row.number)


def smallest(rows: Sequence[Named]) -> Named:
    return min(rows, key=lambda row: row.number)


MOST_CONDITIONS = 4


@dataclass(frozen=True)
class Scope:
    of: str = ""
    """新宿店の: before what is spoken of."""
    where: str = ""
    """（…に限ります）: after it."""

    def about(self, what: str) -> str:
        return tell("analysis_conclusion.of", whose=self.of, what=what) if self.of else what


def scope_of(
    result: ResultView, earlier: Mapping[str, ResultView], units: Mapping[str, str]
) -> Scope:
    """All conditions, those of the results it was made from too."""
    filters: list[Filter] = []
    seen: set[str] = set()
    current: ResultView | None = result
    while current is not None and current.result_id not in seen:
        seen.add(current.result_id)
        filters = [*current.spec.filters, *filters]
        current = earlier.get(current.spec.input)
    names = [_short_name(one) for one in filters]
    if filters and len(filters) <= 2 and all(names):
        return Scope(of=tell("analysis_conclusion.key_separator").join(filter(None, names)))
    return Scope(where=_where(filters, units))


def _short_name(condition: Filter) -> str | None:
    """A value that speaks for itself, such as 新宿店."""
    values = condition.value if isinstance(condition, Among) else ()
    if isinstance(condition, Compare) and condition.op == "==":
        values = (condition.value,)
    if any(isinstance(one, str) and parse_boolean(one) is not None for one in values):
        return None  # はいの売上 says nothing
    if isinstance(condition, Compare) and condition.op == "==" and isinstance(condition.value, str):
        return period(condition.value)
    if isinstance(condition, Among) and all(isinstance(one, str) for one in condition.value):
        names = [short(str(one)) for one in condition.value]
        return tell("analysis_conclusion.and").join(names) if len(names) <= 3 else None
    return None


def _where(filters: Sequence[Filter], units: Mapping[str, str]) -> str:
    said = [_said(one, units) for one in filters[:MOST_CONDITIONS]]
    if not said:
        return ""
    if len(filters) > MOST_CONDITIONS:
        said.append("…")
    return tell(
        "analysis_conclusion.where", conditions=tell("analysis_conclusion.comma").join(said)
    )


def _said(condition: Filter, units: Mapping[str, str]) -> str:
    if isinstance(condition, AnyOf):
        parts = [_one(part, units) for part in condition.any_of[:MOST_CONDITIONS]]
        return tell("analysis_conclusion.or").join(parts)
    return _one(condition, units)


def _one(condition: Condition, units: Mapping[str, str]) -> str:
    column, unit = short(condition.col), units.get(condition.col, "")
    match condition:
        case Compare():
            operator = _OPERATORS[condition.op]
            if is_period(condition.value) and operator in _IN_TIME:
                operator += "_time"
            value = _value(condition.value, unit)
            return tell(f"analysis_conclusion.condition.{operator}", column=column, value=value)
        case Among():
            values = [_value(value, unit) for value in condition.value[:5]]
            if len(condition.value) > 5:
                values.append("…")
            value = tell("analysis_conclusion.comma").join(values)
            return tell("analysis_conclusion.condition.among", column=column, value=value)
        case Contains():
            value = short(condition.value)
            return tell("analysis_conclusion.condition.contains", column=column, value=value)
        case Outlying():
            return tell(f"analysis_conclusion.condition.{condition.op}", column=column)
        case _:
            return tell(f"analysis_conclusion.condition.{condition.op}", column=column)


_OPERATORS = {
    "==": "equal",
    "!=": "other",
    ">": "above",
    ">=": "at_least",
    "<": "below",
    "<=": "at_most",
}


_IN_TIME = frozenset({"above", "at_least", "below", "at_most"})


def _value(value: Scalar, unit: str) -> str:
    if matching_form(str(value)) in ("true", "false"):  # also as a model writes it
        is_yes = matching_form(str(value)) == "true"
        return tell(f"analysis_conclusion.answer.{'yes' if is_yes else 'no'}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return period(str(value))
    if unit == RATIO:
        return f"{value * 100:.10g}%"
    return with_unit(f"{value:,}", unit)
