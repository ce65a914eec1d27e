"""The rows a chart is made of: those that its conditions leave, with the columns it needs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.filters import describe, filter_columns, keep_some_rows
from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.plots import Plot
from sanbo.kernel.problems import InvalidInput

_LARGEST = 1e100


@dataclass(frozen=True)
class Rows:
    data: pd.DataFrame
    kinds: Mapping[str, ValueType]
    units: Mapping[str, str]
    input_rows: int
    conditions: tuple[str, ...]
    """In words, for the foot of the chart."""

    def __len__(self) -> int:
        return len(self.data)


def rows_of(spec: Plot, frame: Frame) -> Rows:
    columns = columns_of(spec)
    data = frame.pandas((*columns, *filter_columns(spec.filters)))
    kept = keep_some_rows(data, frame.kinds, spec.filters)
    for column in columns:
        if frame.kinds[column] == "empty" or bool(kept[column].isna().all()):
            raise no_values(column)
    conditions = tuple(describe(one) for one in spec.filters)
    return Rows(kept, frame.kinds, frame.units, frame.rows, conditions)


def columns_of(spec: Plot) -> tuple[str, ...]:
    named = (getattr(spec, name, None) for name in ("x", "y", "size", "color", "facet"))
    return tuple(dict.fromkeys(name for name in named if isinstance(name, str)))


def drawable_numbers(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """NaN for what is infinite, or so large that its square would be."""
    return np.where(np.abs(values) < _LARGEST, values, np.nan)


def no_values(column: str) -> InvalidInput:
    return InvalidInput("analysis_result.column_empty", details={"column": column}, column=column)
