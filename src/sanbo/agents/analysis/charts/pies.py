"""Pie charts: names, values and shares beside them, where they never run into each other."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from dataclasses import replace

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from sanbo.agents.analysis.charts import look
from sanbo.agents.analysis.charts.grouped import Grouped, group
from sanbo.agents.analysis.charts.look import INK, colours
from sanbo.agents.analysis.charts.measures import shown_unit
from sanbo.agents.analysis.charts.panels import new_sheet, set_foot, set_legend, set_title
from sanbo.agents.analysis.charts.picture import Picture, Remarks, Rows
from sanbo.agents.analysis.charts.scales import scale_for
from sanbo.agents.analysis.charts.wording import aggregated_alt, aggregated_title, by_words
from sanbo.agents.analysis.outcome import JsonCell, TableColumn
from sanbo.agents.analysis.spec.plots import Pie
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput

_SMALLEST_WRITTEN = 0.04
_NAME_WIDTH = 22


def draw_pie(spec: Pie, rows: Rows, remarks: Remarks) -> Picture:
    if spec.color is not None and spec.color != spec.x:
        remarks.convention(tell("chart.note.pie_colour", column=spec.color))
    plain = spec.model_copy(update={"color": None})
    grouped = group(plain, rows, remarks, most_dates=12)
    _require_positive(grouped)
    grouped = _with_rest(spec, grouped, remarks)
    by = by_words(spec.x, grouped.unit, None, spec.facet)
    title = spec.title or aggregated_title(grouped.measure, by, "pie")
    sheet = new_sheet(grouped.facet_labels, is_shared=False)
    palette = colours(len(grouped.x), rest_is_last=grouped.x.has_rest)
    for index, axes in enumerate(sheet.panels):
        axes.set_title(axes.get_title(loc="left"), loc="center", fontsize=9.5)
        axes.set_title("", loc="left")
        _draw_panel(axes, grouped.values[index, 0], palette)
    handles: list[Artist] = [Patch(facecolor=colour) for colour in palette]
    names = look.shortened_apart([look.drawable(name) for name in grouped.x.labels], _NAME_WIDTH)
    if sheet.is_single:
        names = _with_values(grouped, names)
    set_legend(sheet, handles, names, spec.x, is_beside=sheet.is_single)
    set_title(sheet, title)
    set_foot(sheet, remarks.foot)
    alt = aggregated_alt("pie", title, grouped)
    table = grouped.table(title)
    share = TableColumn(name="share", label=tell("chart.share"), kind="share")
    shares = [_share(grouped, panel, place) for panel, _, place, _ in _rows(grouped)]
    cells = [(*row, value) for row, value in zip(table.rows, shares, strict=False)]
    table = table.model_copy(update={"columns": (*table.columns, share), "rows": tuple(cells)})
    return Picture(sheet.figure, title, alt, table, tuple(remarks.notes))


def _rows(grouped: Grouped) -> list[tuple[int, int, int, JsonCell]]:
    return sorted(grouped.exact, key=lambda row: (row[0], row[2], row[1]))


def _share(grouped: Grouped, panel: int, place: int) -> float | None:
    values = grouped.values[panel, 0]
    total = float(np.nansum(values))
    value = float(values[place])
    return value / total if total > 0 and np.isfinite(value) else None


def _require_positive(grouped: Grouped) -> None:
    column = grouped.measure.column or ""
    if bool((grouped.values < 0).any()):
        raise InvalidInput("chart_share_of_negative", details={"column": column}, column=column)
    if float(np.nansum(grouped.values)) == 0:
        raise InvalidInput("chart_share_of_nothing", details={"column": column}, column=column)


def _with_rest(spec: Pie, grouped: Grouped, remarks: Remarks) -> Grouped:
    """Largest first; periods and numbers in their own order. Those after `top_k` together."""
    totals = grouped.totals()
    there = [at for at in range(len(grouped.x)) if totals[at] > 0]
    ranked = sorted(there, key=lambda at: -totals[at])
    # A single one after the others is shown by its own name.
    most = spec.top_k if len(ranked) > spec.top_k + 1 else len(ranked)
    keep, others = ranked[:most], ranked[most:]
    if grouped.x.is_ordered:
        keep = sorted(keep)
    else:  # what has no name comes last of those that have one
        keep.sort(key=lambda at: grouped.x.cells[at] is None)
    if not grouped.measure.is_additive and grouped.measure.aggregate != "as_is":
        _tell_not_additive(grouped, remarks, has_rest=bool(others))
    if not others:
        return grouped.chosen(keep)
    remarks.caution(
        tell("chart.note.rest_in_pie", count=f"{len(others):,}", rest=tell("analysis_result.other"))
    )
    kept = grouped.chosen(keep)
    rest = np.nansum(grouped.values[:, :, others], axis=2, keepdims=True)
    is_whole = all(isinstance(value, int) for _, _, _, value in grouped.exact)
    sums = [
        (panel, 0, len(keep), _sum_of(grouped, panel, set(others), is_whole=is_whole))
        for panel in range(len(grouped.facet))
    ]
    return replace(
        kept,
        x=grouped.x.with_rest(keep),
        values=np.concatenate([kept.values, rest], axis=2),
        exact=(*kept.exact, *sums),
    )


def _tell_not_additive(grouped: Grouped, remarks: Remarks, *, has_rest: bool) -> None:
    """Shares of means are no shares of a whole; a sum of them for the rest would be nonsense."""
    what = grouped.measure.label
    if has_rest:
        details = {"column": grouped.measure.column, "aggregate": grouped.measure.aggregate}
        raise InvalidInput("chart_share_not_additive", details=details, what=what)
    remarks.caution(tell("chart.note.shares_of_no_whole", what=what))


def _sum_of(grouped: Grouped, panel: int, places: set[int], *, is_whole: bool) -> JsonCell:
    found = [
        value
        for at, _, place, value in grouped.exact
        if at == panel and place in places and isinstance(value, int | float)
    ]
    return sum(int(value) for value in found) if is_whole else float(sum(found))


def _draw_panel(axes: Axes, values: np.ndarray, palette: list[str]) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
    there = np.nan_to_num(values)
    total = float(there.sum())
    if total <= 0:
        return
    wedges = axes.pie(
        there,
        colors=palette,
        startangle=90,
        counterclock=False,
        wedgeprops={"edgecolor": "white", "linewidth": 1.2},
    )[0]
    for wedge, value, colour in zip(wedges, there, palette, strict=True):
        if value / total < _SMALLEST_WRITTEN:
            continue
        angle = np.deg2rad((wedge.theta1 + wedge.theta2) / 2)
        axes.text(
            0.68 * float(np.cos(angle)),
            0.68 * float(np.sin(angle)),
            f"{value / total:.1%}",
            ha="center",
            va="center",
            fontsize=8.5,
            color=_readable_on(colour),
        )


def _readable_on(colour: str) -> str:
    red, green, blue = to_rgb(colour)
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.55 else INK


def _with_values(grouped: Grouped, names: list[str]) -> list[str]:
    values: list[float] = np.nan_to_num(grouped.values[0, 0]).tolist()
    measure = grouped.measure
    scale = scale_for(values, measure.kind, shown_unit(measure.unit))
    if min(values) < scale.divisor:  # 0.3 of a large unit says less than the number itself
        scale = scale_for([], measure.kind, shown_unit(measure.unit))
    decimals, total = scale.decimals_for(values), sum(values)
    return [
        tell(
            "chart.pie_entry",
            name=name,
            share=f"{value / total:.1%}",
            value=scale.with_unit(value, decimals),
        )
        for name, value in zip(names, values, strict=True)
    ]
