"""Which chart shows an aggregated table, and how."""

from sanbo.agents.analysis.rules.drafts import Draft
from sanbo.agents.analysis.rules.reading import Axis
from sanbo.agents.analysis.spec.plots import Bar, Line, Pie, PlotSpec
from sanbo.agents.analysis.spec.words import Aggregate

MOST_BARS = 60


def picture(
    draft: Draft,
    axes: tuple[Axis, ...],
    value: str | None,
    aggregate: Aggregate | None,
    *,
    source: str | None = None,
    with_filters: bool = True,
) -> PlotSpec | None:
    """None where no chart of this vocabulary would help."""
    reading = draft.reading
    if not axes or len(axes) > 3 or reading.wants_table_only:
        return None
    along, color, facet = _places(draft, axes)
    given = {
        "input": source or draft.input,
        "filters": draft.filters if with_filters else (),
        "x": along.column,
        "x_unit": along.unit,
        "y": value,
        "agg": aggregate,
        "color": color,
        "facet": facet,
    }
    if reading.chart == "pie" and len(axes) == 1:
        return Pie.model_validate({**given, "top_k": min(20, max(2, reading.top or 8))})
    if reading.chart == "line" or (reading.chart is None and _is_series(draft, along)):
        return Line.model_validate(given)
    if not reading.wants_chart and _groups(draft, along) > MOST_BARS:
        return None
    order = "value_asc" if reading.order == "asc" or reading.extreme == "min" else "value_desc"
    is_ordered = along.unit is not None or _is_ordinal(draft, along)
    bar = {
        **given,
        "stacked": color is not None
        and (
            reading.chart == "stacked"
            or (
                (reading.chart != "bar" or "stack" in reading.text.lower())
                and aggregate in (None, "sum", "count")
                and facet is None
            )
        ),
        "normalized": "normalized" in reading.asks and color is not None,
        "horizontal": reading.is_horizontal,
        "sort": "none" if is_ordered and not (reading.order or reading.extreme) else order,
        "top_k": reading.top if color is None else None,
    }
    return Bar.model_validate(bar)


def _places(draft: Draft, axes: tuple[Axis, ...]) -> tuple[Axis, str | None, str | None]:
    """Time along the axis; then the colour and the panels that were asked for, then as named."""
    reading = draft.reading
    facet, color = reading.facet, reading.color
    rest = [axis for axis in axes if axis.column not in (facet, color)]
    if not rest:
        rest = [next(axis for axis in axes if axis.column == (color or facet))]
        if color:
            color = None
        else:
            facet = None
    along = next(
        (axis for axis in rest if axis.unit or draft.columns.roles.get(axis.column) == "year"),
        rest[0],
    )
    others = [axis.column for axis in rest if axis != along]
    if others and color is None:
        color = others.pop(0)
    if others and facet is None:
        facet = others.pop(0)
    return along, color, facet


def _is_series(draft: Draft, axis: Axis) -> bool:
    if axis.unit in ("weekday", "hour_of_day", "month_of_year", "day_of_month"):
        return False
    if axis.unit:
        return draft.reading.extreme is None
    return draft.columns.roles.get(axis.column) == "year"


def _is_ordinal(draft: Draft, axis: Axis) -> bool:
    if draft.made.get(axis.column) == "class":
        return True
    return draft.columns.roles.get(axis.column) in ("cycle", "year", "level", "amount")


def _groups(draft: Draft, axis: Axis) -> int:
    return (
        draft.columns[axis.column].distinct
        if axis.column in draft.columns and not axis.unit
        else 12
    )
