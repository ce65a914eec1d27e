"""Periods that the data covers in part only: a year that ends in March is no year of decline."""

from datetime import datetime

import numpy as np

from sanbo.agents.analysis.conclusions.reading import Reading, period
from sanbo.agents.analysis.execution.spans import Span, read_span
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.spec.operations import Resample
from sanbo.agents.analysis.spec.words import DATASET
from sanbo.kernel.messages import tell

_UNITS = frozenset({"year", "half", "quarter", "month", "fiscal_year", "fiscal_quarter"})
_LEAST_PART = 0.15
"""Of a period that must lack: holidays at its end do not count."""


def partly_covered(spec: Resample, dataset: DatasetProfile | None, reading: Reading) -> list[str]:
    """Said of the first and the last period, as far as the dataset's own dates can tell."""
    column = dataset.column(spec.date_col) if dataset else None
    is_whole = spec.input == DATASET and spec.sort is None and spec.unit in _UNITS
    # Filtered rows may begin and end on other days than the dataset.
    if column is None or not is_whole or spec.filters or len(reading.rows) < 2:
        return []
    first, last = _moment(column.minimum), _moment(column.maximum)
    ends = [read_span(str(reading.rows[place][0]), spec.fiscal_start) for place in (0, -1)]
    if first is None or last is None or ends[0] is None or ends[1] is None:
        return []
    usual = (last - first) / max(column.distinct - 1, 1)  # between two dates
    said: list[str] = []
    if _lacks(first - ends[0].start, ends[0], usual):
        said.append(_part("from", str(reading.rows[0][0]), column.minimum))
    if _lacks(ends[1].end - last, ends[1], usual):
        said.append(_part("until", str(reading.rows[-1][0]), column.maximum))
    return said


def _lacks(gap: np.timedelta64, span: Span, usual: np.timedelta64) -> bool:
    return bool(gap > 2 * usual and gap / (span.end - span.start) > _LEAST_PART)


def _part(kind: str, label: str, day: object) -> str:
    shown = period(str(day)[:10])
    return tell(f"analysis_conclusion.partial.{kind}", period=period(label), day=shown)


def _moment(value: object) -> np.datetime64 | None:
    if not isinstance(value, str):
        return None
    try:
        return np.datetime64(datetime.fromisoformat(value).replace(tzinfo=None), "us")
    except ValueError:
        return None
