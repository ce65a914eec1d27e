"""Cross tables: one column down, another one across."""

from dataclasses import replace

from sanbo.agents.analysis.rules.drafts import Draft, NotClear
from sanbo.agents.analysis.rules.group_tables import axes_of
from sanbo.agents.analysis.rules.measuring import measures
from sanbo.agents.analysis.rules.pictures import picture
from sanbo.agents.analysis.rules.reading import Axis, Measure
from sanbo.agents.analysis.spec.operations import Pivot
from sanbo.kernel.messages import tell


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
