"""A chart before it is a PNG: the rows it is made of, and the table behind it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.filters import filter_columns, keep_some_rows
from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.outcome import ROWS_SHOWN, JsonCell, Note, ResultTable, TableColumn
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.phrases import describe
from sanbo.agents.analysis.spec.plots import Plot
from sanbo.kernel.problems import InvalidInput


@dataclass
class Remarks:
    """What is to be said beside a chart; `foot` also stands in the picture itself."""

    notes: list[Note] = field(default_factory=list[Note])
    foot: list[str] = field(default_factory=list[str])

    def caution(self, text: str) -> None:
        """Something was left out or put together: the picture says so too."""
        self.notes.append(Note(kind="caution", text=text))
        self.foot.append(text)

    def convention(self, text: str) -> None:
        self.notes.append(Note(kind="convention", text=text))


@dataclass(frozen=True)
class Picture:
    figure: Figure
    title: str
    alt: str
    table: ResultTable
    notes: tuple[Note, ...]


def table_of(
    title: str,
    columns: Sequence[TableColumn],
    rows: Iterable[tuple[JsonCell, ...]],
    row_count: int,
) -> ResultTable:
    """The first of the rows; `row_count` says how many there are."""
    shown: list[tuple[JsonCell, ...]] = []
    for row in rows:
        if len(shown) == ROWS_SHOWN:
            break
        shown.append(row)
    return ResultTable(title=title, columns=tuple(columns), rows=tuple(shown), row_count=row_count)


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
