"""Plans of two steps: means of sums by period or by customer, ratios of sums."""

from sanbo.agents.analysis.rules.axes import group_axes, time_axis
from sanbo.agents.analysis.rules.drafts import Draft, first_metric
from sanbo.agents.analysis.rules.group_tables import table_of
from sanbo.agents.analysis.rules.measuring import measures
from sanbo.agents.analysis.rules.pictures import picture
from sanbo.agents.analysis.rules.reading import Axis, Formula
from sanbo.agents.analysis.spec.expressions import Arithmetic, Column, Expression
from sanbo.agents.analysis.spec.operations import Derive, GroupbyAgg, Resample, TopRows
from sanbo.agents.analysis.spec.words import Metrics, Sort, metric_name
from sanbo.kernel.messages import tell


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
