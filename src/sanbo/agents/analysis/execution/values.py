"""What a part of an expression gives: a cell for each row, and what these cells are."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.aggregates import key_text
from sanbo.agents.analysis.execution.spans import read_span
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import by_distinct, floats


@dataclass(frozen=True)
class Value:
    data: pd.Series
    kind: ValueType
    part: str
    """What it is called in a problem: a column's name, or what it is computed by."""
    unit: str = ""

    @property
    def is_number(self) -> bool:
        return self.kind in NUMERIC

    def numbers(self) -> NDArray[np.float64]:
        """NaN where there is none; words are refused, booleans are 1 and 0."""
        if not self.is_number and self.kind not in ("boolean", "empty"):
            raise self.unfit("numbers")
        return floats(self.data)

    def moments(self) -> NDArray[np.datetime64]:
        if self.kind == "text" and self.data.nunique() == 1:  # a date that was written as text
            span = read_span(str(self.data.dropna().iloc[0]))
            if span is not None:
                moments = np.full(len(self.data), span.start)
                return np.where(self.data.isna(), np.datetime64("NaT", "us"), moments)
        if self.kind not in TEMPORAL:
            raise self.unfit("dates")
        return self.data.to_numpy(dtype="datetime64[us]")

    def texts(self) -> pd.Series:
        """Any cell as the text that stands for it; missing ones stay missing."""
        if self.data.dtype == "str":
            return self.data
        return by_distinct(self.data, key_text, "str")

    def truths(self) -> pd.Series:
        if self.kind != "boolean":
            raise self.unfit("truths")
        return self.data.astype("boolean")

    def unfit(self, wanted: str) -> InvalidInput:
        return InvalidInput(
            "analysis_result.part_unfit",
            details={"part": self.part, "type": self.kind, "wanted": wanted},
            part=self.part,
            kind=tell(f"analysis_result.kind.{self.kind}"),
            wanted=tell(f"analysis_result.wanted.{wanted}"),
        )


def number_value(
    numbers: NDArray[np.float64], index: pd.Index, part: str, kind: ValueType, unit: str = ""
) -> Value:
    """Infinite ones are no values."""
    finite = np.where(np.isfinite(numbers), numbers, np.nan)
    return Value(pd.Series(finite, index=index), kind, part, unit)
