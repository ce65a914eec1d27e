"""What a question asks for, before it is operations: figures, groups, conditions, order."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

from sanbo.agents.analysis.spec.filters import AnyOf, Filter
from sanbo.agents.analysis.spec.words import Aggregate, PeriodUnit, TimeUnit

Direction = Literal["increased", "decreased"]
Tree = dict[str, Any]
"""A calculation as an operation writes it, over columns."""
Span = tuple[str, str]
"""A time from its first to its last period."""


class Measure(NamedTuple):
    column: str | None
    """None: rows are counted."""
    agg: Aggregate | None = None
    """None: rows as they are."""


class Group(NamedTuple):
    column: str
    unit: TimeUnit | None = None
    width: float | None = None
    """In steps of so much."""


class Having(NamedTuple):
    """A condition on groups, not on rows."""

    agg: Aggregate | None
    column: str | None
    op: str
    value: float | Literal["mean"]


class Growth(NamedTuple):
    unit: PeriodUnit
    against: Literal["previous", "year_before"]


class Against(NamedTuple):
    """One column held against another; of dates, with so many days between them."""

    left: str
    op: str
    right: str
    days: float | None = None


class Weekdays(NamedTuple):
    column: str
    numbers: list[int]
    op: str


class Formula(NamedTuple):
    """A figure of the sums of each group."""

    name: str
    tree: Tree
    counted: str | None = None
    """A column of which the different ones are counted, where others are summed."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_columns(self.tree)))

    def agg(self, column: str) -> Aggregate:
        return "nunique" if column == self.counted else "sum"

    def over(self, names: dict[str, str]) -> Tree:
        """The same over columns with other names."""
        return _renamed(self.tree, names)


def _parts(tree: Tree) -> dict[str, Tree]:
    """By the names of its sides: left and right, start and end."""
    return {side: cast("Tree", one) for side, one in tree.items() if isinstance(one, dict)}


def _columns(tree: Tree) -> list[str]:
    if tree["fn"] == "column":
        return [tree["name"]]
    return [name for one in _parts(tree).values() for name in _columns(one)]


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    if tree["fn"] == "column":
        return {"fn": "column", "name": names[tree["name"]]}
    return tree | {side: _renamed(one, names) for side, one in _parts(tree).items()}


@dataclass
class Frame:
    measures: list[Measure] = field(default_factory=list[Measure])
    groups: list[Group] = field(default_factory=list[Group])
    conditions: list[Filter] = field(default_factory=list[Filter])
    having: list[Having] = field(default_factory=list[Having])
    op: str | None = None
    """Of its own: correlation, outliers, missingness …"""
    columns: list[str] = field(default_factory=list[str])
    """That the operation looks at."""
    method: str | None = None
    """How it does: pearson, iqr, welch …"""
    wants_rows: bool = False
    ascending: bool | None = None
    """None: no order was asked for."""
    limit: int | None = None
    is_superlative: bool = False
    """The largest is asked for, not a list in order."""
    order_by: str | None = None
    """The figure that groups stand by."""
    by_day: str | None = None
    """The date that rows stand by."""
    each: str | None = None
    """So many of each of its values."""
    is_share: bool = False
    rate: Filter | None = None
    """It tells a part of the rows, and leaves none out."""
    is_cumulative: bool = False
    rolling: int | None = None
    growth: Growth | None = None
    dated: str | None = None
    """The date of two periods that are held beside each other."""
    spans: tuple[Span, Span] | None = None
    """They lie anywhere: the earlier one, and the later."""
    direction: Direction | None = None
    """Only what rose, or fell."""
    chart: str | None = None
    is_stacked: bool = False
    is_apart: bool = False
    """A chart for each of the last group, not a colour."""
    is_cross: bool = False
    """Two groups across each other."""
    bins: dict[str, float] = field(default_factory=dict[str, float])
    """Of a histogram: how many, or how wide."""
    derived: dict[str, Tree] = field(default_factory=dict[str, Tree])
    """Columns that are calculated of each row first, by their names."""
    formula: Formula | None = None
    per: Group | None = None
    """The average of what these have each."""
    is_total: bool = False
    """What the first ones come to."""
    against: Against | None = None
    weekdays: Weekdays | None = None
    steps: list[str] = field(default_factory=list[str])
    """dedup, fill_mean, fill_median: before anything else."""
    is_year_open: bool = False
    """A month stands in several years."""


def columns_of(one: Filter) -> set[str]:
    return {part.col for part in one.any_of} if isinstance(one, AnyOf) else {one.col}
