"""A spec and a table come in, an outcome and a table go out."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import warnings
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import ipc
from pydantic import TypeAdapter

from sanbo.agents.analysis.execution.casting import cast
from sanbo.agents.analysis.execution.chart_data import draw
from sanbo.agents.analysis.execution.cleaning import dedup, impute
from sanbo.agents.analysis.execution.comparisons import compare_groups
from sanbo.agents.analysis.execution.correlations import correlation_matrix
from sanbo.agents.analysis.execution.deriving import derive
from sanbo.agents.analysis.execution.distributions import distribution, outliers
from sanbo.agents.analysis.execution.frames import Frame, read_frame, to_arrow
from sanbo.agents.analysis.execution.grouping import groupby_agg, resample
from sanbo.agents.analysis.execution.looking import (
    column_summary,
    dataset_overview,
    duplicate_check,
    missingness,
)
from sanbo.agents.analysis.execution.ordering import cumulative, lag, top_rows
from sanbo.agents.analysis.execution.pivoting import pivot
from sanbo.agents.analysis.execution.results import Result, caution, table_of
from sanbo.agents.analysis.execution.shares import share_ratio
from sanbo.agents.analysis.execution.work import Work
from sanbo.agents.analysis.outcome import Note, Outcome
from sanbo.agents.analysis.spec import operations
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec
from sanbo.kernel.messages import tell

_ACTIONS: dict[type[operations.Analysis], Callable[[Any, Work], Result]] = {
    operations.DatasetOverview: dataset_overview,
    operations.Missingness: missingness,
    operations.ColumnSummary: column_summary,
    operations.DuplicateCheck: duplicate_check,
    operations.TopRows: top_rows,
    operations.GroupbyAgg: groupby_agg,
    operations.ShareRatio: share_ratio,
    operations.Pivot: pivot,
    operations.Resample: resample,
    operations.Cumulative: cumulative,
    operations.Lag: lag,
    operations.Distribution: distribution,
    operations.Outliers: outliers,
    operations.CorrelationMatrix: correlation_matrix,
    operations.CompareGroups: compare_groups,
    operations.Derive: derive,
    operations.Cast: cast,
    operations.Impute: impute,
    operations.Dedup: dedup,
}


def execute(
    spec: AnalysisSpec | PlotSpec, view: memoryview, output: BinaryIO
) -> tuple[Outcome, pa.Table]:
    """The outcome of a spec on the table in `view`; its first table goes to `output` in full."""
    outcome, table = executed(spec, read_frame(view))
    with ipc.new_file(output, table.schema) as writer:  # pyright: ignore[reportArgumentType]
        writer.write_table(table)
    return outcome, table


def executed(spec: AnalysisSpec | PlotSpec, frame: Frame) -> tuple[Outcome, pa.Table]:
    if not isinstance(spec, operations.Analysis):
        outcome = draw(spec, frame)
        return outcome, table_of(outcome.figures[0].table)
    work = Work(frame, spec.filters)
    with warnings.catch_warnings():
        # What they warn of (no spread, too few values) is said in the notes.
        warnings.simplefilter("ignore", RuntimeWarning)
        result = _ACTIONS[type(spec)](spec, work)
    outcome = Outcome(
        tables=tuple(sheet.shown() for sheet in result.sheets),
        notes=(*work.condition_note(), *result.notes, *_infinite(result)),
        input_rows=frame.rows,
        used_rows=work.used_rows,
    )
    return outcome, result.sheets[0].frame.table


def _infinite(result: Result) -> list[Note]:
    """Infinite numbers stand as empty cells in a report, which is said."""
    for sheet in result.sheets:
        head = sheet.frame.table.slice(0, 1000)
        for column in head.columns:
            if pa.types.is_floating(column.type) and np.isinf(column.to_numpy()).any():
                return [caution(tell("analysis_result.note.infinite"))]
    return []


def warm_up() -> None:
    """Everything that the first question would otherwise wait for."""
    rows = pd.DataFrame(
        {
            "店": pd.Series(["a", "b", None] * 4, dtype="str"),
            "日": pd.date_range("2025-01-01", periods=12, unit="us"),
            "値": np.arange(12.0),
            "数": np.arange(12),
        }
    )
    kinds: dict[str, Any] = {"店": "text", "日": "date", "値": "number", "数": "integer"}
    frame = Frame(to_arrow(rows, kinds, {}))
    for one in _WARMING:
        executed(_SPEC.validate_python(one), frame)


_SPEC = TypeAdapter[AnalysisSpec | PlotSpec](AnySpec)
_WARMING: tuple[dict[str, object], ...] = (
    {"type": "analysis", "op": "dataset_overview"},
    {"type": "analysis", "op": "groupby_agg", "group_cols": ["店"], "metrics": {"値": ["sum"]}},
    {"type": "analysis", "op": "resample", "date_col": "日", "unit": "month"},
    {"type": "analysis", "op": "correlation_matrix"},
    {"type": "analysis", "op": "distribution", "columns": ["値"]},
    {"type": "plot", "kind": "bar", "x": "店", "y": "値"},
    {"type": "plot", "kind": "line", "x": "日", "x_unit": "month", "y": "数", "color": "店"},
    {"type": "plot", "kind": "hist", "x": "値"},
    {"type": "plot", "kind": "box", "x": "店", "y": "値"},
    {"type": "plot", "kind": "scatter", "x": "数", "y": "値"},
)
