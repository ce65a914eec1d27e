"""The sheet a chart stands on: title, panels, legend, remarks, and names that never collide."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import cast

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from sanbo.agents.analysis.charts import look as fonts
from sanbo.agents.analysis.charts.look import DPI, FAINT, GRID, HEIGHT, TICK_SIZE, WIDTH, new_figure

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false


_STEPS = (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 24, 30, 50, 60, 100, 120, 200, 250, 365, 500)
_GAP = 10
"""Pixels between two labels."""


def text_widths(labels: Sequence[str], size: float) -> list[float]:
    """In pixels, as they will be drawn."""
    font = FontProperties(size=size)
    return [
        _renderer().get_text_width_height_descent(text, font, ismath=False)[0] for text in labels
    ]


@cache
def _renderer() -> RendererAgg:
    """For measuring alone."""
    return RendererAgg(1, 1, DPI)


def set_names(
    axes: Sequence[Axes], positions: Sequence[float], labels: Sequence[str], *, may_skip: bool
) -> None:
    """Labels below the axis; `may_skip` where a reader can tell those left out (2024, 2026 …)."""
    first = axes[0]
    for axis in axes:
        axis.set_xticks([])
    figure = cast("Figure", first.figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)  # now the panels are as wide as they will be
    left, right = first.get_xlim()
    pixels = first.get_window_extent().width / abs(right - left)
    gaps = [after - before for before, after in pairwise(positions)]
    room = max(pixels * min(gaps, default=right - left), 0.01)
    # With thousands of them the widest of a sample is wide enough a measure.
    widest = max(text_widths(labels[:: max(len(labels) // 100, 1)], TICK_SIZE), default=0.0)
    line = TICK_SIZE * DPI / 72
    step, rotation = 1, 0.0
    if widest + _GAP > room:
        if may_skip:
            step = _step(widest + _GAP, room)
        elif room >= line * 1.25:
            rotation = 45.0 if room >= line * 1.6 else 90.0
        else:
            step, rotation = _step(line * 1.25, room), 90.0
    for axis in axes:
        axis.set_xticks(list(positions[::step]), list(labels[::step]))
        if rotation:
            for text in axis.get_xticklabels():
                text.set_rotation(rotation)
                text.set_horizontalalignment("right" if rotation < 90 else "center")
                text.set_rotation_mode("anchor" if rotation < 90 else "default")


def _step(needed: float, room: float) -> int:
    return next((step for step in _STEPS if room * step >= needed), max(1, int(needed / room) + 1))


def names_fit(labels: Sequence[str], pixels: float) -> bool:
    """Whether they stand side by side on an axis of this length without being turned."""
    widths = text_widths(labels, TICK_SIZE)
    return not labels or (max(widths) + _GAP) * len(labels) <= pixels


# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false


MOST_PANELS = 12
_TITLE_SIZE, _FOOT_SIZE = 12, 7.5
_LEGEND_WIDTH = 26
_FACET_WIDTHS = {1: 60, 2: 36, 3: 22, 4: 15}
"""Half-width letters above a panel, by panels in a row."""
_GRIDS = {1: (1, 1), 2: (1, 2), 3: (1, 3), 4: (2, 2), 5: (2, 3), 6: (2, 3), 7: (3, 3)}


@dataclass(frozen=True)
class Sheet:
    figure: Figure
    panels: tuple[Axes, ...]
    columns: int = 1

    @property
    def is_single(self) -> bool:
        return len(self.panels) == 1


def new_sheet(facets: Sequence[str] = (), height: int = HEIGHT, *, is_shared: bool = True) -> Sheet:
    count = max(len(facets), 1)
    rows, columns = _GRIDS.get(count, (3, 3) if count <= 9 else (3, 4))
    figure = new_figure(max(height, 250 * rows + 150))
    grid = figure.subplots(rows, columns, sharex=is_shared, sharey=is_shared, squeeze=False)
    panels = [axes for row in grid for axes in row]
    for axes in panels[count:]:
        axes.set_visible(False)
    for index in range(max(count - columns, 0), count):  # nothing stands below them
        panels[index].tick_params(labelbottom=True)
    for axes, facet in zip(panels, facets, strict=False):
        axes.set_title(
            fonts.shortened(fonts.drawable(facet), _FACET_WIDTHS[columns]), loc="left", fontsize=9.5
        )
    return Sheet(figure, tuple(panels[:count]), columns)


def set_grid(sheet: Sheet, axis: str) -> None:
    for axes in sheet.panels:
        axes.grid(visible=True, axis=axis, color=GRID)  # pyright: ignore[reportArgumentType]
        axes.tick_params(axis="both", length=0)


def set_axis_labels(sheet: Sheet, x: str, y: str) -> None:
    """The label of the upright axis lies flat above it: upright Japanese is hard to read."""
    x, y = (fonts.shortened(fonts.drawable(text), 60) for text in (x, y))
    if sheet.is_single:
        axes = sheet.panels[0]
        axes.set_xlabel(x)
        axes.set_ylabel(y, rotation=0, ha="left", va="bottom")
        axes.yaxis.set_label_coords(0.0, 1.015)
    else:
        for axes in sheet.panels[-sheet.columns :]:
            axes.set_xlabel(x)
        sheet.figure.supylabel(y, fontsize=9, color=FAINT)


def set_title(sheet: Sheet, title: str) -> None:
    """After the legend, which may stand at the same height."""
    beside_legend = bool(sheet.figure.legends)
    room = WIDTH * (0.72 if beside_legend else 0.96)
    lines = _wrapped(fonts.drawable(title), _TITLE_SIZE, room)
    sheet.figure.suptitle("\n".join(lines), x=0.014, ha="left", fontsize=_TITLE_SIZE)


def set_legend(
    sheet: Sheet,
    handles: Sequence[Artist],
    labels: Sequence[str],
    title: str = "",
    *,
    is_beside: bool = False,
) -> None:
    """To the right, where it hides nothing; `is_beside`: half way up, with room for values."""
    most = 2 * _LEGEND_WIDTH if is_beside else _LEGEND_WIDTH
    shown = fonts.shortened_apart([fonts.drawable(label) for label in labels], most)
    sheet.figure.legend(
        list(handles),
        shown,
        loc="outside right center" if is_beside else "outside right upper",
        fontsize=9 if is_beside and len(shown) <= 12 else TICK_SIZE,
        labelspacing=0.7 if is_beside and len(shown) <= 12 else 0.45,
        title=fonts.shortened(fonts.drawable(title), _LEGEND_WIDTH) or None,
        alignment="left",
    )


def set_foot(sheet: Sheet, remarks: Sequence[str]) -> None:
    """Small remarks a reader of the chart alone needs: what was left out."""
    if not remarks:
        return
    lines = [
        line
        for remark in remarks
        for line in _wrapped(fonts.drawable(remark), _FOOT_SIZE, WIDTH * 0.96)
    ]
    pixels = len(lines) * _FOOT_SIZE * DPI / 72 * 1.5 + 10
    share = pixels / (sheet.figure.get_figheight() * DPI)
    engine = sheet.figure.get_layout_engine()
    if engine is not None:
        engine.set(rect=(0, share, 1, 1 - share))  # pyright: ignore[reportCallIssue]
    sheet.figure.text(
        0.014,
        10 / (sheet.figure.get_figheight() * DPI),
        "\n".join(lines),
        fontsize=_FOOT_SIZE,
        color=FAINT,
        va="bottom",
        linespacing=1.4,
    )


def _wrapped(text: str, size: float, room: float, most: int = 2) -> list[str]:
    """Lines that fit on the sheet; Japanese may break anywhere, Latin words at spaces."""
    lines: list[str] = []
    while text and len(lines) < most:
        if text_widths([text], size)[0] <= room:
            return [*lines, text]
        low, high = 1, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if text_widths([text[:middle]], size)[0] <= room:
                low = middle
            else:
                high = middle - 1
        space = text.rfind(" ", low * 2 // 3, low + 1)
        cut = space if space > 0 else low
        lines.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    if text and lines:
        lines[-1] = lines[-1][:-1].rstrip() + "…"
    return lines
