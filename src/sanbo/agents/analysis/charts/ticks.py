"""Names along an axis that never run into each other: turned, or only every other one."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import cast

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from sanbo.agents.analysis.charts.look import DPI, TICK_SIZE

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
