"""Parts of a whole: of each group, or of the rows that a condition tells."""

from collections.abc import Sequence
from typing import Any

from sanbo.agents.analysis.rules.conversation import columns_of
from sanbo.agents.analysis.rules.frame import Group, Measure
from sanbo.agents.analysis.rules.steps import (
    MOST_GROUPS,
    Steps,
    column_term,
    figure_fields,
    op_of,
    require,
)
from sanbo.agents.analysis.spec.filters import Among, Compare, Contains, Filter

_PARTS = ("==", "in", "contains", ">", ">=", "<", "<=", "is_null", "not_null")
"""Conditions that tell a part of the rows; what they leave out is no part."""


def _shown(one: Compare | Contains | Among) -> str:
    return ", ".join(map(str, one.value)) if isinstance(one, Among) else str(one.value)


class Shares(Steps):
    def _share(self) -> None:
        """Of each group in the whole; or of some rows, which a condition tells, within a group."""
        frame = self.frame
        measure = frame.measures[0] if frame.measures else Measure(None, "count")
        require(measure.column is None or measure.agg in ("sum", None))
        told = {name for one in self._filters if op_of(one) in _PARTS for name in columns_of(one)}
        parts = [name for name in frame.options.get("parts", ()) if name in told]
        grouped = [group.column for group in frame.groups]
        if name := frame.options.get("against_column"):
            parts = [name, *parts]
        options = [(name, 0.6 * n) for n, name in enumerate(parts[:3]) if name not in grouped]
        if frame.options.get("is_share_of_groups"):  # 令和6年度の款別の構成比
            options = [("", 0.0), *((name, cost + 0.9) for name, cost in options)]
        elif frame.groups and (options or len(told) > 0):
            options.append(("", 1.0 if options else 0.0))
        part = self.choose("part", options) if options else ""
        if part:
            self._share_of(part, Measure(None, "count") if measure.column == part else measure)
            return
        require(frame.groups)
        names = [self._as_column(group) for group in frame.groups[:2]]
        group, within = names[-1], names[0] if len(names) == 2 else None
        if frame.chart in ("pie", "any", "bar"):
            kind = "pie" if frame.chart == "any" else frame.chart
            figure = figure_fields(Measure(measure.column, "sum"), "y")
            normalized = True if kind == "bar" and within else None
            self.beside(op="share_ratio", group_col=group, value_col=measure.column, within=within)
            self.add(kind=kind, x=group, normalized=normalized, **figure)
        else:
            parts = {"group_col": group, "value_col": measure.column, "within": within}
            if frame.ascending:
                self.step(op="share_ratio", **parts)
                self._ranked(["share"], frame.limit or MOST_GROUPS)
            else:
                self.add(op="share_ratio", top_k=frame.limit, **parts)

    def _share_of(self, part: str, measure: Measure) -> None:
        """満足度が4以上の割合, キャンセル率: the rows that meet what is said of this column."""
        frame, kept = self.frame, self._taken(part)
        require(len(frame.groups) <= 1)
        if frame.chart in ("pie", "bar", "any") and not frame.groups:
            kind = "pie" if frame.chart == "any" else frame.chart
            self.beside(op="share_ratio", group_col=part, value_col=measure.column)
            self.add(kind=kind, x=part, **figure_fields(Measure(measure.column, "sum"), "y"))
            return
        within = self._as_column(frame.groups[0]) if frame.groups else None
        known = self.scene.columns.get(part)
        is_number = known is None or known.is_measure
        is_one = any(isinstance(one, Among) for one in kept) and frame.options.get("is_only")
        if is_one or is_number or not all(isinstance(one, Compare | Among) for one in kept):
            part, kept = self._as_truth(part, kept)
        whole = {"group_col": part, "value_col": measure.column, "within": within}
        is_alone = within is None and frame.ascending is None and not is_number
        if is_alone and all(isinstance(one, Compare) and one.op == "==" for one in kept):
            self.add(op="share_ratio", **whole)  # with the other parts beside it
            return
        self.step(op="share_ratio", **whole)
        self._filters = kept
        self._ranked([] if frame.ascending is None else ["share"], frame.limit or MOST_GROUPS)

    def _as_truth(self, part: str, kept: Sequence[Filter]) -> tuple[str, tuple[Filter, ...]]:
        """Conditions on a column as a new one that is true where they hold."""
        tests: list[dict[str, Any]] = []
        for one in kept:
            if isinstance(one, Contains) and one.op == "contains":
                test = {"fn": "contains", "of": column_term(part), "text": one.value}
                tests.append(test)
                continue
            require(isinstance(one, Compare) or (isinstance(one, Among) and one.op == "in"))
            assert isinstance(one, Compare | Among)
            values = one.value if isinstance(one, Among) else (one.value,)
            op = "==" if isinstance(one, Among) else one.op
            is_met: dict[str, Any] | None = None
            for value in values:
                right = {"fn": "constant", "value": value}
                test = {"fn": "compare", "left": column_term(part), "op": op, "right": right}
                if is_met is not None:  # one of several
                    always = {"fn": "constant", "value": True}
                    test = {"fn": "if", "condition": test, "then": always, "otherwise": is_met}
                is_met = test
            tests += [is_met] if is_met is not None else []
        never = {"fn": "constant", "value": False}
        tree = tests[0]
        for test in tests[1:]:
            tree = {"fn": "if", "condition": tree, "then": test, "otherwise": never}
        told = [one for one in kept if isinstance(one, Compare | Contains | Among)]
        name = " ".join(f"{part} {one.op} {_shown(one)}" for one in told)
        held, self._filters = self._filters, ()
        self.step(op="derive", name=name, expression=tree)
        self._filters = held
        return name, (Compare(col=name, op="==", value=True),)

    def _as_column(self, group: Group) -> str:
        """A period as a column of its own, for what knows no periods."""
        if group.unit is None:
            return group.column
        held, self._filters = self._filters, ()
        name = f"{group.column}（{group.unit}）"
        period = {"fn": "date_part", "of": column_term(group.column), "part": group.unit}
        self.step(op="derive", name=name, expression=period)
        self._filters = held
        return name
