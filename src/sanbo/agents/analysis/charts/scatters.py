"""Scatter charts: how two columns go together, row by row."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from sanbo.agents.analysis.charts import look
from sanbo.agents.analysis.charts.grouped import panel_levels
from sanbo.agents.analysis.charts.levels import Levels, colour_levels, levels_of, single
from sanbo.agents.analysis.charts.look import FAINT, colours
from sanbo.agents.analysis.charts.measures import (
    bare_name,
    cell_kind,
    column_label,
    column_scale,
    numbers,
    set_numbers,
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
from sanbo.agents.analysis.charts.picture import Picture, Remarks, Rows, table_of
from sanbo.agents.analysis.charts.scales import NumberTicks, set_dates
from sanbo.agents.analysis.charts.wording import by_words, sentences
from sanbo.agents.analysis.outcome import ResultTable, TableColumn
from sanbo.agents.analysis.profile import NUMERIC
from sanbo.agents.analysis.spec.plots import Scatter
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput

MOST_POINTS = 20_000
_MOST_NAMES = 50
_SEED = 20_000
_SMALLEST, _LARGEST = 8.0, 260.0
"""Areas of points, where a column gives their size."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Points:
    """Those that are drawn, of all that there are."""

    chosen: NDArray[np.int64]
    count: int
    x: Floats
    y: Floats
    sizes: Floats | None


def draw_scatter(spec: Scatter, rows: Rows, remarks: Remarks) -> Picture:
    x_levels = _names_along(rows, spec.x)
    x = numbers(rows, spec.x) if x_levels is None else _positions(x_levels)
    y = numbers(rows, spec.y)
    facet = panel_levels(rows, spec.facet, remarks)
    size = None if spec.size is None else numbers(rows, spec.size)
    points = _points(x, y, size, facet, remarks)
    is_gradual = _is_gradual(rows, spec.color)
    color = single(len(rows)) if is_gradual else colour_levels(rows, spec.color, remarks)
    title = spec.title or _title(spec, rows)
    sheet = new_sheet(facet.labels if facet.column else ())
    palette = colours(len(color), rest_is_last=color.has_rest)
    if is_gradual and spec.color is not None:
        _draw_gradual(sheet, spec.color, rows, points, facet)
    else:
        for index, axes in enumerate(sheet.panels):
            here = points.chosen[facet.places[points.chosen] == index]
            _draw_panel(axes, here, points, color, palette)
    set_grid(sheet, "both")
    _set_legend(sheet, rows, spec.size, color, palette)
    y_scale = column_scale(rows, spec.y, y)
    set_numbers(sheet.panels, "y", y_scale)
    x_label = spec.x
    if x_levels is None:
        x_scale = column_scale(rows, spec.x, x)
        set_numbers(sheet.panels, "x", x_scale)
        x_label = column_label(rows, spec.x, x_scale)
    set_axis_labels(sheet, x_label, column_label(rows, spec.y, y_scale))
    r = _correlation(x, y, points) if x_levels is None else None
    _tell_statistics(points, r, remarks)
    set_title(sheet, title)
    set_foot(sheet, remarks.foot)
    if x_levels is not None:
        _set_names(sheet, x_levels)
    alt = _alt(title, points, r)
    table = _table(title, spec, rows, points)
    return Picture(sheet.figure, title, alt, table, tuple(remarks.notes))


def _names_along(rows: Rows, column: str) -> Levels | None:
    """For words and dates; None for numbers."""
    kind = rows.kinds[column]
    if kind in NUMERIC:
        return None
    levels = levels_of(rows.data[column], kind, keeps_blank=False)
    if levels.axis == "names" and len(levels) > _MOST_NAMES:
        raise InvalidInput(
            "chart_too_many_names",
            details={"column": column, "count": len(levels), "limit": _MOST_NAMES},
            column=column,
            count=len(levels),
            limit=_MOST_NAMES,
        )
    return levels


def _positions(levels: Levels) -> Floats:
    return np.append(levels.positions, np.nan)[levels.places]


def _points(x: Floats, y: Floats, size: Floats | None, facet: Levels, remarks: Remarks) -> _Points:
    there = np.isfinite(x) & np.isfinite(y) & (facet.places >= 0)
    if size is not None:
        there &= np.isfinite(size)
    missing = int((facet.places >= 0).sum()) - int(there.sum())
    if missing:
        remarks.caution(tell("chart.note.points_missing", count=f"{missing:,}"))
    chosen = np.flatnonzero(there)
    count = len(chosen)
    if count == 0:
        raise InvalidInput("chart_no_points")
    if count > MOST_POINTS:
        # Always the same ones, so that the chart can be made again.
        picked = np.random.default_rng(_SEED).choice(count, MOST_POINTS, replace=False)
        chosen = chosen[np.sort(picked)]
        remarks.caution(tell("chart.note.sampled", count=f"{count:,}", shown=f"{MOST_POINTS:,}"))
    areas = None
    if size is not None:
        low, high = float(np.min(size[there])), float(np.max(size[there]))
        share = (size - low) / (high - low) if high > low else np.zeros_like(size)
        areas = _SMALLEST + (_LARGEST - _SMALLEST) * share
    return _Points(chosen, count, x, y, areas)


def _is_gradual(rows: Rows, column: str | None) -> bool:
    """Numbers of many values are shades of one scale, not colours of their own."""
    return column is not None and rows.kinds[column] in NUMERIC and rows.data[column].nunique() > 8


def _looks(points: _Points) -> tuple[float, float]:
    """Area and opacity: many points are small and faint."""
    for least, area, alpha in ((5000, 5, 0.35), (1000, 10, 0.5), (200, 18, 0.65)):
        if len(points.chosen) > least:
            return area, alpha
    return 30, 0.8


def _draw_panel(
    axes: Axes, here: NDArray[np.int64], points: _Points, color: Levels, palette: list[str]
) -> None:
    area, alpha = _looks(points)
    hues = np.array(palette)[color.places[here]]
    axes.scatter(
        points.x[here],
        points.y[here],
        s=area if points.sizes is None else points.sizes[here],
        c=hues,
        alpha=alpha if points.sizes is None else 0.55,
        linewidths=0,
    )
    axes.margins(0.05)


def _draw_gradual(sheet: Sheet, column: str, rows: Rows, points: _Points, facet: Levels) -> None:
    values = numbers(rows, column)
    area, alpha = _looks(points)
    shown = values[points.chosen]
    shades = Normalize(float(np.nanmin(shown)), float(np.nanmax(shown)))
    for panel, axes in enumerate(sheet.panels):
        here = points.chosen[facet.places[points.chosen] == panel]
        axes.scatter(
            points.x[here],
            points.y[here],
            s=area if points.sizes is None else points.sizes[here],
            c=values[here],
            norm=shades,
            cmap="cividis",  # even to the colour-blind
            plotnonfinite=True,
            alpha=max(alpha, 0.6),
            linewidths=0,
        )
    scale = column_scale(rows, column, values)
    bar = sheet.figure.colorbar(
        ScalarMappable(shades, "cividis"), ax=list(sheet.panels), shrink=0.8, aspect=30
    )
    bar.ax.yaxis.set_major_formatter(NumberTicks(scale))
    bar.ax.set_title(
        look.shortened(look.drawable(column_label(rows, column, scale)), 24),
        loc="left",
        fontsize=8.5,
    )
    bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue, reportAttributeAccessIssue]


def _set_legend(
    sheet: Sheet, rows: Rows, size: str | None, color: Levels, palette: list[str]
) -> None:
    def dot(colour: str, area: float) -> Artist:
        return Line2D(
            [], [], marker="o", linestyle="", color=colour, markersize=area**0.5, markeredgewidth=0
        )

    handles = [dot(colour, 36) for colour in palette] if color.column else []
    labels = list(color.labels) if color.column else []
    title = color.column
    if size is not None:
        values = numbers(rows, size)
        scale = column_scale(rows, size, values)
        ends = sorted({float(np.nanmin(values)), float(np.nanmax(values))})
        name = bare_name(size, rows.units.get(size, ""))
        for end, area in zip(ends, (_SMALLEST, _LARGEST), strict=False):
            handles.append(dot(FAINT, area))
            labels.append(tell("chart.size_entry", column=name, value=scale.with_unit(end)))
        title = title if color.column else ""
    if handles:
        set_legend(sheet, handles, labels, title)


def _set_names(sheet: Sheet, levels: Levels) -> None:
    if levels.axis == "moments":
        for axes in sheet.panels:
            set_dates(axes, most=9 if sheet.is_single else 4)
        return
    labels = look.shortened_apart(
        [look.drawable(name) for name in levels.labels], 20 if sheet.is_single else 12
    )
    for axes in sheet.panels:
        axes.set_xlim(-0.6, len(levels) - 0.4)
    set_names(sheet.panels, levels.positions.tolist(), labels, may_skip=False)


def _correlation(x: Floats, y: Floats, points: _Points) -> float | None:
    """Of all points, drawn or not; none where one of the columns does not vary."""
    there = np.isfinite(x) & np.isfinite(y)
    if points.count < 3 or np.ptp(x[there]) == 0 or np.ptp(y[there]) == 0:
        return None
    return float(np.corrcoef(x[there], y[there])[0, 1])


def _tell_statistics(points: _Points, r: float | None, remarks: Remarks) -> None:
    if r is None:
        remarks.convention(tell("chart.note.points", count=f"{points.count:,}"))
    else:
        remarks.convention(tell("chart.note.correlation", count=f"{points.count:,}", r=f"{r:.3f}"))


def _title(spec: Scatter, rows: Rows) -> str:
    x, y = (bare_name(name, rows.units.get(name, "")) for name in (spec.x, spec.y))
    by = by_words(None, None, spec.color, spec.facet)
    if by:
        return tell("chart.title.scatter_by", x=x, y=y, by=by)
    return tell("chart.title.scatter", x=x, y=y)


def _alt(title: str, points: _Points, r: float | None) -> str:
    parts = [
        tell("chart.alt.head", kind=tell("chart.kind.scatter"), title=title),
        tell("chart.alt.points", count=f"{points.count:,}"),
    ]
    if r is not None:
        parts.append(tell("chart.alt.correlation", r=f"{r:.3f}"))
    return sentences(parts)


def _table(title: str, spec: Scatter, rows: Rows, points: _Points) -> ResultTable:
    """The first of the points that are drawn, as they stand in the data."""
    names = [name for name in (spec.x, spec.y, spec.size, spec.color, spec.facet) if name]
    names = list(dict.fromkeys(names))
    first = rows.data[names].iloc[points.chosen[:200]]
    described = [levels_of(first[name], rows.kinds[name]) for name in names]
    columns = [
        TableColumn(
            name=name,
            label=name,
            kind=cell_kind(rows.kinds[name]) if rows.kinds[name] in NUMERIC else levels.cell_kind,
            unit=rows.units.get(name, ""),
        )
        for name, levels in zip(names, described, strict=True)
    ]
    cells = (
        tuple(levels.cells[levels.places[at]] for levels in described) for at in range(len(first))
    )
    return table_of(title, columns, cells, len(points.chosen))
