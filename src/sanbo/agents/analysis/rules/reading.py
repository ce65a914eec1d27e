"""What one question says, slot by slot; conversation and plans work with this, not with text."""

from dataclasses import dataclass, field
from typing import Literal

from sanbo.agents.analysis.spec.filters import CompareOp, Filter
from sanbo.agents.analysis.spec.words import Aggregate, TimeUnit

Ask = Literal[
    "missing",
    "duplicates",
    "distinct",
    "count",
    "summary",
    "overview",
    "distribution",
    "outliers",
    "correlation",
    "versus",
    "share",
    "pareto",
    "pivot",
    "cumulative",
    "moving",
    "trend",
    "test",
    "compare",
    "difference",
    "from_mean",
    "top_percent",
    "rows",
    "which",
    "growth",
    "without_missing",
    "without_outliers",
    "without_duplicates",
    "only_missing",
    "normalized",
    "follow_up",
    "additive",
    "whole",
    "panels",
]

Test = Literal["t", "welch", "mann_whitney", "anova", "kruskal", "ks", "chi2"]
ChartWord = Literal["hist", "scatter", "line", "bar", "pie", "box", "stacked", "heatmap"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A column that is computed with; None counts rows."""

    column: str | None
    aggregate: Aggregate | None = None
    """None: what is usual for the column."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What rows are grouped by."""

    column: str
    unit: TimeUnit | None = None
    width: float | None = None
    """Of the classes that a number is cut into."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A number made of two columns: 利益率, 単価 × 数量."""

    name: str
    fn: Literal["divide", "subtract", "multiply", "add"]
    left: str
    right: str
    numerator_less: str | None = None
    """Taken from `left` first: (売上 - 原価) ÷ 売上."""


@dataclass(frozen=True, slots=True)
class Having:
    """A bound on groups, not on rows."""

    op: CompareOp
    value: float


@dataclass(frozen=True, slots=True)
class Contrast:
    """Rows in which one column lies above or below another, or its own mean (None)."""

    left: str
    op: CompareOp
    right: str | None


@dataclass(frozen=True, slots=True)
class Duration:
    """From one date to another, in a column of its own."""

    start: str
    end: str
    unit: Literal["days", "hours"]
    name: str


@dataclass(frozen=True, slots=True)
class Fill:
    """What missing cells become before anything is computed."""

    method: Literal["mean", "median", "mode", "constant", "forward"]
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words that fit several columns."""

    words: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    text: str
    """As the person wrote it."""
    asks: frozenset[Ask] = frozenset()
    measures: tuple[Measure, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    """That belong to no column in particular."""
    axes: tuple[Axis, ...] = ()
    unit: TimeUnit | None = None
    date_column: str | None = None
    filters: tuple[Filter, ...] = ()
    weekdays: tuple[int, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    """Column and value, of those that are not excluded."""
    share_of: str | None = None
    """The column of the value whose share is asked."""
    chart: ChartWord | None = None
    wants_chart: bool = False
    wants_table_only: bool = False
    color: str | None = None
    facet: str | None = None
    is_horizontal: bool | None = None
    bins: int | None = None
    order: Literal["desc", "asc"] | None = None
    top: int | None = None
    extreme: Literal["max", "min"] | None = None
    growth: tuple[TimeUnit, int] | None = None
    period_mean: TimeUnit | None = None
    per: str | None = None
    """Column of a mean per customer, per store."""
    formula: Formula | None = None
    having: Having | None = None
    contrast: Contrast | None = None
    duration: Duration | None = None
    fill: Fill | None = None
    test: Test | None = None
    method: str | None = None
    doubts: tuple[Doubt, ...] = ()
    unknown_values: tuple[str, ...] = ()
    unread_selection: tuple[str, ...] = ()
    """What says which rows are left out or kept, in a way that was not understood."""
    unknown_groups: tuple[str, ...] = ()
    unknown_words: tuple[str, ...] = ()
    """That nothing here explains."""
    assumptions: tuple[str, ...] = ()
    columns_seen: tuple[str, ...] = field(default=())
    """All that were named, in order."""

    @property
    def is_empty(self) -> bool:
        return not (
            self.asks - {"follow_up", "additive", "which", "whole", "compare", "versus"}
            or self.measures
            or self.axes
            or self.unit
            or self.filters
            or self.chart
            or self.wants_chart
            or self.top
            or self.order
            or self.extreme
            or self.aggregates
            or self.growth
            or self.period_mean
            or self.formula
            or self.color
            or self.facet
            or self.weekdays
            or self.columns_seen
        )


@dataclass(slots=True)
class Conditions:
    filters: list[Filter] = field(default_factory=list[Filter])
    weekdays: tuple[int, ...] = ()
    values: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    used: set[int] = field(default_factory=set[int])
    """Starts of the column mentions that only say which rows."""
    having: Having | None = None
    alternatives: set[str] = field(default_factory=set[str])
    """Columns whose values stand with an or between them: nothing is compared."""
    unit: TimeUnit | None = None
    """Of several periods that are named beside each other: 2023年度と2024年度."""
    homeless: list[str] = field(default_factory=list[str])
    """Bounds for which no column was found."""
    read: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Where the text stands that a condition on parts of words was made of."""
    assumptions: list[str] = field(default_factory=list[str])
