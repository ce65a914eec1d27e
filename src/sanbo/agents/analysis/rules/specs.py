"""From what a question asks for to operations in a row; each names whose result it takes."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

from sanbo.agents.analysis.rules.changes import Changes
from sanbo.agents.analysis.rules.frame import (
    Chooser,
    Frame,
    Group,
    Measure,
    columns_of,
)
from sanbo.agents.analysis.rules.ratios import Ratios, Shares
from sanbo.agents.analysis.rules.scene import FEW, Scene
from sanbo.agents.analysis.rules.steps import (
    MOST_BARS,
    MOST_GROUPS,
    Methods,
    NotMeant,
    Plots,
    Spec,
    column_term,
    condition,
    difference_of,
    figure_fields,
    metrics_of,
    plain,
    require,
)
from sanbo.agents.analysis.spec.filters import AnyOf, Compare, Filter, Presence
from sanbo.agents.analysis.spec.words import metric_name

ROWS = 100
"""Listed, where nothing says how many."""


def specs_of(frame: Frame, scene: Scene, chooser: Chooser, first: int) -> tuple[Spec, ...]:
    """`first`: the number of the first result."""
    require(not _contradict(frame.conditions))
    builder = _Builder(replace(frame), scene, chooser, first)
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


class _Builder(Shares, Changes, Methods, Plots, Ratios):
    # ---- the whole ----

    def build(self) -> None:  # noqa: PLR0912 - one kind of answer after the other
        frame = self.frame
        for step in frame.steps:
            if step == "dedup":
                self.step(op="dedup")
            else:
                numbers, method = list(self.scene.measures), step.removeprefix("fill_")
                self.step(op="impute", columns=numbers, method=method)
        if fill := frame.options.get("fill"):
            self.step(op="impute", columns=[fill[0]], method=fill[1])
        if (against := frame.options.get("against")) and self._against_groups(*against):
            return
        if against:
            self._against_rows(*against)
        if days := frame.options.get("days"):  # 土日: the sixth and the seventh day of a week
            column, numbers, op = days
            kept, self._filters = self._filters, ()
            name = self._as_column(Group(column, "weekday"))
            self._filters = (*kept, condition(name, op, value=numbers))
        self._derived()
        if frame.formula is not None and self._formula():
            return
        if frame.op is not None:
            require(frame.ascending is None, frame.limit is None, not frame.having)
            self._special(frame.op)
            return
        self._against_few()
        if frame.chart in (None, "any") and self._is_pair:
            frame.chart = "scatter"
        self._groups()
        self._measures()
        if per := frame.options.get("per"):
            self._mean_of_each(per)
        elif frame.is_share:
            self._share()
        elif values := frame.options.get("values"):
            require(frame.measures)
            others = [group.column for group in frame.groups if group.column != values[0]]
            self._beside(values[0], frame.measures[0], others, values[1])
        elif frame.growth is not None:
            self._growth()
        elif self._is_of_first_rows():
            pass
        elif self._wants_rows:
            self._rows()
        elif frame.chart is not None and not self._needs_table:
            self._chart()
        elif self._time is not None:
            self._over_time(self._time)
        elif frame.options.get("pivot") and len(frame.groups) == 2:
            self._pivot(*frame.groups)
        else:
            self._grouped()

    def _derived(self) -> None:
        """Conditions go with the first column that is calculated, but for those on one."""
        frame = self.frame
        told = {name for one in self._filters for name in columns_of(one)}
        told |= {name for one in frame.options.get("rate", ()) for name in columns_of(one)}
        told |= {one.column or "" for one in (*frame.measures, *frame.having)}
        told |= {*(frame.formula.columns if frame.formula else ()), frame.options.get("order_by")}
        used = {name: tree for name, tree in frame.derived.items() if name in told}
        parts = used.keys() | {*frame.options.get("parts", ())}  # a part is of what is left
        later = tuple(one for one in self._filters if columns_of(one) & parts)
        self._filters = tuple(one for one in self._filters if one not in later)
        for name, tree in used.items():
            self.step(op="derive", name=name, expression=tree)
        self._filters = (*self._filters, *later)

    def _against_rows(self, left: str, op: str, right: str, factor: float | None) -> None:
        is_dated = left in self.scene.dates
        kept, self._filters = self._filters, ()
        sides = column_term(left), column_term(right)
        name, tree = difference_of(left, right, is_dated=is_dated)
        if factor is not None and not is_dated:
            name, tree = self._less_multiple(left, right, factor, sides)
        self.step(op="derive", name=name, expression=tree)
        if is_dated and factor is not None and self.frame.is_share:
            kept = (*kept, Presence(col=left, op="not_null"))  # of those that are over
        limit = plain(factor or 0) if is_dated else 0
        self._filters = (*kept, condition(name, op, value=limit))
        self.frame.options["against_column"] = name

    @staticmethod
    def _less_multiple(
        left: str, right: str, factor: float, sides: tuple[dict[str, Any], dict[str, Any]]
    ) -> tuple[str, dict[str, Any]]:
        """予算の2倍以上: what is over twice of it, also where that is nothing."""
        times = {"fn": "constant", "value": plain(factor)}
        part = {"fn": "multiply", "left": sides[1], "right": times}
        tree = {"fn": "subtract", "left": sides[0], "right": part}
        return f"{left}−{right}×{plain(factor)}", tree

    def _against_groups(self, left: str, op: str, right: str, factor: float | None) -> bool:
        """実績が予算を上回っている科目: of the sums of each, rather than of rows."""
        frame = self.frame
        names = [group.column for group in frame.groups if group.unit is None]
        is_plain = not (frame.measures or frame.is_share or frame.chart or frame.having)
        if not is_plain or not names or len(names) < len(frame.groups):
            return False
        if left in self.scene.dates:
            return False
        if any(map(self.scene.is_entity, names)):
            return False
        if self.choose("against", [("groups", 0.0), ("rows", 0.4)]) == "rows":
            return False
        self.step(op="groupby_agg", group_cols=names, metrics={left: ["sum"], right: ["sum"]})
        sides = [column_term(metric_name(column, "sum")) for column in (left, right)]
        name, tree = f"{left}−{right}", {"fn": "subtract", "left": sides[0], "right": sides[1]}
        if factor is not None:
            name, tree = self._less_multiple(left, right, factor, (sides[0], sides[1]))
        self.step(op="derive", name=name, expression=tree)
        self._filters = (condition(name, op, value=0),)
        self._ranked([name], frame.limit or MOST_GROUPS)
        return True

    def _against_few(self) -> None:
        """Average mpg against cylinders: a number of few different ones is grouped by."""
        frame = self.frame
        is_against = frame.options.get("is_compared") or frame.chart
        if frame.groups or len(frame.measures) != 2 or frame.chart == "scatter" or not is_against:
            return
        told = [one for one in frame.measures if one.agg is not None or one.column is None]
        names = [one.column for one in frame.measures if one not in told and one.column]
        column = self.scene.profile.column(names[0]) if len(told) == len(names) == 1 else None
        if column is not None and column.distinct <= FEW:
            frame.measures, frame.groups = told, [Group(column.name)]

    @property
    def _is_pair(self) -> bool:
        """Price against quantity: two numbers, nothing computed of them."""
        measures = self.frame.measures
        known = [self.scene.columns.get(one.column or "") for one in measures]
        adds = all(one is not None and one.is_amount for one in known)
        if self.frame.options.get("is_beside") and (self.frame.groups or adds):
            return False  # 部門別の予算と実績の比較
        is_plain = all(one.column is not None and one.agg is None for one in measures)
        return len(measures) == 2 and is_plain and bool(self.frame.options.get("is_compared"))

    def _drawn(self) -> None:
        """A chart of what was computed costs nothing: one goes with groups and periods."""
        frame = self.frame
        if frame.options.get("no_chart") or len(frame.measures) != 1 or not frame.groups:
            return
        for group in frame.groups:
            column = self.scene.profile.column(group.column)
            if group.unit is None and column is not None and not 1 < column.distinct <= MOST_BARS:
                return
        kept, frame.chart = frame.chart, "any"
        with suppress(NotMeant):
            self._chart()
        frame.chart = kept

    @property
    def _needs_table(self) -> bool:
        frame = self.frame
        return bool(frame.having or frame.is_cumulative or frame.rolling)

    # ---- groups and measures ----

    def _measures(self) -> None:
        """What was not said: how a number is put together for a group."""
        frame = self.frame
        frame.options["told_aggregates"] = any(one.agg and one.column for one in frame.measures)
        wants_rows = self._wants_rows
        told = {one.column for one in frame.measures if one.agg}
        made: list[Measure] = []
        for measure in frame.measures:
            if measure.agg is not None or measure.column is None:
                made.append(replace(measure, agg=measure.agg or "count"))
            elif wants_rows and measure.column not in told:
                made.append(measure)
            elif measure.column not in told:  # 平均と合計: one alone goes with the other's column
                made.append(replace(measure, agg=self._agg(measure.column)))
        if not made and not wants_rows and self._says_only_which():
            frame.wants_rows = self.choose("only", [(True, 0.4), (False, 0.6)])
            wants_rows = frame.wants_rows
        if not made and not wants_rows and (frame.groups or frame.conditions or frame.is_share):
            made = [self._guessed()]
            frame.is_count_guessed = made[0].column is None
        frame.measures = made

    def _says_only_which(self) -> bool:
        """未完了のものだけ: rows, or how many there are?"""
        frame = self.frame
        others = (frame.groups, frame.is_share, frame.growth, frame.is_trend, frame.chart)
        return bool(frame.conditions) and not any(others)

    def _guessed(self) -> Measure:
        """会議費を除いた月次推移: of what? Of the rows, or of the one number that adds up."""
        frame, columns = self.frame, self.scene.columns
        money = [name for name in self.scene.measures if columns[name].is_money]
        adding = [name for name in money if columns[name].adds]
        is_open = frame.is_trend and len(adding) == 1 and not frame.options.get("is_rows")
        options = [("", 0.0), *([(adding[0], 0.5)] if is_open and not frame.wants_rows else [])]
        said = [str(getattr(one, "value", "")) for one in frame.conditions]
        is_cost = any(text.endswith(("費", "料", "代")) for text in said)
        if adding and (is_cost or frame.options.get("is_difference")) and not frame.wants_rows:
            options = [(adding[0], 0.0), ("", 0.6)]  # 営業部と開発部の交通費の差額
        name = self.choose("guessed", options)
        return Measure(name, "sum") if name else Measure(None, "count")

    @property
    def _wants_rows(self) -> bool:
        """Rows as they stand: a list, or the first of things that have one row each."""
        frame = self.frame
        is_else = frame.growth is not None or frame.is_share or frame.chart is not None
        if is_else or self._time or any(one.agg is not None for one in frame.measures):
            return False
        is_of_day = "by_day" in frame.options
        is_ranked = frame.ascending is not None and bool(frame.measures)
        is_one = bool(frame.measures) and not frame.groups and self._is_of_one
        if not (frame.wants_rows or is_ranked or is_one or is_of_day):
            return False
        if is_of_day or not frame.groups or any(map(self._is_row, frame.groups)):
            return True
        is_first = bool(frame.limit or frame.is_superlative)
        is_first &= frame.options.get("limited") not in self._names  # list the two best shops
        marked = frame.options.get("marked", ())
        if frame.options.get("adjective") and all(one.column in marked for one in frame.groups):
            return is_first  # 部署ごとの最年長
        if frame.wants_rows:
            return is_ranked and is_first and bool(frame.limit or frame.options.get("is_one_row"))
        return frame.options.get("is_rows", False) and is_first

    @property
    def _is_of_one(self) -> bool:
        """仲六郷店の売場面積: of what has a row of its own, though a name may stand twice."""
        rows = self.scene.profile.rows
        names = [
            one.col
            for one in self._filters
            if isinstance(one, Compare) and one.op == "==" and isinstance(one.value, str)
        ]
        known = [self.scene.columns[name] for name in names if name in self.scene.columns]
        return any(
            one.profile.type == "text" and one.profile.distinct >= 0.9 * rows > 1 for one in known
        )

    # ---- kinds of answers ----

    def _grouped(self) -> None:
        frame = self.frame
        require(frame.measures)
        if (by := frame.options.get("counted_by")) and not frame.groups:
            self.add(kind="hist", x=by)  # the number of films by their length
            return
        names = [group.column for group in frame.groups]
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
        is_first = frame.is_superlative and frame.ascending is not None
        one = 1 if is_first and not frame.having else None
        order = {"sort": self._sort(), "top_k": frame.limit or one} if names else {}
        periods = self._periods
        if periods and frame.options.get("is_each"):  # 上期と下期をそれぞれ
            rest = tuple(one for one in self._filters if one is not periods)
            for one in periods.any_of:
                self._filters = (*rest, one)
                self.beside(op="groupby_agg", group_cols=names, metrics=metrics, **order)
            return
        if frame.options.get("is_difference") and names == [frame.options.get("compared")]:
            by = {"by": self._metric(), "ascending": True}  # 正社員とパートの差
            self.step(op="groupby_agg", group_cols=names, metrics=metrics, sort=by)
            self.add(op="lag", column=self._metric())
            return
        if names and self._is_total_of_first(
            op="groupby_agg", group_cols=names, metrics=metrics, **order
        ):
            return
        self.beside(op="groupby_agg", group_cols=names, metrics=metrics, **order)
        if (apart := frame.options.get("total_of")) in names and frame.limit is None:
            rest = [name for name in names if name != apart]
            self.beside(op="groupby_agg", group_cols=rest, metrics=metrics)
        if names and not counted:
            self._drawn()

    def _is_total_of_first(self, **fields: Any) -> bool:
        """売上上位2店舗の合計, total sales of the top ten: of each, or what they come to."""
        frame = self.frame
        is_added = len(frame.measures) == 1 and frame.measures[0].agg in ("sum", "count")
        if frame.options.get("is_total"):
            require(is_added, frame.ascending is not None)
        else:
            may_be = is_added and frame.limit is not None and frame.options.get("is_summed")
            if not may_be or self.choose("first", [("each", 0.0), ("all", 0.4)]) == "each":
                return False
        self.step(**fields)
        self.add(op="groupby_agg", group_cols=[], metrics={self._metric(): ["sum"]})
        return True

    @property
    def _periods(self) -> AnyOf | None:
        """Times of which one is met: 11月と12月."""
        dates = self.scene.dates
        for one in self._filters:
            if isinstance(one, AnyOf) and all(part.col in dates for part in one.any_of):
                return one
        return None

    def _per(self, names: list[str]) -> str | None:
        """店舗ごとに一番売れたカテゴリ: in each of the groups that are told as such."""
        frame = self.frame
        is_first = frame.limit is not None or (frame.is_superlative and frame.ascending is not None)
        if len(names) < 2 or not is_first:
            return None
        marked = [name for name in frame.options.get("marked", ()) if name in names]
        if len(marked) == 1:
            return self.choose("per", [(marked[0], 0.0), (None, 1.0)])
        return self.choose("per", [(None, 0.0), (names[0], 0.6)])

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

    def _rows(self) -> None:
        frame = self.frame
        day, marked = frame.options.get("by_day"), frame.options.get("marked", ())
        told = frame.options.get("order_by")
        by = [measure.column for measure in frame.measures if measure.column]
        by = [told] if told in by else by[:1]
        by = [day] if day else by
        if by and frame.ascending is not None:
            n = frame.limit or (1 if frame.is_superlative else ROWS)
            others = [group.column for group in frame.groups if not self._is_row(group)]
            others = [name for name in others if name in marked]  # else it is shown
            self._ranked(by, n, per=others[0] if others else None)
        else:
            self.add(op="top_rows", n=frame.limit or ROWS)

    def _is_of_first_rows(self) -> bool:
        """基本給トップ10の平均残業時間: of the first rows, where each is one of what is meant."""
        frame = self.frame
        told = [
            one for one in frame.measures if one.column and one.agg in ("mean", "sum", "median")
        ]
        by = frame.options.get("order_by") or next((one.column for one in told), None)
        told = [one for one in told if one.column != by] or told
        columns = {one.column for one in frame.measures}
        if len(columns) > 1 and "order_by" not in frame.options:
            return False  # the top 3 projects by budget: by which of them?
        is_plain = frame.limit and frame.ascending is not None and not frame.groups
        is_alone = len(told) == 1 and {one.column for one in frame.measures} <= {by, told[0].column}
        if not (is_plain and is_alone and by and frame.chart is None and not frame.having):
            return False
        if not frame.options.get("is_rows"):
            return False
        self.step(op="top_rows", by=[by], ascending=bool(frame.ascending), n=frame.limit)
        self.add(op="groupby_agg", group_cols=[], metrics=metrics_of(told))
        return True

    def _over_time(self, time: Group) -> None:
        frame, measure = self.frame, self.frame.measures[0]
        others = [group.column for group in frame.groups if group is not time]
        when: dict[str, Any] = {"op": "resample", "date_col": time.column, "unit": time.unit}
        when["by"] = others
        fields = {**when, "metrics": metrics_of(frame.measures)}
        along = {"column": self._metric(), "order_by": time.column, "by": others}
        level = self._mean_of_periods(measure)
        if level == "rows":
            frame.options["is_timeless"] = True
            frame.groups = [group for group in frame.groups if group is not time]
            self._grouped()
        elif level == "of":
            frame.groups = [group for group in frame.groups if group is not time]
            frame.measures = [Measure(measure.column, "sum")]
            self._mean_of_each(time)
        elif frame.is_cumulative:
            self.step(**fields)
            self._along(time, op="cumulative", **along)
        elif frame.rolling:
            self.step(**fields)
            self._along(time, op="rolling", window=frame.rolling, **along)
        elif frame.options.get("pivot") and len(others) == 1:
            self._pivot(time, Group(others[0]))
        elif len(others) == 1 and (per := self._per([*others, time.column])) is not None:
            self.step(**fields)  # 店舗ごとに、一番少なかった月
            self._ranked([self._metric()], frame.limit or 1, per=per)
        elif frame.having:  # 月の売上が1,000万円以上だった月は何回: counted or listed
            wanted, conditions = self._limited(), self._group_conditions()
            self.step(**when, metrics=metrics_of(wanted))
            self._filters = conditions
            if any(one.column is None for one in frame.measures) and not frame.is_count_guessed:
                self.add(op="groupby_agg", group_cols=others, metrics={})
            else:
                self.add(op="top_rows", n=MOST_GROUPS)
        else:
            is_first = frame.is_superlative and frame.ascending is not None
            one = 1 if is_first else None
            order = {"sort": self._sort(), "top_k": frame.limit or one}
            if self._is_total_of_first(**fields, **order):
                return
            self.beside(**fields, **order)
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

    def _along(self, time: Group, **fields: Any) -> None:
        """A figure that each period has with those before it, drawn where that is asked for."""
        others, chart = fields["by"], self.frame.chart
        if chart is None or len(others) > 1:
            self.add(**fields)
            return
        kind = chart if chart in ("area", "bar") else "line"
        kind_of = "cumulative" if fields["op"] == "cumulative" else f"mean_{fields['window']}"
        name = f"{fields['column']}_{kind_of}"
        self.step(**fields)
        self.add(kind=kind, x=time.column, y=name, agg="sum", color=next(iter(others), None))

    def _mean_of_periods(self, measure: Measure) -> str:
        """月平均: of the months' sums, of the rows in each, or of rows that are months."""
        if self.frame.options.get("per_period") and measure.agg in ("sum", "count"):
            return self.choose("per_period", [("in", 0.0), ("of", 0.4)])  # 1日あたりの件数
        is_mean = measure.agg == "mean" and measure.column is not None
        if not is_mean or not self.frame.options.get("period_mean"):
            return "in"
        known = self.scene.columns.get(measure.column or "")
        adds = known is None or known.adds is not False
        options = [("of", 0.2), ("in", 0.6)] if adds else [("in", 0.2), ("of", 0.6)]
        if known is not None and known.adds and not self._names and self.frame.chart is None:
            options = [("of", 0.0), ("in", 1.0)]
        if len(self.frame.groups) > 1:
            # The average of the monthly scores of each: a row is a month.
            options.append(("rows", 0.7 if adds else 0.3))
        return self.choose("period_mean", options)

    def _pivot(self, row: Group, column: Group) -> None:
        units = {"row_unit": row.unit, "column_unit": column.unit}
        figure = figure_fields(self.frame.measures[0], "value")
        self.add(op="pivot", rows=[row.column], columns=column.column, **figure, **units)
