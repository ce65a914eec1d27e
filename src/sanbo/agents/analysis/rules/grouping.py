"""The usual plan: numbers by groups and time, in order, with a chart."""

from sanbo.agents.analysis.rules.averages import ratio
from sanbo.agents.analysis.rules.drafts import Draft
from sanbo.agents.analysis.rules.group_tables import axes_of, table_of, total
from sanbo.agents.analysis.rules.measuring import measures
from sanbo.agents.analysis.rules.pictures import picture
from sanbo.agents.analysis.rules.reading import Axis, Measure
from sanbo.agents.analysis.spec.filters import Compare
from sanbo.agents.analysis.spec.operations import Lag, TopRows
from sanbo.agents.analysis.spec.words import Aggregate, Metrics


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
