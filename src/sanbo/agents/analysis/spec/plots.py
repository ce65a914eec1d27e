"""Charts: what is drawn along which axis, told apart by `kind`."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from sanbo.agents.analysis.spec.filters import Filters
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.words import Aggregate, ColumnName, OnTable, TimeUnit


class Plot(OnTable):
    type: Literal["plot"] = "plot"
    filters: Filters = ()
    title: str = Field(default="", max_length=300)
    """Made from the columns, if left empty."""
    color: ColumnName | None = None
    facet: ColumnName | None = None
    """One small chart for each value."""
    fiscal_start: int = Field(default=4, ge=1, le=12)


class Hist(Plot):
    kind: Literal["hist"] = "hist"
    x: ColumnName
    bins: int | None = Field(default=None, ge=1, le=500)


class Scatter(Plot):
    kind: Literal["scatter"] = "scatter"
    x: ColumnName
    y: ColumnName
    size: ColumnName | None = None


class Aggregated(Plot):
    """One mark for each value of `x`; `y` is aggregated there. No `y`: rows are counted."""

    x: ColumnName
    x_unit: TimeUnit | None = None
    """For a date: by month, by weekday …"""
    y: ColumnName | None = None
    agg: Aggregate | None = None
    """Without it: the sum; where `y` is already one value for each `x`, that value."""


class Line(Aggregated):
    kind: Literal["line"] = "line"


class Bar(Aggregated):
    kind: Literal["bar"] = "bar"
    stacked: bool = False
    """`color` on top of each other instead of side by side."""
    normalized: bool = False
    """Stacked to 100 %."""
    horizontal: bool | None = None
    """Where names are long, unless told."""
    sort: Literal["value_desc", "value_asc", "label", "none"] = "none"
    """`none`: as the data stands; dates and numbers always stand in their own order."""
    top_k: int | None = Field(default=None, ge=1, le=1000)


class Pie(Aggregated):
    kind: Literal["pie"] = "pie"
    top_k: int = Field(default=8, ge=2, le=20)
    """Those after it become one piece, その他."""


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


PlotSpec = Annotated[
    Hist | Scatter | Line | Bar | Pie | Box,
    Field(discriminator="kind"),
]

AnySpec = Annotated[AnalysisSpec | PlotSpec, Field(discriminator="type")]
