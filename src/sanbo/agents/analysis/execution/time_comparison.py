"""Periods beside each other, and groups followed from the period in which they came first."""

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from sanbo.agents.analysis.execution.aggregates import aggregate
from sanbo.agents.analysis.execution.filters import Work, missing_notes
from sanbo.agents.analysis.execution.grouping import in_order, metric_notes, time_notes
from sanbo.agents.analysis.execution.ordering import difference, rate, rate_notes
from sanbo.agents.analysis.execution.periods import Periods, periods, read_span
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    count_unit,
    metric_kind,
    metric_labels,
    metric_unit,
    note,
    qualified,
    refusal,
    title,
    too_much,
    unit_word,
    warn,
)
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.spec.operations import Cohort, ComparePeriods
from sanbo.agents.analysis.spec.words import Metrics, PeriodUnit, Sort
from sanbo.kernel.messages import tell
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

MOST_COLUMNS = 200
_IN_A_YEAR: dict[PeriodUnit, int] = {
    "year": 1,
    "half": 2,
    "quarter": 4,
    "month": 12,
    "week": 52,
    "fiscal_year": 1,
    "fiscal_quarter": 4,
}
_PARTS = ("before", "now", "difference", "rate")
_BEFORE, _NOW, _DIFFERENCE, _RATE = (f"\0{part}" for part in _PARTS)  # no table has such names
_EPOCH = date(1970, 1, 1)


def compare_periods(spec: ComparePeriods, work: Work) -> Result:
    by = tuple(name for name in dict.fromkeys(spec.by) if name != spec.date_col)
    metrics: Metrics = {} if spec.column is None else {spec.column: (spec.agg,)}
    rows, time = _dated(work, spec.date_col, spec.unit, spec.fiscal_start, (*by, *metrics))
    now, before = _chosen(spec, time)
    sides = [
        aggregate(rows[(time.of_rows == period).to_numpy()], by, metrics)
        for period in (before, now)
    ]
    fills = not metrics or spec.agg in ("sum", "count", "nunique")
    every, gaps = _beside(sides[0], sides[1], by, fills=fills)
    change = floats(every[_DIFFERENCE])
    chosen = {"increased": change > 0, "decreased": change < 0}.get(spec.only or "")
    made = every if chosen is None else every[chosen].reset_index(drop=True)
    made, ordered = _ordered(made, by, spec)
    kind = metric_kind(work.kinds[spec.column], spec.agg) if spec.column else "integer"
    unit = metric_unit(work.units, spec.column, spec.agg) if spec.column else count_unit()
    names = {"before": time.display(before), "now": time.display(now)}
    columns = [
        *work.own(made, by),
        *(
            ResultColumn(
                free_name(part, by),
                made[f"\0{part}"],
                "percent" if part == "rate" else kind,
                "" if part == "rate" else unit,
                names.get(part) or tell(f"analysis_result.change.{part}"),
            )
            for part in _PARTS
        ),
    ]
    what = title(metric_labels(metrics, work.labels), [work.labels[name] for name in by])
    notes = [
        note(f"against_{spec.against}", **names),
        *_incomplete(rows[spec.date_col], time, now),
        *metric_notes(rows, metrics, 1),
        *([warn(f"period_gaps_{'zero' if fills else 'empty'}", count=gaps)] if gaps else []),
        *([note(f"only_{spec.only}", count=len(made), all=len(every))] if spec.only else []),
        *rate_notes(floats(made[_BEFORE]), floats(made[_NOW])),
        *time_notes(spec.unit, spec.fiscal_start),
        *ordered,
    ]
    heading = tell(
        "analysis_result.periods_title", what=what, before=names["before"], now=names["now"]
    )
    return Result((Sheet.of(heading, columns),), tuple(notes))


def _dated(
    work: Work, date_col: str, unit: PeriodUnit, fiscal_start: int, others: Sequence[str]
) -> tuple[pd.DataFrame, Periods]:
    """The rows that have a date, and the period of each."""
    rows = work.rows((date_col, *others))
    rows = rows[rows[date_col].notna()]
    if rows.empty:
        raise refusal("column_empty", column=date_col)
    return rows, periods(rows[date_col], unit, fiscal_start)


def _chosen(spec: ComparePeriods, time: Periods) -> tuple[int, int]:
    """The period and the one to set it against; both must have rows."""
    there = {int(period) for period in time.of_rows.unique()}
    now = max(there)
    if spec.period is not None:
        span = read_span(spec.period, spec.fiscal_start)
        starts = (
            None if span is None else pd.Series([span.start, span.end - np.timedelta64(1, "us")])
        )
        found = None if starts is None else periods(starts, spec.unit, spec.fiscal_start).of_rows
        if (
            span is None
            or found is None
            or found[0] != found[1]
            or time.start(found[0]) != span.start
        ):
            raise refusal("period_unreadable", period=spec.period, unit=unit_word(spec.unit))
        now = int(found[0])
    before = now - 1 if spec.against == "previous" else _year_before(now, spec.unit)
    for period in (now, before):
        if period not in there:
            ends = [time.display(end) for end in (min(there), max(there))]
            raise refusal(
                "period_missing", period=time.display(period), first=ends[0], last=ends[1]
            )
    return now, before


def _year_before(period: int, unit: PeriodUnit) -> int:
    """Of a day the same date (of February 29 the 28th), of a week the one 52 weeks before."""
    if unit in _IN_A_YEAR:
        return period - _IN_A_YEAR[unit]
    days, hour = (period, 0) if unit == "day" else divmod(period, 24)
    day = _EPOCH + timedelta(days=days)
    back = day.replace(year=day.year - 1, day=28 if (day.month, day.day) == (2, 29) else day.day)
    days = (back - _EPOCH).days
    return days if unit == "day" else days * 24 + hour


def _beside(
    before: pd.DataFrame, now: pd.DataFrame, by: Sequence[str], *, fills: bool
) -> tuple[pd.DataFrame, int]:
    """Each group's figure in both periods, and how many groups have none in one of them."""
    sides = [
        side.set_axis([*by, name], axis=1).astype(
            {name: "Int64"} if is_integer_dtype(side.iloc[:, -1].dtype) else {}
        )
        for side, name in ((before, _BEFORE), (now, _NOW))
    ]
    if by:
        made = sides[0].merge(sides[1], on=list(by), how="outer", sort=True, indicator="\0which")
        gaps = int((made.pop("\0which") != "both").sum())
        made = made.sort_values(list(by), kind="stable", ignore_index=True, na_position="last")
    else:
        made, gaps = pd.concat(sides, axis=1), 0
    if fills and gaps:
        made[[_BEFORE, _NOW]] = made[[_BEFORE, _NOW]].fillna(0)
    made[_DIFFERENCE] = difference(made[_NOW], made[_BEFORE])
    made[_RATE] = rate(made[_NOW], made[_BEFORE])
    return made, gaps


def _ordered(
    made: pd.DataFrame, by: Sequence[str], spec: ComparePeriods
) -> tuple[pd.DataFrame, list[Note]]:
    wanted = spec.sort
    if wanted is None and (spec.only is not None or spec.top_k is not None):
        wanted = "difference_asc" if spec.only == "decreased" else "difference_desc"
    if wanted is None:
        return made, []
    part, direction = wanted.split("_")
    return in_order(made, by, Sort(by=f"\0{part}", ascending=direction == "asc"), spec.top_k)


def _incomplete(moments: pd.Series, time: Periods, now: int) -> list[Note]:
    """The latest period, where its rows end earlier than those of every period before it.

    By both ends: months differ in length, and of a month that is named by its first day, or
    whose figures are dated at its end, there is no more to come.
    """
    if time.unit in ("day", "hour") or now != int(time.of_rows.max()):
        return []
    last = moments.groupby(time.of_rows.to_numpy()).max()
    begins = pd.Series([time.start(int(period)) for period in last.index], index=last.index)
    ends = pd.Series([time.start(int(period) + 1) for period in last.index], index=last.index)
    reached, left = (last.dt.floor("D") - begins), (ends - last.dt.floor("D"))
    others = last.index < now
    if not others.any():
        return []
    if reached[now] >= reached[others].min() or left[now] <= left[others].max():
        return []
    return [warn("incomplete", period=time.display(now), last=last[now].strftime("%Y-%m-%d"))]


def cohort(spec: Cohort, work: Work) -> Result:
    values = () if spec.value_col is None else (spec.value_col,)
    rows, time = _dated(work, spec.date_col, spec.unit, spec.fiscal_start, (spec.id_col, *values))
    known = rows[spec.id_col].notna().to_numpy(dtype=bool)
    ids, at = rows[spec.id_col][known], time.of_rows[known].astype("int64")
    if ids.empty:
        raise refusal("column_empty", column=spec.id_col)
    first = at.groupby(ids.to_numpy()).transform("min")
    since = at - first
    width = int(since.max()) + 1
    if width > MOST_COLUMNS:
        raise too_much("too_many_columns", column=spec.date_col, count=width, limit=MOST_COLUMNS)
    keyed = pd.DataFrame({"first": first, "since": since, "id": ids})
    if spec.value_col is not None:
        keyed["value"] = rows[spec.value_col][known]
    metrics: Metrics = {"id": ("nunique",)} if not values else {"value": ("sum",)}
    cells = aggregate(keyed, ("first", "since"), metrics)
    grid = cells.pivot(index="first", columns="since", values=str(cells.columns[-1]))
    grid = grid.reindex(columns=range(width))
    latest = int(at.max())
    # A period that the data reaches and nobody came in is 0; one after them is not known.
    reached = np.add.outer(grid.index.to_numpy(), np.arange(width)) <= latest
    grid = grid.fillna(0).where(reached)
    if spec.as_share:
        grid = grid.div(grid[0].where(grid[0] != 0), axis=0)
    kind = metric_kind(work.kinds[spec.value_col], "sum") if spec.value_col else "integer"
    unit = work.units[spec.value_col] if spec.value_col else tell("analysis_result.people_unit")
    if spec.as_share:
        kind, unit = "percent", ""
    label = qualified(tell("analysis_result.column.cohort"), unit_word(spec.unit))
    names = pd.Series([time.display(int(period)) for period in grid.index], dtype="str")
    columns = [
        ResultColumn("cohort", names, "text", "", label),
        *(
            ResultColumn(
                f"after_{number}",
                grid[number].reset_index(drop=True),
                kind,
                unit,
                tell("analysis_result.after", count=number, unit=unit_word(spec.unit)),
            )
            for number in range(width)
        ),
    ]
    what = work.labels[spec.value_col] if spec.value_col else work.labels[spec.id_col]
    notes = [
        note("cohort", column=work.labels[spec.id_col]),
        *missing_notes(rows, (spec.id_col, *values)),
        *_incomplete(rows[spec.date_col], time, latest),
        *time_notes(spec.unit, spec.fiscal_start),
    ]
    heading = tell("analysis_result.cohort_title", what=what)
    return Result((Sheet.of(heading, columns),), tuple(notes))
