"""Charts of how values lie: bins of a histogram, boxes, the points of a scatter chart."""

import math
from itertools import product
from typing import cast

import numpy as np
import pandas as pd

from sanbo.agents.analysis.charts.box import Box
from sanbo.agents.analysis.charts.histogram import Hist
from sanbo.agents.analysis.charts.scatter import Scatter
from sanbo.agents.analysis.charts.sheet import exact
from sanbo.agents.analysis.execution.chart_task import (
    MOST_COLOURS,
    Drawn,
    Floats,
    Levels,
    Places,
    Row,
    Task,
    alt_text,
    bare_name,
    by_words,
    cell_kind,
    cell_of,
    colours,
    count_column,
    distribution_title,
    ends,
    group_columns,
    levels_by_role,
    panels,
)
from sanbo.agents.analysis.execution.results import convention
from sanbo.agents.analysis.outcome import JsonCell, TableColumn
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

MOST_POINTS = 5_000
MOST_NAMES_OF_POINTS = 50
MOST_OUTLIERS = 300
"""Of one box; those farthest out are among them."""
_MOST_BINS, _FEWEST_BINS = 40, 5
_SEED = 20_000
_FIGURES = ("min", "whisker_low", "q25", "median", "q75", "whisker_high", "max", "mean")


def of_bins(task: Task) -> Drawn:
    spec = cast("Hist", task.spec)
    values, unit = task.numbers(spec.x), task.units.get(spec.x, "")
    task.tell_missing(spec.x, int(np.isnan(values).sum()))
    there = values[~np.isnan(values)]
    is_whole = task.kinds[spec.x] == "integer"
    edges = bin_edges(there, spec.bins, is_whole=is_whole, step=spec.width)
    groups, bins = list(levels_by_role(task).values()), len(edges) - 1
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, bins - 1)
    seen = np.isfinite(values) & np.all([each.places >= 0 for each in groups], axis=0)
    shape = (*map(len, groups), bins)
    flat = np.ravel_multi_index((*(each.places[seen] for each in groups), place[seen]), shape)
    counts = np.bincount(flat, minlength=math.prod(shape)).reshape(shape)
    task.notes.append(convention(tell("chart.note.bins", count=bins)))
    kind = cell_kind(task.kinds[spec.x])
    if kind == "integer" and bool((edges != np.round(edges)).any()):
        kind = "number"
    limits = [int(edge) if kind == "integer" else float(f"{edge:.12g}") for edge in edges]
    columns = group_columns(groups)
    for name in ("from", "to"):
        label = tell(f"chart.bin.{name}")
        columns.append(TableColumn(name=name, label=label, kind=kind, unit=unit))
    columns.append(count_column(columns))
    names = [each.cells for each in groups]
    rows: list[Row] = [
        (*cells, limits[at], limits[at + 1], int(counts[(*where, at)]))
        for (*where, at), cells in zip(
            np.ndindex(*shape), (each[:-1] for each in product(*names, limits[1:])), strict=True
        )
    ]
    title = distribution_title(spec.x, unit, by_words(spec))
    table = task.table(title, columns, rows)
    low, high = (exact(float(end), kind, unit) for end in (there.min(), there.max()))
    told = tell("chart.alt.range", count=f"{len(there):,}", low=low, high=high)
    return Drawn(alt_text(spec, table, told), table, table)


def bin_edges(
    values: Floats, bins: int | None, *, is_whole: bool, step: float | None = None
) -> Floats:
    """As many as asked for between the ends; else of a width that was told or suits the spread."""
    low, high = float(values.min()), float(values.max())
    if low == high and step is None:
        half = 0.5 if is_whole or abs(low) < 1 else abs(low) * 0.05
        return np.array([low - half, high + half])
    if bins is not None:
        return np.linspace(low, high, bins + 1)
    if step is not None and high - low <= 500 * step:
        return _multiples(low, high, step)
    if is_whole and high - low <= 30:  # each number has a bar of its own
        return np.arange(low - 0.5, high + 1.0)
    span = high - low
    quarter, three_quarters = np.quantile(values, [0.25, 0.75])
    width = 2 * float(three_quarters - quarter) / len(values) ** (1 / 3)
    if width <= 0 or not math.isfinite(width):
        width = span / (math.log2(len(values)) + 1)
    suited = min(max(width, span / _MOST_BINS), span / _FEWEST_BINS)
    return _multiples(low, high, _round_width(suited, is_whole=is_whole))


def _multiples(low: float, high: float, step: float) -> Floats:
    first, last = math.floor(low / step), math.floor(high / step) + 1
    return np.arange(first, last + 1, dtype=np.float64) * step


def _round_width(width: float, *, is_whole: bool) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    steps = (factor * power for factor in (1, 2, 2.5, 5, 10))
    fitting = (step for step in steps if step >= width * 0.999)
    if is_whole:
        fitting = (step for step in fitting if step >= 1 and step == round(step))
    return next(fitting, max(10 * power, 1.0 if is_whole else 0.0))


# ---- one box for each group ----------------------------------------------------------------


def of_quartiles(task: Task) -> Drawn:
    spec = cast("Box", task.spec)
    values, unit = task.numbers(spec.y), task.units.get(spec.y, "")
    found = levels_by_role(task)
    groups = list(found.values())
    task.tell_missing(spec.y, int(np.isnan(values).sum()))
    task.notes.append(convention(tell("chart.note.whiskers")))
    seen = np.isfinite(values) & np.all([each.places >= 0 for each in groups], axis=0)
    codes = [each.places[seen] for each in groups] or [np.zeros(int(seen.sum()), dtype=np.int64)]
    columns = group_columns(groups)
    columns.append(count_column(columns))
    kind = "share" if task.kinds[spec.y] == "percent" else "number"
    columns += [
        TableColumn(name=name, label=tell(f"chart.box.{name}"), kind=kind, unit=unit)
        for name in _FIGURES
    ]
    columns.append(TableColumn(name="outliers", label=tell("chart.box.outliers"), kind="integer"))
    boxes: list[Row] = []
    points: list[Row] = []
    for places, of_box in pd.Series(values[seen]).groupby(codes, sort=True):
        where = cast("tuple[int, ...]", places)
        names = tuple(each.cells[at] for each, at in zip(groups, where, strict=False))
        figures, outside = quartiles(floats(of_box))
        boxes.append((*names, len(of_box), *figures, len(outside)))
        nothing = (None,) * (len(columns) - len(names))
        points += [(*names, *nothing, float(each)) for each in _thinned(outside)]
    if any(cast("int", box[-1]) > MOST_OUTLIERS for box in boxes):
        task.caution("outliers_thinned", count=MOST_OUTLIERS)
    title = distribution_title(
        spec.y, unit, by_words(spec, found["x"].unit if "x" in found else None)
    )
    table = task.table(title, columns, boxes)
    outlier = TableColumn(name="outlier", label=spec.y, kind=kind, unit=unit)
    marks = task.table(title, (*columns, outlier), [*((*box, None) for box in boxes), *points])
    median = len(groups) + 1 + _FIGURES.index("median")
    return Drawn(alt_text(spec, table, *ends(table, len(groups), median)), table, marks)


def quartiles(values: Floats) -> tuple[tuple[float, ...], Floats]:
    """By linear interpolation; whiskers end at the last value within 1.5 ranges of the box."""
    low, middle, high = (float(value) for value in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = 1.5 * (high - low)
    is_inside = (values >= low - reach) & (values <= high + reach)
    whiskers = min(float(values[is_inside].min()), low), max(float(values[is_inside].max()), high)
    least, most, mean = float(values.min()), float(values.max()), float(values.mean())
    figures = (least, whiskers[0], low, middle, high, whiskers[1], most, mean)
    return figures, values[~is_inside]


def _thinned(outliers: Floats) -> Floats:
    ordered = np.sort(outliers)
    if len(outliers) <= MOST_OUTLIERS:
        return ordered
    return ordered[np.linspace(0, len(ordered) - 1, MOST_OUTLIERS).astype(int)]


# ---- one point for each row ----------------------------------------------------------------


def of_points(task: Task) -> Drawn:
    spec = cast("Scatter", task.spec)
    named = spec.groups()
    levels = {
        role: colours(task, column) if role == "color" else panels(task, column)
        for role, column in named.items()
        if role == "facet" or (role == "color" and not _is_gradual(task, column))
    }
    all_places = _drawable_rows(task, spec, levels.get("facet"))
    places, count = _sampled(task, all_places), f"{len(all_places):,}"
    r = _correlation(task, spec, all_places) if task.kinds[spec.x] in NUMERIC else None
    told = [tell("chart.alt.points", count=count)]
    note = tell("chart.note.points", count=count)
    if r is not None:
        told.append(tell("chart.alt.correlation", r=f"{r:.3f}"))
        note = tell("chart.note.correlation", count=count, r=f"{r:.3f}")
    task.notes.append(convention(note))
    columns: list[TableColumn] = []
    cells: list[list[JsonCell]] = []
    for role, column in named.items():
        level, kind = levels.get(role), task.kinds[column]
        name = free_name(column, [each.name for each in columns])
        shown = cell_kind(kind) if level is None else level.kind
        unit = task.units.get(column, "")
        columns.append(TableColumn(name=name, label=column, kind=shown, unit=unit))
        if level is None:
            cells.append([cell_of(value, kind) for value in task.data[column].iloc[places]])
        else:
            cells.append([level.cells[at] for at in level.places[places].tolist()])
    table = task.table(_points_title(task, spec), columns, list(zip(*cells, strict=True)))
    return Drawn(alt_text(spec, table, *told), table, table)


def _drawable_rows(task: Task, spec: Scatter, facet: Levels | None) -> Places:
    """With a value for both axes, and for the size; in a panel that is drawn."""
    seen = np.isfinite(task.numbers(spec.y))
    if task.kinds[spec.x] in NUMERIC:
        seen &= np.isfinite(task.numbers(spec.x))
    else:
        seen &= task.data[spec.x].notna().to_numpy(dtype=bool)
        _require_few_names(task, spec.x)
    if spec.size is not None:
        seen &= np.isfinite(task.numbers(spec.size))
    in_panel = np.ones(len(seen), dtype=bool) if facet is None else facet.places >= 0
    if missing := int((in_panel & ~seen).sum()):
        task.caution("points_missing", count=f"{missing:,}")
    if not (seen & in_panel).any():
        raise InvalidInput("chart_no_points")
    return np.flatnonzero(seen & in_panel)


def _sampled(task: Task, places: Places) -> Places:
    """Always the same ones, so that the chart can be made again."""
    if len(places) <= MOST_POINTS:
        return places
    task.caution("sampled", count=f"{len(places):,}", shown=f"{MOST_POINTS:,}")
    picked = np.random.default_rng(_SEED).choice(len(places), MOST_POINTS, replace=False)
    return places[np.sort(picked)]


def _is_gradual(task: Task, column: str) -> bool:
    """Numbers of many values are shades of one scale, not colours of their own."""
    return task.kinds[column] in NUMERIC and task.data[column].nunique() > MOST_COLOURS


def _require_few_names(task: Task, column: str) -> None:
    count = task.data[column].nunique()
    if task.kinds[column] not in TEMPORAL and count > MOST_NAMES_OF_POINTS:
        raise InvalidInput(
            "chart_too_many_names", column=column, count=count, limit=MOST_NAMES_OF_POINTS
        )


def _correlation(task: Task, spec: Scatter, places: Places) -> float | None:
    """Of all points, drawn or not; none where one of the columns does not vary."""
    x, y = (task.numbers(column)[places] for column in (spec.x, spec.y))
    if len(places) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    r = float(np.corrcoef(x, y)[0, 1])
    return r if math.isfinite(r) else None


def _points_title(task: Task, spec: Scatter) -> str:
    x, y = (bare_name(name, task.units.get(name, "")) for name in (spec.x, spec.y))
    by = by_words(spec)
    if by:
        return tell("chart.title.scatter_by", x=x, y=y, by=by)
    return tell("chart.title.scatter", x=x, y=y)
