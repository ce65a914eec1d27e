"""Averages over periods, and periods that the data covers in part only."""

from datetime import datetime

import numpy as np

from sanbo.agents.analysis.conclusions.tables import Reading, Scope, period, short
from sanbo.agents.analysis.decision import ResultView
from sanbo.agents.analysis.execution.spans import Span, read_span
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.spec.operations import ColumnSummary, GroupbyAgg, Resample
from sanbo.agents.analysis.spec.words import DATASET, TimeUnit, metric_name
from sanbo.kernel.messages import tell

_COUNTED: frozenset[TimeUnit] = frozenset(
    {"year", "fiscal_year", "quarter", "month", "week", "day"}
)


def average_of_periods(
    result: ResultView, source: ResultView, reading: Reading, scope: Scope
) -> list[str]:
    """Nothing, where the result is something else."""
    earlier = source.spec
    if not isinstance(earlier, Resample) or earlier.by or earlier.unit not in _COUNTED:
        return []
    found = _mean(result, reading)
    if found is None or not source.tables:
        return []
    column, value = found
    for of, kinds in earlier.metrics.items():
        for kind in kinds:
            if metric_name(of, kind) == column:
                count = f"{source.tables[0].row_count:,}"
                periods = tell(f"analysis_conclusion.periods.{earlier.unit}", count=count)
                what = tell(f"analysis_conclusion.per.{earlier.unit}", column=short(of))
                return [
                    tell(
                        f"analysis_conclusion.average_of.{'sum' if kind == 'sum' else 'other'}",
                        what=scope.about(what), value=value, periods=periods,
                    )
                ]  # fmt: skip
    return []


def _mean(result: ResultView, reading: Reading) -> tuple[str, str] | None:
    """Of which column, and how much."""
    spec = result.spec
    if not reading.rows:
        return None
    row = reading.rows[0]
    if isinstance(spec, GroupbyAgg) and not spec.group_cols and not spec.filters:
        pairs = [(name, kind) for name, kinds in spec.metrics.items() for kind in kinds]
        if len(pairs) == 1 and pairs[0][1] == "mean":
            return pairs[0][0], reading.value(0, row[0])
    if not isinstance(spec, ColumnSummary) or len(spec.columns) != 1 or spec.filters:
        return None
    if reading.number(row, "mean") is None:
        return None
    return spec.columns[0], reading.at(row, "mean", reading.text(row, "unit"))


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
