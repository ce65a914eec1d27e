"""Cross tables: groups down the side and across the top."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from sanbo.agents.analysis.execution.aggregates import aggregate, blank, group_name
from sanbo.agents.analysis.execution.filters import Work, missing_notes
from sanbo.agents.analysis.execution.grouping import metric_notes, time_notes
from sanbo.agents.analysis.execution.periods import Periods, periods
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    aggregate_word,
    count_unit,
    metric_kind,
    metric_labels,
    metric_unit,
    number_kind,
    qualified,
    refusal,
    title,
    too_much,
    unit_word,
    warn,
)
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.operations import Pivot, Unpivot
from sanbo.agents.analysis.spec.words import Metrics, TimeUnit
from sanbo.kernel.messages import tell
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

MOST_COLUMNS = 200
_TOP = "top"


@dataclass(frozen=True)
class _Keyed:
    """The rows by their keys 0, 1 … and top (the same column may stand on both sides)."""

    rows: pd.DataFrame
    metrics: Metrics
    times: Mapping[str, Periods]

    def name(self, value: object, key: str) -> str:
        time = self.times.get(key)
        return group_name(value) if time is None else time.display(int(str(value)))


@dataclass(frozen=True)
class _Grid:
    keys: pd.DataFrame
    cells: pd.DataFrame
    names: list[str]
    """Of the columns."""


def pivot(spec: Pivot, work: Work) -> Result:
    if spec.row_unit is not None and len(spec.rows) > 1:
        raise refusal("row_unit_alone", rows=spec.rows)
    if spec.share is not None and spec.value is not None and spec.agg not in ("sum", "count"):
        raise refusal("share_of_other", agg=aggregate_word(spec.agg))
    rows = work.rows((*spec.rows, spec.columns, *((spec.value,) if spec.value else ())))
    sources = {**{str(place): name for place, name in enumerate(spec.rows)}, _TOP: spec.columns}
    units: dict[str, TimeUnit | None] = {"0": spec.row_unit, _TOP: spec.column_unit}
    dated = [sources[key] for key, unit in units.items() if unit is not None]
    there = rows[rows[dated].notna().all(axis=1)] if dated else rows
    times = {
        key: periods(there[sources[key]], unit, spec.fiscal_start)
        for key, unit in units.items()
        if unit is not None
    }
    data = {
        key: times[key].of_rows if key in times else _worded(there[name])
        for key, name in sources.items()
    }
    metrics: Metrics = {} if spec.value is None else {"value": (spec.agg,)}
    by_key = pd.DataFrame({**data, **{name: there[spec.value] for name in metrics}})
    keyed = _Keyed(by_key, metrics, times)
    grid = _grid(keyed, spec)
    if spec.totals:
        grid = _with_totals(grid, keyed, spec)
    return _result(grid, keyed, spec, work, rows)


def unpivot(spec: Unpivot, work: Work) -> Result:
    """部門 | 予算 | 実績 becomes 部門 | 項目 | 値, with a row for each of the numbers."""
    rows = work.rows(tuple(work.frame.names))
    kept = [name for name in work.frame.names if name not in spec.columns]
    count = len(spec.columns)
    item, value = (free_name(name, kept) for name in (spec.name, spec.value_name))
    made = [
        ResultColumn(
            name,
            rows[name].repeat(count).reset_index(drop=True),
            work.kinds[name],
            work.units.get(name, ""),
            work.labels[name],
        )
        for name in kept
    ]
    told = [work.labels[name] for name in spec.columns] * len(rows)
    stacked = [rows[name].reset_index(drop=True) for name in spec.columns]
    numbers = pd.concat(stacked).sort_index(kind="stable").reset_index(drop=True)
    units = {work.units.get(name, "") for name in spec.columns}
    kinds = [work.kinds[name] for name in spec.columns]
    kind = kinds[0] if len({*kinds}) == 1 else number_kind(kinds)
    made.append(ResultColumn(item, pd.Series(told, dtype="str"), "text", label=item))
    unit = units.pop() if len(units) == 1 else ""
    made.append(ResultColumn(value, numbers, kind, unit, value))
    heading = title([work.labels[name] for name in spec.columns])
    return Result((Sheet.of(heading, made),), ())


def _worded(values: pd.Series) -> pd.Series:
    """Missing words are one group with cells that say （空欄）: both have that name."""
    return values.fillna(blank()) if values.dtype == "str" else values


def _grid(keyed: _Keyed, spec: Pivot) -> _Grid:
    """Rows and columns in the order of their keys."""
    sides = [str(place) for place in range(len(spec.rows))]
    cells = aggregate(keyed.rows, (*sides, _TOP), keyed.metrics)
    down = cells.groupby(sides, sort=True, dropna=False, observed=True).ngroup()
    across = cells.groupby(_TOP, sort=True, dropna=False, observed=True).ngroup()
    count = int(across.max()) + 1 if len(cells) else 0
    if count > MOST_COLUMNS:
        raise too_much("too_many_columns", column=spec.columns, count=count, limit=MOST_COLUMNS)
    keys = cells[sides].groupby(down).head(1)
    keys = keys.iloc[np.argsort(down[keys.index], kind="stable")].reset_index(drop=True)
    fills = not keyed.metrics or spec.agg in ("sum", "count", "nunique")
    grid: dict[int, pd.Series] = {}
    for number in range(count):
        chosen = (across == number).to_numpy()
        values = cells[chosen].iloc[:, -1]
        column = pd.Series(values.array, index=down[chosen].to_numpy())
        whole = is_integer_dtype(column.dtype)
        column = column.reindex(range(len(keys)))
        column = column.fillna(0) if fills else column
        grid[number] = column.astype("int64" if fills else "Int64") if whole else column
    firsts = cells[_TOP].groupby(across).head(1)
    tops = firsts.iloc[np.argsort(across[firsts.index])].tolist()
    return _Grid(keys, pd.DataFrame(grid), [keyed.name(top, _TOP) for top in tops])


def _with_totals(made: _Grid, keyed: _Keyed, spec: Pivot) -> _Grid:
    """Aggregated anew from the rows: a mean of means is not the mean."""
    is_sum = not keyed.metrics or spec.agg in ("sum", "count")
    word = tell("analysis_result.total" if is_sum else "analysis_result.overall")
    right, below, corner = (
        aggregate(keyed.rows, groups, keyed.metrics).iloc[:, -1]
        for groups in (list(made.keys.columns), (_TOP,), ())
    )
    grid = made.cells.assign(**{"": right.array}).set_axis(range(len(made.names) + 1), axis=1)
    last = pd.DataFrame([[*below.tolist(), corner.iloc[0]]], columns=grid.columns)
    texts = {
        name: pd.Series([keyed.name(one, name) for one in made.keys[name].tolist()], dtype="str")
        for name in made.keys.columns
    }
    keys = pd.DataFrame(texts)
    keys.loc[len(keys)] = [word, *[""] * (len(texts) - 1)]
    grid = pd.concat([grid, last.astype(grid.dtypes.to_dict())], ignore_index=True)
    return _Grid(keys, grid, [*made.names, word])


def _shared(grid: pd.DataFrame, spec: Pivot) -> pd.DataFrame:
    """Cells divided by their whole; no value where that is 0."""
    if spec.share is None:
        return grid
    cells = np.column_stack([floats(grid[name]) for name in grid.columns])
    inner = cells[:-1, :-1] if spec.totals else cells
    axis = {"all": None, "row": 1, "column": 0}[spec.share]
    whole = np.nansum(inner, axis=axis, keepdims=True)
    if spec.totals and axis is not None:
        whole = np.append(whole, np.full_like(whole[:1, :1], np.nansum(inner)), axis=1 - axis)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(whole == 0, np.nan, cells / whole)
    return pd.DataFrame(shares, columns=grid.columns)


def _result(made: _Grid, keyed: _Keyed, spec: Pivot, work: Work, rows: pd.DataFrame) -> Result:
    times, grid = keyed.times, _shared(made.cells, spec)
    columns = [
        _key_column(made.keys[key], name, times.get(key), work)
        for key, name in zip(made.keys.columns, spec.rows, strict=True)
    ]
    metrics: Metrics = {} if spec.value is None else {spec.value: (spec.agg,)}
    kind: ValueType = "integer"
    unit = count_unit()
    if spec.share is not None:
        kind, unit = "percent", ""
    elif spec.value is not None:
        kind = metric_kind(work.kinds[spec.value], spec.agg)
        unit = metric_unit(work.units, spec.value, spec.agg)
    for number, name in enumerate(made.names):
        free = free_name(name, [column.name for column in columns])
        columns.append(ResultColumn(free, grid[number], kind, unit, name))
    sides = (*zip(map(str, range(len(spec.rows))), spec.rows, strict=True), (_TOP, spec.columns))
    plain = [name for key, name in sides if key not in times]
    notes = [
        *metric_notes(rows, metrics, 1),
        *missing_notes(rows, [name for key, name in sides if key in times]),
        *(more for time in times.values() for more in time_notes(time.unit, spec.fiscal_start)),
    ]
    heading = title(
        metric_labels(metrics, work.labels),
        (*plain, *(unit_word(time.unit) for time in times.values())),
    )
    if spec.share is not None:
        heading = tell("analysis_result.share_title", what=heading)
        if (floats(pd.Series(grid.to_numpy().ravel())) < 0).any():
            notes.append(warn("negative_shares"))
    return Result((Sheet.of(heading, columns),), tuple(notes))


def _key_column(values: pd.Series, name: str, time: Periods | None, work: Work) -> ResultColumn:
    label = name if time is None else qualified(name, unit_word(time.unit))
    if values.dtype == "str":
        return ResultColumn(name, values, "text", "", label)
    if time is not None:
        return ResultColumn(name, time.shown(values), time.kind, "", label)
    return ResultColumn(name, values, work.kinds[name], work.units[name], label)
