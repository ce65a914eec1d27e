"""Charts: what is drawn along which axis, told apart by `kind`. Each kind is in `charts`."""

from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Field

from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.charts.area import Area
from sanbo.agents.analysis.charts.bar import Bar
from sanbo.agents.analysis.charts.box import Box
from sanbo.agents.analysis.charts.heatmap import Heatmap
from sanbo.agents.analysis.charts.histogram import Hist
from sanbo.agents.analysis.charts.kind import Aggregated, Plot
from sanbo.agents.analysis.charts.line import Line
from sanbo.agents.analysis.charts.pie import Pie
from sanbo.agents.analysis.charts.scatter import Scatter
from sanbo.agents.analysis.spec.operations import AnalysisSpec

__all__ = [
    "Aggregated",
    "AnySpec",
    "Area",
    "Bar",
    "Box",
    "Heatmap",
    "Hist",
    "Line",
    "Pie",
    "Plot",
    "PlotSpec",
    "Scatter",
]

if TYPE_CHECKING:
    PlotSpec = Plot
else:  # whatever kinds there are
    _SPECS: Any = Union[tuple(kind.spec for kind in KINDS.values())]  # noqa: UP007
    PlotSpec = Annotated[_SPECS, Field(discriminator="kind")]

AnySpec = Annotated[AnalysisSpec | PlotSpec, Field(discriminator="type")]
