"""Scatter charts: how two columns go together, row by row."""

from typing import Literal

from typing_extensions import override

from sanbo.agents.analysis.charts.kind import ChartKind, Plot
from sanbo.agents.analysis.charts.sheet import Sheet
from sanbo.agents.analysis.outcome import ResultTable, Vega
from sanbo.agents.analysis.spec.words import ColumnName

MOST_COLOURS = 8
"""Numbers of more values are shades of one scale, not colours of their own."""


class Scatter(Plot):
    kind: Literal["scatter"] = "scatter"
    x: ColumnName
    y: ColumnName
    size: ColumnName | None = None

    @override
    def groups(self) -> dict[str, str]:
        """Here every mark is a row: all its columns, each once."""
        named = {"facet": self.facet, "x": self.x, "y": self.y, "size": self.size}
        named["color"] = self.color
        found: dict[str, str] = {}
        for role, column in named.items():
            if column is not None and (role in ("x", "y") or column not in found.values()):
                found[role] = column
        return found


def _vega(spec: Scatter, table: ResultTable) -> Vega:
    sheet = Sheet(spec, table)
    encoding: Vega = {
        "x": sheet.along(sheet.roles.index("x"), most_named=0),
        "y": sheet.number(sheet.roles.index("y"), scale={"zero": False}),
    }
    colour, size = sheet.place("color"), sheet.place("size")
    if colour is not None:
        cells = sheet.cells(colour)
        is_number = table.columns[colour].kind in ("integer", "number", "share")
        if is_number and len(set(cells)) > MOST_COLOURS:
            encoding["color"] = sheet.shade(colour)
        else:
            encoding["color"] = sheet.colour(colour)
            encoding["shape"] = sheet.colour(colour)
    if size is not None:
        encoding["size"] = sheet.shade(size, scale={"range": [10, 400]})
    encoding["tooltip"] = sheet.tooltip()
    count = len(table.rows)
    mark: Vega = {"type": "point", "filled": True}
    mark["opacity"] = 0.35 if count > 2000 else 0.55 if count > 300 else 0.8
    if size is None:
        mark["size"] = 12 if count > 2000 else 25 if count > 300 else 45
    return sheet.chart({"mark": mark, "encoding": encoding})


KIND = ChartKind(
    name="scatter",
    spec=Scatter,
    vega=_vega,
    words={
        "ja": ("散布図", "バブルチャート", "相関図"),
        "en": (
            "Scatter plot",
            "xyplot",
            "scatter chart",
            "scatterplot",
            "scatter graph",
            "scatter",
            "xy plot",
            "bubble chart",
        ),
    },
    prompt="two numbers, row by row (散布図): x, y; color a grouping; size a third number",
    numbers="points",
)
