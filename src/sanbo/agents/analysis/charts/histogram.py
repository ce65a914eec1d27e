"""Histograms: how often values lie where."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from sanbo.agents.analysis.charts.kind import ChartKind, Plot
from sanbo.agents.analysis.charts.sheet import Sheet
from sanbo.agents.analysis.outcome import ResultTable, Vega
from sanbo.agents.analysis.spec.words import ColumnName


class Hist(Plot):
    kind: Literal["hist"] = "hist"
    x: ColumnName
    bins: int | None = Field(default=None, ge=1, le=500)
    width: float | None = Field(default=None, gt=0)
    """Of each, from a multiple of it; more than 500 are none."""

    @override
    def groups(self) -> dict[str, str]:
        return {role: name for role, name in super().groups().items() if role != "x"}


def _vega(spec: Hist, table: ResultTable) -> Vega:
    sheet = Sheet(spec, table)
    start = sheet.value
    colour = sheet.place("color")
    encoding: Vega = {
        "x": sheet.number(start, title=spec.x, bin="binned", scale={"zero": False}),
        "x2": {"field": f"c{start + 1}"},
        "y": sheet.number(start + 2, stack=None),
        "tooltip": sheet.tooltip(),
    }
    mark: Vega = {"type": "bar", "binSpacing": 1}
    if colour is not None:
        encoding["color"] = sheet.colour(colour)
        mark["opacity"] = 0.5
    return sheet.chart({"mark": mark, "encoding": encoding})


KIND = ChartKind(
    name="hist",
    spec=Hist,
    vega=_vega,
    words={
        "ja": ("ヒストグラム", "度数分布図", "度数分布", "分布図"),
        "en": ("Histogram", "distribution plot", "frequency plot", "frequency chart"),
    },
    prompt="histogram of one number (ヒストグラム): x; bins only if told",
    numbers="bins",
)
