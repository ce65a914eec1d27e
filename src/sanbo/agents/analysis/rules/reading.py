"""Readings of a question: what it may ask for as operations, the likeliest first.

Whether operations say all that was read: what none of them expresses would be dropped.

A word counts as read when it has a part in the frame. A part that no operation carries out is lost
in silence; so it costs as much as a word that found no place.
"""

from collections.abc import Hashable, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

from pydantic import ValidationError

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.frame import UNREAD, Chooser, Frame, Having, columns_of, continued
from sanbo.agents.analysis.rules.mentions import items_of
from sanbo.agents.analysis.rules.roles import read_roles
from sanbo.agents.analysis.rules.scene import Scene, scene_of
from sanbo.agents.analysis.rules.senses import Item
from sanbo.agents.analysis.rules.specs import NotMeant, Spec, specs_of
from sanbo.agents.analysis.rules.times import counted_from
from sanbo.agents.analysis.spec.filters import AnyOf, Presence
from sanbo.agents.analysis.spec.operations import GroupbyAgg
from sanbo.agents.analysis.spec.words import ROW_COUNT

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
        "having": all(_is_limited(one, later) for one in frame.having),
        "chart": frame.chart in (None, "any") or is_drawn,
        "rows": not frame.wants_rows or "top_rows" in kinds or not _is_list(frame),
    }
    groups = [
        group
        for group in frame.groups
        if group.unit is None or not frame.options.get("is_timeless")
    ]
    # A list shows all that the rows have.
    shown = kinds <= {"top_rows", "derive", "dedup", "impute"}
    measures = [one for one in frame.measures if one.column and (one.agg or not shown)]
    names = [
        *(group.column for group in groups),
        *(one.column or "" for one in measures),
        *(name for one in frame.conditions for name in columns_of(one)),
        *frame.columns,
        *(frame.colour or "", frame.facet or "", str(frame.options.get("counted_by", ""))),
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


def _is_limited(having: Having, later: Sequence[Spec]) -> bool:
    """Whether what is made of the rows is held against it."""
    limited = [name for spec in later for one in spec.filters for name in columns_of(one)]
    if having.column is None:
        return any(one.endswith(ROW_COUNT) for one in limited)
    return any(one.startswith(f"{having.column}_") for one in limited)


def _is_given(made: Sequence[dict[str, Any]], field: str) -> bool:
    return any(one.get(field) for one in made)


def _is_ordered(made: Sequence[dict[str, Any]]) -> bool:
    is_ranked = any(one.get("op") == "top_rows" and one.get("by") for one in made)
    return is_ranked or _is_given(made, "sort")


def _limits(one: dict[str, Any]) -> tuple[int | None, ...]:
    return one.get("n"), one.get("top_k")


MOST_SENSES = 24
MOST_CHOICES = 40
NEAR = 0.95
"""A second reading that costs so little more is offered too."""
OFFERED = 3
_HELD = frozenset(("==", ">", ">=", "<", "<=", "in", "contains", "starts_with", "ends_with"))
"""Conditions that no empty cell meets."""


class Reading(NamedTuple):
    specs: tuple[Spec, ...]
    unread: tuple[str, ...]
    cost: float
    frame: Frame
    set_aside: tuple[str, ...] = ()
    """Words that are taken to say no more."""


class Readings(NamedTuple):
    all: tuple[Reading, ...]
    """The likeliest first; none of them twice."""
    frame: Frame
    """Of the likeliest, also where nothing can be computed of it."""

    @property
    def sure(self) -> Reading | None:
        """The one that may be answered at once: nothing was left unread, and no other is near."""
        first, second = (*self.all[:2], None, None)[:2]
        if first is None or first.unread or first.cost >= NEAR:
            return None
        return None if second is not None and second.cost - first.cost < NEAR else first

    @property
    def offered(self) -> tuple[Reading, ...]:
        return self.all[:OFFERED]


def read_question(
    question: str, profile: DatasetProfile, first: int = 1, base: Frame | None = None
) -> Readings:
    scene = scene_of(profile)
    items = items_of(question, scene)
    found: dict[str, Reading] = {}
    best: Frame | None = None
    for senses, cost in _senses(items):
        frame = _read(senses, cost, scene, first, base, found)
        if best is None or frame.cost < best.cost:
            best = frame
    assert best is not None
    ordered: list[Reading] = []
    for reading in sorted(found.values(), key=lambda one: one.cost):
        if not any(_says_all_of(known, reading) for known in ordered):
            ordered.append(reading)
    return Readings(tuple(ordered), best)


def _says_all_of(reading: Reading, other: Reading) -> bool:
    """A table with its chart says what the chart alone does: there is nothing to choose."""
    more = [one for one in reading.specs if written(one) not in map(written, other.specs)]
    is_within = len(reading.specs) - len(more) == len(other.specs)
    return is_within and all(one.input == other.specs[-1].input for one in more)


def _senses(items: list[Item]) -> list[tuple[list[Item], float]]:
    """The question with one meaning for each stretch, the likeliest first."""
    made: list[tuple[list[Item], float]] = []
    options = [
        [(item.taken_as(sense), item.senses[0].quality - sense.quality) for sense in item.senses]
        for item in items
    ]
    several = [number for number, one in enumerate(options) if len(one) > 1]
    while prod(len(options[number]) for number in several) > MOST_SENSES:
        options[several[-1]] = options[several[-1]][:1]
        several.pop()
    for chosen in product(*(options[number] for number in several)):
        taken = [one[0][0] for one in options]
        cost = 0.0
        for number, (item, lost) in zip(several, chosen, strict=True):
            taken[number] = item
            cost += 4 * lost + (0.05 if item.sense != options[number][0][0].sense else 0)
        made.append((taken, cost))
    return sorted(made, key=lambda one: one[1])


def written(spec: Spec) -> str:
    """The same in whatever order its conditions were said; that a value is there goes unsaid."""
    compared = {one.col for one in spec.filters if not isinstance(one, AnyOf) and one.op in _HELD}
    implied = [one for one in spec.filters if isinstance(one, Presence) and one.col in compared]
    filters = sorted(one.model_dump_json() for one in spec.filters if one not in implied)
    return spec.model_copy(update={"filters": ()}).model_dump_json() + "".join(filters)


def _read(  # noqa: PLR0917
    items: list[Item],
    cost: float,
    scene: Scene,
    first: int,
    base: Frame | None,
    found: dict[str, Reading],
) -> Frame:
    """One run by itself, and one more for each other way in which words could be taken."""
    told: list[dict[str, Hashable]] = [{}]
    tried = 0
    best: Frame | None = None
    while told and tried < MOST_CHOICES:
        tried += 1
        now = told.pop(0)
        chooser = Chooser(now)
        frame = read_roles(items, scene, chooser)
        if base is not None:
            frame = continued(base, counted_from(base, frame))
        frame.cost += cost
        if frame.options.get("is_reversed") and frame.ascending is None:
            frame.cost += UNREAD  # of what?
        if best is None:
            best = frame
        before = chooser.cost
        try:
            specs = specs_of(frame, scene, chooser, first)
        except (NotMeant, ValidationError):
            specs = ()
        if specs:
            total = frame.cost + chooser.cost - before + UNREAD * len(unsaid(frame, specs))
            total += NEAR * bool(disputes(scene.profile, specs))
            key = "\n".join(map(written, specs))
            known = found.get(key)
            if known is None or total < known.cost:
                found[key] = Reading(specs, tuple(frame.unread), total, frame)
        if len(now) < 2:
            for key, options in chooser.seen.items():
                if key not in now:
                    told += [{**now, key: option} for option in options[1:]]
    assert best is not None
    return best
