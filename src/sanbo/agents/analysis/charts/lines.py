"""Line charts: along time, along numbers, or along names in their order."""

# pyright: reportUnknownMemberType=false

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from sanbo.agents.analysis.charts import look
from sanbo.agents.analysis.charts.grouped import Grouped, group
from sanbo.agents.analysis.charts.look import DASHES, INK, MARKERS, PALETTE, colours
from sanbo.agents.analysis.charts.measures import (
    column_label,
    column_scale,
    set_numbers,
    shown_unit,
)
from sanbo.agents.analysis.charts.panels import (
    Sheet,
    new_sheet,
    set_axis_labels,
    set_foot,
    set_grid,
    set_legend,
    set_names,
    set_title,
)
from sanbo.agents.analysis.charts.picture import Picture, Remarks, Rows
from sanbo.agents.analysis.charts.scales import NumberTicks, scale_for, set_dates
from sanbo.agents.analysis.charts.wording import (
    aggregated_alt,
    aggregated_title,
    axis_name,
    by_words,
)
from sanbo.agents.analysis.spec.plots import Line
from sanbo.kernel.messages import tell

MOST_MOMENTS = 1500
_MOST_MARKED = 40
_MOST_NUMBERS_NAMED = 12
_NAME_WIDTH, _NAME_WIDTH_IN_PANEL = 20, 12


def draw_lines(spec: Line, rows: Rows, remarks: Remarks) -> Picture:
    grouped = group(spec, rows, remarks, most_dates=MOST_MOMENTS)
    _tell_gaps(grouped, remarks)
    by = by_words(spec.x, grouped.unit, spec.color, spec.facet)
    is_time = grouped.x.axis in ("periods", "moments")
    title = spec.title or aggregated_title(grouped.measure, by, "line" if is_time else "bar")
    sheet = new_sheet(grouped.facet_labels)
    finite = grouped.values[np.isfinite(grouped.values)]
    scale = scale_for(finite.tolist(), grouped.measure.kind, shown_unit(grouped.measure.unit))
    palette = colours(len(grouped.color), rest_is_last=grouped.color.has_rest)
    for index, axes in enumerate(sheet.panels):
        _draw_panel(axes, grouped, index, palette)
        axes.yaxis.set_major_formatter(NumberTicks(scale))
    _set_heights(sheet, finite)
    set_grid(sheet, "y")
    if grouped.has_colours:
        handles: list[Artist] = [
            Line2D([], [], **_style(index, palette[index], is_marked=_is_marked(grouped)))
            for index in range(len(grouped.color))
        ]
        set_legend(sheet, handles, grouped.color.labels, spec.color or "")
    set_axis_labels(sheet, _x_label(spec, rows, grouped), grouped.measure.axis_label(scale))
    set_title(sheet, title)
    set_foot(sheet, remarks.foot)
    _set_x(sheet, spec, rows, grouped)
    alt = aggregated_alt("line", title, grouped)
    return Picture(sheet.figure, title, alt, grouped.table(title), tuple(remarks.notes))


def _tell_gaps(grouped: Grouped, remarks: Remarks) -> None:
    if grouped.x.axis != "periods":
        return
    empty = int((~np.isfinite(grouped.values).any(axis=(0, 1))).sum())
    if not empty:
        return
    if is_sparse(grouped):
        remarks.caution(tell("chart.note.gaps_bridged", count=empty))
    else:
        remarks.caution(tell("chart.note.gaps", count=empty))


def is_sparse(grouped: Grouped) -> bool:
    """Most periods are empty: a line that breaks at each would be no line."""
    return float(np.isfinite(grouped.values).any(axis=(0, 1)).mean()) < 0.5


def _style(index: int, colour: str, *, is_marked: bool) -> dict[str, Any]:
    """Told apart without colour too: by marker, or by dashes where markers would crowd."""
    dash = "-" if is_marked else DASHES[index // len(PALETTE) % len(DASHES)]
    marker = MARKERS[index % len(MARKERS)] if is_marked else ""
    return {"color": colour, "marker": marker, "linestyle": dash, "markersize": 4.5}


def _is_marked(grouped: Grouped) -> bool:
    return int(np.isfinite(grouped.values).any(axis=(0, 1)).sum()) <= _MOST_MARKED


def _draw_panel(axes: Axes, grouped: Grouped, panel: int, palette: list[str]) -> None:
    for index, colour in enumerate(palette):
        values = grouped.values[panel, index]
        positions = grouped.x.positions
        there = np.isfinite(values)
        # Between two moments or numbers no place is missing.
        if grouped.x.axis != "periods" or is_sparse(grouped):
            positions, values = positions[there], values[there]
        style = _style(index, colour, is_marked=_is_marked(grouped))
        style["linewidth"] = 2.0 if len(values) <= 200 else 1.2 if len(values) <= 600 else 0.8
        axes.plot(positions, values, **style)
        if not style["marker"]:
            _mark_lonely(axes, positions, values, colour)


def _mark_lonely(axes: Axes, positions: np.ndarray, values: np.ndarray, colour: str) -> None:
    """A point between two gaps has no line to be seen by."""
    there = np.isfinite(values)
    before, after = np.r_[False, there[:-1]], np.r_[there[1:], False]
    lonely = there & ~before & ~after
    if lonely.any():
        axes.plot(positions[lonely], values[lonely], "o", color=colour, markersize=4)


def _set_heights(sheet: Sheet, finite: np.ndarray) -> None:
    """From zero where that does not press the line flat."""
    low, high = float(finite.min()), float(finite.max())
    for axes in sheet.panels:
        if low < 0 < high:
            axes.axhline(0, color=INK, linewidth=0.8)
        elif 0 <= low <= high * 0.75:
            axes.set_ylim(0, high * 1.06 or 1)


def _x_label(spec: Line, rows: Rows, grouped: Grouped) -> str:
    if grouped.x.axis == "numbers":
        scale = column_scale(rows, spec.x, grouped.x.positions)
        if len(grouped.x) <= _MOST_NUMBERS_NAMED:  # then they stand there as they are
            scale = replace(scale, unit=rows.units.get(spec.x, ""))
        return column_label(rows, spec.x, scale)
    return axis_name(spec.x, grouped.unit)


def _set_x(sheet: Sheet, spec: Line, rows: Rows, grouped: Grouped) -> None:
    x = grouped.x
    match x.axis:
        case "moments":
            for axes in sheet.panels:
                set_dates(axes, most=9 if sheet.is_single else 4)
            if len(x) == 1:
                set_names(sheet.panels, x.positions.tolist(), x.labels, may_skip=True)
        case "numbers" if len(x) > _MOST_NUMBERS_NAMED:
            set_numbers(sheet.panels, "x", column_scale(rows, spec.x, x.positions))
        case _:
            labels = look.shortened_apart(
                [look.drawable(name) for name in x.labels],
                _NAME_WIDTH if sheet.is_single else _NAME_WIDTH_IN_PANEL,
            )
            first, last = float(x.positions[0]), float(x.positions[-1])
            pad = _pad(first, last, is_named=x.axis != "numbers")
            for axes in sheet.panels:
                axes.set_xlim(first - pad, last + pad)
            may_skip = x.is_ordered or len(x) > _MOST_MARKED
            set_names(sheet.panels, x.positions.tolist(), labels, may_skip=may_skip)


def _pad(first: float, last: float, *, is_named: bool) -> float:
    """Room beside the ends; never so little that it is lost in rounding."""
    span = last - first
    pad = min(0.5, span * 0.03) if is_named else span * 0.03
    return max(pad if span else 1.0, 1e-6 * max(abs(first), abs(last)))
