"""What all charts share: axes, colours and panels of a spec, and what they say in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.charts.kind import ChartKind, Plot
from sanbo.agents.analysis.charts.sheet import cell_name, exact
from sanbo.agents.analysis.execution.aggregates import require_number
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.execution.periods import periods
from sanbo.agents.analysis.execution.results import caution, count_unit, row_count_label
from sanbo.agents.analysis.outcome import CellKind, JsonCell, Note, ResultTable, TableColumn
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec.words import ROW_COUNT, TimeUnit
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

MOST_COLOURS, MOST_COLOURS_IN_BINS = 8, 5
MOST_PANELS = 12
_MOST_PERIODS = 400
_LARGEST = 1e100
"""The square of what is larger can't be drawn."""
_HOURS: tuple[tuple[TimeUnit, int], ...] = (
    ("hour", 1), ("day", 24), ("week", 168), ("month", 720), ("quarter", 2184), ("year", 8760),
)  # fmt: skip
Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Row = tuple[JsonCell, ...]


@dataclass(frozen=True)
class Drawn:
    """What a chart is made of: `table` is what people read, `marks` all that is drawn."""

    alt: str
    table: ResultTable
    marks: ResultTable


@dataclass(frozen=True)
class Task:
    spec: Any
    kind: ChartKind
    data: pd.DataFrame
    kinds: Mapping[str, ValueType]
    units: Mapping[str, str]
    notes: list[Note] = field(default_factory=list[Note])

    def caution(self, text_id: str, **told: str | int) -> None:
        """Something was left out or put together."""
        self.notes.append(caution(tell(f"chart.note.{text_id}", None, **told)))

    def tell_missing(self, column: str, count: int) -> None:
        if count:
            self.caution("missing_left_out", column=column, count=f"{count:,}")

    def numbers(self, column: str) -> Floats:
        """With NaN for what can't be drawn; refused where nothing is left."""
        require_number(self.kinds, column, booleans=True)
        found = drawable(floats(self.data[column]))
        if bool(np.isnan(found).all()):
            raise no_values(column)
        return found

    def table(self, title: str, columns: Sequence[TableColumn], rows: Sequence[Row]) -> ResultTable:
        shown = one_line(self.spec.title or title, 300)
        return ResultTable(
            title=shown, columns=tuple(columns), rows=tuple(rows), row_count=len(rows)
        )


def drawable(values: Floats) -> Floats:
    """NaN for what is infinite, or so large that its square would be."""
    return np.where(np.abs(values) < _LARGEST, values, np.nan)


def no_values(column: str) -> InvalidInput:
    return InvalidInput("analysis_result.column_empty", details={"column": column}, column=column)


def cell_kind(kind: ValueType) -> CellKind:
    match kind:
        case "percent":
            return "share"
        case "currency":
            return "number"
        case "integer" | "number" | "date" | "datetime" | "boolean":
            return kind
        case _:
            return "text"


def cell_of(value: object, kind: ValueType) -> JsonCell:
    if isinstance(value, pd.Timestamp):
        return value.date().isoformat() if kind == "date" else value.isoformat(" ")
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float):
        return plain if np.isfinite(plain) else None
    if isinstance(plain, bool | int):
        return plain
    return None if plain is None or plain is pd.NA or plain is pd.NaT else str(plain)


# ---- what marks are told apart by ----------------------------------------------------------


@dataclass(frozen=True)
class Levels:
    """The different values of a column, and for each row which one it has (-1: none)."""

    column: str
    kind: CellKind
    cells: tuple[JsonCell, ...]
    places: Places
    is_ordered: bool = False
    """Has an order of its own, which sorting by value must not disturb."""
    unit: TimeUnit | None = None
    """Of periods, evenly apart, also where there are no rows: by month, by weekday …"""
    has_rest: bool = False
    """The last one is その他."""

    def __len__(self) -> int:
        return len(self.cells)

    def chosen(self, keep: Sequence[int], *, with_rest: bool = False) -> "Levels":
        """Just these, in this order; the rows of the others are in その他, or have none."""
        new_place = np.full(len(self) + 1, len(keep) if with_rest else -1, dtype=np.int64)
        new_place[list(keep)] = np.arange(len(keep))
        new_place[-1] = -1
        cells, places = tuple(self.cells[place] for place in keep), new_place[self.places]
        if not with_rest:
            return replace(self, cells=cells, places=places)
        named = (cell if isinstance(cell, str) else cell_name(cell, self.kind) for cell in cells)
        named_cells = (*named, tell("analysis_result.other"))
        return Levels(self.column, "text", named_cells, places, has_rest=True)


def levels_of(values: pd.Series, kind: ValueType, *, keeps_blank: bool = True) -> Levels:
    """In the column's own order; names as they first appear, missing ones last."""
    is_ordered = kind in NUMERIC or kind in TEMPORAL
    is_sorted = is_ordered or kind in ("boolean", "time")
    found_places, found = pd.factorize(values, sort=is_sorted, use_na_sentinel=True)
    places, cells = found_places.astype(np.int64), tuple(cell_of(value, kind) for value in found)
    if keeps_blank and bool((places < 0).any()):
        places, cells = np.where(places < 0, len(cells), places), (*cells, None)
        is_ordered = False
    return Levels(str(values.name), cell_kind(kind), cells, places, is_ordered)


def _by_period(values: pd.Series, unit: TimeUnit, fiscal_start: int) -> Levels:
    numbered = periods(values, unit, fiscal_start)
    missing = numbered.of_rows.isna().to_numpy(dtype=bool)
    ordinals = numbered.of_rows.to_numpy(dtype="int64", na_value=0)
    every = numbered.between([int(value) for value in np.unique(ordinals[~missing])])
    places = np.where(missing, -1, ordinals - (every.start if len(every) else 0)).astype(np.int64)
    shown = numbered.shown(pd.Series(list(every), dtype="int64"))
    cells = tuple(cell_of(value, numbered.kind) for value in shown)
    return Levels(str(values.name), cell_kind(numbered.kind), cells, places, True, unit)


def levels_by_role(task: Task, weights: Floats | None = None) -> dict[str, Levels]:
    """As many as can be told apart; the largest colours by weight, else by rows."""
    found: dict[str, Levels] = {}
    for role, column in task.spec.groups().items():
        match role:
            case "x" | "by":
                along = _along(task, column, getattr(task.spec, f"{role}_unit", None))
                is_cut = role == "by" or task.kind.numbers == "quartiles"
                found[role] = _commonest(task, along, task.kind.most) if is_cut else along
            case "facet":
                found[role] = panels(task, column)
            case _:
                found[role] = colours(task, column, weights)
    return found


def _along(task: Task, column: str, unit: TimeUnit | None) -> Levels:
    kind, values = task.kinds[column], task.data[column]
    unit = _unit(task, column, unit)
    if unit is not None:
        levels = _by_period(values, unit, task.spec.fiscal_start)
    else:
        levels = levels_of(values, kind, keeps_blank=kind not in TEMPORAL and kind not in NUMERIC)
    if kind in NUMERIC:
        sizes = [abs(cast("float", cell)) if cell is not None else np.inf for cell in levels.cells]
        levels = levels.chosen([at for at, size in enumerate(sizes) if size < _LARGEST])
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
    moments = task.data[column].dropna()
    if unit is None and moments.nunique() > task.kind.most_dates:
        unit = _unit_for(moments, min(task.kind.most_dates, _MOST_PERIODS))
        task.caution("put_together", column=column, by=tell(f"chart.time_by.{unit}"))
    return unit


def _unit_for(moments: pd.Series, most: int) -> TimeUnit:
    """The finest one that makes no more than so many periods of these dates."""
    span = cast("timedelta", moments.max() - moments.min())
    has_times = bool((moments != moments.dt.normalize()).any())
    for unit, hours in _HOURS:
        if span / timedelta(hours=hours) < most and (unit != "hour" or has_times):
            return unit
    return "year"


def _commonest(task: Task, levels: Levels, most: int) -> Levels:
    counts = np.bincount(levels.places[levels.places >= 0], minlength=len(levels))
    there = np.flatnonzero(counts) if levels.unit is None else np.arange(len(levels))
    if len(there) > most:
        task.caution("commonest", column=levels.column, shown=most, count=f"{len(there):,}")
        there = np.sort(np.argsort(-counts, kind="stable")[:most])
    return levels.chosen(there.tolist())


def panels(task: Task, column: str) -> Levels:
    return _commonest(task, levels_of(task.data[column], task.kinds[column]), MOST_PANELS)


def colours(task: Task, column: str, weights: Floats | None = None) -> Levels:
    """Those after the largest are その他."""
    levels = levels_of(task.data[column], task.kinds[column])
    most = MOST_COLOURS_IN_BINS if task.kind.numbers == "bins" else MOST_COLOURS
    if len(levels) <= most:
        return levels
    sizes = np.bincount(levels.places, weights=weights, minlength=len(levels))
    rest, count = tell("analysis_result.other"), f"{len(levels):,}"
    task.caution("fewer_colours", column=column, shown=most - 1, count=count, rest=rest)
    keep = sorted(np.argsort(-sizes, kind="stable")[: most - 1].tolist())
    return levels.chosen(keep, with_rest=True)


def group_columns(levels: Iterable[Levels]) -> list[TableColumn]:
    """One column may serve as axis and panel."""
    columns: list[TableColumn] = []
    for each in levels:
        name = free_name(each.column, [column.name for column in columns])
        columns.append(TableColumn(name=name, label=each.column, kind=each.kind))
    return columns


def count_column(taken: Sequence[TableColumn]) -> TableColumn:
    name = free_name(ROW_COUNT, [column.name for column in taken])
    return TableColumn(name=name, label=row_count_label(), kind="integer", unit=count_unit())


_NAME_LENGTH = 30


def by_words(spec: Plot, unit: TimeUnit | None = None) -> str:
    """月別・店舗別, or “month and store”; of points only what tells them apart."""
    named = spec.groups()
    words = [tell(f"chart.time_by.{unit}")] if unit else []
    roles = ("facet", "color") if "y" in named else ("x", "by", "facet", "color")
    columns = [named[role] for role in roles if role in named and not (unit and role == "x")]
    return tell("chart.and").join((*words, *map(_by_column, dict.fromkeys(columns))))


def _by_column(name: str) -> str:
    """店舗別, but 性別 as it is."""
    return name if name.endswith("別") else tell("chart.by_column", column=name)


def bare_name(column: str, unit: str) -> str:
    """Without a unit that stands in the name already: 単価(円) is 単価."""
    for ending in (f"（{unit}）", f"({unit})", f"[{unit}]", f"【{unit}】"):
        if unit and column.endswith(ending) and len(column) > len(ending):
            return column.removesuffix(ending).rstrip()
    return column


def distribution_title(column: str, unit: str, by: str) -> str:
    what = bare_name(column, unit)
    if by:
        return tell("chart.title.distribution_by", what=what, by=by)
    return tell("chart.title.distribution", what=what)


def kind_name(spec: Plot) -> str:
    return KINDS[spec.kind].words[current_language()][0]


def alt_text(spec: Plot, table: ResultTable, *told: str) -> str:
    """The kind of chart, its title, and what it shows."""
    parts = (tell("chart.alt.head", kind=kind_name(spec), title=table.title), *told)
    return one_line(("" if current_language() == "ja" else " ").join(parts))


def places(table: ResultTable, at: int) -> str:
    count = len({row[at] for row in table.rows})
    return tell("chart.alt.places", column=table.columns[at].label, count=count)


def ends(
    table: ResultTable, groups: int, at: int, skipped: frozenset[JsonCell] = frozenset()
) -> list[str]:
    """The highest and the lowest of a column; その他 is no single thing to be one."""
    marks = [row for row in table.rows if isinstance(row[at], int | float)]
    marks = [row for row in marks if skipped.isdisjoint(row[:groups])] or marks
    ranked = sorted(marks, key=lambda row: float(row[at] or 0))
    first, last = _told(table, ranked[0], groups, at), _told(table, ranked[-1], groups, at)
    if len(ranked) == 1:
        return [tell("chart.alt.only", at=last)]
    if ranked[0][at] == ranked[-1][at]:
        column = table.columns[at]
        value = exact(float(ranked[0][at] or 0), column.kind, column.unit)
        return [tell("chart.alt.all", value=value)]
    return [tell("chart.alt.highest", at=last), tell("chart.alt.lowest", at=first)]


def _told(table: ResultTable, row: Sequence[JsonCell], groups: int, at: int) -> str:
    """新宿店、家電の1,234円; of a box 新宿店、中央値の1,234円."""
    column = table.columns[at]
    names = [cell_name(row[place], table.columns[place].kind) for place in range(groups)]
    if at > groups:
        names.append(column.label)
    shown = listed(list(dict.fromkeys(one_line(name, _NAME_LENGTH) for name in names)))
    value = exact(float(row[at] or 0), column.kind, column.unit)
    return tell("chart.alt.value_at", name=shown, value=value)
