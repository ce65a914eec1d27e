"""What operations would leave unsaid: parts of what was read, what the file says against it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast, get_args

from sanbo.agents.analysis.building.frame import Frame, Having, columns_of
from sanbo.agents.analysis.building.steps import Spec
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.spec.operations import GroupbyAgg
from sanbo.agents.analysis.spec.words import ROW_COUNT, Aggregate

_UNORDERED = ("pie", "line", "area", "heatmap", "hist", "box")
"""Charts whose parts stand as they do."""
_CHANGES = frozenset(("compare_periods", "lag"))


def unsaid(frame: Frame, specs: Sequence[Spec]) -> list[str]:
    """The parts of the frame that are in no operation."""
    made = [spec.model_dump(exclude_none=True) for spec in specs]
    kinds = {str(one.get("op") or one["kind"]) for one in made}
    is_drawn = any(one["type"] == "plot" for one in made)
    later = [spec for spec in specs[1:] if spec.type == "analysis"]
    parts = {
        "order": frame.ascending is None
        or _is_ordered(made)
        or frame.chart in _UNORDERED
        or ("share_ratio" in kinds and not frame.ascending),  # the largest part stands first
        "limit": frame.limit is None or any(frame.limit in _limits(one) for one in made),
        "share": not frame.is_share or bool(kinds & {"share_ratio", "pie"}),
        "growth": frame.growth is None or bool(kinds & _CHANGES),
        "direction": not (frame.direction and frame.groups) or bool(kinds & _CHANGES),
        "cumulative": not frame.is_cumulative or "cumulative" in kinds,
        "rolling": frame.rolling is None or "rolling" in kinds,
        "having": all(_is_limited(one, later) for one in frame.having),
        "chart": frame.chart is None or is_drawn,
        "rows": not frame.wants_rows or "top_rows" in kinds or not _is_list(frame),
    }
    # A list shows all that the rows have.
    shown = kinds <= {"top_rows", "derive", "dedup", "impute"}
    measures = [one for one in frame.measures if one.column and (one.agg or not shown)]
    names = [
        *(group.column for group in frame.groups),
        *(one.column or "" for one in measures),
        *(name for one in frame.conditions for name in columns_of(one)),
        *frame.columns,
    ]
    units = [group.unit for group in frame.groups if group.unit is not None]
    said = words_of(specs) | done_by(specs)
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


_CLOSED = frozenset(("type", "op", "kind", "fn", "agg", "method", "stat", "unit", "part", "input"))
_AGGREGATES = frozenset(get_args(Aggregate))
_METRIC = "metric"


def words_of(specs: Sequence[Spec]) -> frozenset[str]:
    """The names that stand in them, and what conditions say; of 売上_sum also 売上."""
    found: set[str] = set()
    for key, text in _texts(specs):
        if key not in _CLOSED:
            of, _, aggregate = text.rpartition("_")
            is_figure = aggregate in _AGGREGATES and key != _METRIC
            found.update((text, of) if is_figure else (text,))
    return frozenset(found)


def done_by(specs: Sequence[Spec]) -> frozenset[str]:
    """Their operations, methods and aggregates."""
    return frozenset(text for key, text in _texts(specs) if key in _CLOSED)


def _texts(specs: Sequence[Spec]) -> Iterator[tuple[str, str]]:
    """All that stands in them, each behind its field; a column that is measured is `_METRIC`."""

    def look(part: object, key: str = "") -> Iterator[tuple[str, str]]:
        if isinstance(part, str):
            yield key, part
        elif isinstance(part, Mapping):
            for name, value in cast("Mapping[str, object]", part).items():
                if key == "metrics":
                    yield _METRIC, name
                    yield from look(value, "agg")
                else:
                    yield from look(value, name)
        elif isinstance(part, list | tuple):
            for one in cast("Sequence[object]", part):
                yield from look(one, key)

    for spec in specs:
        yield from look(spec.model_dump(exclude_none=True))


def _is_list(frame: Frame) -> bool:
    """Rows are asked for, and nothing is to be computed of them."""
    return not (frame.measures or frame.groups or frame.formula or frame.is_share or frame.op)


def _is_limited(having: Having, later: Sequence[Spec]) -> bool:
    """Whether what is made of the rows is held against it."""
    limited = [name for spec in later for one in spec.filters for name in columns_of(one)]
    if having.column is None:
        return any(one.endswith(ROW_COUNT) for one in limited)
    return any(one.startswith(f"{having.column}_") for one in limited)


def _is_ordered(made: Sequence[dict[str, Any]]) -> bool:
    return any(one.get("sort") or (one.get("op") == "top_rows" and one.get("by")) for one in made)


def _limits(one: dict[str, Any]) -> tuple[int | None, ...]:
    return one.get("n"), one.get("top_k")
