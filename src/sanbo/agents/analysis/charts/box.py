"""Box charts: quartiles, whiskers to 1.5 interquartile ranges, outliers as points."""

from typing import Any, Literal

from pydantic import model_validator

from sanbo.agents.analysis.charts.kind import ChartKind, Plot
from sanbo.agents.analysis.charts.sheet import Sheet
from sanbo.agents.analysis.outcome import ResultTable, Vega
from sanbo.agents.analysis.spec.words import ColumnName, TimeUnit


class Box(Plot):
    kind: Literal["box"] = "box"
    y: ColumnName
    x: ColumnName | None = None
    """One box for each value; one over all, if left out."""
    x_unit: TimeUnit | None = None

    @model_validator(mode="after")
    def _unit_has_column(self) -> "Box":
        if self.x_unit is not None and self.x is None:
            raise ValueError("x_unit needs x")
        return self


def _vega(spec: Box, table: ResultTable) -> Vega:
    sheet = Sheet(spec, table)
    at = {column.name: place for place, column in enumerate(table.columns)}
    place, colour = sheet.place("x"), sheet.place("color")
    encoding: Vega = {} if place is None else {"x": sheet.nominal(place)}
    if colour is not None:
        encoding["color"] = sheet.colour(colour)
        encoding["xOffset"] = {"field": f"c{colour}", "sort": sheet.names(colour)}
    # The axis is that of all values: whiskers and outliers alike.
    axis = sheet.number(at["max"], title=spec.y, scale={"zero": False})
    boxes = [{"filter": {"field": f"c{at['median']}", "valid": True}}]
    tooltip = sheet.tooltip()[:-1]

    def layer(mark: str, low: str, high: str | None = None, **more: Any) -> Vega:
        heights: Vega = {"y": {**axis, "field": f"c{at[low]}"}, "tooltip": tooltip}
        if high is not None:
            heights["y2"] = {"field": f"c{at[high]}"}
        return {"transform": boxes, "mark": {"type": mark, **more}, "encoding": heights}

    outliers = {
        "mark": {"type": "point", "filled": True, "size": 14, "opacity": 0.6},
        "encoding": {"y": {**axis, "field": f"c{at['outlier']}"}},
    }
    size = {"band": 0.6} if place is not None else 60
    layers: list[dict[str, Any]] = [
        layer("rule", "whisker_low", "whisker_high"),
        layer("bar", "q25", "q75", width=size, opacity=0.85),
        layer("tick", "median", width=size, thickness=2.5),
        outliers,
    ]
    layers[2]["encoding"]["color"] = {"value": "#ffffff"}
    return sheet.chart({"encoding": encoding, "layer": layers})


KIND = ChartKind(
    name="box",
    spec=Box,
    vega=_vega,
    words={
        "ja": ("箱ひげ図", "箱髭図", "ボックスプロット"),
        "en": ("Box plot", "box chart", "boxplot", "box and whisker plot"),
    },
    prompt="spread of a number, by category (箱ひげ図): y; x the groups, or null",
    numbers="quartiles",
    most=30,
    most_dates=30,
)
