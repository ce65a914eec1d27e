"""Pie charts: shares of a whole, their names and percentages in the legend."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from sanbo.agents.analysis.charts.kind import Aggregated, ChartKind
from sanbo.agents.analysis.charts.sheet import PANEL_HEIGHT, Sheet
from sanbo.agents.analysis.outcome import ResultTable, Vega

_RADIUS = 150
_SMALLEST_WRITTEN = 0.04


class Pie(Aggregated):
    kind: Literal["pie"] = "pie"
    top_k: int = Field(default=8, ge=2, le=20)
    """Those after it become one piece, その他."""

    @override
    def groups(self) -> dict[str, str]:
        """A colour for each piece: `color` can't be one more."""
        return {role: name for role, name in super().groups().items() if role != "color"}


def _vega(spec: Pie, table: ResultTable) -> Vega:
    sheet = Sheet(spec, table)
    place, share = sheet.roles.index("x"), len(table.columns) - 1
    radius = _RADIUS if sheet.is_single else PANEL_HEIGHT // 2
    names, order = sheet.names(place), sheet.stacked(place)
    shares = [cell if isinstance(cell, float) else 0.0 for cell in sheet.cells(share)]
    if sheet.is_single:  # a small piece has its share in the legend alone
        names = [f"{name}  {part:.1%}" for name, part in zip(names, shares, strict=True)]
        sheet.show(place, names)
    labels = [f"{part:.1%}" if part >= _SMALLEST_WRITTEN else "" for part in shares]
    pieces: Vega = {
        "theta": {"field": f"c{share}", "type": "quantitative", "stack": True},
        "order": order,
    }
    arc: Vega = {
        "mark": {"type": "arc", "outerRadius": radius, "padAngle": 0.01},
        "encoding": {"color": sheet.colour(place, names), "tooltip": sheet.tooltip()},
    }
    text: Vega = {"field": sheet.added("text", labels), "type": "nominal"}
    written: Vega = {
        "mark": {"type": "text", "radius": radius + 26},
        "encoding": {"text": text, "detail": {"field": f"c{place}", "type": "nominal"}},
    }
    view: Vega = {"encoding": pieces, "layer": [arc, written]}
    return sheet.chart(view, width=2 * radius + 110, height=2 * radius + 70)


KIND = ChartKind(
    name="pie",
    spec=Pie,
    vega=_vega,
    words={
        "ja": ("円グラフ", "パイチャート", "ドーナツグラフ"),
        "en": ("Pie chart", "pie", "pie graph", "donut chart"),
    },
    prompt="shares of few categories (円グラフ): x, y, agg sum or count, top_k",
    most=10_000,
    most_dates=12,
    is_whole=True,
)
