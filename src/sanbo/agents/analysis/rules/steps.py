"""Operations in a row while they are made: each takes the table, or an earlier result."""

from typing import Any

from pydantic import TypeAdapter

from sanbo.agents.analysis.rules.frame import Chooser, Frame, Group, Measure
from sanbo.agents.analysis.rules.scene import Scene
from sanbo.agents.analysis.spec.filters import AnyOf, Filter
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec
from sanbo.agents.analysis.spec.words import DATASET, ROW_COUNT, Aggregate, metric_name

Spec = AnalysisSpec | PlotSpec
_SPEC = TypeAdapter[Spec](AnySpec)
_FILTER: TypeAdapter[Filter] = TypeAdapter(Filter)
_NEARLY_ALL = 0.97
MOST_GROUPS = 100_000


class NotMeant(Exception):
    """What was read can't be computed together."""


def require(*conditions: object) -> None:
    if not all(conditions):
        raise NotMeant


def column_term(name: str) -> dict[str, Any]:
    return {"fn": "column", "name": name}


def condition(column: str, op: str, **against: object) -> Filter:
    return _FILTER.validate_python({"col": column, "op": op, **against})


def op_of(one: Filter) -> str:
    return "" if isinstance(one, AnyOf) else one.op


def plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def figure_fields(measure: Measure, field: str) -> dict[str, Any]:
    """A measure in the two fields that most operations have for it."""
    return {field: measure.column, "agg": measure.agg if measure.column else None}


def axis_fields(group: Group, field: str = "x") -> dict[str, Any]:
    return {field: group.column, f"{field}_unit": group.unit}


def metrics_of(measures: list[Measure]) -> dict[str, list[str]]:
    metrics: dict[str, list[str]] = {}
    for measure in measures:
        if measure.column is not None:
            metrics.setdefault(measure.column, []).append(measure.agg or "sum")
    return metrics


class Steps:
    def __init__(self, frame: Frame, scene: Scene, chooser: Chooser, first: int) -> None:
        self.frame = frame
        self.scene = scene
        self.choose = chooser.choose
        self._chooser = chooser
        self.made: list[Spec] = []
        self._first = first
        self._input = DATASET
        self._filters: tuple[Filter, ...] = tuple(frame.conditions)
        if stat := frame.options.get("stat_condition"):
            self._filters += (condition(*stat, stat="mean"),)

    # ---- adding ----

    def add(self, **fields: Any) -> str:
        """One more operation on what there is; conditions go with the first."""
        kind = "plot" if "kind" in fields else "analysis"
        data = {"type": kind, "input": self._input, "filters": self._filters, **fields}
        self.made.append(_SPEC.validate_python({k: v for k, v in data.items() if v is not None}))
        if kind == "analysis":
            self._filters = ()
        return f"r{self._first + len(self.made) - 1}"

    def beside(self, **fields: Any) -> None:
        """An operation on the same rows as the next one."""
        kept = self._filters
        self.add(**fields)
        self._filters = kept

    def step(self, **fields: Any) -> None:
        """An operation whose result the next one takes."""
        self._input = self.add(**fields)

    def _ranked(self, by: list[str], n: int, **fields: Any) -> None:
        ascending = bool(self.frame.ascending)
        self.add(**{"op": "top_rows", "by": by, "ascending": ascending, "n": n, **fields})

    def _taken(self, column: str) -> tuple[Filter, ...]:
        """The conditions on a column, which the operation itself is about."""
        taken = tuple(one for one in self._filters if getattr(one, "col", None) == column)
        self._filters = tuple(one for one in self._filters if one not in taken)
        return taken

    # ---- what was asked for ----

    @property
    def _time(self) -> Group | None:
        return next((group for group in self.frame.groups if group.unit is not None), None)

    @property
    def _names(self) -> list[str]:
        """Of the groups that are no periods."""
        return [group.column for group in self.frame.groups if group.unit is None]

    def _agg(self, column: str) -> Aggregate:
        known = self.scene.columns.get(column)
        if known is None:
            return "sum"
        if self.frame.chart in ("scatter", "hist", "box"):
            return "mean"
        options: list[tuple[Aggregate, float]] = [("sum", 0.4), ("mean", 0.6)]
        if self.frame.options.get("is_many"):
            options = [("sum", 0.0), ("mean", 1.0)]  # the most guests
        if known.is_amount:
            options = [("sum", 0.0), ("mean", 1.2)]
        elif known.adds is False:
            end: Aggregate = "min" if self.frame.ascending else "max"
            options = [("mean", 0.0), (end, 1.0) if self.frame.is_superlative else ("sum", 1.5)]
        return self.choose(f"agg:{column}", options)

    def _is_row(self, group: Group) -> bool:
        column = self.scene.profile.column(group.column)
        rows = self.scene.profile.rows
        return column is not None and column.distinct >= _NEARLY_ALL * (rows - column.missing)

    def _metric(self, measure: Measure | None = None) -> str:
        """The result's column that order and conditions look at."""
        if measure is None:
            by = self.frame.options.get("order_by")
            told = [one for one in self.frame.measures if one.column == by and by is not None]
            measure = (told or self.frame.measures)[0]
        if measure.column is None:
            return ROW_COUNT
        return metric_name(measure.column, measure.agg or "sum")

    def _sort(self) -> dict[str, Any] | None:
        if self.frame.ascending is None:
            return None
        return {"by": self._metric(), "ascending": self.frame.ascending}
