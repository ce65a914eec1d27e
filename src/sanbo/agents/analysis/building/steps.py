"""Operations in a row while they are made: each takes the table, or an earlier result."""

from typing import Any

from pydantic import TypeAdapter

from sanbo.agents.analysis.building.frame import Frame, Group, Measure
from sanbo.agents.analysis.mentions.scene import Scene
from sanbo.agents.analysis.spec.filters import Filter
from sanbo.agents.analysis.spec.operations import MOST_ROWS, AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec
from sanbo.agents.analysis.spec.words import DATASET, ROW_COUNT, Aggregate, TimeUnit, metric_name
from sanbo.kernel.messages import tell

Spec = AnalysisSpec | PlotSpec
_SPEC = TypeAdapter[Spec](AnySpec)
_FILTER: TypeAdapter[Filter] = TypeAdapter(Filter)
MOST_GROUPS = MOST_ROWS


class NotMeant(Exception):
    """What was read can't be computed together."""


def require(*conditions: object) -> None:
    if not all(conditions):
        raise NotMeant


def column_term(name: str) -> dict[str, Any]:
    return {"fn": "column", "name": name}


def difference_of(left: str, right: str, *, is_dated: bool) -> tuple[str, dict[str, Any]]:
    """Of two columns: its name, and how it is calculated; the days from the right to the left."""
    sides = column_term(left), column_term(right)
    if is_dated:
        return f"{left}−{right}", {"fn": "date_difference", "start": sides[1], "end": sides[0]}
    return f"{left}−{right}", {"fn": "subtract", "left": sides[0], "right": sides[1]}


def named_by(column: str, unit: TimeUnit) -> str:
    """日付（曜日）: a part of a time as a column of its own."""
    return f"{column}（{tell(f'analysis_result.time_unit.{unit}')}）"


def condition(column: str, op: str, **against: object) -> Filter:
    return _FILTER.validate_python({"col": column, "op": op, **against})


def plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def figure_fields(measure: Measure, field: str) -> dict[str, Any]:
    """A measure in the two fields that most operations have for it."""
    return {field: measure.column, "agg": measure.agg if measure.column else None}


def axis_fields(group: Group, field: str = "x") -> dict[str, Any]:
    return {field: group.column, f"{field}_unit": group.unit}


def metrics_of(measures: list[Measure]) -> dict[str, list[Aggregate]]:
    metrics: dict[str, list[Aggregate]] = {}
    for measure in measures:
        if measure.column is not None:
            metrics.setdefault(measure.column, []).append(measure.agg or "sum")
    return metrics


class Steps:
    def __init__(self, frame: Frame, scene: Scene, first: int) -> None:
        self.frame = frame
        self.scene = scene
        self.made: list[Spec] = []
        self._first = first
        self._input = DATASET
        self._filters: tuple[Filter, ...] = tuple(frame.conditions)

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

    def derive(self, name: str, tree: dict[str, Any]) -> str:
        """A column of its own; the conditions stay with what comes next."""
        kept, self._filters = self._filters, ()
        self.step(op="derive", name=name, expression=tree)
        self._filters = kept
        return name

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

    @property
    def _is_first(self) -> bool:
        """The one with the most: of a list in order all are told."""
        return self.frame.is_superlative and self.frame.ascending is not None

    def _metric(self, measure: Measure | None = None) -> str:
        """The result's column that order and conditions look at."""
        if measure is None:
            by = self.frame.order_by
            told = [one for one in self.frame.measures if one.column == by and by is not None]
            measure = (told or self.frame.measures)[0]
        if measure.column is None:
            return ROW_COUNT
        return metric_name(measure.column, measure.agg or "sum")

    def _sort(self) -> dict[str, Any] | None:
        if self.frame.ascending is None:
            return None
        return {"by": self._metric(), "ascending": self.frame.ascending}

    def _as_column(self, group: Group) -> str:
        """A period as a column of its own, for what knows no periods."""
        if group.unit is None:
            return group.column
        period = {"fn": "date_part", "of": column_term(group.column), "part": group.unit}
        return self.derive(named_by(group.column, group.unit), period)
