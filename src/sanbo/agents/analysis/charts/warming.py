"""The first chart of a process is slow to come: fonts are read, parts are loaded. Done ahead."""

import pyarrow as pa

from sanbo.agents.analysis.charts.draw import draw
from sanbo.agents.analysis.execution.frames import TYPE_KEY, Frame
from sanbo.agents.analysis.spec.plots import Bar, Box, Hist, Line, Pie, PlotSpec, Scatter

_SPECS: tuple[PlotSpec, ...] = (
    Bar(x="名", y="値", color="色", stacked=True),
    Line(x="日", x_unit="month", y="値"),
    Pie(x="名", y="値"),
    Hist(x="値"),
    Scatter(x="値", y="値", color="色"),
    Box(x="名", y="値"),
)


def warm_up() -> None:
    """One small chart of each kind; nothing is kept of them but what was loaded."""
    frame = _sample()
    for spec in _SPECS:
        draw(spec, frame)


def _sample() -> Frame:
    count = 6
    columns = {
        "名": ("text", pa.array([f"店{index % 3}" for index in range(count)])),
        "色": ("text", pa.array([f"色{index % 2}" for index in range(count)])),
        "値": ("integer", pa.array([100_000 * index for index in range(count)])),
        "日": (
            "date",
            pa.array([index * 86_400_000_000 * 31 for index in range(count)], pa.timestamp("us")),
        ),
    }
    fields = [
        pa.field(name, array.type, metadata={TYPE_KEY: kind.encode()})
        for name, (kind, array) in columns.items()
    ]
    return Frame(pa.table([array for _, array in columns.values()], schema=pa.schema(fields)))
