"""The step that has the numbers by group or by time, in the order that was asked for."""

from sanbo.agents.analysis.rules.axes import dated, group_axes, time_axis
from sanbo.agents.analysis.rules.drafts import Draft, first_metric
from sanbo.agents.analysis.rules.reading import Axis, Measure
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample
from sanbo.agents.analysis.spec.words import Metrics, Sort

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
