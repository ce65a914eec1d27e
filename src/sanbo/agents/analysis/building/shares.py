"""Parts of a whole: of each group, or of the rows that a condition tells."""

from collections.abc import Sequence
from typing import Any

from sanbo.agents.analysis.building.frame import Measure
from sanbo.agents.analysis.building.steps import (
    MOST_GROUPS,
    NotMeant,
    Steps,
    column_term,
    figure_fields,
    require,
)
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Contains, Filter, Presence
from sanbo.agents.analysis.spec.phrases import describe

_OPPOSITES = ("not_contains", "not_in", "not_null")


def truth_of(conditions: Sequence[Filter]) -> tuple[str, dict[str, Any]]:
    """A column that is true where all of them hold: its name, and how it is calculated."""
    require(conditions)
    never = {"fn": "constant", "value": False}
    tree, *others = (_test(one) for one in conditions)
    for test in others:
        tree = {"fn": "if", "condition": tree, "then": test, "otherwise": never}
    return "・".join(map(describe, conditions)), tree


def _test(one: Filter) -> dict[str, Any]:
    """A condition as an expression."""
    column = {} if isinstance(one, AnyOf) else column_term(one.col)
    match one:
        case AnyOf():
            return _either([_test(part) for part in one.any_of])
        case Compare():
            return _compared(column, one.op, one.value)
        case Contains(op="contains" | "not_contains"):
            met = {"fn": "contains", "of": column, "text": one.value}
        case Presence():
            met = {"fn": "is_missing", "of": column}
        case Among():
            met = _either([_compared(column, "==", value) for value in one.value])
        case _:
            raise NotMeant
    return _compared(met, "==", value=False) if one.op in _OPPOSITES else met


def _either(tests: list[dict[str, Any]]) -> dict[str, Any]:
    always = {"fn": "constant", "value": True}
    made = tests[0]
    for test in tests[1:]:
        made = {"fn": "if", "condition": test, "then": always, "otherwise": made}
    return made


def _compared(left: object, op: str, value: object) -> dict[str, Any]:
    right = {"fn": "constant", "value": value}
    return {"fn": "compare", "left": left, "op": op, "right": right}


class Shares(Steps):
    def _share(self) -> None:
        """Of each group in the whole; or of some rows, which a condition tells, within a group."""
        frame = self.frame
        measure = frame.measures[0] if frame.measures else Measure(None, "count")
        require(measure.column is None or measure.agg in ("sum", None))
        told = (*self._filters, *([frame.rate] if frame.rate else ()))
        single = {one.col for one in told if isinstance(one, Compare) and one.op == "=="}
        # 点検結果が再清掃の率: of one value alone there are no parts.
        frame.groups = [one for one in frame.groups if one.unit or one.column not in single]
        if frame.rate is None:
            self._shares_of_groups(measure)
        else:
            self._share_of(frame.rate, measure)

    def _shares_of_groups(self, measure: Measure) -> None:
        frame = self.frame
        require(frame.groups)
        names = [self._as_column(group) for group in frame.groups[:2]]
        group, within = names[-1], names[0] if len(names) == 2 else None
        parts = {"group_col": group, "value_col": measure.column, "within": within}
        if frame.chart in ("pie", "bar"):
            normalized = True if frame.chart == "bar" and within else None
            figure = figure_fields(Measure(measure.column, "sum"), "y")
            self.beside(op="share_ratio", **parts)
            self.add(kind=frame.chart, x=group, normalized=normalized, **figure)
        elif frame.is_total:  # 上位3社で売上の何割
            require(within is None, frame.limit)
            self.step(op="share_ratio", **parts)
            n, ascending = frame.limit, bool(frame.ascending)
            self.step(op="top_rows", by=["share"], ascending=ascending, n=n)
            self.add(op="groupby_agg", group_cols=[], metrics={"share": ["sum"]})
        elif frame.ascending:
            self.step(op="share_ratio", **parts)
            self._ranked(["share"], frame.limit or MOST_GROUPS)
        else:
            self.add(op="share_ratio", top_k=frame.limit, **parts)

    def _share_of(self, rate: Filter, measure: Measure) -> None:
        """満足度が4以上の割合, キャンセル率: the rows that meet what is said."""
        frame = self.frame
        require(len(frame.groups) <= 1)
        part, kept = self._part_of(rate)
        if frame.chart in ("pie", "bar") and not frame.groups:
            self.beside(op="share_ratio", group_col=part, value_col=measure.column)
            self.add(kind=frame.chart, x=part, **figure_fields(Measure(measure.column, "sum"), "y"))
            return
        within = self._as_column(frame.groups[0]) if frame.groups else None
        whole = {"group_col": part, "value_col": measure.column, "within": within}
        self.step(op="share_ratio", **whole, **({"zeros": True} if within else {}))
        self._filters = (kept,)
        by = [] if frame.ascending is None else ["share"]
        if frame.chart in ("bar", "line") and within:
            self.step(op="top_rows", by=by, ascending=bool(frame.ascending), n=MOST_GROUPS)
            self.add(kind=frame.chart, x=within, y="share")
        else:
            self._ranked(by, frame.limit or MOST_GROUPS)

    def _part_of(self, rate: Filter) -> tuple[str, Filter]:
        """The column that tells it as it is; else a new one that is true where it holds."""
        if isinstance(rate, Compare) and rate.op == "==":
            known = self.scene.columns.get(rate.col)
            if known is not None and not known.is_measure:
                return rate.col, rate
        name = self.derive(*truth_of([rate]))
        return name, Compare(col=name, op="==", value=True)
