"""What a kind of chart declares about itself, in one record: its spec, its drawing, its words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from sanbo.agents.analysis.outcome import ResultTable, Vega
from sanbo.agents.analysis.spec.filters import Filters
from sanbo.agents.analysis.spec.words import Aggregate, ColumnName, OnTable, TimeUnit
from sanbo.kernel.messages import Language


class Plot(OnTable):
    type: Literal["plot"] = "plot"
    kind: Any
    """Each kind's own word, a literal."""
    filters: Filters = ()
    title: str = Field(default="", max_length=300)
    """Made from the columns, if left empty."""
    color: ColumnName | None = None
    facet: ColumnName | None = None
    """One small chart for each value."""
    fiscal_start: int = Field(default=4, ge=1, le=12)

    def groups(self) -> dict[str, str]:
        """The columns that tell marks apart by their role, in the order of the table behind."""
        named = {"facet": self.facet, "x": getattr(self, "x", None), "color": self.color}
        if self.color in (named["facet"], named["x"]):  # would say again what stands there already
            named["color"] = None
        return {role: column for role, column in named.items() if column is not None}


class Aggregated(Plot):
    """One mark for each value of `x`; `y` is aggregated there. No `y`: rows are counted."""

    x: ColumnName
    x_unit: TimeUnit | None = None
    """For a date: by month, by weekday …"""
    y: ColumnName | None = None
    agg: Aggregate | None = None
    """Without it: the sum; where `y` is already one value for each `x`, that value."""


class Stackable(Aggregated):
    stacked: bool = False
    """`color` on top of each other instead of side by side."""
    normalized: bool = False
    """Stacked to 100 %."""


Numbers = Literal["groups", "bins", "quartiles", "points"]
"""What the table behind a chart has a row for: a group, a bin, a box, a row of the data."""


@dataclass(frozen=True)
class ChartKind:
    name: str
    """The word of its specs."""
    spec: type[Plot]
    vega: Callable[[Any, ResultTable], Vega]
    """A pure function of a spec and of the table with all that is drawn, in Vega-Lite."""
    words: Mapping[Language, tuple[str, ...]]
    """By which people ask for it; the first one is its name."""
    prompt: str
    """For a model: when to choose it, and its fields."""
    numbers: Numbers = "groups"
    most: int = 50
    """Places along its axis that can be read; the others are left out, which is told."""
    most_dates: int = 50
    """More dates than that are put together by a longer unit of time."""
    is_trend: bool = False
    """Along time it shows how something went on."""
    is_whole: bool = False
    """Its marks are parts of one whole: no negative ones, and the small ones together."""
