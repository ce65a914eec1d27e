"""Rows in an order: the first of them, running totals, and changes from row to row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sanbo.agents.analysis.execution.aggregates import group_name
from sanbo.agents.analysis.execution.filters import Work, missing_notes
from sanbo.agents.analysis.execution.frames import Frame, listed
from sanbo.agents.analysis.execution.grouping import first_of
from sanbo.agents.analysis.execution.periods import period_places
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    count_unit,
    extended,
    note,
    qualified,
    title,
    warn,
)
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.operations import Cumulative, Lag, Rolling, TopRows
from sanbo.agents.analysis.spec.phrases import period_text
from sanbo.kernel.messages import tell
from sanbo.tables.columns import Floats, as_number, floats, may_overflow, parts
from sanbo.tables.rows import free_name
from sanbo.tables.values import text_of


def top_rows(spec: TopRows, work: Work) -> Result:
    per = (spec.per,) if spec.per else ()
    rows = work.rows((*spec.by, *per))
    by = list(dict.fromkeys(spec.by))
    if by:
        rows = rows.sort_values(by, ascending=spec.ascending, kind="stable", na_position="last")
    numbers = pd.Series(np.arange(len(rows)), index=rows.index)
    if per:
        numbers = _grouped(numbers, rows, per).cumcount()
    notes, count = _tie_notes(rows, by, per, numbers, spec.n) if by and per else [], spec.n
    if not per and len(rows) > count:  # which one is the highest: all that are; five are five
        count, notes = first_of(rows[by], count, keeps_ties=count == 1)
    kept = rows[(numbers < count).to_numpy()]
    if per and len(rows):
        groups = kept.groupby(list(per), dropna=False, sort=True, observed=True).ngroup()
        kept = kept.iloc[np.argsort(groups.to_numpy(), kind="stable")]
        notes.append(note("first_of_each", count=spec.n, column=spec.per, groups=groups.nunique()))
    table = work.frame.table.take(kept.index.to_numpy())
    if spec.columns:
        table = table.select(list(dict.fromkeys((*per, *spec.columns))))
    heading = tell("analysis_result.rows_title")
    if spec.by:
        direction = "ascending" if spec.ascending else "descending"
        heading = tell(f"analysis_result.ordered_title.{direction}", by=listed(spec.by))
    if spec.per:
        heading = title([heading], [spec.per])
    return Result((Sheet(heading, Frame(table)),), tuple(notes))


def _tie_notes(
    rows: pd.DataFrame, by: list[str], per: Sequence[str], numbers: pd.Series, count: int
) -> list[Note]:
    """Groups where the first one that is cut off stands as high as the last one that is not."""
    edges = rows[numbers.isin((count - 1, count)).to_numpy()]
    places = numbers[edges.index]
    cut = edges[(places == count).to_numpy()]
    last = edges[(places == count - 1).to_numpy()]
    keys = [*per, *by]
    ties = cut[keys].merge(last[keys].drop_duplicates(), on=keys, how="inner")
    if ties.empty:
        return []
    return [warn("ties_in", groups=listed([group_name(key) for key in ties[per[0]].tolist()[:5]]))]


def _ordered(work: Work, column: str, order_by: str | None, by: Sequence[str]) -> pd.DataFrame:
    """In order within the whole table; rows without a place in it come last."""
    rows = work.rows((column, *((order_by,) if order_by else ()), *by))
    if order_by is None:
        return rows
    return rows.sort_values(order_by, kind="stable", na_position="last")


def _grouped(values: pd.Series, rows: pd.DataFrame, by: Sequence[str]) -> Any:
    """By group, or all in one."""
    keys: Any = [rows[name] for name in by] or np.zeros(len(rows), dtype="int8")
    return values.groupby(keys, dropna=False, sort=False, observed=True)


def cumulative(spec: Cumulative, work: Work) -> Result:
    rows = _ordered(work, spec.column, spec.order_by, spec.by)
    values, kind, unit = _running(spec, rows, work)
    word = tell(f"analysis_result.running.{spec.kind}")
    name = spec.name or free_name(f"{spec.column}_cumulative", work.frame.names)
    added = ResultColumn(name, values, kind, unit, qualified(work.labels[spec.column], word))
    notes = [*missing_notes(rows, [spec.column]), *_order_notes(spec.order_by)]
    if spec.kind == "share" and values.isna().all():
        notes.append(warn("no_shares"))
    sheet = extended(
        qualified(work.labels[spec.column], word), work.frame, rows.index.to_numpy(), [added]
    )
    return Result((sheet,), tuple(notes))


def _running(spec: Cumulative, rows: pd.DataFrame, work: Work) -> tuple[pd.Series, ValueType, str]:
    values, unit = rows[spec.column], work.units[spec.column]
    if spec.kind == "count":
        counted = _grouped(values.notna().astype("int64"), rows, spec.by).cumsum()
        return counted, "integer", count_unit()
    numbers = as_number(values)
    kind: ValueType = "integer" if work.kinds[spec.column] == "boolean" else work.kinds[spec.column]
    if spec.kind in ("max", "min"):
        return getattr(_grouped(numbers, rows, spec.by), f"cum{spec.kind}")(), kind, unit
    if may_overflow(numbers):
        numbers = pd.Series(floats(numbers), index=numbers.index)
    if spec.kind == "sum":
        return _grouped(numbers, rows, spec.by).cumsum(), kind, unit
    numbers = pd.Series(floats(numbers), index=numbers.index)
    wholes = _grouped(numbers, rows, spec.by).transform("sum")
    sums = _grouped(numbers, rows, spec.by).cumsum()
    return sums / wholes.where(wholes != 0), "percent", ""


def lag(spec: Lag, work: Work) -> Result:
    rows = _ordered(work, spec.column, spec.order_by, spec.by)
    numbers = as_number(rows[spec.column])
    if numbers.dtype == np.int64:
        numbers = numbers.astype("Int64")  # so that the first ones can be empty
    before = _grouped(numbers, rows, spec.by).shift(spec.periods)
    by_period = _periods_before(spec, rows, numbers, work)
    if by_period is not None:
        before = by_period
    kind: ValueType = "integer" if work.kinds[spec.column] == "boolean" else work.kinds[spec.column]
    unit = work.units[spec.column]
    made: list[tuple[str, pd.Series, ValueType, str]] = [
        ("previous", before, kind, unit),
        ("difference", difference(numbers, before), kind, unit),
        ("rate", rate(numbers, before), "percent", ""),
    ]
    added = [
        ResultColumn(
            free_name(f"{spec.column}_{what}", work.frame.names),
            values,
            kind_of,
            unit_of,
            qualified(work.labels[spec.column], tell(f"analysis_result.change.{what}")),
        )
        for what, values, kind_of, unit_of in made
    ]
    heading = qualified(work.labels[spec.column], tell("analysis_result.change.rate"))
    sheet = extended(heading, work.frame, rows.index.to_numpy(), added)
    how = note("lag" if spec.order_by is None else "lag_along", periods=spec.periods)
    if by_period is not None:
        how = warn("lag_by_period", periods=spec.periods, count=int(by_period.isna().sum()))
    notes = [
        how,
        *([_nothing_before(spec, rows, work)] if len(rows) and before.isna().all() else []),
        *_order_notes(spec.order_by),
        *([warn("lag_gaps", count=int(numbers.isna().sum()))] if numbers.isna().any() else []),
        *rate_notes(floats(before), floats(numbers)),
    ]
    return Result((sheet,), tuple(notes))


def _nothing_before(spec: Lag, rows: pd.DataFrame, work: Work) -> Note:
    """A year without the one before it: the answer, and no remark."""
    along = spec.order_by or work.frame.names[0]
    values = work.frame.pandas((along,))[along].loc[rows.index]
    first, last = (period_text(text_of(one)) for one in (values.iloc[0], values.iloc[-1]))
    told = {"periods": spec.periods, "first": first, "last": last}
    return Note(kind="finding", text=tell("analysis_result.note.lag_nothing_before", None, **told))


def rolling(spec: Rolling, work: Work) -> Result:
    rows = _ordered(work, spec.column, spec.order_by, spec.by)
    values = as_number(rows[spec.column])
    # Sums of what has few decimals are made of whole numbers, so that they are exact.
    exact = parts(values) if spec.agg in ("sum", "mean") else None
    scale = 1
    numbers = pd.Series(floats(values), index=rows.index)
    if exact is not None and len(exact.wholes) == 1:
        scale = 10**exact.digits
        numbers = exact.wholes[0].astype("float64").where(values.notna().to_numpy(dtype=bool))
    keys = _grouped(numbers, rows, spec.by).ngroup().to_numpy()
    windows: Any = numbers.reset_index(drop=True).groupby(keys).rolling(spec.window)
    arguments = {"ddof": spec.ddof} if spec.agg == "std" else {}
    found = getattr(windows, spec.agg)(**arguments).droplevel(0).sort_index() / scale
    kind = work.kinds[spec.column]
    whole = kind in ("integer", "boolean") and spec.agg in ("sum", "min", "max")
    kind = ("integer" if whole else "number") if kind in ("integer", "boolean") else kind
    made = pd.Series(found.to_numpy(), index=rows.index)
    name = spec.name or free_name(f"{spec.column}_{spec.agg}_{spec.window}", work.frame.names)
    word = tell(
        "analysis_result.rolling",
        count=spec.window,
        of=tell(f"analysis_result.aggregate.{spec.agg}"),
    )
    label = qualified(work.labels[spec.column], word)
    column = ResultColumn(name, made, kind, work.units[spec.column], label)
    notes = [note("rolling", count=spec.window, empty=int(made.isna().sum()))]
    if spec.agg == "std":
        notes.append(note("ddof", ddof=spec.ddof))
    sheet = extended(label, work.frame, rows.index.to_numpy(), [column])
    return Result((sheet,), (*notes, *_order_notes(spec.order_by)))


def _periods_before(
    spec: Lag, rows: pd.DataFrame, numbers: pd.Series, work: Work
) -> pd.Series | None:
    """The values by period where some have no row: the row before is then not the period before.

    A period is as long as the usual step between rows: a census every five years has no gaps.
    """
    along = spec.order_by or next((name for name in work.frame.names if name not in spec.by), None)
    if along is None or along == spec.column:
        return None
    values = work.frame.pandas((along,))[along].loc[rows.index]
    places = period_places(values, work.kinds[along], along)
    if places is None:
        return None
    ordered = np.unique(places.to_numpy())
    step = int(np.gcd.reduce(np.diff(ordered))) if len(ordered) > 1 else 1
    grouped = _grouped(places.astype("Int64"), rows, spec.by)
    steps = (places - grouped.shift(1)).dropna().abs()
    if not (steps != step).any():
        return None
    keys = pd.MultiIndex.from_arrays([grouped.ngroup(), places])
    if not keys.is_unique:
        return None  # several rows for a period: rows are what is compared
    wanted = pd.MultiIndex.from_arrays([grouped.ngroup(), places - step * spec.periods])
    by_period = pd.Series(numbers.array, index=keys).reindex(wanted)
    return pd.Series(by_period.array, index=rows.index)


def difference(numbers: pd.Series, before: pd.Series) -> pd.Series:
    whole = pd.concat([numbers.abs(), before.abs()])
    is_whole = pd.api.types.is_integer_dtype(whole.dtype) and not whole.isna().all()
    if is_whole and int(whole.max()) >= 2**62:  # a difference might not fit
        return pd.Series(floats(numbers) - floats(before), index=numbers.index)
    return numbers - before


def rate(numbers: pd.Series, before: pd.Series) -> pd.Series:
    """The change as a part of the value before; none where that is 0."""
    base = floats(before)
    with np.errstate(divide="ignore", invalid="ignore"):
        return pd.Series(np.where(base == 0, np.nan, floats(numbers) / base - 1), numbers.index)


def _order_notes(order_by: str | None) -> list[Note]:
    return [note("as_they_stand")] if order_by is None else []


def rate_notes(base: Floats, now: Floats) -> list[Note]:
    zeros = int(((base == 0) & ~np.isnan(now)).sum())
    return [
        *([warn("rate_of_zero", count=zeros)] if zeros else []),
        *([warn("rate_of_negative")] if (base < 0).any() else []),
    ]
