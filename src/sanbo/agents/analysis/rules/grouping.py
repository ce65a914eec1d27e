"""The usual plans: numbers by groups and time, in order, crossed or averaged, with a chart."""

from dataclasses import replace

from sanbo.agents.analysis.rules.drafts import Draft, NotClear, first_metric
from sanbo.agents.analysis.rules.measures import dated, group_axes, measures, time_axis
from sanbo.agents.analysis.rules.pictures import picture
from sanbo.agents.analysis.rules.reading import Axis, Formula, Measure
from sanbo.agents.analysis.spec.expressions import Arithmetic, Column, Expression
from sanbo.agents.analysis.spec.filters import Compare
from sanbo.agents.analysis.spec.operations import Derive, GroupbyAgg, Lag, Pivot, Resample, TopRows
from sanbo.agents.analysis.spec.words import Aggregate, Metrics, Sort, metric_name
from sanbo.kernel.messages import tell

SHOWN = 20
"""Groups of a ranking that are all shown."""


def axes_of(draft: Draft) -> tuple[tuple[Axis, ...], Axis | None]:
    unit = dated(draft)
    axes = group_axes(draft)
    time = None
    if unit is not None:
        time = time_axis(draft, unit)
    elif "trend" in draft.reading.asks and not any(
        draft.columns.roles.get(axis.column) in ("year", "cycle", "time") for axis in axes
    ):
        time = time_axis(draft, None, is_needed=True)
    if time is not None and time.unit is None:
        axes = (*(axis for axis in axes if axis.column != time.column), time)
        time = None
    return axes, time


def total(draft: Draft, found: tuple[Measure, ...]) -> None:
    """One row over all."""
    draft.add(GroupbyAgg(input=draft.input, metrics=draft.metrics(found), filters=draft.filters))


def table_of(
    draft: Draft,
    axes: tuple[Axis, ...],
    time: Axis | None,
    metrics: Metrics,
    *,
    in_order: bool = True,
) -> tuple[str, str]:
    """The step with the numbers: its id, and the name of its first one."""
    reading = draft.reading
    name = first_metric(metrics)
    sort, top = (_sort(draft, axes, time, name), _top(draft, axes)) if in_order else (None, None)
    columns = tuple(axis.column for axis in axes)
    if time is not None and time.unit is not None:
        if sort is not None and not (reading.order or reading.extreme):
            sort = None
        step = Resample(
            input=draft.input,
            date_col=time.column,
            unit=time.unit,
            metrics=metrics,
            by=columns,
            filters=draft.filters,
            sort=sort,
            top_k=reading.top if sort else None,
        )
        return draft.add(step), name
    step = GroupbyAgg(
        input=draft.input,
        group_cols=columns,
        metrics=metrics,
        filters=draft.filters,
        sort=sort,
        top_k=top,
    )
    return draft.add(step), name


def _sort(draft: Draft, axes: tuple[Axis, ...], time: Axis | None, name: str) -> Sort | None:
    reading = draft.reading
    if reading.order or reading.extreme or reading.top:
        return Sort(by=name, ascending=reading.order == "asc" or reading.extreme == "min")
    is_plain = (
        len(axes) == 1
        and time is None
        and draft.columns.roles.get(axes[0].column) in ("category", "id")
    )
    return Sort(by=name, ascending=False) if is_plain else None


def _top(draft: Draft, axes: tuple[Axis, ...]) -> int | None:
    reading = draft.reading
    if reading.having:
        return None
    if reading.top:
        return reading.top
    if (
        reading.extreme
        and len(axes) == 1
        and axes[0].column in draft.columns
        and draft.columns[axes[0].column].distinct > SHOWN
    ):
        return 10
    return None


def ratio(draft: Draft, formula: Formula, axes: tuple[Axis, ...], time: Axis | None) -> None:
    """The sums first, then one through the other: not a mean of rows' ratios."""
    parts = dict.fromkeys(
        (
            formula.left,
            formula.right,
            *((formula.numerator_less,) if formula.numerator_less else ()),
        )
    )
    metrics: Metrics = {column: ("sum",) for column in parts}
    source, _ = table_of(draft, axes, time, metrics, in_order=False)

    def summed(column: str) -> Column:
        return Column(name=metric_name(column, "sum"))

    above: Expression = summed(formula.left)
    shown = formula.left
    if formula.numerator_less:
        above = Arithmetic(fn="subtract", left=above, right=summed(formula.numerator_less))
        shown = f"({formula.left} - {formula.numerator_less})"
    name = draft.free(formula.name)
    made = draft.add(
        Derive(
            input=source,
            name=name,
            expression=Arithmetic(fn="divide", left=above, right=summed(formula.right)),
        )
    )
    draft.assume(
        tell("analysis_rules.assumed.formula", name=name, formula=f"{shown} ÷ {formula.right}")
    )
    reading = draft.reading
    if axes and (reading.order or reading.extreme or reading.top):
        made = draft.add(
            TopRows(
                input=made,
                by=(name,),
                ascending=reading.order == "asc" or reading.extreme == "min",
                n=reading.top or 1000,
            )
        )
    plain = tuple(Axis(axis.column) for axis in (*((time,) if time else ()), *axes))
    plot = picture(draft, plain, name, None, source=made, with_filters=False)
    if plot is not None and reading.wants_chart:
        draft.add(plot=plot)


def period_mean(draft: Draft) -> None:
    """月平均: the sums of the months, then their mean."""
    unit = draft.reading.period_mean
    assert unit is not None
    axes = group_axes(draft)
    found = measures(draft)
    first = found[0]
    if (
        first.column
        and draft.columns.roles.get(first.column) in ("level", "clock")
        and draft.made.get(first.column) != "amount"
    ):
        table_of(draft, axes, None, {first.column: ("mean",)})
        return
    time = time_axis(draft, unit, is_needed=True)
    assert time is not None
    metrics: Metrics = {first.column: ("sum",)} if first.column else {}
    columns = tuple(axis.column for axis in axes)
    if time.unit is None:
        source = draft.add(
            GroupbyAgg(
                input=draft.input,
                group_cols=(time.column, *columns),
                metrics=metrics,
                filters=draft.filters,
            )
        )
    else:
        source = draft.add(
            Resample(
                input=draft.input,
                date_col=time.column,
                unit=time.unit,
                metrics=metrics,
                by=columns,
                filters=draft.filters,
            )
        )
    _mean_of(draft, source, columns, first_metric(metrics))
    draft.assume(tell(f"analysis_rules.assumed.period_mean.{unit}"))


def mean_per(draft: Draft) -> None:
    """顧客1人あたり: the sum of each customer, then the mean of these."""
    per = draft.reading.per
    assert per is not None
    axes = tuple(axis for axis in group_axes(draft) if axis.column != per)
    first = measures(draft)[0]
    metrics: Metrics = {first.column: ("sum",)} if first.column else {}
    columns = tuple(axis.column for axis in axes)
    source = draft.add(
        GroupbyAgg(
            input=draft.input, group_cols=(*columns, per), metrics=metrics, filters=draft.filters
        )
    )
    _mean_of(draft, source, columns, first_metric(metrics))
    draft.assume(tell("analysis_rules.assumed.mean_per", column=per))


def _mean_of(draft: Draft, source: str, columns: tuple[str, ...], name: str) -> None:
    sort = (
        Sort(by=metric_name(name, "mean"), ascending=draft.reading.order == "asc")
        if columns
        else None
    )
    draft.add(
        GroupbyAgg(
            input=source,
            group_cols=columns,
            metrics={name: ("mean",)},
            sort=sort,
            top_k=draft.reading.top if columns else None,
        )
    )


def aggregate(draft: Draft) -> None:
    """The usual plan: measures by groups and time, in order, with a chart."""
    axes, time = axes_of(draft)
    if draft.reading.formula and draft.reading.formula.fn == "divide":
        ratio(draft, draft.reading.formula, axes, time)
        return
    found = measures(draft)
    if not axes and time is None:
        total(draft, found)
        return
    metrics = draft.metrics(found)
    source, name = table_of(draft, axes, time, metrics)
    _having(draft, source, name)
    if draft.reading.having and not draft.reading.wants_chart:
        return
    if "difference" in draft.reading.asks and _is_pair(draft, axes, time):
        draft.add(Lag(input=source, column=name))
        return
    _draw(draft, axes, time, found, metrics)


def _having(draft: Draft, source: str, name: str) -> None:
    having = draft.reading.having
    if having is None:
        return
    value = int(having.value) if having.value == int(having.value) else having.value
    condition = Compare(col=name, op=having.op, value=value)
    draft.add(
        TopRows(
            input=source,
            by=(name,),
            ascending=draft.reading.order == "asc",
            n=draft.reading.top or 1000,
            filters=(condition,),
        )
    )


def _is_pair(draft: Draft, axes: tuple[Axis, ...], time: Axis | None) -> bool:
    """Two values or periods, whose difference the second row of a lag is."""
    if len(axes) + (time is not None) != 1:
        return False
    return (
        time is not None
        or len(draft.reading.values) == 2
        or (axes[0].column in draft.columns and draft.columns[axes[0].column].distinct == 2)
        or draft.made.get(axes[0].column) == "class"
    )


def _draw(
    draft: Draft,
    axes: tuple[Axis, ...],
    time: Axis | None,
    found: tuple[Measure, ...],
    metrics: Metrics,
) -> None:
    first = found[0]
    kind: Aggregate | None = metrics[first.column][0] if first.column else None
    plot = picture(draft, (*((time,) if time else ()), *axes), first.column, kind)
    if plot is None:
        return
    is_asked = draft.reading.wants_chart
    last = draft.steps[-1]
    if (
        last.analysis is not None
        and last.analysis.op in ("groupby_agg", "resample")
        and plot.input == draft.input
    ):
        draft.steps.pop()
        draft.add(last.analysis, plot, is_asked=is_asked)
    else:
        draft.add(plot=plot, is_asked=is_asked)


def pivot(draft: Draft) -> None:
    axes, time = axes_of(draft)
    reading = draft.reading
    every = (*((time,) if time else ()), *axes)
    if len(every) < 2:
        seen = [
            Axis(name)
            for name in reading.columns_seen
            if draft.columns.can_group(name)
            and all(axis.column != name for axis in every)
            and not draft.columns.is_measure(name)
        ]
        every = (*every, *seen)
    if len(every) < 2:
        choices = tuple(
            name for name in draft.columns.dimensions if all(axis.column != name for axis in every)
        )
        raise NotClear(tell("analysis_rules.ask.pivot"), choices[:6])
    draft.reading = reading = replace(
        reading, axes=tuple(axis for axis in every if axis.unit is None)
    )
    wants_number = (
        reading.measures
        or reading.aggregates
        or (reading.formula and reading.formula.fn != "divide")
    )
    first = measures(draft)[0] if wants_number or "count" in reading.asks else Measure(None)
    rows, columns = every[0], every[1]
    if rows.unit is None and columns.unit is not None and len(every) == 2:
        rows, columns = (
            (columns, rows) if draft.columns[rows.column].distinct <= 12 else (rows, columns)
        )
    share = None
    if "share" in reading.asks:
        share = "row"
    draft.add(
        Pivot(
            input=draft.input,
            rows=(rows.column, *(axis.column for axis in every[2:] if axis.unit is None)),
            columns=columns.column,
            row_unit=rows.unit,
            column_unit=columns.unit,
            value=first.column,
            agg=draft.aggregate_of(first) if first.column else "count",
            filters=draft.filters,
            share=share,
            totals=share is None
            and draft.columns.roles.get(first.column or "", "amount") == "amount",
        )
    )
    if reading.wants_chart and reading.chart != "heatmap":
        plot = picture(
            draft,
            (rows, columns),
            first.column,
            draft.aggregate_of(first) if first.column else None,
        )
        if plot is not None:
            draft.add(plot=plot)
