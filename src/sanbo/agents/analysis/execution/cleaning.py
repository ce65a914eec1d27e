"""Explicit steps that change a table: missing cells filled, repeated rows taken out."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from sanbo.agents.analysis.execution.aggregates import key_text, statistic
from sanbo.agents.analysis.execution.casting import scalar_of
from sanbo.agents.analysis.execution.frames import Frame, listed
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    extended,
    note,
    refusal,
    warn,
)
from sanbo.agents.analysis.execution.work import Work
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import NUMERIC, ValueType
from sanbo.agents.analysis.spec.operations import Dedup, Impute, ImputeMethod
from sanbo.kernel.messages import tell
from sanbo.tables.columns import floats


def impute(spec: Impute, work: Work) -> Result:
    columns = tuple(spec.by_column)
    rows = work.rows(columns)
    heading = tell("analysis_result.imputed_title", columns=listed(columns[:4]))
    dropping = [name for name, method in spec.by_column.items() if method == "drop_rows"]
    notes: list[Note] = []
    if dropping:
        complete = rows[dropping].notna().all(axis=1)
        if not complete.any():
            raise refusal("nothing_complete", columns=dropping)
        notes.append(note("dropped", count=int((~complete).sum())))
        rows = rows[complete]
    filled: list[ResultColumn] = []
    for name, method in spec.by_column.items():
        if method != "drop_rows":
            column, more = _filled(rows[name], name, method, spec, work)
            filled.append(column)
            notes.extend(more)
    sheet = extended(heading, work.frame, rows.index.to_numpy(), filled)
    return Result((sheet,), tuple(notes))


def _filled(
    values: pd.Series, name: str, method: ImputeMethod, spec: Impute, work: Work
) -> tuple[ResultColumn, list[Note]]:
    kind, unit = work.kinds[name], work.units[name]
    missing = int(values.isna().sum())
    if method == "forward":
        made = values.ffill()
        notes = [note("filled_forward", column=name, count=missing)]
    else:
        filling, kind = _filling(values, name, method, spec, work)
        made = _with(values, filling, kind)
        notes = [note("filled", column=name, count=missing, value=key_text(filling)[:100])]
    if left := int(made.isna().sum()):
        notes.append(warn("still_missing", column=name, count=left))
    return ResultColumn(name, made, kind, unit, name), notes


def _filling(
    values: pd.Series, name: str, method: ImputeMethod, spec: Impute, work: Work
) -> tuple[object, ValueType]:
    kind = work.kinds[name]
    if method == "constant":
        assert spec.value is not None
        if kind == "empty":
            kind = "text" if isinstance(spec.value, str) else "number"
        return scalar_of(spec.value, kind, name), kind
    present = values.dropna()
    if present.empty:
        raise refusal("column_empty", column=name)
    if method == "mode":
        return present.mode().iloc[0], kind  # the smallest of equally common ones
    number = statistic(present, "mean" if method == "mean" else "median")
    if kind == "integer" and not number.is_integer():
        return number, "number"
    return number, kind


def _with(values: pd.Series, filling: object, kind: ValueType) -> pd.Series:
    if kind in NUMERIC:
        number = float(str(filling))
        if is_integer_dtype(values.dtype) and number.is_integer():
            return values.fillna(int(str(filling).removesuffix(".0"))).astype("int64")
        filled = np.where(values.isna(), number, floats(values))
        return pd.Series(filled, index=values.index)
    if kind == "text" and values.dtype != "str":
        values = values.astype("str")
    return values.fillna(filling)  # pyright: ignore[reportArgumentType, reportCallIssue]


def dedup(spec: Dedup, work: Work) -> Result:
    names = tuple(dict.fromkeys(spec.columns)) or work.frame.names
    rows = work.rows(names)
    again = rows.duplicated(keep=spec.keep).to_numpy()
    places = rows.index.to_numpy()[~again]
    columns = listed(names) if spec.columns else tell("analysis_result.all_columns")
    done = note(f"deduplicated_{spec.keep}", columns=columns, count=int(again.sum()))
    sheet = Sheet(tell("analysis_result.dedup_title"), Frame(work.frame.table.take(places)))
    return Result((sheet,), (done,))
