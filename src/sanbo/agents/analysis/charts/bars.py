"""Bar charts: upright or lying, side by side, stacked, stacked to 100 %."""

# pyright: reportUnknownMemberType=false

from dataclasses import dataclass
from typing import cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from numpy.typing import NDArray

from sanbo.agents.analysis.charts import look
from sanbo.agents.analysis.charts.grouped import Grouped, group
from sanbo.agents.analysis.charts.look import HEIGHT, INK, colours
from sanbo.agents.analysis.charts.measures import shown_unit
from sanbo.agents.analysis.charts.panels import (
    Sheet,
    names_fit,
    new_sheet,
    set_axis_labels,
    set_foot,
    set_grid,
    set_legend,
    set_names,
    set_title,
)
from sanbo.agents.analysis.charts.picture import Picture, Remarks, Rows
from sanbo.agents.analysis.charts.scales import NumberTicks, Scale, scale_for
from sanbo.agents.analysis.charts.wording import (
    aggregated_alt,
    aggregated_title,
    axis_name,
    by_words,
)
from sanbo.agents.analysis.outcome import TableColumn
from sanbo.agents.analysis.spec.plots import Bar
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput

MOST_BARS = 50
_MOST_WITH_VALUES = 16
_NAME_WIDTH, _NAME_WIDTH_IN_PANEL = 28, 14
_MOST_TURNED = 24
"""Periods whose names are all there, if need be turned."""
_ROW_HEIGHT = 26
"""Pixels that a lying bar needs for its name."""


@dataclass(frozen=True)
class _Drawing:
    """How one cube of values is drawn, the same in every panel."""

    grouped: Grouped
    heights: NDArray[np.float64]
    scale: Scale
    palette: list[str]
    is_stacked: bool
    is_lying: bool
    has_values: bool


def draw_bars(spec: Bar, rows: Rows, remarks: Remarks) -> Picture:
    grouped = _in_order(spec, group(spec, rows, remarks, most_dates=MOST_BARS), remarks)
    is_share = spec.normalized
    heights = _shares(grouped) if is_share else grouped.values
    is_stacked = grouped.has_colours and (spec.stacked or is_share)
    by = by_words(spec.x, grouped.unit, spec.color, spec.facet)
    title = spec.title or aggregated_title(grouped.measure, by, "share" if is_share else "bar")
    labels = look.shortened_apart(
        [look.drawable(name) for name in grouped.x.labels],
        _NAME_WIDTH_IN_PANEL if len(grouped.facet_labels) > 1 else _NAME_WIDTH,
    )
    is_lying = _lies(spec, grouped, labels)
    sheet = new_sheet(grouped.facet_labels, _height(grouped, is_lying=is_lying))
    scale = Scale(0.01, "%") if is_share else _scale(grouped, heights, is_stacked=is_stacked)
    drawing = _Drawing(
        grouped,
        heights,
        scale,
        colours(len(grouped.color), rest_is_last=grouped.color.has_rest),
        is_stacked,
        is_lying,
        has_values=_has_room(grouped, is_stacked=is_stacked),
    )
    for index, axes in enumerate(sheet.panels):
        _draw_panel(axes, index, drawing)
    phrase = tell("chart.share_of", what=grouped.measure.phrase) if is_share else None
    along = tell("chart.with_unit", text=phrase, unit="%") if phrase else None
    values = along or grouped.measure.axis_label(scale)
    names = axis_name(spec.x, grouped.unit)
    set_grid(sheet, "x" if is_lying else "y")
    if grouped.has_colours and spec.color != spec.x:
        handles: list[Artist] = [Patch(facecolor=colour) for colour in drawing.palette]
        set_legend(sheet, handles, grouped.color.labels, spec.color or "")
    set_axis_labels(sheet, values if is_lying else names, names if is_lying else values)
    set_title(sheet, title)
    set_foot(sheet, remarks.foot)
    _name_bars(sheet, drawing, labels)
    table = grouped.table(title)
    if is_share:
        shares = _share_cells(grouped, heights)
        share = TableColumn(name="share", label=tell("chart.share"), kind="share")
        cells = [(*row, value) for row, value in zip(table.rows, shares, strict=False)]
        table = table.model_copy(update={"columns": (*table.columns, share), "rows": tuple(cells)})
    alt = aggregated_alt("bar", title, grouped)
    return Picture(sheet.figure, title, alt, table, tuple(remarks.notes))


def _in_order(spec: Bar, grouped: Grouped, remarks: Remarks) -> Grouped:
    """Only as many bars as can be read, in the order asked for."""
    totals = grouped.totals()
    there = np.asarray(np.isfinite(grouped.values).any(axis=(0, 1)))
    everything = [index for index in range(len(grouped.x)) if there[index]]
    if grouped.x.axis == "periods":
        everything = list(range(len(grouped.x)))
    most = min(spec.top_k or MOST_BARS, MOST_BARS)
    largest_first = spec.sort != "value_asc"
    ranked = sorted(everything, key=lambda at: -totals[at] if largest_first else totals[at])
    keep = everything
    if len(everything) > most:
        keep = sorted(ranked[:most])
        which = "largest" if largest_first else "smallest"
        remarks.caution(tell(f"chart.note.{which}", shown=most, count=f"{len(everything):,}"))
    chosen = set(keep)
    cut_names = len(everything) > most and not grouped.x.is_ordered
    if spec.sort in ("value_desc", "value_asc"):
        keep = [at for at in ranked if at in chosen]
    elif spec.sort == "label":
        if not grouped.x.is_ordered:
            keep = sorted(keep, key=lambda at: (grouped.x.cells[at] is None, grouped.x.labels[at]))
    elif cut_names:  # those that are left of many are read as a ranking
        keep = [at for at in ranked if at in chosen]
    return grouped.chosen(keep)


def _shares(grouped: Grouped) -> NDArray[np.float64]:
    """Of each bar where there are colours, else of all bars of a panel."""
    if bool((grouped.values < 0).any()):
        raise InvalidInput(
            "chart_share_of_negative",
            details={"column": grouped.measure.column},
            column=grouped.measure.column or "",
        )
    axis = 1 if grouped.has_colours else 2
    total = np.nansum(grouped.values, axis=axis, keepdims=True)
    nothing = np.full_like(grouped.values, np.nan)
    return np.divide(grouped.values, total, out=nothing, where=total > 0)


def _share_cells(grouped: Grouped, heights: NDArray[np.float64]) -> list[float | None]:
    order = sorted(grouped.exact, key=lambda row: (row[0], row[2], row[1]))
    found = (float(heights[panel, colour, place]) for panel, colour, place, _ in order)
    return [value if np.isfinite(value) else None for value in found]


def _scale(grouped: Grouped, heights: NDArray[np.float64], *, is_stacked: bool) -> Scale:
    ends = heights
    if is_stacked:
        above, below = np.maximum(heights, 0), np.minimum(heights, 0)
        ends = np.stack([np.nansum(above, axis=1), np.nansum(below, axis=1)])
    measure = grouped.measure
    return scale_for(ends[np.isfinite(ends)].tolist(), measure.kind, shown_unit(measure.unit))


def _lies(spec: Bar, grouped: Grouped, labels: list[str]) -> bool:
    if spec.horizontal is not None:
        return spec.horizontal
    if grouped.x.is_ordered:  # time and numbers run from left to right
        return False
    columns = {0: 1, 1: 1, 2: 2, 4: 2}.get(len(grouped.facet_labels), 3)
    room = (780 if grouped.has_colours else 1050) / columns
    return not names_fit(labels, room)


def _height(grouped: Grouped, *, is_lying: bool) -> int:
    if not is_lying:
        return HEIGHT
    rows = {0: 1, 1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2}.get(len(grouped.facet_labels), 3)
    side_by_side = 1
    return max(HEIGHT, (len(grouped.x) * _ROW_HEIGHT * side_by_side + 60) * rows + 130)


def _has_room(grouped: Grouped, *, is_stacked: bool) -> bool:
    if grouped.facet_labels or is_stacked:
        return False
    return grouped.values.size <= _MOST_WITH_VALUES


def _draw_panel(axes: Axes, panel: int, drawing: _Drawing) -> None:
    grouped = drawing.grouped
    places = np.arange(len(grouped.x), dtype=float)
    colour_count = len(grouped.color)
    follows_x = grouped.has_colours and grouped.color.column == grouped.x.column
    side_by_side = not drawing.is_stacked and not follows_x
    whole = 0.72 if len(places) > 4 or (side_by_side and colour_count > 1) else 0.5
    breadth = whole / (colour_count if side_by_side else 1)
    above = np.zeros(len(places))
    below = np.zeros(len(places))
    for colour in range(colour_count):
        heights = np.nan_to_num(drawing.heights[panel, colour])
        starts = np.zeros(len(places))
        if drawing.is_stacked:
            starts = np.where(heights >= 0, above, below)
            above += np.maximum(heights, 0)
            below += np.minimum(heights, 0)
        offset = (colour - (colour_count - 1) / 2) * breadth if side_by_side else 0.0
        shade = drawing.palette[colour]
        edge = "white" if drawing.is_stacked else "none"
        if drawing.is_lying:
            axes.barh(places + offset, heights, breadth, left=starts, color=shade, edgecolor=edge)
        else:
            axes.bar(places + offset, heights, breadth, bottom=starts, color=shade, edgecolor=edge)
        if drawing.has_values:
            _write_values(axes, places + offset, drawing.heights[panel, colour], drawing)
    along = axes.xaxis if drawing.is_lying else axes.yaxis
    along.set_major_formatter(NumberTicks(drawing.scale))
    across = axes.set_ylim if drawing.is_lying else axes.set_xlim
    edges = (-0.6, max(len(places) - 0.4, 0.6))
    across(*(reversed(edges) if drawing.is_lying else edges))
    if len(places) == 1:  # one bar as wide as the sheet would look like a wall
        across(*((1.5, -1.5) if drawing.is_lying else (-1.5, 1.5)))
    if bool((drawing.heights < 0).any()):
        (axes.axvline if drawing.is_lying else axes.axhline)(0, color=INK, linewidth=0.8)
    room = 0.09 if drawing.has_values else 0.05
    (axes.set_xmargin if drawing.is_lying else axes.set_ymargin)(room)


def _write_values(
    axes: Axes, places: NDArray[np.float64], heights: NDArray[np.float64], drawing: _Drawing
) -> None:
    decimals = drawing.scale.decimals_for(heights[np.isfinite(heights)].tolist())
    for place, height in zip(places, heights, strict=True):
        if not np.isfinite(height):
            continue
        text = drawing.scale.shown(float(height), decimals)
        sign = -1 if text.startswith("-") else 1
        point, shift = (place, height), (0, 4 * sign)
        if drawing.is_lying:
            point, shift = (height, place), (4 * sign, 0)
        axes.annotate(
            text,
            cast("tuple[float, float]", tuple(map(float, point))),
            xytext=shift,
            textcoords="offset points",
            ha=("left" if sign > 0 else "right") if drawing.is_lying else "center",
            va="center" if drawing.is_lying else ("bottom" if sign > 0 else "top"),
            fontsize=8 if drawing.grouped.values.size <= 10 else 7,
            color=INK,
        )


def _name_bars(sheet: Sheet, drawing: _Drawing, labels: list[str]) -> None:
    places = [float(place) for place in range(len(labels))]
    if drawing.is_lying:
        for axes in sheet.panels:
            axes.set_yticks(places, labels)
    else:
        may_skip = drawing.grouped.x.is_ordered and len(labels) > _MOST_TURNED
        set_names(sheet.panels, places, labels, may_skip=may_skip)
