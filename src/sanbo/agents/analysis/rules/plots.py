"""Charts that were asked for, or that go with groups."""

from typing import Any

from sanbo.agents.analysis.rules.frame import Group
from sanbo.agents.analysis.rules.steps import (
    Steps,
    axis_fields,
    figure_fields,
    metrics_of,
    require,
)


class Plots(Steps):
    def _is_along(self, group: Group) -> bool:
        known = self.scene.columns.get(group.column)
        return group.unit is not None or (known is not None and known.is_year)

    def _natural_chart(self, numbers: list[str]) -> str:
        groups = self.frame.groups
        if any(map(self._is_along, groups)):
            return "line"
        is_told = self.frame.options.get("told_aggregates")
        if len(numbers) == 2 and len(groups) < 2 and not is_told:
            return "scatter"
        return "hist" if not groups and len(numbers) == 1 else "bar"

    def _chart(self) -> None:
        frame, groups, kind = self.frame, self.frame.groups, self.frame.chart or "any"
        measures = [measure for measure in frame.measures if measure.column is not None]
        numbers = list(dict.fromkeys(measure.column or "" for measure in measures))
        kind = self._natural_chart(numbers) if kind == "any" else kind
        if not groups and frame.colour and kind in ("bar", "line"):
            groups, frame.colour = [Group(frame.colour)], None
        if frame.chart in ("any", "bar") and not groups and len(numbers) == 1:
            kind = "hist"  # bars of one number: how often it is what
        first = groups[0].column if groups else None
        fields: dict[str, Any] = {"kind": kind, "color": frame.colour, "facet": frame.facet}
        match kind:
            case "heatmap":
                require(len(groups) == 2, len(frame.measures) == 1)
                fields = {"kind": kind, **axis_fields(groups[0]), **axis_fields(groups[1], "by")}
                fields |= figure_fields(frame.measures[0], "y")
            case "scatter":
                require(len(numbers) == 2)
                fields |= {"x": numbers[0], "y": numbers[1]}
                if frame.options.get("is_apart") and frame.facet is None:
                    fields["facet"] = first
                else:
                    fields["color"] = frame.colour or first
            case "hist" if not numbers and len(groups) == 1:
                fields = {"kind": "bar", "x": first}
            case "hist":
                require(len(numbers) == 1)
                if frame.options.get("told_aggregates"):
                    names, metrics = [one.column for one in groups], metrics_of(frame.measures)
                    self.beside(op="groupby_agg", group_cols=names, metrics=metrics)
                fields |= {"x": numbers[0], "color": frame.colour or first}
                fields |= frame.options.get("steps", {})
            case "box":
                require(len(numbers) == 1)
                fields |= {"y": numbers[0], **(axis_fields(groups[0]) if groups else {})}
            case _:
                require(groups, len(measures) <= 1)
                fields |= self._bars(kind, groups)
        self.add(**fields)

    def _bars(self, kind: str, groups: list[Group]) -> dict[str, Any]:
        frame = self.frame
        axis = next(filter(self._is_along, groups), groups[0])
        others = [group.column for group in groups if group is not axis]
        require(len(others) <= 1, not (others and frame.colour))
        fields = {**axis_fields(axis), **figure_fields(frame.measures[0], "y")}
        fields["color"] = others[0] if others else frame.colour
        if kind == "bar":
            fields |= {"stacked": frame.is_stacked or None, "top_k": frame.limit}
            if frame.ascending is not None:
                fields["sort"] = "value_asc" if frame.ascending else "value_desc"
        return fields
