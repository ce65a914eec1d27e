"""Area charts: how parts and their whole go on along time, on top of each other."""

from typing import Literal

from sanbo.agents.analysis.charts.kind import ChartKind, Stackable
from sanbo.agents.analysis.charts.line import MOST_MOMENTS
from sanbo.agents.analysis.charts.sheet import Sheet
from sanbo.agents.analysis.outcome import ResultTable, Vega


class Area(Stackable):
    kind: Literal["area"] = "area"
    stacked: bool = True


def _vega(spec: Area, table: ResultTable) -> Vega:
    sheet = Sheet(spec, table)
    colour = sheet.place("color")
    is_stacked = spec.stacked or spec.normalized
    measured = len(table.columns) - 1 if spec.normalized else sheet.value
    encoding: Vega = {
        "x": sheet.along(sheet.roles.index("x")),
        "y": sheet.number(measured, stack="zero" if is_stacked else None),
        "tooltip": sheet.tooltip(),
    }
    if colour is not None:
        encoding["color"] = sheet.colour(colour)
        encoding["order"] = sheet.stacked(colour)
    mark = {"type": "area", "opacity": 0.85 if is_stacked else 0.4, "line": not is_stacked}
    return sheet.chart({"mark": mark, "encoding": encoding})


KIND = ChartKind(
    name="area",
    spec=Area,
    vega=_vega,
    words={
        "ja": ("面グラフ", "エリアチャート", "積み上げ面グラフ", "エリアグラフ"),
        "en": ("Area chart", "area graph", "stacked area chart"),
    },
    prompt="parts and their total over time (面グラフ): x with x_unit, y, agg, color; "
    "normalized for shares of 100 %",
    most=MOST_MOMENTS,
    most_dates=MOST_MOMENTS,
    is_trend=True,
)
