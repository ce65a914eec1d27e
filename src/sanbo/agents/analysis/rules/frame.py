"""What a question asks for, before it is an operation: measures, groups, conditions, order."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from sanbo.agents.analysis.spec.filters import Filter
from sanbo.agents.analysis.spec.words import Aggregate, TimeUnit

T = TypeVar("T")
UNREAD = 3.0
"""The cost of a word that found no place."""


@dataclass(frozen=True)
class Measure:
    column: str | None
    """None: rows are counted."""
    agg: Aggregate | None = None
    """None: nothing was said."""


@dataclass(frozen=True)
class Group:
    column: str
    unit: TimeUnit | None = None
    width: float | None = None
    """In steps of so much."""
    parts: int | None = None
    """In so many parts of equal size."""


@dataclass(frozen=True)
class Having:
    """A condition on groups, not on rows."""

    agg: Aggregate | None
    column: str | None
    op: str
    value: float | Literal["mean"]


@dataclass(frozen=True)
class Growth:
    unit: TimeUnit
    against: Literal["previous", "year_before"]


@dataclass(frozen=True)
class Formula:
    name: str
    tree: dict[str, Any]
    """As an operation writes it, over columns."""
    level: Literal["sums", "rows", "open"]
    """Of the sums of each group, or of each row; open: of either."""
    counted: str | None = None
    """A column of which the different ones are counted, where others are summed."""
    product: dict[str, Any] | None = None
    """Of each row, before anything is summed: a tree whose name the other one has."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_columns(self.tree)))

    def agg(self, column: str) -> Aggregate:
        return "nunique" if column == self.counted else "sum"

    def over(self, names: dict[str, str]) -> dict[str, Any]:
        """The same over columns with other names."""
        return _renamed(self.tree, names)


Tree = dict[str, Any]


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
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    ascending: bool | None = None
    """None: no order was asked for."""
    limit: int | None = None
    is_superlative: bool = False
    """The largest is asked for, not a list in order."""
    is_share: bool = False
    is_trend: bool = False
    is_cumulative: bool = False
    rolling: int | None = None
    growth: Growth | None = None
    direction: Literal["increased", "decreased"] | None = None
    wants_rows: bool = False
    chart: str | None = None
    """A kind, or `any`."""
    is_stacked: bool = False
    colour: str | None = None
    facet: str | None = None
    formula: "Formula | None" = None
    steps: list[str] = field(default_factory=list[str])
    """dedup, fill_mean, fill_median: before anything else."""
    scope: str | None = None
    is_open: bool = False
    """It was asked back about, and not answered."""
    refers: bool = False
    """To the question before: その, instead."""
    is_added: bool = False
    """To what was asked before: also."""
    is_measure_guessed: bool = False
    """No number was named."""
    is_count_guessed: bool = False
    """Neither a number nor a count was."""
    unread: list[str] = field(default_factory=list[str])
    absent: list[str] = field(default_factory=list[str])
    """What is asked for and the table does not hold."""
    cost: float = 0.0

    @property
    def is_empty(self) -> bool:
        """Nothing says what is computed: conditions, an order or a chart alone."""
        return not (self.measures or self.groups or self.op or self.wants_rows or self.formula)


class Chooser:
    """Where words can be taken in two ways: the first by itself, another when told to."""

    def __init__(self, told: dict[str, Hashable]) -> None:
        self._told = told
        self.cost = 0.0
        self.seen: dict[str, list[Hashable]] = {}

    def choose(self, key: str, options: Sequence[tuple[T, float]]) -> T:
        """Options with their costs; the first is what is taken when nothing was told."""
        self.seen[key] = [option for option, _ in options]  # type: ignore[misc]
        for option, cost in options:
            if key in self._told and option == self._told[key]:
                self.cost += cost
                return option
        self.cost += options[0][1]
        return options[0][0]
