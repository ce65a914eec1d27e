"""When two readings are one: in another order, on other axes, by a number or its name."""

from collections.abc import Collection, Mapping, Sequence
from itertools import permutations
from typing import Any, cast

from sanbo.agents.analysis.building.steps import Spec
from sanbo.agents.analysis.mentions.lexicon import is_code
from sanbo.agents.analysis.mentions.scene import Scene
from sanbo.agents.analysis.mentions.tokens import forms
from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filter, Presence
from sanbo.agents.analysis.spec.operations import CorrelationMatrix, GroupbyAgg, Resample
from sanbo.agents.analysis.spec.plots import Aggregated, Hist, Plot, Scatter

_HELD = frozenset(("==", ">", ">=", "<", "<=", "in", "contains", "starts_with", "ends_with"))
"""Conditions that no empty cell meets."""
_FEW = 2


def computed(specs: Sequence[Spec]) -> tuple[str, ...]:
    """What is computed; what stands on which axis, and the order of a whole table, say no more."""
    plots = [spec for spec in specs if isinstance(spec, Plot)]
    tables = [spec for spec in specs if spec.type == "analysis"] or [*map(_behind, plots)]
    drawn = {name for plot in plots for name in plot.groups().values()}
    return tuple(_written(_plain(spec, drawn)) for spec in tables)


def _written(spec: Spec) -> str:
    """The same in whatever order its conditions were said; that a value is there goes unsaid."""
    compared = {one.col for one in spec.filters if not isinstance(one, AnyOf) and one.op in _HELD}
    implied = [one for one in spec.filters if isinstance(one, Presence) and one.col in compared]
    filters = sorted(one.model_dump_json() for one in spec.filters if one not in implied)
    return spec.model_copy(update={"filters": ()}).model_dump_json() + "".join(filters)


def _behind(plot: Plot) -> Spec:
    """The table that is drawn, where it could be asked for as well."""
    told: dict[str, Any] = {"filters": plot.filters}
    if isinstance(plot, Aggregated):
        told["metrics"] = {} if plot.y is None else {plot.y: (plot.agg or "sum",)}
        if plot.x_unit is not None:
            return Resample(date_col=plot.x, unit=plot.x_unit, **told)
        return GroupbyAgg(group_cols=(plot.x,), top_k=getattr(plot, "top_k", None), **told)
    if isinstance(plot, Hist):
        return GroupbyAgg(group_cols=(plot.x,), **told)
    if isinstance(plot, Scatter):
        x, y = sorted((plot.x, plot.y))
        return Scatter(x=x, y=y, filters=plot.filters)
    return cast("Spec", plot)


def _plain(spec: Spec, drawn: Collection[str]) -> Spec:
    filters = tuple(_in_order(_one_of(one)) for one in spec.filters)
    changes: dict[str, object] = {"filters": filters}
    if isinstance(spec, GroupbyAgg | Resample):
        metrics = sorted(spec.metrics.items())
        changes["metrics"] = {name: tuple(sorted(aggregates)) for name, aggregates in metrics}
    if isinstance(spec, GroupbyAgg):
        changes["group_cols"] = tuple(sorted({*spec.group_cols, *drawn}))
    elif isinstance(spec, Resample):
        changes["by"] = tuple(sorted({*spec.by, *drawn} - {spec.date_col}))
    elif isinstance(spec, CorrelationMatrix):
        changes["columns"] = tuple(sorted(spec.columns))
    if getattr(spec, "top_k", 0) is None and hasattr(spec, "sort"):
        changes["sort"] = None
    return spec.model_copy(update=changes)


def _in_order(one: Filter) -> Filter:
    if not isinstance(one, Among):
        return one
    return one.model_copy(update={"value": tuple(sorted(one.value, key=str))})


def _one_of(one: Filter) -> Filter:
    """East or West: one of the values of a column."""
    if not isinstance(one, AnyOf):
        return one
    parts = [part for part in one.any_of if isinstance(part, Compare) and part.op == "=="]
    if len(parts) < len(one.any_of) or len({part.col for part in parts}) > 1:
        return one
    return Among(col=parts[0].col, op="in", value=tuple(part.value for part in parts))


# ---- numbers and names ----


def names_of_numbers(scene: Scene) -> dict[str, str]:
    """Of a number (社員番号) the column of names: as many different ones, so either will do."""
    by_count: dict[int, list[ColumnProfile]] = {}
    for one in scene.columns.values():
        by_count.setdefault(one.profile.distinct, []).append(one.profile)
    pairs = [pair for count, pair in by_count.items() if count > _FEW and len(pair) == 2]
    return {
        one.name: other.name
        for pair in pairs
        for one, other in permutations(pair)
        if _is_number(one) and other.type == "text" and not _is_number(other)
    }


def _is_number(column: ColumnProfile) -> bool:
    return column.is_identifier or is_code(forms(column.name))


def by_names(told: tuple[str, ...], named: Mapping[str, str]) -> tuple[str, ...]:
    for number, name in named.items():
        told = tuple(one.replace(f'"{number}"', f'"{name}"') for one in told)
    return told
