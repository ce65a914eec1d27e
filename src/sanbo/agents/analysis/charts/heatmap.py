"""Heat maps: a number for each pair of two groups, as a shade."""

from typing import Literal

from typing_extensions import override

from sanbo.agents.analysis.charts.kind import Aggregated, ChartKind
from sanbo.agents.analysis.charts.sheet import Sheet
from sanbo.agents.analysis.outcome import ResultTable, Vega
from sanbo.agents.analysis.spec.words import ColumnName, TimeUnit

_MOST_WRITTEN = 150
_STEP = 26
_LIGHT, _DARK = "#ffffff", "#111111"


class Heatmap(Aggregated):
    kind: Literal["heatmap"] = "heatmap"
    by: ColumnName
    """The groups down the side; those along the axis are `x`."""
    by_unit: TimeUnit | None = None

    @override
    def groups(self) -> dict[str, str]:
        """The shade is the number itself: `color` can't be one more."""
        found = {role: name for role, name in super().groups().items() if role != "color"}
        return {**found, "by": self.by}


def _vega(spec: Heatmap, table: ResultTable) -> Vega:
    sheet = Sheet(spec, table)
    down = sheet.roles.index("by")
    shade = sheet.shade(sheet.value)
    encoding: Vega = {
        "x": sheet.nominal(sheet.roles.index("x")),
        "y": sheet.down(down),
        "tooltip": sheet.tooltip(),
    }
    layers: list[Vega] = [{"mark": "rect", "encoding": {"color": shade}}]
    values = sheet.numbers(sheet.value)
    if sheet.is_single and len(table.rows) <= _MOST_WRITTEN and values:
        middle = (min(values) + max(values)) / 2  # the scale is dark below and light above
        written: Vega = {
            "text": sheet.written(sheet.value),
            "color": {
                "condition": {"test": {"field": shade["field"], "gt": middle}, "value": _DARK},
                "value": _LIGHT,
            },
        }
        layers.append({"mark": {"type": "text"}, "encoding": written})
    height = max(_STEP * len(sheet.names(down)), 80)
    return sheet.chart({"encoding": encoding, "layer": layers}, height=height)


KIND = ChartKind(
    name="heatmap",
    spec=Heatmap,
    vega=_vega,
    words={
        "ja": ("ヒートマップ", "色の濃淡", "濃淡図"),
        "en": ("Heat map", "heatmap"),
    },
    prompt="a number for two groupings at once (ヒートマップ): x and by (with x_unit, by_unit for "
    "dates), y, agg",
    most=50,
)
