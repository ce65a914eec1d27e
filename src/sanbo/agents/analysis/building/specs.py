"""From what a question asks for to operations in a row; each names whose result it takes."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from sanbo.agents.analysis.building.changes import Changes
from sanbo.agents.analysis.building.formulas import Formulas
from sanbo.agents.analysis.building.frame import Against, Frame, Group, Measure, columns_of
from sanbo.agents.analysis.building.methods import Methods
from sanbo.agents.analysis.building.shares import Shares
from sanbo.agents.analysis.building.steps import (
    MOST_GROUPS,
    NotMeant,
    Spec,
    column_term,
    condition,
    difference_of,
    figure_fields,
    metrics_of,
    plain,
    require,
)
from sanbo.agents.analysis.mentions.scene import Scene
from sanbo.agents.analysis.spec.filters import Compare, Filter, Presence
from sanbo.agents.analysis.spec.words import Aggregate, metric_name

ROWS = 100
"""Listed, where nothing says how many."""
_NEARLY_ALL = 0.97
_ACROSS = 2


def specs_of(frame: Frame, scene: Scene, first: int) -> tuple[Spec, ...]:
    """`first`: the number of the first result. Raises `NotMeant`."""
    require(not _contradict(frame.conditions))
    builder = _Builder(replace(frame), scene, first)
    builder.build()
    if not builder.made:
        raise NotMeant
    return tuple(builder.made)


def _contradict(conditions: Sequence[Filter]) -> bool:
    """空欄 and 入力済み of one column, or two of its values at once: no row is left."""
    said = {(one.col, one.op) for one in conditions if isinstance(one, Presence)}
    equal = [one for one in conditions if isinstance(one, Compare) and one.op == "=="]
    return any((column, "not_null") in said for column, op in said if op == "is_null") or any(
        one.col == other.col and one.value != other.value for one, other in combinations(equal, 2)
    )


class _Builder(Shares, Changes, Methods, Formulas):
    def build(self) -> None:  # noqa: PLR0912 - one kind of answer after the other
        frame = self.frame
        for step in frame.steps:
            self._prepared(step)
        if frame.against is not None:
            if self._against_groups(frame.against):
                return
            self._against_rows(frame.against)
        if frame.weekdays is not None:  # 土日: the sixth and the seventh day of a week
            column, numbers, op = frame.weekdays
            name = self._as_column(Group(column, "weekday"))
            self._filters = (*self._filters, condition(name, op, value=numbers))
        self._derived()
        if frame.op is not None:
            require(frame.ascending is None, frame.limit is None, not frame.having)
            self._special(frame.op)
            return
        frame.groups = [self._binned(group) for group in frame.groups]
        wants_rows = self._wants_rows
        if not wants_rows:
            frame.measures = self._aggregated()
        if frame.formula is not None:
            self._of_sums()
        elif frame.per is not None:
            self._mean_of_each(frame.per)
        elif frame.is_share:
            self._share()
        elif frame.growth is not None:
            self._growth()
        elif wants_rows:
            self._rows()
        elif frame.chart is not None and not self._needs_table:
            self._chart(frame.chart)
        elif frame.is_cross and len(frame.groups) == _ACROSS and not self._needs_table:
            self._crossed(*frame.groups)
        elif self._time is not None:
            self._over_time(self._time)
        else:
            self._grouped()

    def _prepared(self, step: str) -> None:
        if step == "dedup":
            self.step(op="dedup")
        else:
            method = step.removeprefix("fill_")
            self.step(op="impute", columns=list(self.scene.measures), method=method)

    def _aggregated(self) -> list[Measure]:
        """What was not said: how a number is put together for a group."""
        frame = self.frame
        if not frame.measures and (frame.groups or frame.conditions):
            return [Measure(None, "count")]
        if frame.chart in ("scatter", "hist", "box"):
            return frame.measures
        told = {one.column for one in frame.measures if one.agg}
        return [
            one if one.agg else Measure(one.column, self._agg(one.column or ""))
            for one in frame.measures
            if one.agg or one.column not in told
        ]

    def _agg(self, column: str) -> Aggregate:
        known = self.scene.columns.get(column)
        return "mean" if known is not None and known.adds is False else "sum"

    @property
    def _needs_table(self) -> bool:
        frame = self.frame
        return bool(frame.having or frame.is_cumulative or frame.rolling)

    # ---- before anything else ----

    def _derived(self) -> None:
        """Conditions go with the first column that is calculated, but for those on one."""
        frame = self.frame
        told = {name for one in self._filters for name in columns_of(one)}
        told |= columns_of(frame.rate) if frame.rate else set()
        told |= {one.column or "" for one in (*frame.measures, *frame.having)}
        told |= {*(frame.formula.columns if frame.formula else ()), frame.order_by or ""}
        used = {name: tree for name, tree in frame.derived.items() if name in told}
        later = tuple(one for one in self._filters if columns_of(one) & used.keys())
        self._filters = tuple(one for one in self._filters if one not in later)
        for name, tree in used.items():
            self.step(op="derive", name=name, expression=tree)
        self._filters = (*self._filters, *later)

    def _against_rows(self, against: Against) -> None:
        left, op, right, days = against
        is_dated = left in self.scene.dates
        name = self.derive(*difference_of(left, right, is_dated=is_dated))
        limit = plain(days or 0) if is_dated else 0
        self._filters = (*self._filters, condition(name, op, value=limit))

    def _against_groups(self, against: Against) -> bool:
        """実績が予算を上回っている科目: of the sums of each, rather than of rows."""
        frame, (left, op, right, _) = self.frame, against
        names = self._names
        is_plain = not (frame.measures or frame.is_share or frame.chart or frame.having)
        is_of_rows = left in self.scene.dates or any(map(self.scene.is_entity, names))
        if not is_plain or not names or len(names) < len(frame.groups) or is_of_rows:
            return False
        self.step(op="groupby_agg", group_cols=names, metrics={left: ["sum"], right: ["sum"]})
        sides = [column_term(metric_name(column, "sum")) for column in (left, right)]
        name, tree = f"{left}−{right}", {"fn": "subtract", "left": sides[0], "right": sides[1]}
        self.step(op="derive", name=name, expression=tree)
        self._filters = (condition(name, op, value=0),)
        self._ranked([name], frame.limit or MOST_GROUPS)
        return True

    # ---- rows ----

    @property
    def _wants_rows(self) -> bool:
        """Rows as they stand: a list, or the first of things that have one row each."""
        frame = self.frame
        is_else = frame.growth is not None or frame.is_share or frame.chart is not None
        if is_else or self._time or any(one.agg is not None for one in frame.measures):
            return False
        is_ranked = frame.ascending is not None and bool(frame.measures)
        if not (frame.wants_rows or is_ranked or frame.by_day):
            return False
        if frame.by_day or not frame.groups or any(map(self._is_row, frame.groups)):
            return True
        is_first = bool(frame.limit or frame.is_superlative)
        return is_ranked and is_first and bool(frame.limit or frame.each)

    def _is_row(self, group: Group) -> bool:
        column = self.scene.profile.column(group.column)
        rows = self.scene.profile.rows
        return column is not None and column.distinct >= _NEARLY_ALL * (rows - column.missing)

    def _rows(self) -> None:
        frame = self.frame
        by = [frame.by_day] if frame.by_day else [one.column for one in frame.measures[:1]]
        if by and frame.ascending is not None:
            n = frame.limit or (1 if frame.is_superlative else ROWS)
            others = [one.column for one in frame.groups if not self._is_row(one)]
            per = frame.each if frame.each in others else None  # else it is shown
            self._ranked([name for name in by if name], n, per=per)
        else:
            self.add(op="top_rows", n=frame.limit or ROWS)

    # ---- groups ----

    def _grouped(self) -> None:
        frame = self.frame
        require(frame.measures)
        names = self._names
        if frame.having:
            self._having(names)
            return
        counted = [m for m in frame.measures if m.agg == "nunique" and m.column in names]
        names = [name for name in names if name not in [one.column for one in counted]]
        metrics = metrics_of(frame.measures)
        metrics |= {one.column or "": ["nunique"] for one in counted}
        per = self._per(names)
        if per is not None:
            self.step(op="groupby_agg", group_cols=names, metrics=metrics)
            self._ranked([self._metric()], frame.limit or 1, per=per)
            return
        if metrics and any(measure.column is None for measure in frame.measures):
            found = metrics.setdefault(names[0] if names else next(iter(metrics)), [])
            found += [] if "count" in found else ["count"]
        one = 1 if self._is_first else None
        order = {"sort": self._sort(), "top_k": frame.limit or one} if names else {}
        fields = {"op": "groupby_agg", "group_cols": names, "metrics": metrics, **order}
        if names and self._is_total_of_first(**fields):
            return
        self.beside(**fields)
        if names and not counted:
            self._drawn()

    def _crossed(self, row: Group, column: Group) -> None:
        require(len(self.frame.measures) == 1, self.frame.ascending is None)
        units = {"row_unit": row.unit, "column_unit": column.unit}
        figure = figure_fields(self.frame.measures[0], "value")
        self.add(op="pivot", rows=[row.column], columns=column.column, **figure, **units)

    def _is_total_of_first(self, **fields: Any) -> bool:
        """売上上位2店舗の合計, total sales of the top ten: what they come to."""
        frame = self.frame
        if not frame.is_total:
            return False
        is_added = len(frame.measures) == 1 and frame.measures[0].agg in ("sum", "count")
        require(is_added, frame.ascending is not None)
        self.step(**fields)
        self.add(op="groupby_agg", group_cols=[], metrics={self._metric(): ["sum"]})
        return True

    def _per(self, names: list[str]) -> str | None:
        """店舗ごとに一番売れたカテゴリ: in each of the groups that are told as such."""
        is_first = self.frame.limit is not None or self._is_first
        is_told = len(names) > 1 and is_first and self.frame.each in names
        return self.frame.each if is_told else None

    def _having(self, names: list[str]) -> None:
        """Groups that meet it, listed; or counted, where that is asked."""
        frame = self.frame
        distinct = [one.column for one in frame.measures if one.agg == "nunique" and one.column]
        names = names or distinct  # 5万円を超えた社員は何人
        require(names)
        wanted = self._limited()
        counted = [m for m in frame.measures if m.agg == "nunique" and m.column in names]
        measures = list(dict.fromkeys([*frame.measures, *wanted]))
        shown = [one for one in measures if one not in counted]
        shown = [one for one in shown if one.column is not None or len(measures) == 1] or measures
        frame.measures = sorted(shown, key=lambda one: one.column is None)
        metrics, conditions = self._with_limits(metrics_of(frame.measures), names)
        self.step(op="groupby_agg", group_cols=names, metrics=metrics)
        self._filters = conditions
        if counted:
            self.add(op="groupby_agg", group_cols=[], metrics={})
        else:
            self._ranked([self._metric()], frame.limit or MOST_GROUPS)

    # ---- periods ----

    def _over_time(self, time: Group) -> None:
        frame = self.frame
        require(frame.measures)
        others = [group.column for group in frame.groups if group is not time]
        when: dict[str, Any] = {"op": "resample", "date_col": time.column, "unit": time.unit}
        when["by"] = others
        fields = {**when, "metrics": metrics_of(frame.measures)}
        if frame.is_cumulative:
            self.step(**fields)
            self._along(time, others, op="cumulative")
        elif frame.rolling:
            self.step(**fields)
            self._along(time, others, op="rolling", window=frame.rolling)
        elif len(others) == 1 and (per := self._per([*others, time.column])) is not None:
            self.step(**fields)  # 店舗ごとに、一番少なかった月
            self._ranked([self._metric()], frame.limit or 1, per=per)
        elif frame.having:  # 月の売上が1,000万円以上だった月は何回: counted or listed
            wanted, conditions = self._limited(), self._group_conditions()
            self.step(**when, metrics=metrics_of(wanted))
            self._filters = conditions
            if any(one.column is None for one in frame.measures):
                self.add(op="groupby_agg", group_cols=others, metrics={})
            else:
                self.add(op="top_rows", n=MOST_GROUPS)
        else:
            one = 1 if self._is_first else None
            fields |= {"sort": self._sort(), "top_k": frame.limit or one}
            if self._is_total_of_first(**fields):
                return
            self.beside(**fields)
            if frame.limit is None and not (one and time.unit in ("day", "week", "hour")):
                self._drawn()

    def _mean_of_each(self, per: Group) -> None:
        """1日平均の件数: what the days, or the customers, have each, on average."""
        frame = self.frame
        require(len(frame.measures) == 1)
        measure = frame.measures[0]
        require(measure.agg in ("sum", "count", "nunique"))
        require(self._time is None, not frame.having, per.column not in self._names)
        if per.unit is None:
            names, fields = [*self._names, per.column], {"op": "groupby_agg"}
            self.step(**fields, group_cols=names, metrics=metrics_of([measure]))
        else:
            when = {"date_col": per.column, "unit": per.unit, "by": self._names}
            self.step(op="resample", **when, metrics=metrics_of([measure]))
        total = self._metric(measure)
        order = {}
        if self._names and (frame.ascending is not None or frame.limit is not None):
            sort = {"by": metric_name(total, "mean"), "ascending": bool(frame.ascending)}
            order = {"sort": sort, "top_k": frame.limit or (1 if frame.is_superlative else None)}
        self.add(op="groupby_agg", group_cols=self._names, metrics={total: ["mean"]}, **order)

    def _along(self, time: Group, others: list[str], **fields: Any) -> None:
        """A figure that each period has with those before it, drawn where that is asked for."""
        chart, figure = self.frame.chart, self._metric()
        fields |= {"column": figure, "order_by": time.column, "by": others}
        if chart is None or len(others) > 1:
            self.add(**fields)
            return
        kind = chart if chart in ("area", "bar") else "line"
        kind_of = "cumulative" if fields["op"] == "cumulative" else f"mean_{fields['window']}"
        self.step(**fields)
        drawn = {"x": time.column, "y": f"{figure}_{kind_of}", "agg": "sum"}
        self.add(kind=kind, **drawn, color=next(iter(others), None))
