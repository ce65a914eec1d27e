"""A new column from a closed tree of parts: nothing in it is ever evaluated as text."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sanbo.agents.analysis.execution import arithmetic as calculating
from sanbo.agents.analysis.execution.arithmetic import Value, binned, date_difference, date_part
from sanbo.agents.analysis.execution.filters import Work, compare_with, found_in, missing_notes
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    extended,
    note,
    qualified,
    warn,
)
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import TEMPORAL, ValueType
from sanbo.agents.analysis.spec.binding import columns_of
from sanbo.agents.analysis.spec.expressions import (
    Arithmetic,
    Bin,
    Choose,
    Column,
    Comparison,
    Constant,
    DateDifference,
    DatePart,
    Expression,
    Join,
    Log,
    Missing,
    Numeric,
    Scale,
    TextContains,
    TextLength,
    TextPart,
)
from sanbo.agents.analysis.spec.filters import Compare
from sanbo.agents.analysis.spec.operations import Derive, Normalize
from sanbo.agents.analysis.spec.words import Scalar
from sanbo.kernel.messages import tell
from sanbo.tables.rows import free_name


def derive(spec: Derive, work: Work) -> Result:
    rows = work.rows(columns_of(spec.expression))
    evaluation = Evaluation(rows, work.kinds, work.units)
    made = evaluation.value(spec.expression)
    notes = list(evaluation.notes)
    if spec.name in work.frame.names:
        notes.append(warn("replaced", column=spec.name))
    column = ResultColumn(spec.name, made.data, made.kind, made.unit, spec.name)
    heading = tell("analysis_result.derived_title", column=spec.name)
    places = rows.index.to_numpy() if work.filters else None
    return Result((extended(heading, work.frame, places, [column]),), tuple(notes))


def normalize(spec: Normalize, work: Work) -> Result:
    by = (spec.by,) if spec.by else ()
    rows = work.rows((*spec.columns, *by))
    evaluation = Evaluation(rows, work.kinds, work.units)
    fn = "min_max" if spec.method == "minmax" else spec.method
    added: list[ResultColumn] = []
    taken = list(work.frame.names)
    for name in dict.fromkeys(spec.columns):
        part = Scale(fn=fn, of=Column(name=name), by=spec.by, ddof=spec.ddof)
        made = evaluation.value(part)
        free = free_name(f"{name}_{spec.method}", taken)
        taken.append(free)
        label = qualified(work.labels[name], tell(f"analysis_result.normal.{spec.method}"))
        added.append(ResultColumn(free, made.data, made.kind, made.unit, label))
    new = [column.name for column in added]
    notes = [note("new_columns", columns=listed(new)), *evaluation.notes]
    heading = tell("analysis_result.derived_title", column=listed(new[:4]))
    places = rows.index.to_numpy() if work.filters else None
    sheet = extended(heading, work.frame, places, added)
    return Result((sheet,), (*notes, *missing_notes(rows, spec.columns)))


class Evaluation:
    """Of one tree on some rows; keeps what a person should know of it."""

    def __init__(
        self, rows: pd.DataFrame, kinds: Mapping[str, ValueType], units: Mapping[str, str]
    ) -> None:
        self._rows = rows
        self._kinds = kinds
        self._units = units
        self.notes: list[Note] = []

    def value(self, part: Expression) -> Value:  # noqa: PLR0911, PLR0912 - one way for each part there is
        match part:
            case Column():
                return self._column(part.name)
            case Constant():
                return self._constant(part.value)
            case Arithmetic():
                made = calculating.arithmetic(part, self.value(part.left), self.value(part.right))
                return self._without(*made, of=part.fn)
            case Log():
                return self._without(*calculating.logarithm(part, self.value(part.of)), of="log")
            case Numeric():
                if part.fn == "round":
                    self._note(note("rounded"))
                return self._without(*calculating.numeric(part, self.value(part.of)), of=part.fn)
            case Scale():
                return self._scaled(part)
            case DatePart():
                return date_part(part, self.value(part.of))
            case DateDifference():
                if part.unit in ("months", "years"):
                    self._note(note("full_months"))
                return date_difference(part, self.value(part.start), self.value(part.end))
            case Bin():
                return self._without(*binned(part, self.value(part.of)), of="bin")
            case Missing():
                data = self.value(part.of).data
                return Value(data.isna(), "boolean", "is_missing")
            case Comparison():
                return self._compared(part)
            case Choose():
                return self._chosen(part)
            case TextLength() | TextContains() | TextPart() | Join():
                return self._text(part)

    def _column(self, name: str) -> Value:
        return Value(self._rows[name], self._kinds[name], name, self._units.get(name, ""))

    def _constant(self, value: Scalar) -> Value:
        index = self._rows.index
        part = str(value)[:50]
        if isinstance(value, bool):
            return Value(pd.Series(np.full(len(index), value), index=index), "boolean", part)
        if isinstance(value, str):
            return Value(pd.Series(value, index=index, dtype="str"), "text", part)
        if isinstance(value, int) and abs(value) < 2**63:
            return Value(pd.Series(value, index=index, dtype="int64"), "integer", part)
        return Value(pd.Series(float(value), index=index, dtype="float64"), "number", part)

    def _without(self, made: Value, lost: int, *, of: str) -> Value:
        if lost:
            self._note(warn(f"lost.{of}", count=lost))
        return made

    def _note(self, note: Note) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _scaled(self, part: Scale) -> Value:
        groups = None if part.by is None else self._column(part.by).data
        if part.fn == "rank":
            self._note(note("rank"))
        if part.fn == "zscore":
            self._note(note("ddof", ddof=part.ddof))
        made = calculating.scaled(part, self.value(part.of), groups)
        return self._without(*made, of=part.fn)

    def _compared(self, part: Comparison) -> Value:
        left = self.value(part.left)
        if isinstance(part.right, Constant):
            condition = Compare(col=left.part, op=part.op, value=part.right.value)
            met = compare_with(left.data, left.kind, condition)
            return _truth(met, left.data.isna().to_numpy(dtype=bool), left.data.index)
        right = self.value(part.right)
        missing = (left.data.isna() | right.data.isna()).to_numpy(dtype=bool)
        if left.kind in TEMPORAL or right.kind in TEMPORAL:
            ours, theirs = left.moments(), right.moments()
        elif left.kind == right.kind and left.kind in ("text", "time"):
            ours, theirs = left.texts().to_numpy(), right.texts().to_numpy()
            ours, theirs = np.where(missing, "", ours), np.where(missing, "", theirs)
        else:
            ours, theirs = left.numbers(), right.numbers()
        met = _MET[part.op](ours, theirs)
        return _truth(np.asarray(met, dtype=bool), missing, left.data.index)

    def _chosen(self, part: Choose) -> Value:
        """No value where it is not known whether the condition holds."""
        condition = self.value(part.condition).truths()
        known = condition.notna().to_numpy(dtype=bool)
        holds = condition.fillna(False).to_numpy(dtype=bool)
        then = self.value(part.then)
        if part.otherwise is None:
            return Value(_nullable(then.data).where(holds), then.kind, "if", then.unit)
        otherwise = self.value(part.otherwise)
        if then.kind == otherwise.kind:
            kind = then.kind
        elif then.is_number and otherwise.is_number:
            kind = "number"
        elif {then.kind, otherwise.kind} <= TEMPORAL:
            kind = "datetime"
        else:
            raise otherwise.unfit("numbers" if then.is_number else "same")
        ours, theirs = _nullable(then.data), _nullable(otherwise.data)
        if ours.dtype != theirs.dtype:
            ours, theirs = (
                pd.Series(side.numbers(), index=side.data.index) for side in (then, otherwise)
            )
        made = ours.where(holds, theirs).where(known)
        unit = then.unit if then.unit == otherwise.unit or not otherwise.unit else otherwise.unit
        return Value(made, kind, "if", unit)

    def _text(self, part: TextLength | TextContains | TextPart | Join) -> Value:
        if isinstance(part, Join):
            sides = [self.value(one).texts() for one in part.parts]
            others: Any = sides[1:]
            return Value(sides[0].str.cat(others, sep=part.separator), "text", "join")
        texts = self.value(part.of).texts()
        if isinstance(part, TextLength):
            lengths = texts.str.len()
            return Value(lengths.astype("Int64"), "integer", "length")
        if isinstance(part, TextContains):
            found = found_in(texts, part.text)
            return _truth(found, texts.isna().to_numpy(dtype=bool), texts.index)
        end = None if part.length is None else part.start + part.length
        if part.start < 0 and end is not None and end >= 0:
            end = None  # from the end, up to the end
        return Value(texts.str.slice(part.start, end), "text", "text_part")


_MET = {
    "==": np.equal,
    "!=": np.not_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "<": np.less,
    "<=": np.less_equal,
}


def _truth(met: np.ndarray, missing: np.ndarray, index: pd.Index) -> Value:
    if not missing.any():
        return Value(pd.Series(met, index=index), "boolean", "compare")
    values = pd.arrays.BooleanArray(met & ~missing, missing)
    return Value(pd.Series(values, index=index), "boolean", "compare")


def _nullable(values: pd.Series) -> pd.Series:
    """So that a cell can be taken out without rounding the others."""
    if values.dtype == np.int64:
        return values.astype("Int64")
    return values.astype("boolean") if values.dtype == np.bool_ else values
