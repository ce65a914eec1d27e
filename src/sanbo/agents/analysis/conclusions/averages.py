"""The average over periods, asked for as 月平均: a mean of sums that an earlier result made."""

from sanbo.agents.analysis.conclusions.reading import Reading, short
from sanbo.agents.analysis.conclusions.scope import Scope
from sanbo.agents.analysis.decision import ResultView
from sanbo.agents.analysis.spec.operations import ColumnSummary, GroupbyAgg, Resample
from sanbo.agents.analysis.spec.words import TimeUnit, metric_name
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
