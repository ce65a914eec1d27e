"""Lollipop charts: a thin bar with a point on top."""

from typing import Literal

from sanbo.agents.analysis.charts.kind import Aggregated, ChartKind
from sanbo.agents.analysis.charts.sheet import Sheet
from sanbo.agents.analysis.outcome import ResultTable, Vega


class Lollipop(Aggregated):
    kind: Literal["lollipop"] = "lollipop"


def _vega(spec: Lollipop, table: ResultTable) -> Vega:
    sheet = Sheet(spec, table)
    encoding: Vega = {
        "x": sheet.nominal(sheet.roles.index("x")),
        "y": sheet.number(sheet.value),
        "tooltip": sheet.tooltip(),
    }
    layers = [{"mark": {"type": "bar", "width": 3}}, {"mark": {"type": "point", "filled": True}}]
    return sheet.chart({"encoding": encoding, "layer": layers})


KIND = ChartKind(
    name="lollipop",
    spec=Lollipop,
    vega=_vega,
    words={"ja": ("ロリポップチャート",), "en": ("Lollipop chart",)},
    prompt="a number by category, lightly drawn (ロリポップチャート): x, y, agg",
)
