"""Whole tables as results: the input's columns as they are, with some added or replaced."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.execution.results import ResultColumn, Sheet


def extended(
    heading: str,
    frame: Frame,
    places: NDArray[np.int64] | None,
    columns: Sequence[ResultColumn],
) -> Sheet:
    """Rows at these places (all, if None) in this order; a column of a known name replaces it."""
    table = frame.table if places is None else frame.table.take(places)
    made = Sheet.of(heading, columns)
    for name in made.frame.names:
        field, values = made.frame.table.field(name), made.frame.table.column(name)
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), field, values)
        else:
            table = table.append_column(field, values)
    return Sheet(heading, Frame(table))
