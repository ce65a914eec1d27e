"""Readings of a question: what it may ask for as operations, the likeliest first."""

from collections.abc import Hashable
from itertools import product
from math import prod
from typing import NamedTuple

from pydantic import ValidationError

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.conversation import continued
from sanbo.agents.analysis.rules.coverage import disputes, unsaid
from sanbo.agents.analysis.rules.frame import UNREAD, Chooser, Frame
from sanbo.agents.analysis.rules.mentions import items_of
from sanbo.agents.analysis.rules.roles import read_roles
from sanbo.agents.analysis.rules.scene import Scene, scene_of
from sanbo.agents.analysis.rules.senses import Item
from sanbo.agents.analysis.rules.specs import NotMeant, Spec, specs_of
from sanbo.agents.analysis.spec.filters import AnyOf, Presence

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
    more = [one for one in reading.specs if _written(one) not in map(_written, other.specs)]
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


def _written(spec: Spec) -> str:
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
            frame = continued(base, frame)
        frame.cost += cost
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
            key = "\n".join(map(_written, specs))
            known = found.get(key)
            if known is None or total < known.cost:
                found[key] = Reading(specs, tuple(frame.unread), total, frame)
        if len(now) < 2:
            for key, options in chooser.seen.items():
                if key not in now:
                    told += [{**now, key: option} for option in options[1:]]
    assert best is not None
    return best
