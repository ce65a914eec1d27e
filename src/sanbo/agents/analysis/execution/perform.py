"""A spec and a table come in, an outcome and a table go out."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import ipc
from pydantic import TypeAdapter

from sanbo.agents.analysis.execution.chart_data import draw
from sanbo.agents.analysis.execution.frames import Frame, read_frame, to_arrow
from sanbo.agents.analysis.execution.results import Result, refusal, table_of, warn
from sanbo.agents.analysis.execution.work import Work
from sanbo.agents.analysis.outcome import Note, Outcome
from sanbo.agents.analysis.spec import operations
from sanbo.agents.analysis.spec.columns import columns_of
from sanbo.agents.analysis.spec.fitness import check_fitness, uses
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec

SEED = 1
"""Of samples: the same question gives the same rows."""


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
    whole = frame.rows
    if spec.sample is not None and spec.sample < whole:
        places = np.random.default_rng(SEED).choice(whole, spec.sample, replace=False)
        frame = Frame(frame.table.take(np.sort(places)))
    frame.require(columns_of(spec))
    check_fitness(spec, frame.kinds)
    for use in uses(spec):
        if frame.kinds[use.column] == "empty" and use.need != "amount":
            raise refusal("column_empty", column=use.column)
    work = Work(frame, spec.filters)
    with warnings.catch_warnings():
        # What they warn of (no spread, too few values) is said in the notes.
        warnings.simplefilter("ignore", RuntimeWarning)
        result = _executor(spec)(spec, work)
    outcome = Outcome(
        tables=tuple(sheet.shown() for sheet in result.sheets),
        notes=(
            *_sampled(frame.rows, whole),
            *work.condition_note(),
            *result.notes,
            *_infinite(result),
        ),
        input_rows=whole,
        used_rows=work.used_rows,
    )
    return outcome, result.sheets[0].frame.table


def _executor(spec: operations.Analysis) -> Callable[[operations.Analysis, Work], Result]:
    """Loaded when it is asked for: statistics need scipy, and most questions do not."""
    return getattr(import_module(spec.modules[0]), spec.executor.partition(".")[2])


def _sampled(rows: int, whole: int) -> list[Note]:
    return [] if rows == whole else [warn("sampled", rows=rows, all=whole, seed=SEED)]


def _infinite(result: Result) -> list[Note]:
    """Infinite numbers stand as empty cells in a report, which is said."""
    for sheet in result.sheets:
        head = sheet.frame.table.slice(0, 1000)
        for column in head.columns:
            if pa.types.is_floating(column.type) and np.isinf(column.to_numpy()).any():
                return [warn("infinite")]
    return []


def warm_up() -> None:
    """What most first questions would otherwise wait for; statistics are loaded when asked for."""
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
    {"type": "analysis", "op": "top_rows", "by": ["値"]},
    {"type": "analysis", "op": "pivot", "rows": ["店"], "columns": "日", "column_unit": "month"},
    {"type": "plot", "kind": "bar", "x": "店", "y": "値"},
    {"type": "plot", "kind": "line", "x": "日", "x_unit": "month", "y": "数", "color": "店"},
)
