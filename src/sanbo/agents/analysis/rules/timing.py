"""Plans along time: change from period to period, and running totals."""

from dataclasses import replace

from sanbo.agents.analysis.rules.drafts import Draft, first_metric
from sanbo.agents.analysis.rules.grouping import table_of
from sanbo.agents.analysis.rules.measures import group_axes, measures, time_axis, usual_unit
from sanbo.agents.analysis.spec.filters import Among, Compare, Filter
from sanbo.agents.analysis.spec.operations import Cumulative, GroupbyAgg, Lag, Resample
from sanbo.agents.analysis.spec.plots import Line
from sanbo.agents.analysis.spec.words import Metrics, TimeUnit
from sanbo.kernel.messages import tell

_A_YEAR_AGO: dict[TimeUnit, int] = {
    "month": 12,
    "quarter": 4,
    "half": 2,
    "year": 1,
    "fiscal_year": 1,
    "fiscal_quarter": 4,
}


def growth(draft: Draft) -> None:
    unit, back = _step(draft)
    _with_period_before(draft, unit, back)
    source, name, columns, along = _series(draft, unit)
    draft.add(Lag(input=source, column=name, by=columns, periods=back))
    draft.assume(
        tell("analysis_rules.assumed.lag", count=back, unit=tell(f"analysis_rules.unit.{unit}"))
    )
    if draft.reading.wants_chart:
        draft.add(plot=Line(input=source, x=along, y=name, color=columns[0] if columns else None))


def _with_period_before(draft: Draft, unit: TimeUnit, back: int) -> None:
    """今年は去年と比べて: the one period that is asked about needs the one before it."""
    reading = draft.reading
    filters: list[Filter] = []
    for one in reading.filters:
        before = None
        if (
            isinstance(one, Compare)
            and one.op == "=="
            and draft.columns.roles.get(one.col) == "time"
        ):
            before = _before(str(one.value), unit, back)
        if before is None or not isinstance(one, Compare):
            filters.append(one)
            continue
        filters.append(Among(col=one.col, op="in", value=(before, one.value)))
        draft.assume(tell("analysis_rules.assumed.period_before", period=before))
    draft.reading = replace(reading, filters=tuple(filters))


def _before(period: str, unit: TimeUnit, back: int) -> str | None:
    if (
        len(period) == 4
        and period.isdigit()
        and (unit == "year" or (unit, back) in (("month", 12), ("quarter", 4)))
    ):
        return str(int(period) - 1)
    if len(period) == 7 and unit == "month":
        months = int(period[:4]) * 12 + int(period[5:]) - 1 - back
        return f"{months // 12:04d}-{months % 12 + 1:02d}"
    return None


def _step(draft: Draft) -> tuple[TimeUnit, int]:
    reading = draft.reading
    if reading.growth is None:
        column = reading.date_column or next(iter(draft.columns.times), None)
        return reading.unit or (usual_unit(draft, column) if column else "year"), 1
    unit, back = reading.growth
    if unit in ("year", "fiscal_year") and reading.unit in _A_YEAR_AGO:  # 月別の前年比
        return reading.unit, _A_YEAR_AGO[reading.unit]
    return unit, back


def running(draft: Draft) -> None:
    reading = draft.reading
    column = reading.date_column or next(iter(draft.columns.times), None)
    if column is None and not draft.columns.of("year"):
        first = measures(draft)[0]
        if first.column:
            draft.add(Cumulative(input=draft.input, column=first.column, filters=draft.filters))
            draft.assume(tell("analysis_rules.assumed.row_order"))
            return
    is_ranked = reading.order or reading.top
    if is_ranked and reading.axes and not reading.unit and "trend" not in reading.asks:
        metrics = draft.metrics((measures(draft)[0],))
        source, name = table_of(draft, group_axes(draft), None, metrics)
        draft.add(Cumulative(input=source, column=name))  # down the ranking, not along time
        return
    unit = reading.unit or (usual_unit(draft, column) if column else "year")
    source, name, columns, along = _series(draft, unit)
    made = draft.add(Cumulative(input=source, column=name, by=columns))
    if reading.wants_chart:
        draft.add(
            plot=Line(
                input=made, x=along, y=f"{name}_cumulative", color=columns[0] if columns else None
            )
        )


def _series(draft: Draft, unit: TimeUnit) -> tuple[str, str, tuple[str, ...], str]:
    """The periods' numbers: step, its number, its groups, its time column."""
    axes = group_axes(draft)
    first = measures(draft)[0]
    metrics: Metrics = draft.metrics((first,))
    time = time_axis(draft, unit, is_needed=True)
    assert time is not None
    columns = tuple(axis.column for axis in axes if axis.column != time.column)
    if time.unit is None:
        step = GroupbyAgg(
            input=draft.input,
            group_cols=(time.column, *columns),
            metrics=metrics,
            filters=draft.filters,
        )
        return draft.add(step), first_metric(metrics), columns, time.column
    step = Resample(
        input=draft.input,
        date_col=time.column,
        unit=time.unit,
        metrics=metrics,
        by=columns,
        filters=draft.filters,
        fill_gaps=True,
    )
    return draft.add(step), first_metric(metrics), columns, time.column
