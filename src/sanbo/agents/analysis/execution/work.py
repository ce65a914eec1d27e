"""A spec's input while it is worked on: the columns it needs, of the rows its filters leave."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Mapping, Sequence

import pandas as pd

from sanbo.agents.analysis.execution.filters import filter_columns, keep_rows, keep_some_rows
from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.execution.results import caution, convention
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.filters import Filters
from sanbo.agents.analysis.spec.phrases import describe
from sanbo.kernel.messages import tell
from sanbo.kernel.text import matching_form


class Work:
    def __init__(self, frame: Frame, filters: Filters) -> None:
        self.frame = frame
        self.filters = filters
        self.used_rows = frame.rows

    @property
    def kinds(self) -> Mapping[str, ValueType]:
        return self.frame.kinds

    @property
    def units(self) -> Mapping[str, str]:
        return self.frame.units

    @property
    def labels(self) -> Mapping[str, str]:
        return self.frame.labels

    def rows(self, columns: Sequence[str], *, may_be_none: bool = False) -> pd.DataFrame:
        """These columns of the rows that meet the filters; the index is the place in the input."""
        self.frame.require(columns)
        needed = dict.fromkeys((*columns, *filter_columns(self.filters)))
        keep = keep_rows if may_be_none else keep_some_rows
        kept = keep(self.frame.pandas(tuple(needed)), self.kinds, self.filters)
        self.used_rows = len(kept)
        return kept[list(dict.fromkeys(columns))]

    def kept(self) -> Frame:
        """The whole table of the rows that meet the filters, still in Arrow."""
        if not self.filters:
            if self.frame.rows == 0:
                self.rows(())
            return self.frame
        places = self.rows(()).index.to_numpy()
        return Frame(self.frame.table.take(places))

    def condition_note(self) -> list[Note]:
        """What was left of the rows, and which a negation left out though nobody knows of them."""
        if not self.filters:
            return []
        conditions = tell("analysis_result.and").join(describe(one) for one in self.filters)
        return [
            convention(
                tell(
                    "analysis_result.note.filtered",
                    conditions=conditions[:1000],
                    used=f"{self.used_rows:,}",
                    all=f"{self.frame.rows:,}",
                )
            )
        ]


def missing_notes(frame: pd.DataFrame, columns: Sequence[str]) -> list[Note]:
    """How many cells of each column were left out, where there are any."""
    counts = {name: int(frame[name].isna().sum()) for name in dict.fromkeys(columns)}
    return [
        convention(tell("analysis_result.note.missing", column=name, count=f"{count:,}"))
        for name, count in counts.items()
        if count
    ]


def looks_alike_note(values: pd.Series, column: str) -> list[Note]:
    """Groups that differ in width or case only are kept apart, but a person should know."""
    if values.dtype != "str" or len(values) > 2000:
        return []
    seen: dict[str, str] = {}
    for value in values.dropna():
        form = matching_form(str(value))
        if form in seen and seen[form] != value:
            text = tell(
                "analysis_result.note.look_alike", column=column, one=seen[form], other=str(value)
            )
            return [caution(text)]
        seen[form] = str(value)
    return []
