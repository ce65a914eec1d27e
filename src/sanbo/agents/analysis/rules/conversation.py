"""A question that goes on from the one before it: what it leaves unsaid stays as it was."""

from dataclasses import replace
from typing import Any

from sanbo.agents.analysis.rules.frame import UNREAD, Frame, Measure
from sanbo.agents.analysis.spec.filters import AnyOf, Filter


def continued(base: Frame, new: Frame) -> Frame:
    """`new` alone where it says what is computed and refers to nothing before it."""
    is_open = base.is_open or not (base.measures or base.op)
    completes = base.is_empty or (is_open and not new.groups)
    says_what = bool(new.measures or new.op or new.wants_rows or new.formula)
    if not (not says_what or new.refers or new.is_measure_guessed or completes):
        return new
    # What was not understood before is not forgotten, where it was asked about and not chosen.
    unread = list(dict.fromkeys([*base.unread, *new.unread]))
    cost = new.cost + UNREAD * (len(unread) - len(new.unread))
    merged = replace(base, cost=cost, unread=unread, scope=new.scope, is_open=False)
    merged.options = {**base.options, **new.options}
    merged.conditions = _conditions(base.conditions, new.conditions)
    merged.having = [*base.having, *new.having]
    merged.steps = list(dict.fromkeys([*base.steps, *new.steps]))
    if new.groups:
        merged.groups = [*base.groups, *new.groups] if new.is_added else new.groups
    if new.measures:
        merged.measures = _measures(base, new)
    unset = Frame()
    changes: dict[str, Any] = {
        name: value for name in _REPLACED if (value := getattr(new, name)) != getattr(unset, name)
    }
    if new.op is not None and not new.columns:
        changes["columns"] = base.columns or [m.column for m in base.measures if m.column]
    return replace(merged, **changes)


_REPLACED = (
    "op", "columns", "ascending", "limit", "is_superlative", "is_share", "is_trend",
    "is_cumulative", "rolling", "growth", "direction", "chart", "is_stacked", "colour", "facet",
    "formula",
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
