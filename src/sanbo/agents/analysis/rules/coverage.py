"""Whether operations say all that was read: what none of them expresses would be dropped.

A word counts as read when it has a part in the frame. A part that no operation carries out is lost
in silence; so it costs as much as a word that found no place.
"""

from collections.abc import Sequence
from typing import Any

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.conversation import columns_of
from sanbo.agents.analysis.rules.frame import Frame
from sanbo.agents.analysis.rules.specs import Spec
from sanbo.agents.analysis.spec.operations import GroupbyAgg

_UNORDERED = ("pie", "line", "area", "heatmap", "hist", "box")
"""Charts whose parts stand as they do."""


_CHANGES = frozenset(("compare_periods", "lag"))
_OF_ONE = _CHANGES | {"share_ratio", "cumulative", "rolling", "pivot"}
"""They take one number: another that was named is lost."""


def unsaid(frame: Frame, specs: Sequence[Spec]) -> list[str]:
    """The parts of the frame that are in no operation."""
    made = [spec.model_dump(exclude_none=True) for spec in specs]
    kinds = {str(one.get("op") or one["kind"]) for one in made}
    is_drawn = any(one["type"] == "plot" for one in made)
    is_share = "share_ratio" in kinds or "pie" in kinds or _is_given(made, "normalized")
    is_along = any(group.unit is not None for group in frame.groups)
    later = [spec for spec in specs[1:] if spec.type == "analysis"]
    parts = {
        "order": frame.ascending is None
        or _is_ordered(made)
        or frame.chart in _UNORDERED
        or ("share_ratio" in kinds and not frame.ascending),  # the largest part stands first
        "limit": frame.limit is None or any(frame.limit in _limits(one) for one in made),
        "share": not frame.is_share or is_share,
        "trend": not frame.is_trend or is_drawn or bool(frame.groups or kinds & _CHANGES),
        "growth": frame.growth is None or bool(kinds & _CHANGES),
        "difference": not frame.options.get("is_difference")
        or bool(kinds & {*_CHANGES, "compare_groups", "scatter"} or frame.groups or frame.formula),
        "direction": not (frame.direction and frame.groups) or bool(kinds & _CHANGES),
        # 2025年の累計 is a total: only along time there is something to add up.
        "cumulative": not (frame.is_cumulative and is_along) or "cumulative" in kinds,
        "rolling": frame.rolling is None or "rolling" in kinds,
        "having": not frame.having or any(spec.filters for spec in later),
        "chart": frame.chart in (None, "any") or is_drawn,
        "rows": not frame.wants_rows or "top_rows" in kinds or not _is_list(frame),
    }
    groups = [
        group
        for group in frame.groups
        if group.unit is None or not frame.options.get("is_timeless")
    ]
    names = [
        *(group.column for group in groups),
        *(one.column for one in frame.measures if one.column and (one.agg or kinds & _OF_ONE)),
        *(name for one in frame.conditions for name in columns_of(one)),
        *frame.columns,
    ]
    units = [f"'{group.unit}'" for group in groups if group.unit is not None]
    said = str(made)
    lost = [name for name in dict.fromkeys([*names, *units]) if name not in said]
    return [*(name for name, is_said in parts.items() if not is_said), *lost]


def disputes(profile: DatasetProfile, specs: Sequence[Spec]) -> tuple[str, ...]:
    """What the file says against a total of all its rows: another sum, or a table beside it."""
    first = specs[0]
    if len(specs) > 1 or not isinstance(first, GroupbyAgg) or first.group_cols or first.filters:
        return ()
    summed = [name for name, aggs in first.metrics.items() if "sum" in aggs]
    beside = any(name.startswith(f"{profile.sheet}#") for name in profile.sheets)
    return tuple(
        one.text
        for one in profile.preparations
        if (one.kind == "totals" and not one.is_done and any(name in one.text for name in summed))
        or (one.kind == "tables" and one.is_done and beside and summed)
    )


def _is_list(frame: Frame) -> bool:
    """Rows are asked for, and nothing is to be computed of them."""
    return not (frame.measures or frame.groups or frame.formula or frame.is_share or frame.op)


def _is_given(made: Sequence[dict[str, Any]], field: str) -> bool:
    return any(one.get(field) for one in made)


def _is_ordered(made: Sequence[dict[str, Any]]) -> bool:
    is_ranked = any(one.get("op") == "top_rows" and one.get("by") for one in made)
    return is_ranked or _is_given(made, "sort")


def _limits(one: dict[str, Any]) -> tuple[int | None, ...]:
    return one.get("n"), one.get("top_k")
