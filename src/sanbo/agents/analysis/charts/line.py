"""Line charts: along time, along numbers, or along names in their order."""

from typing import Literal

from sanbo.agents.analysis.charts.kind import Aggregated, ChartKind
from sanbo.agents.analysis.charts.sheet import Sheet
from sanbo.agents.analysis.outcome import ResultTable, Vega

_MOST_MARKED = 40
MOST_MOMENTS = 1500


class Line(Aggregated):
    kind: Literal["line"] = "line"


def _vega(spec: Line, table: ResultTable) -> Vega:
    sheet = Sheet(spec, table)
    place, colour = sheet.roles.index("x"), sheet.place("color")
    values = sheet.numbers(sheet.value)
    # From zero where that does not press the line flat.
    is_flat = bool(values) and min(values) > 0.75 * max(values) > 0
    encoding: Vega = {
        "x": sheet.along(place),
        "y": sheet.number(sheet.value, scale={"zero": not is_flat}),
        "tooltip": sheet.tooltip(),
    }
    mark: Vega = {"type": "line"}
    if len(set(sheet.cells(place))) <= _MOST_MARKED:
        mark["point"] = True
    if colour is not None:
        encoding["color"] = sheet.colour(colour)
        if mark.get("point"):  # told apart without colour too
            encoding["shape"] = sheet.colour(colour)
    return sheet.chart({"mark": mark, "encoding": encoding})


KIND = ChartKind(
    name="line",
    spec=Line,
    vega=_vega,
    words={
        "ja": ("折れ線グラフ", "折れ線", "線グラフ", "推移グラフ"),
        "en": ("Line chart", "line graph", "line plot", "trend line"),
    },
    prompt="a number over time or order (折れ線): x with x_unit (month, year …), y, agg, color",
    most=MOST_MOMENTS,
    most_dates=MOST_MOMENTS,
    is_trend=True,
)
