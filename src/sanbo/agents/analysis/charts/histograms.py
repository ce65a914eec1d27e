"""Histograms: how often values lie where."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sanbo.agents.analysis.charts.bars import draw_bars
from sanbo.agents.analysis.charts.grouped import panel_levels
from sanbo.agents.analysis.charts.levels import Levels, colour_levels
from sanbo.agents.analysis.charts.look import colours
from sanbo.agents.analysis.charts.measures import (
    cell_kind,
    column_label,
    column_scale,
    measure_of,
    numbers,
    set_numbers,
    shown_unit,
)
from sanbo.agents.analysis.charts.panels import (
    new_sheet,
    set_axis_labels,
    set_foot,
    set_grid,
    set_legend,
    set_title,
)
from sanbo.agents.analysis.charts.picture import Picture, Remarks, Rows, table_of
from sanbo.agents.analysis.charts.scales import NumberTicks, exact, scale_for
from sanbo.agents.analysis.charts.wording import by_words, distribution_title, sentences
from sanbo.agents.analysis.outcome import JsonCell, ResultTable, TableColumn
from sanbo.agents.analysis.profile import NUMERIC
from sanbo.agents.analysis.spec.plots import Bar, Hist
from sanbo.kernel.messages import tell

_MOST_COLOURS = 5
_MOST_BINS, _FEWEST_BINS = 40, 5
Edges = NDArray[np.float64]
Counts = NDArray[np.int64]
"""`counts[panel, colour, bin]`."""


@dataclass(frozen=True)
class _Binned:
    column: str
    values: NDArray[np.float64]
    edges: Edges
    counts: Counts
    color: Levels
    facet: Levels


def draw_histogram(spec: Hist, rows: Rows, remarks: Remarks) -> Picture:
    if rows.kinds[spec.x] not in NUMERIC:  # of words and dates: how often each one stands there
        shared = spec.model_dump(include={"x", "color", "facet", "fiscal_start", "title"})
        stacked = spec.color is not None
        return draw_bars(Bar.model_validate({**shared, "stacked": stacked}), rows, remarks)
    values = numbers(rows, spec.x)
    missing = int(np.isnan(values).sum())
    if missing:
        remarks.caution(tell("chart.note.missing_left_out", column=spec.x, count=f"{missing:,}"))
    is_whole = rows.kinds[spec.x] == "integer"
    edges = bin_edges(values[~np.isnan(values)], spec.bins, is_whole=is_whole)
    color = colour_levels(rows, spec.color, remarks, _MOST_COLOURS)
    facet = panel_levels(rows, spec.facet, remarks)
    counts = _counted(values, edges, color, facet)
    by = by_words(None, None, spec.color, spec.facet)
    title = spec.title or distribution_title(spec.x, rows.units.get(spec.x, ""), by)
    sheet = new_sheet(facet.labels if facet.column else ())
    palette = colours(len(color), rest_is_last=color.has_rest)
    for index, axes in enumerate(sheet.panels):
        _draw_panel(axes, counts[index], edges, palette)
        axes.set_ylim(0, float(counts.max()) * 1.06)
    set_grid(sheet, "y")
    scale = column_scale(rows, spec.x, edges)
    set_numbers(sheet.panels, "x", scale)
    count = measure_of(rows, None, None)
    count_scale = scale_for([float(counts.max())], "integer", shown_unit(count.unit))
    for axes in sheet.panels:
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins="auto"))
        axes.yaxis.set_major_formatter(NumberTicks(count_scale))
    if color.column:
        handles: list[Artist] = [
            Patch(facecolor=colour, alpha=0.75, edgecolor=colour) for colour in palette
        ]
        set_legend(sheet, handles, color.labels, color.column)
    set_axis_labels(sheet, column_label(rows, spec.x, scale), count.axis_label(count_scale))
    set_title(sheet, title)
    set_foot(sheet, remarks.foot)
    remarks.convention(tell("chart.note.bins", count=len(edges) - 1))
    binned = _Binned(spec.x, values[~np.isnan(values)], edges, counts, color, facet)
    table, alt = _table(title, rows, binned), _alt(title, rows, binned)
    return Picture(sheet.figure, title, alt, table, tuple(remarks.notes))


def bin_edges(values: NDArray[np.float64], bins: int | None, *, is_whole: bool) -> Edges:
    """As many as asked for between the ends; else of a round width that suits the spread."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        half = 0.5 if is_whole or abs(low) < 1 else abs(low) * 0.05
        return np.array([low - half, high + half])
    if bins is not None:
        return np.linspace(low, high, bins + 1)
    if is_whole and high - low <= 30:  # each number has a bar of its own
        return np.arange(low - 0.5, high + 1.0)
    span = high - low
    quarter, three_quarters = np.quantile(values, [0.25, 0.75])
    width = 2 * float(three_quarters - quarter) / len(values) ** (1 / 3)
    if width <= 0 or not math.isfinite(width):
        width = span / (math.log2(len(values)) + 1)
    width = min(max(width, span / _MOST_BINS), span / _FEWEST_BINS)
    step = _round_width(width, at_least=1.0 if is_whole else 0.0)
    first, last = math.floor(low / step), math.floor(high / step) + 1
    return np.arange(first, last + 1, dtype=np.float64) * step


def _round_width(width: float, at_least: float) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    for factor in (1, 2, 2.5, 5, 10):
        step = factor * power
        is_fit = step >= width * 0.999 and (not at_least or step == round(step))
        if is_fit and step >= at_least:
            return step
    return max(10 * power, at_least)


def _counted(values: NDArray[np.float64], edges: Edges, color: Levels, facet: Levels) -> Counts:
    bins = len(edges) - 1
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, bins - 1)
    there = np.isfinite(values) & (facet.places >= 0) & (color.places >= 0)
    flat = (facet.places * len(color) + color.places) * bins + place
    found = np.bincount(flat[there], minlength=len(facet) * len(color) * bins)
    return found.reshape(len(facet), len(color), bins)


def _draw_panel(axes: Axes, counts: Counts, edges: Edges, palette: Sequence[str]) -> None:
    for index, colour in enumerate(palette):
        alone = len(palette) == 1
        axes.stairs(counts[index], edges, fill=True, color=colour, alpha=1 if alone else 0.28)
        if alone:
            axes.vlines(edges, 0, _reach(counts[index]), color="white", linewidth=0.8)
        else:
            axes.stairs(counts[index], edges, color=colour, linewidth=1.6)


def _reach(counts: Counts) -> NDArray[np.int64]:
    """How far each edge is seen between two bars."""
    return np.maximum(np.r_[counts, 0], np.r_[0, counts])


def _table(title: str, rows: Rows, binned: _Binned) -> ResultTable:
    x, edges, counts = binned.column, binned.edges, binned.counts
    color, facet = binned.color, binned.facet
    kind, unit = cell_kind(rows.kinds[x]), rows.units.get(x, "")
    if kind == "integer" and bool((edges != np.round(edges)).any()):
        kind = "number"
    columns = [
        TableColumn(
            name=levels.column + "_" * (levels is color and color.column == facet.column),
            label=levels.column,
            kind=levels.cell_kind,
        )
        for levels in (facet, color)
        if levels.column
    ]
    columns += [
        TableColumn(name="from", label=tell("chart.bin_from"), kind=kind, unit=unit),
        TableColumn(name="to", label=tell("chart.bin_to"), kind=kind, unit=unit),
        measure_of(rows, None, None).table_column(),
    ]

    def edge(value: float) -> JsonCell:
        return int(value) if kind == "integer" else float(f"{value:.12g}")

    cells = (
        (
            *((facet.cells[panel],) if facet.column else ()),
            *((color.cells[colour],) if color.column else ()),
            edge(float(edges[at])),
            edge(float(edges[at + 1])),
            int(counts[panel, colour, at]),
        )
        for panel, colour, at in np.ndindex(*counts.shape)
    )
    return table_of(title, columns, cells, counts.size)


def _alt(title: str, rows: Rows, binned: _Binned) -> str:
    x, edges, counts, there = binned.column, binned.edges, binned.counts, binned.values
    kind, unit = rows.kinds[x], shown_unit(rows.units.get(x, ""))
    by_bin = counts.sum(axis=(0, 1))
    top = int(by_bin.argmax())
    parts = [
        tell("chart.alt.head", kind=tell("chart.kind.hist"), title=title),
        tell(
            "chart.alt.range",
            count=f"{len(there):,}",
            low=exact(float(there.min()), kind, unit),
            high=exact(float(there.max()), kind, unit),
        ),
        tell(
            "chart.alt.fullest",
            low=exact(float(edges[top]), kind, unit),
            high=exact(float(edges[top + 1]), kind, unit),
            count=f"{int(by_bin[top]):,}",
        ),
    ]
    return sentences(parts)
