"""What a question asks for, before it is an operation: measures, groups, conditions, order.

A question that goes on from the one before it: what it leaves unsaid stays as it was.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast

from sanbo.agents.analysis.spec.filters import AnyOf, Filter
from sanbo.agents.analysis.spec.words import Aggregate, TimeUnit

T = TypeVar("T")
UNREAD = 3.0
"""The cost of a word that found no place."""


Direction = Literal["increased", "decreased"]


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
    direction: Direction | None = None
    wants_rows: bool = False
    chart: str | None = None
    """A kind, or `any`."""
    is_stacked: bool = False
    colour: str | None = None
    facet: str | None = None
    derived: dict[str, Tree] = field(default_factory=dict[str, Tree])
    """Columns that are calculated of each row first, by their names."""
    formula: "Formula | None" = None
    steps: list[str] = field(default_factory=list[str])
    """dedup, fill_mean, fill_median: before anything else."""
    scope: str | None = None
    is_open: bool = False
    """It was asked back about, and not answered."""
    answered: "Frame | None" = None
    """The last one that was, behind one that was not."""
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


def continued(base: Frame, new: Frame) -> Frame:
    """`new` alone where it says what is computed and refers to nothing before it."""
    is_list = base.wants_rows and not base.measures
    if (base.is_open or is_list) and _is_another(base, new):
        return new if base.answered is None else continued(base.answered, new)
    is_open = base.is_open or not (base.measures or base.op)
    completes = base.is_empty or (is_open and not new.groups)
    says_what = bool(new.measures or new.op or new.wants_rows or new.formula)
    is_other = _is_other_figure(base, new)
    if not (not says_what or new.refers or new.is_measure_guessed or completes or is_other):
        return new
    if is_other or _is_end_of_each(base, new):
        new = _of_each(base, new)
    # What was not understood before is not forgotten, where it was asked about and not chosen.
    unread = list(dict.fromkeys([*base.unread, *new.unread]))
    cost = new.cost + UNREAD * (len(unread) - len(new.unread))
    cost += min(base.cost, UNREAD) if base.is_open else 0.0  # what was asked about stays open
    is_part = new.is_share and not base.is_share and not new.options.get("parts")
    parts = [name for one in base.conditions for name in columns_of(one)] if is_part else []
    cost += 1.0 if parts else 0.0  # of those that were told, or of all in each group
    is_ranked = base.limit is not None or base.is_cumulative
    if is_ranked and (is_other or new.options.get("is_reversed")):
        cost += 1.0  # of the same ones, or the first by that number
    merged = replace(base, cost=cost, unread=unread, scope=new.scope, is_open=False)
    merged.options = {**base.options, **new.options, **({"parts": parts} if parts else {})}
    if new.is_share and new.options.get("is_narrowed"):  # 食品だけに絞って割合で
        merged.options["is_share_of_groups"] = True
    merged.conditions = _conditions(base.conditions, new.conditions)
    merged.having = [*base.having, *new.having]
    merged.steps = list(dict.fromkeys([*base.steps, *new.steps]))
    is_same = all(one in base.groups for one in new.groups)
    if new.groups and not is_same:
        is_added = new.is_added or (new.is_stacked and len(base.groups) == len(new.groups) == 1)
        merged.groups = [*base.groups, *new.groups] if is_added else new.groups
    elif base.groups and not base.options.get("is_rows"):
        merged.options.pop("is_rows", None)  # the first three of those that were told
    if new.measures:
        merged.measures = _measures(base, new)
    unset = Frame()
    changes: dict[str, Any] = {
        name: value for name in _REPLACED if (value := getattr(new, name)) != getattr(unset, name)
    }
    if new.options.get("is_reversed") and new.ascending is None and base.ascending is not None:
        changes["ascending"] = not base.ascending
    if new.op is not None and not new.columns:
        changes["columns"] = base.columns or [m.column for m in base.measures if m.column]
    return replace(merged, **changes)


def _is_another(base: Frame, new: Frame) -> bool:
    """A question of its own, and no answer to what was asked back."""
    is_of_some = bool(new.groups or new.conditions or new.having)
    is_told = bool(new.measures or new.wants_rows or new.op or new.formula)
    if not (is_told and is_of_some) or new.refers or new.is_added:
        return False
    return not new.is_measure_guessed or bool(base.unread and base.answered)


def _is_other_figure(base: Frame, new: Frame) -> bool:
    """予算は？ behind 科目別の実績の合計: another number, and nothing else."""
    is_bare = new == Frame(
        measures=new.measures, options=new.options, unread=new.unread, cost=new.cost
    )
    is_one = len(new.measures) == 1 and new.measures[0].agg is None and new.measures[0].column
    return bool(is_bare and is_one and base.measures and (base.groups or base.conditions))


def _is_end_of_each(base: Frame, new: Frame) -> bool:
    """And the highest score, behind the average of each: of the same column."""
    known = [one.column for one in base.measures if one.agg]
    is_one = len(new.measures) == 1 and new.measures[0].agg is None
    is_same = is_one and new.measures[0].column in known and not new.groups
    is_of_row = new.wants_rows or new.options.get("is_one_row") or new.options.get("is_rows")
    is_end = new.refers and new.is_superlative and new.limit is None and not is_of_row
    return is_end and is_same and bool(base.groups)


def _of_each(base: Frame, new: Frame) -> Frame:
    """As the number before was put together; the highest as the maximum of each."""
    agg = base.measures[0].agg if base.measures[0].column else None
    agg = agg if agg in ("sum", "mean", "median", "max", "min") else None
    if new.is_superlative:
        agg = "min" if new.ascending else "max"
    measures = [Measure(one.column, agg) for one in new.measures]
    return replace(new, measures=measures, ascending=None, is_superlative=False)


_REPLACED = (
    "op", "columns", "ascending", "limit", "is_superlative", "is_share", "is_trend",
    "is_cumulative", "rolling", "growth", "direction", "chart", "is_stacked", "colour", "facet",
    "formula", "derived",
)  # fmt: skip
"""What takes the place of what was said before, where it is said at all."""


def _measures(base: Frame, new: Frame) -> list[Measure]:
    if new.is_measure_guessed and base.measures:
        columns = list(dict.fromkeys(one.column for one in base.measures if one.column))
        wanted = [Measure(column, one.agg) for column in columns for one in new.measures]
        return [*base.measures, *wanted] if new.is_added else wanted
    return [*base.measures, *new.measures] if new.is_added else new.measures


def _conditions(base: list[Filter], new: list[Filter]) -> list[Filter]:
    """A new condition on a column takes the place of the old one."""
    columns = {name for one in new for name in columns_of(one)}
    return [*(one for one in base if not columns_of(one) & columns), *new]


def columns_of(one: Filter) -> set[str]:
    return {part.col for part in one.any_of} if isinstance(one, AnyOf) else {one.col}
