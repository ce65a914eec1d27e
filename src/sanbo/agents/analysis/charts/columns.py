"""A column of numbers as it stands along an axis."""

# pyright: reportUnknownMemberType=false

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from sanbo.agents.analysis.charts.measures import bare_name, shown_unit, with_unit
from sanbo.agents.analysis.charts.rows import Rows, drawable_numbers, no_values
from sanbo.agents.analysis.charts.scales import NumberTicks, Scale, scale_for
from sanbo.agents.analysis.execution.aggregates import require_number
from sanbo.tables.columns import floats


def numbers(rows: Rows, column: str) -> NDArray[np.float64]:
    """With NaN for what can't be drawn; refused where nothing is left."""
    require_number(rows.kinds, column, booleans=True)
    found = floats(rows.data[column])
    found = drawable_numbers(found)
    if bool(np.isnan(found).all()):
        raise no_values(column)
    return found


def column_scale(rows: Rows, column: str, values: NDArray[np.float64]) -> Scale:
    finite = values[np.isfinite(values)]
    ends = [float(finite.min()), float(finite.max())] if finite.size else []
    return scale_for(ends, rows.kinds[column], shown_unit(rows.units.get(column, "")), column)


def column_label(rows: Rows, column: str, scale: Scale) -> str:
    """売上（万円）."""
    return with_unit(bare_name(column, rows.units.get(column, "")), scale.unit)


def set_numbers(panels: Sequence[Axes], which: str, scale: Scale) -> None:
    for axes in panels:
        axis = axes.xaxis if which == "x" else axes.yaxis
        axis.set_major_formatter(NumberTicks(scale))
        if which == "x":
            axes.locator_params(axis="x", nbins=8 if len(panels) == 1 else 4)
