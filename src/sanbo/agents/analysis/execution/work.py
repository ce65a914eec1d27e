"""A spec's input while it is worked on: the columns it needs, of the rows its filters leave."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Sequence

import pandas as pd

from sanbo.agents.analysis.execution.filters import filter_columns, keep_rows, keep_some_rows
from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.execution.results import ResultColumn, note, warn
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.spec.filters import Filters
from sanbo.agents.analysis.spec.phrases import describe
from sanbo.kernel.messages import tell
from sanbo.kernel.text import matching_form


class Work:
    def __init__(self, frame: Frame, filters: Filters) -> None:
        self.frame = frame
        self.filters = filters
        self.used_rows = frame.rows
        self.kinds, self.units, self.labels = frame.kinds, frame.units, frame.labels

    def rows(self, columns: Sequence[str], *, may_be_none: bool = False) -> pd.DataFrame:
        """These columns of the rows that meet the filters; the index is the place in the input."""
        needed = dict.fromkeys((*columns, *filter_columns(self.filters)))
        keep = keep_rows if may_be_none else keep_some_rows
        kept = keep(self.frame.pandas(tuple(needed)), self.kinds, self.filters)
        self.used_rows = len(kept)
        return kept[list(dict.fromkeys(columns))]

    def own(self, made: pd.DataFrame, names: Sequence[str]) -> list[ResultColumn]:
        """Columns of a result that are those of the input: the groups of an aggregate."""
        return [
            ResultColumn(name, made[name], self.kinds[name], self.units[name], self.labels[name])
            for name in names
        ]

    def condition_note(self) -> list[Note]:
        if not self.filters:
            return []
        conditions = tell("analysis_result.and").join(describe(one) for one in self.filters)
        used, whole = self.used_rows, self.frame.rows
        return [note("filtered", conditions=conditions[:1000], used=used, all=whole)]


def missing_notes(frame: pd.DataFrame, columns: Sequence[str]) -> list[Note]:
    """How many cells of each column were left out, where there are any."""
    counts = {name: int(frame[name].isna().sum()) for name in dict.fromkeys(columns)}
    return [note("missing", column=name, count=count) for name, count in counts.items() if count]


def looks_alike_note(values: pd.Series, column: str) -> list[Note]:
    """Groups that differ in width or case only are kept apart, but a person should know."""
    if values.dtype != "str" or len(values) > 2000:
        return []
    seen: dict[str, str] = {}
    for value in values.dropna():
        one = seen.setdefault(matching_form(str(value)), str(value))
        if one != value:
            return [warn("look_alike", column=column, one=one, other=str(value))]
    return []
