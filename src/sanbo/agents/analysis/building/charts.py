"""Charts that were asked for, or that go with groups."""

from contextlib import suppress
from typing import Any

from sanbo.agents.analysis.building.frame import Group, Measure
from sanbo.agents.analysis.building.steps import (
    NotMeant,
    Steps,
    axis_fields,
    figure_fields,
    metrics_of,
    require,
)
from sanbo.agents.analysis.mentions.lexicon import without_unit
from sanbo.agents.analysis.spec.words import metric_name

MOST_BARS = 60
MOST_BESIDE = 4
"""Numbers that one chart shows."""


class Charts(Steps):
    def _drawn(self) -> None:
        """A chart of what was computed costs nothing: one goes with groups and periods."""
        frame = self.frame
        if (
            len(frame.measures) != 1
            or not frame.groups
            or not all(map(self._can_be_bars, frame.groups))
        ):
            return
        with suppress(NotMeant):
            self._chart("line" if any(map(self._is_along, frame.groups)) else "bar")

    def _can_be_bars(self, group: Group) -> bool:
        column = self.scene.profile.column(group.column)
        return group.unit is not None or column is None or 1 < column.distinct <= MOST_BARS

    def _is_along(self, group: Group) -> bool:
        known = self.scene.columns.get(group.column)
        return group.unit is not None or (known is not None and known.is_year)

    def _chart(self, kind: str) -> None:
        frame, groups = self.frame, self.frame.groups
        measures = [measure for measure in frame.measures if measure.column is not None]
        numbers = list(dict.fromkeys(measure.column or "" for measure in measures))
        if kind == "bar" and not groups and len(numbers) == 1:
            kind = "hist"  # bars of one number: how often it is what
        first = groups[0].column if groups else None
        fields: dict[str, Any] = {"kind": kind}
        mark = "facet" if frame.is_apart else "color"
        match kind:
            case "heatmap":
                require(len(groups) == 2, len(frame.measures) == 1)
                fields |= {**axis_fields(groups[0]), **axis_fields(groups[1], "by")}
                fields |= figure_fields(frame.measures[0], "y")
            case "scatter":
                require(len(numbers) == 2)
                fields |= {"x": numbers[0], "y": numbers[1], mark: first}
            case "hist" if not numbers and len(groups) == 1:
                fields = {"kind": "bar", "x": first}
            case "hist":
                require(len(numbers) == 1)
                fields |= {"x": numbers[0], mark: first, **frame.bins}
            case "box":
                require(len(numbers) == 1)
                fields |= {"y": numbers[0], **(axis_fields(groups[0]) if groups else {})}
            case _ if len(measures) > 1:
                self._several(kind, measures)
                return
            case _:
                require(groups)
                fields |= self._bars(kind, groups)
        self.add(**fields)

    def _several(self, kind: str, measures: list[Measure]) -> None:
        """予算と実績を並べた棒グラフ: numbers of one unit beside each other."""
        frame, groups, columns = self.frame, self.frame.groups, self.scene.columns
        known = [columns[one.column] for one in measures if one.column in columns]
        require(len(groups) == 1, len(known) == len(measures) <= MOST_BESIDE, frame.limit is None)
        require(kind in ("bar", "line", "area"))
        require(len({(one.is_money, one.profile.unit) for one in known}) == 1)
        aggs = {one.agg for one in measures}
        require(len(aggs) == 1, not frame.is_stacked or aggs == {"sum"})
        require(frame.ascending is None, not frame.growth, not frame.having, not frame.is_share)
        group, metrics = groups[0], metrics_of(measures)
        if group.unit is None:
            self.step(op="groupby_agg", group_cols=[group.column], metrics=metrics)
        else:
            when = {"date_col": group.column, "unit": group.unit}
            self.step(op="resample", metrics=metrics, **when)
        names = [metric_name(name, agg) for name, aggs in metrics.items() for agg in aggs]
        item = "item" if "".join(metrics).isascii() else "項目"
        value = "・".join(without_unit(name).strip() for name in metrics)
        self.step(op="unpivot", columns=names, name=item, value_name=value)
        stacked = frame.is_stacked or None if kind == "bar" else None
        self.add(kind=kind, x=group.column, y=value, color=item, stacked=stacked)

    def _bars(self, kind: str, groups: list[Group]) -> dict[str, Any]:
        frame = self.frame
        axis = next(filter(self._is_along, groups), groups[0])
        others = [group.column for group in groups if group is not axis]
        require(len(others) <= 1)
        fields = {**axis_fields(axis), **figure_fields(frame.measures[0], "y")}
        fields["facet" if frame.is_apart else "color"] = others[0] if others else None
        if kind == "bar":
            fields |= {"stacked": frame.is_stacked or None, "top_k": frame.limit}
            if frame.ascending is not None:
                fields["sort"] = "value_asc" if frame.ascending else "value_desc"
        return fields
