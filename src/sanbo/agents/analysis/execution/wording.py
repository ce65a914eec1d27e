"""How results are named for a person: 店舗別の売上（合計）."""

from collections.abc import Mapping, Sequence
from typing import get_args

from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.profile import NUMERIC, ValueType
from sanbo.agents.analysis.spec.words import Aggregate, Metrics, TimeUnit
from sanbo.kernel.messages import tell

_SAME_UNIT = frozenset[Aggregate](get_args(Aggregate)) - {"count", "nunique", "var"}


_OF_ANY: tuple[Aggregate, ...] = ("min", "max", "first", "last", "mode")
"""One of the column's own values."""


def aggregate_word(aggregate: Aggregate) -> str:
    return tell(f"analysis_result.aggregate.{aggregate}")


def metric_label(column: str, aggregate: Aggregate) -> str:
    """売上（合計）, Sales (sum); of such a one in its turn 売上（合計）の平均."""
    return qualified(column, aggregate_word(aggregate))


def qualified(column: str, of: str) -> str:
    """売上（累計）."""
    if column.endswith(("）", ")")):
        return tell("analysis_result.nested_label", column=column, of=of)
    return tell("analysis_result.label", column=column, of=of)


def row_count_label() -> str:
    return tell("analysis_result.rows")


def count_unit() -> str:
    return tell("analysis_result.count_unit")


def unit_word(unit: TimeUnit) -> str:
    return tell(f"analysis_result.time_unit.{unit}")


def metric_labels(metrics: Metrics, labels: Mapping[str, str]) -> list[str]:
    if not metrics:
        return [row_count_label()]
    return [
        metric_label(labels[column], kind) for column, kinds in metrics.items() for kind in kinds
    ]


def title(of: Sequence[str], by: Sequence[str] = ()) -> str:
    """店舗・カテゴリ別の売上（合計）."""
    what = listed(of[:4]) + ("…" if len(of) > 4 else "")
    if not by:
        return what
    names = tell("analysis_result.by_separator").join(by)
    # 性別別 is no word.
    text = "by_title_each" if names.endswith("別") else "by_title"
    return tell(f"analysis_result.{text}", what=what, by=names)


def metric_kind(kind: ValueType, aggregate: Aggregate) -> ValueType:
    """What an aggregate of such a column is."""
    if aggregate in ("count", "nunique"):
        return "integer"
    if aggregate == "var":
        return "number"
    if kind == "boolean" and aggregate in ("sum", "mean", "range"):
        return "percent" if aggregate == "mean" else "integer"
    if kind == "integer" and aggregate not in ("sum", "range", *_OF_ANY):
        return "number"
    if kind in NUMERIC or aggregate in _OF_ANY:
        return kind
    return "number"


def number_kind(kinds: Sequence[ValueType]) -> ValueType:
    """Of figures of such columns in one column: ratios are shown in percent if all of them are."""
    return "percent" if kinds and all(kind == "percent" for kind in kinds) else "number"


def metric_unit(units: Mapping[str, str], column: str, aggregate: Aggregate) -> str:
    if aggregate == "count":
        return count_unit()
    return units.get(column, "") if aggregate in _SAME_UNIT else ""
