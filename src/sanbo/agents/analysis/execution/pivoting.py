"""Cross tables: groups down the side and across the top."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from sanbo.agents.analysis.execution.aggregates import (
    aggregate,
    blank,
    group_name,
    key_text,
    require_numbers,
)
from sanbo.agents.analysis.execution.grouping import metric_notes, require_date, time_notes
from sanbo.agents.analysis.execution.periods import Periods, periods
from sanbo.agents.analysis.execution.results import Result, ResultColumn, Sheet, caution
from sanbo.agents.analysis.execution.wording import (
    aggregate_word,
    count_unit,
    metric_kind,
    metric_labels,
    metric_unit,
    qualified,
    title,
    unit_word,
)
from sanbo.agents.analysis.execution.work import Work, missing_notes
from sanbo.agents.analysis.spec.operations import Pivot
from sanbo.agents.analysis.spec.words import Aggregate, Metrics, TimeUnit
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

MOST_COLUMNS = 200
_TOP = "top"


@dataclass(frozen=True)
class _Keyed:
    """The rows by their keys side_0 … and top, where dates have become periods."""

    rows: pd.DataFrame
    sides: tuple[str, ...]
    times: Mapping[str, Periods]
    metrics: Metrics

    def aggregated(self, keys: Sequence[str], agg: Aggregate) -> pd.DataFrame:
        return aggregate(self.rows, keys, {"value": (agg,)} if self.metrics else {})


@dataclass(frozen=True)
class _Made:
    keys: pd.DataFrame
    grid: pd.DataFrame
    names: list[str]


def pivot(spec: Pivot, work: Work) -> Result:
    needed = (*spec.rows, spec.columns, *((spec.value,) if spec.value else ()))
    work.frame.require(needed)
    metrics: Metrics = {} if spec.value is None else {spec.value: (spec.agg,)}
    require_numbers(work.kinds, metrics)
    _check(spec)
    rows = work.rows(needed)
    keyed = _keyed(rows, spec, work, metrics)
    cells = keyed.aggregated((*keyed.sides, _TOP), spec.agg)
    value = str(cells.columns[-1])
    tops = cells[_TOP].drop_duplicates().sort_values(na_position="last")
    if len(tops) > MOST_COLUMNS:
        raise LimitExceeded(
            "analysis_result.too_many_columns",
            details={"column": spec.columns},
            column=spec.columns,
            count=len(tops),
            limit=MOST_COLUMNS,
        )
    places = cells.groupby(list(keyed.sides), sort=True, dropna=False, observed=True).ngroup()
    keys = cells[list(keyed.sides)].groupby(places).head(1).reset_index(drop=True)
    filling = 0 if not metrics or spec.agg in ("sum", "count", "nunique") else None
    by_top = cells.groupby(_TOP, sort=False, dropna=False, observed=True).ngroup()
    across = [
        _across(cells[by_top == number][value], places, len(keys), filling)
        for number in range(len(tops))
    ]
    across = [across[number] for number in _order(cells[_TOP], by_top, tops)]
    grid = pd.DataFrame(dict(enumerate(across)))
    names = [_name(top, keyed.times.get(_TOP)) for top in tops.tolist()]
    if spec.totals:
        keys, grid, names = _with_totals(keys, grid, names, keyed, spec)
    return _result(_Made(keys, _shared(grid, spec), names), keyed, spec, work, rows)


def _across(values: pd.Series, places: pd.Series, count: int, filling: int | None) -> pd.Series:
    """One column of the grid: a cell for each row's place, empty or 0 where there is none."""
    column = pd.Series(values.array, index=places[values.index].to_numpy())
    whole = is_integer_dtype(column.dtype)
    column = column.reindex(range(count))
    if filling is None:
        return column.astype("Int64") if whole else column
    column = column.fillna(filling)
    return column.astype("int64") if whole else column


def _order(values: pd.Series, numbers: pd.Series, tops: pd.Series) -> list[int]:
    """The group's number for each column, from left to right."""
    first = ~numbers.duplicated()
    number_of = {
        key_text(value): int(number)
        for value, number in zip(values[first].tolist(), numbers[first].tolist(), strict=True)
    }
    return [number_of[key_text(top)] for top in tops.tolist()]


def _check(spec: Pivot) -> None:
    if spec.row_unit is not None and len(spec.rows) > 1:
        raise InvalidInput("analysis_result.row_unit_alone", details={"rows": list(spec.rows)})
    if spec.share is not None and spec.value is not None and spec.agg not in ("sum", "count"):
        raise InvalidInput("analysis_result.share_of_other", agg=aggregate_word(spec.agg))


def _keyed(rows: pd.DataFrame, spec: Pivot, work: Work, metrics: Metrics) -> _Keyed:
    sides = tuple(f"side_{place}" for place in range(len(spec.rows)))
    sources = {**dict(zip(sides, spec.rows, strict=True)), _TOP: spec.columns}
    units: dict[str, TimeUnit | None] = {sides[0]: spec.row_unit, _TOP: spec.column_unit}
    dated = [sources[key] for key, unit in units.items() if unit is not None]
    for column in dated:
        require_date(work, column)
    rows = rows[rows[dated].notna().all(axis=1)] if dated else rows
    data: dict[str, pd.Series] = {}
    times: dict[str, Periods] = {}
    for key, column in sources.items():
        unit = units.get(key)
        if unit is None:
            data[key] = _worded(rows[column])
        else:
            times[key] = periods(rows[column], unit, spec.fiscal_start)
            data[key] = times[key].of_rows
    if spec.value is not None:
        data["value"] = rows[spec.value]
    return _Keyed(pd.DataFrame(data, index=rows.index), sides, times, metrics)


def _worded(values: pd.Series) -> pd.Series:
    """Missing words are one group with cells that say （空欄）: both have that name."""
    return values.fillna(blank()) if values.dtype == "str" else values


def _with_totals(
    keys: pd.DataFrame, grid: pd.DataFrame, names: list[str], keyed: _Keyed, spec: Pivot
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Aggregated anew from the rows: a mean of means is not the mean."""
    is_sum = not keyed.metrics or spec.agg in ("sum", "count")
    word = tell("analysis_result.total" if is_sum else "analysis_result.overall")
    right = keyed.aggregated(keyed.sides, spec.agg).iloc[:, -1]
    below = keyed.aggregated((_TOP,), spec.agg).iloc[:, -1].tolist()
    corner = keyed.aggregated((), spec.agg).iloc[0, -1]
    grid[len(grid.columns)] = right.array
    last = pd.DataFrame([[*below, corner]], columns=grid.columns)
    texts = {name: _texts(keys[name], keyed.times.get(name)) for name in keyed.sides}
    keys = pd.DataFrame(texts)
    keys.loc[len(keys)] = [word, *[""] * (len(keyed.sides) - 1)]
    grid = pd.concat([grid, last.astype(grid.dtypes.to_dict())], ignore_index=True)
    return keys, grid, [*names, word]


def _texts(values: pd.Series, time: Periods | None) -> pd.Series:
    return pd.Series([_name(value, time) for value in values.tolist()], dtype="str")


def _name(value: object, time: Periods | None) -> str:
    return group_name(value) if time is None else time.display(int(str(value)))


def _shared(grid: pd.DataFrame, spec: Pivot) -> pd.DataFrame:
    """Cells divided by their whole; no value where that is 0."""
    if spec.share is None:
        return grid
    cells = np.column_stack([floats(grid[name]) for name in grid.columns])
    inner = cells[:-1, :-1] if spec.totals else cells
    match spec.share:
        case "all":
            whole = np.array([[np.nansum(inner)]])
        case "row":
            whole = np.nansum(inner, axis=1, keepdims=True)
            whole = np.vstack([whole, [[np.nansum(inner)]]]) if spec.totals else whole
        case "column":
            whole = np.nansum(inner, axis=0, keepdims=True)
            whole = np.hstack([whole, [[np.nansum(inner)]]]) if spec.totals else whole
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(whole == 0, np.nan, cells / whole)
    return pd.DataFrame(shares, columns=grid.columns)


def _result(made: _Made, keyed: _Keyed, spec: Pivot, work: Work, rows: pd.DataFrame) -> Result:
    keys, grid, names = made.keys, made.grid, made.names
    columns = [_key_column(keys[key], key, keyed, work, spec) for key in keyed.sides]
    taken = [column.name for column in columns]
    kind = "integer" if spec.value is None else metric_kind(work.kinds[spec.value], spec.agg)
    unit = count_unit() if spec.value is None else metric_unit(work.units, spec.value, spec.agg)
    if spec.share is not None:
        kind, unit = "percent", ""
    for number, name in enumerate(names):
        free = free_name(name, taken)
        taken.append(free)
        columns.append(ResultColumn(free, grid[number], kind, unit, name))
    units = [unit_word(time.unit) for time in keyed.times.values()]
    named = [name for name in (*spec.rows, spec.columns) if name in rows.columns]
    plain = [
        name
        for key, name in zip((*keyed.sides, _TOP), named, strict=True)
        if key not in keyed.times
    ]
    notes = [
        *metric_notes(rows, keyed.metrics, 1),
        *missing_notes(rows, [name for name in named if name not in plain]),
        *(
            note
            for time in keyed.times.values()
            for note in time_notes(time.unit, spec.fiscal_start)
        ),
    ]
    if spec.share is not None and (floats(pd.Series(grid.to_numpy().ravel())) < 0).any():
        notes.append(caution(tell("analysis_result.note.negative_shares")))
    heading = title(metric_labels(keyed.metrics, work.labels), (*plain, *units))
    if spec.share is not None:
        heading = tell("analysis_result.share_title", what=heading)
    return Result((Sheet.of(heading, columns),), tuple(notes))


def _key_column(
    values: pd.Series, key: str, keyed: _Keyed, work: Work, spec: Pivot
) -> ResultColumn:
    name = spec.rows[keyed.sides.index(key)]
    time = keyed.times.get(key)
    label = name if time is None else qualified(name, unit_word(time.unit))
    if values.dtype == "str":
        return ResultColumn(name, values, "text", "", label)
    if time is not None:
        return ResultColumn(name, time.shown(values), time.kind, "", label)
    return ResultColumn(name, values, work.kinds[name], work.units[name], label)
