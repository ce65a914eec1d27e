"""Rows told apart by colour: no more colours than an eye can tell apart."""

# pyright: reportUnknownMemberType=false

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.analysis.charts.levels import Levels, levels_of, single
from sanbo.agents.analysis.charts.picture import Remarks
from sanbo.agents.analysis.charts.rows import Rows
from sanbo.kernel.messages import tell

MOST_COLOURS = 8


def colour_levels(
    rows: Rows,
    column: str | None,
    remarks: Remarks,
    most: int = MOST_COLOURS,
    weights: NDArray[np.float64] | None = None,
) -> Levels:
    """The largest by weight, else by rows, keep their own colour; the others are その他."""
    if column is None:
        return single(len(rows))
    levels = levels_of(rows.data[column], rows.kinds[column])
    if len(levels) <= most:
        return levels
    sizes = np.bincount(levels.places, weights=weights, minlength=len(levels))
    keep = sorted(np.argsort(-sizes, kind="stable")[: most - 1].tolist())
    remarks.caution(
        tell(
            "chart.note.fewer_colours",
            column=column,
            shown=most - 1,
            count=f"{len(levels):,}",
            rest=tell("analysis_result.other"),
        )
    )
    return levels.with_rest(keep)
