"""What the numbers behind a chart are computed of: rows, and what marks are told apart by."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.charts.kind import ChartKind, Plot
from sanbo.agents.analysis.execution.aggregates import require_number
from sanbo.agents.analysis.execution.chart_levels import Levels, cell_kind, levels_of, unit_for
from sanbo.agents.analysis.execution.chart_words import bare_name
from sanbo.agents.analysis.execution.results import caution
from sanbo.agents.analysis.execution.wording import metric_label, row_count_label
from sanbo.agents.analysis.outcome import ROWS_SHOWN, JsonCell, Note, ResultTable, TableColumn
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec.words import ROW_COUNT, Aggregate, TimeUnit, metric_name
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

MOST_COLOURS, MOST_COLOURS_IN_BINS = 8, 5
MOST_PANELS = 12
_MOST_PERIODS = 400
_LARGEST = 1e100
"""The square of what is larger can't be drawn."""
_LONGEST_TITLE = 300

Floats = NDArray[np.float64]
Row = tuple[JsonCell, ...]


@dataclass
class Remarks:
    """What is to be said beside a chart; `foot` also stands in the picture itself."""

    notes: list[Note] = field(default_factory=list[Note])
    foot: list[str] = field(default_factory=list[str])

    def caution(self, text: str) -> None:
        """Something was left out or put together: a picture that is passed on alone says so."""
        self.notes.append(caution(text))
        self.foot.append(text)


@dataclass(frozen=True)
class Drawn:
    """What a chart is made of: `table` is what people read, `rows` all that is drawn."""

    title: str
    alt: str
    columns: tuple[TableColumn, ...]
    rows: Sequence[Row]
    table: ResultTable


@dataclass(frozen=True)
class Task:
    spec: Any
    kind: ChartKind
    data: pd.DataFrame
    kinds: Mapping[str, ValueType]
    units: Mapping[str, str]
    remarks: Remarks

    def numbers(self, column: str) -> Floats:
        """With NaN for what can't be drawn; refused where nothing is left."""
        require_number(self.kinds, column, booleans=True)
        found = drawable(floats(self.data[column]))
        if bool(np.isnan(found).all()):
            raise no_values(column)
        return found

    def tell_missing(self, column: str, count: int) -> None:
        if count:
            told = tell("chart.note.missing_left_out", column=column, count=f"{count:,}")
            self.remarks.caution(told)


def title_of(spec: Plot, made: str) -> str:
    return one_line(spec.title or made, _LONGEST_TITLE)


def shown_table(title: str, columns: Sequence[TableColumn], rows: Iterable[Row], count: int) -> Any:
    shown = tuple(islice(rows, ROWS_SHOWN))
    return ResultTable(title=title, columns=tuple(columns), rows=shown, row_count=count)


def group_columns(levels: Iterable[Levels]) -> list[TableColumn]:
    """One column may serve as axis and panel."""
    columns: list[TableColumn] = []
    for each in levels:
        name = free_name(each.column, [column.name for column in columns])
        columns.append(TableColumn(name=name, label=each.column, kind=each.kind))
    return columns


def drawable(values: Floats) -> Floats:
    """NaN for what is infinite, or so large that its square would be."""
    return np.where(np.abs(values) < _LARGEST, values, np.nan)


def no_values(column: str) -> InvalidInput:
    return InvalidInput("analysis_result.column_empty", details={"column": column}, column=column)


@dataclass(frozen=True)
class Measure:
    column: str | None
    """None: rows are counted."""
    aggregate: Aggregate | Literal["as_is"] | None
    kind: ValueType
    unit: str

    @property
    def label(self) -> str:
        """売上（合計）."""
        if self.column is None:
            return row_count_label()
        name = bare_name(self.column, self.unit)
        if self.aggregate is None or self.aggregate == "as_is":
            return name
        return metric_label(name, self.aggregate)

    @property
    def is_additive(self) -> bool:
        """Whether values of several groups may be added up."""
        if self.column is None or self.aggregate in ("sum", "count"):
            return True
        return self.aggregate == "as_is" and self.kind != "percent"

    def table_column(self, taken: Sequence[TableColumn]) -> TableColumn:
        name = self.column or ROW_COUNT
        if self.column and self.aggregate not in (None, "as_is"):
            name = metric_name(self.column, self.aggregate)
        name = free_name(name, [column.name for column in taken])
        kind = cell_kind(self.kind)
        shown = "number" if kind not in ("integer", "number", "share") else kind
        return TableColumn(name=name, label=self.label, kind=shown, unit=self.unit)


# ---- what marks are told apart by ----------------------------------------------------------


def levels_by_role(task: Task, weights: Floats | None = None) -> dict[str, Levels]:
    """By role; as many as can be told apart."""
    found: dict[str, Levels] = {}
    for role, column in task.spec.groups().items():
        match role:
            case "x" | "by":
                along = _along(task, column, getattr(task.spec, f"{role}_unit", None))
                is_cut = role == "by" or task.kind.numbers == "quartiles"
                found[role] = (
                    commonest(task, along, task.kind.most, "commonest") if is_cut else along
                )
            case "facet":
                found[role] = panels(task, column)
            case _:
                found[role] = colours(task, column, weights)
    return found


def _along(task: Task, column: str, unit: TimeUnit | None) -> Levels:
    kind, values = task.kinds[column], task.data[column]
    is_ordered = kind in TEMPORAL or kind in NUMERIC
    levels = levels_of(
        values, kind, _unit(task, column, unit), task.spec.fiscal_start, keeps_blank=not is_ordered
    )
    if kind in NUMERIC:
        there = [at for at, cell in enumerate(levels.cells) if _is_drawable(cell)]
        levels = levels.chosen(there) if len(there) < len(levels) else levels
    if len(levels) == 0:
        raise no_values(column)
    task.tell_missing(column, int((levels.places < 0).sum()))
    return levels


def _unit(task: Task, column: str, unit: TimeUnit | None) -> TimeUnit | None:
    if task.kinds[column] not in TEMPORAL:
        if unit is not None:
            details = {"column": column, "unit": unit}
            raise InvalidInput("chart_unit_needs_date", details=details, column=column)
        return None
    most = task.kind.most_dates
    if unit is None and task.data[column].nunique() > most:
        unit = unit_for(task.data[column], min(most, _MOST_PERIODS))
        by = tell(f"chart.time_by.{unit}")
        task.remarks.caution(tell("chart.note.put_together", column=column, by=by))
    return unit


def _is_drawable(cell: JsonCell) -> bool:
    return isinstance(cell, int | float) and abs(cell) < _LARGEST


def commonest(task: Task, levels: Levels, most: int, note: str) -> Levels:
    counts = np.bincount(levels.places[levels.places >= 0], minlength=len(levels))
    there = np.flatnonzero(counts) if levels.unit is None else np.arange(len(levels))
    if len(there) > most:
        count = f"{len(there):,}"
        told = tell(f"chart.note.{note}", column=levels.column, shown=most, count=count)
        task.remarks.caution(told)
        there = np.sort(np.argsort(-counts, kind="stable")[:most])
    return levels.chosen(there.tolist()) if len(there) < len(levels) else levels


def panels(task: Task, column: str) -> Levels:
    levels = levels_of(task.data[column], task.kinds[column])
    return commonest(task, levels, MOST_PANELS, "fewer_panels")


def colours(task: Task, column: str, weights: Floats | None) -> Levels:
    """The largest by weight, else by rows, keep their own colour; the others are その他."""
    levels = levels_of(task.data[column], task.kinds[column])
    most = MOST_COLOURS_IN_BINS if task.kind.numbers == "bins" else MOST_COLOURS
    if len(levels) <= most:
        return levels
    sizes = np.bincount(levels.places, weights=weights, minlength=len(levels))
    keep = sorted(np.argsort(-sizes, kind="stable")[: most - 1].tolist())
    task.remarks.caution(
        tell(
            "chart.note.fewer_colours",
            column=column,
            shown=most - 1,
            count=f"{len(levels):,}",
            rest=tell("analysis_result.other"),
        )
    )
    return levels.chosen(keep, with_rest=True)
