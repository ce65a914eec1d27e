"""Box charts: quartiles, whiskers to 1.5 interquartile ranges, outliers as points."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from numpy.typing import NDArray

from sanbo.agents.analysis.charts import look
from sanbo.agents.analysis.charts.grouped import axis_levels, axis_unit, panel_levels
from sanbo.agents.analysis.charts.levels import Levels, colour_levels, single
from sanbo.agents.analysis.charts.look import INK, colours, mixed
from sanbo.agents.analysis.charts.measures import (
    cell_kind,
    column_label,
    column_scale,
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
    set_names,
    set_title,
)
from sanbo.agents.analysis.charts.picture import Picture, Remarks, Rows, table_of
from sanbo.agents.analysis.charts.scales import exact
from sanbo.agents.analysis.charts.wording import axis_name, by_words, distribution_title, sentences
from sanbo.agents.analysis.execution.wording import count_unit, row_count_label
from sanbo.agents.analysis.outcome import JsonCell, ResultTable, TableColumn
from sanbo.agents.analysis.spec.plots import Box
from sanbo.agents.analysis.spec.words import ROW_COUNT
from sanbo.kernel.messages import tell

MOST_BOXES = 30
_MOST_OUTLIERS = 300
"""Of one box; those farthest out are among them."""
_NAME_WIDTH, _NAME_WIDTH_IN_PANEL = 20, 12
_FIGURES = ("min", "whisker_low", "q25", "median", "q75", "whisker_high", "max", "mean")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Quartiles:
    """Of the values of one box."""

    place: tuple[int, int, int]
    """Panel, place along the axis, colour."""
    count: int
    min: float
    whisker_low: float
    q25: float
    median: float
    q75: float
    whisker_high: float
    max: float
    mean: float
    outliers: Floats


def draw_boxes(spec: Box, rows: Rows, remarks: Remarks) -> Picture:
    values = numbers(rows, spec.y)
    unit = None if spec.x is None else axis_unit(rows, spec.x, spec.x_unit, MOST_BOXES, remarks)
    x = _axis(spec, rows, unit, remarks)
    color = colour_levels(rows, None if spec.color == spec.x else spec.color, remarks)
    facet = panel_levels(rows, spec.facet, remarks)
    boxes = _boxes(values, x, color, facet)
    by = by_words(spec.x, unit, spec.color, spec.facet)
    title = spec.title or distribution_title(spec.y, rows.units.get(spec.y, ""), by)
    sheet = new_sheet(facet.labels if facet.column else ())
    palette = colours(len(color), rest_is_last=color.has_rest)
    for panel, axes in enumerate(sheet.panels):
        here = [box for box in boxes if box.place[0] == panel]
        _draw_panel(axes, here, len(x), palette)
    set_grid(sheet, "y")
    scale = column_scale(rows, spec.y, values)
    set_numbers(sheet.panels, "y", scale)
    if color.column:
        handles: list[Artist] = [
            Patch(facecolor=mixed(colour, "white", 0.5), edgecolor=colour) for colour in palette
        ]
        set_legend(sheet, handles, color.labels, color.column)
    name = "" if spec.x is None else axis_name(spec.x, unit)
    set_axis_labels(sheet, name, column_label(rows, spec.y, scale))
    missing = int(np.isnan(values).sum())
    if missing:
        remarks.caution(tell("chart.note.missing_left_out", column=spec.y, count=f"{missing:,}"))
    remarks.convention(tell("chart.note.whiskers"))
    if any(len(box.outliers) > _MOST_OUTLIERS for box in boxes):
        remarks.caution(tell("chart.note.outliers_thinned", count=_MOST_OUTLIERS))
    set_title(sheet, title)
    set_foot(sheet, remarks.foot)
    labels = look.shortened_apart(
        [look.drawable(text) for text in x.labels],
        _NAME_WIDTH if sheet.is_single else _NAME_WIDTH_IN_PANEL,
    )
    places = [float(at) for at in range(len(x))]
    set_names(sheet.panels, places, labels, may_skip=x.is_ordered)
    alt = _alt(title, spec, rows, boxes, x)
    table = _table(title, spec, rows, boxes, (facet, x, color))
    return Picture(sheet.figure, title, alt, table, tuple(remarks.notes))


def _axis(spec: Box, rows: Rows, unit: object, remarks: Remarks) -> Levels:
    if spec.x is None:
        return single(len(rows))
    x = axis_levels(rows, spec.x, unit, spec.fiscal_start, remarks)  # pyright: ignore[reportArgumentType]
    counts = np.bincount(x.places[x.places >= 0], minlength=len(x))
    there = [at for at in range(len(x)) if counts[at]]
    if len(there) > MOST_BOXES:
        ranked = sorted(there, key=lambda at: -int(counts[at]))
        remarks.caution(
            tell("chart.note.commonest", shown=MOST_BOXES, count=f"{len(there):,}", column=spec.x)
        )
        there = sorted(ranked[:MOST_BOXES])
    return x.chosen(there) if len(there) < len(x) and x.axis != "periods" else x


def _boxes(values: Floats, x: Levels, color: Levels, facet: Levels) -> list[Quartiles]:
    there = np.isfinite(values) & (x.places >= 0) & (facet.places >= 0)
    shape = (len(facet), len(x), len(color))
    flat = np.ravel_multi_index((facet.places[there], x.places[there], color.places[there]), shape)
    order = np.argsort(flat, kind="stable")
    sorted_values, keys = values[there][order], flat[order]
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    boxes: list[Quartiles] = []
    for start, end in zip(starts, np.r_[starts[1:], len(keys)], strict=True):
        panel, place, colour = np.unravel_index(int(keys[start]), shape)
        place_of = (int(panel), int(place), int(colour))
        boxes.append(quartiles(sorted_values[start:end], place_of))
    return boxes


def quartiles(values: Floats, place: tuple[int, int, int] = (0, 0, 0)) -> Quartiles:
    """By linear interpolation; whiskers end at the last value within 1.5 ranges of the box."""
    low, middle, high = (float(value) for value in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    outside = values[(values < low - reach) | (values > high + reach)]
    return Quartiles(
        place=place,
        count=len(values),
        min=float(values.min()),
        whisker_low=min(float(inside.min()), low),
        q25=low,
        median=middle,
        q75=high,
        whisker_high=max(float(inside.max()), high),
        max=float(values.max()),
        mean=float(values.mean()),
        outliers=outside,
    )


def _draw_panel(axes: Axes, boxes: list[Quartiles], places: int, palette: list[str]) -> None:
    breadth = 0.6 / len(palette)
    for box in boxes:
        _, place, colour = box.place
        shade = palette[colour]
        axes.bxp(
            [
                {
                    "med": box.median,
                    "q1": box.q25,
                    "q3": box.q75,
                    "whislo": box.whisker_low,
                    "whishi": box.whisker_high,
                    "fliers": _thinned(box.outliers),
                }
            ],
            positions=[place + (colour - (len(palette) - 1) / 2) * breadth],
            widths=breadth * 0.85,
            patch_artist=True,
            manage_ticks=False,
            boxprops={
                "facecolor": mixed(shade, "white", 0.5),
                "edgecolor": shade,
                "linewidth": 1.2,
            },
            medianprops={"color": INK, "linewidth": 1.6},
            whiskerprops={"color": shade, "linewidth": 1.2},
            capprops={"color": shade, "linewidth": 1.2},
            flierprops={
                "marker": "o",
                "markersize": 2.6,
                "markerfacecolor": shade,
                "markeredgewidth": 0,
                "alpha": 0.6,
            },
        )
    edge = 1.2 if places == 1 else 0.6
    axes.set_xlim(-edge, places - 1 + edge)


def _thinned(outliers: Floats) -> Floats:
    if len(outliers) <= _MOST_OUTLIERS:
        return outliers
    ordered = np.sort(outliers)
    return ordered[np.linspace(0, len(ordered) - 1, _MOST_OUTLIERS).astype(int)]


def _table(
    title: str,
    spec: Box,
    rows: Rows,
    boxes: list[Quartiles],
    axes: tuple[Levels, Levels, Levels],
) -> ResultTable:
    kind, unit = cell_kind(rows.kinds[spec.y]), rows.units.get(spec.y, "")
    columns: list[TableColumn] = []
    for levels in axes:
        if levels.column:
            taken = {column.name for column in columns}
            name = levels.column + ("_" if levels.column in taken else "")
            columns.append(TableColumn(name=name, label=levels.column, kind=levels.cell_kind))
    columns.append(
        TableColumn(name=ROW_COUNT, label=row_count_label(), kind="integer", unit=count_unit())
    )
    for name in _FIGURES:
        label = tell(f"chart.box.{name}")
        columns.append(
            TableColumn(
                name=name, label=label, kind="share" if kind == "share" else "number", unit=unit
            )
        )
    columns.append(TableColumn(name="outliers", label=tell("chart.box.outliers"), kind="integer"))

    def row(box: Quartiles) -> tuple[JsonCell, ...]:
        names = [
            levels.cells[at] for levels, at in zip(axes, box.place, strict=True) if levels.column
        ]
        figures = [getattr(box, name) for name in _FIGURES]
        return (*names, box.count, *figures, len(box.outliers))

    return table_of(title, columns, map(row, boxes), len(boxes))


def _alt(title: str, spec: Box, rows: Rows, boxes: list[Quartiles], x: Levels) -> str:
    kind, unit = rows.kinds[spec.y], shown_unit(rows.units.get(spec.y, ""))
    parts = [tell("chart.alt.head", kind=tell("chart.kind.box"), title=title)]
    ranked = sorted(boxes, key=lambda box: box.median)
    if len(ranked) == 1:
        value = exact(ranked[0].median, kind, unit)
        parts.append(tell("chart.alt.median.only", value=value))
    else:
        for end, box in (("highest", ranked[-1]), ("lowest", ranked[0])):
            name, value = x.labels[box.place[1]], exact(box.median, kind, unit)
            parts.append(tell(f"chart.alt.median.{end}", name=name, value=value))
    return sentences(parts)
