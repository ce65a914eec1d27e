"""A spec and a table come in, an outcome and a table go out."""

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import ipc
from pydantic import TypeAdapter

from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.charts.bar import Bar
from sanbo.agents.analysis.charts.histogram import Hist
from sanbo.agents.analysis.charts.kind import Numbers, Plot
from sanbo.agents.analysis.execution.chart_groups import of_groups
from sanbo.agents.analysis.execution.chart_spreads import of_bins, of_points, of_quartiles
from sanbo.agents.analysis.execution.chart_task import Drawn, Task, kind_name, no_values
from sanbo.agents.analysis.execution.filters import Work, describe
from sanbo.agents.analysis.execution.frames import Frame, listed, read_frame, to_arrow
from sanbo.agents.analysis.execution.results import Result, convention, refusal, table_of, warn
from sanbo.agents.analysis.outcome import ROWS_SHOWN, Figure, Note, Outcome
from sanbo.agents.analysis.profile import NUMERIC
from sanbo.agents.analysis.spec import operations
from sanbo.agents.analysis.spec.binding import check_fitness, columns_of, uses
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import tell

SEED = 1
"""Of samples: the same question gives the same rows."""


def execute(
    spec: AnalysisSpec | PlotSpec, view: memoryview, output: BinaryIO
) -> tuple[Outcome, pa.Table]:
    """The outcome of a spec on the table in `view`; its first table goes to `output` in full."""
    outcome, table = executed(spec, read_frame(view))
    # pyrefly: ignore[bad-argument-type]
    with ipc.new_file(output, table.schema) as writer:
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
    return getattr(import_module(spec.modules[0]), str(getattr(spec, "op", "")))


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


_MADE: dict[Numbers, Callable[[Task], Drawn]] = {
    "groups": of_groups,
    "bins": of_bins,
    "quartiles": of_quartiles,
    "points": of_points,
}


def draw(spec: Plot, frame: Frame) -> Outcome:
    """One figure; the numbers in it are in its table."""
    if isinstance(spec, Hist) and frame.kinds.get(spec.x, "number") not in (*NUMERIC, "empty"):
        spec = _counted(spec)
    work = Work(frame, spec.filters)
    data = work.rows(_columns(spec))
    for column in data.columns:
        if frame.kinds[column] == "empty" or bool(data[column].isna().all()):
            raise no_values(column)
    kind = KINDS[spec.kind]
    task = Task(spec, kind, data, work.kinds, work.units)
    made = _MADE[kind.numbers](task)
    if spec.color and spec.color not in (*spec.groups().values(), getattr(spec, "x", None)):
        told = tell("chart.note.colour_unused", kind=kind_name(spec), column=spec.color)
        task.notes.append(convention(told))
    vega = kind.vega(spec, made.marks)
    vega["description"] = made.alt
    # A picture that is passed on alone says what it leaves out.
    foot = [note.text for note in task.notes if note.kind == "caution"]
    if spec.filters:
        conditions = listed([describe(one) for one in spec.filters])
        foot.insert(0, tell("chart.note.conditions", conditions=conditions))
    if foot:
        vega["title"]["subtitle"] = [one_line(each, 120) for each in foot[:4]]
    table = made.table.model_copy(update={"rows": made.table.rows[:ROWS_SHOWN]})
    return Outcome(
        figures=(Figure(title=table.title, alt=made.alt, table=table, vega=vega),),
        notes=(*work.condition_note(), *task.notes),
        input_rows=frame.rows,
        used_rows=work.used_rows,
    )


def _counted(spec: Hist) -> Bar:
    """Of words and dates: how often each one stands there."""
    shared = spec.model_dump(include={"input", "filters", "x", "color", "facet", "fiscal_start"})
    given = {**shared, "title": spec.title, "stacked": spec.color is not None}
    return Bar.model_validate(given)


def _columns(spec: Plot) -> tuple[str, ...]:
    measured = (getattr(spec, name, None) for name in ("x", "y"))
    return tuple(dict.fromkeys(name for name in (*spec.groups().values(), *measured) if name))
