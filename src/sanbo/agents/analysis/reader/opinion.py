"""A second opinion on what a question asks for: the network's, held against what the rules read."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from pydantic import ValidationError

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.reader.features import features_of
from sanbo.agents.analysis.reader.frames import frame_of
from sanbo.agents.analysis.reader.grammar import Grammar
from sanbo.agents.analysis.reader.network import readings as read
from sanbo.agents.analysis.rules.frame import UNREAD, Chooser, Frame
from sanbo.agents.analysis.rules.mentions import items_of
from sanbo.agents.analysis.rules.reading import NEAR, OFFERED, Reading, Readings, written
from sanbo.agents.analysis.rules.scene import Scene, scene_of
from sanbo.agents.analysis.rules.specs import specs_of
from sanbo.agents.analysis.rules.steps import NotMeant, Spec
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filter
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample, TopRows
from sanbo.agents.analysis.spec.words import DATASET

_DOUBTS = 0.2
"""So likely, and it is something else: what the rules are sure of is asked about."""
_DOUBTS_OF_SEVERAL = 0.8
"""The same where it had to read several questions as one."""
_BETWEEN = ("。", ", ")
_KNOWN = 0.25
"""Beside what is likeliest so likely at least: the network sees it, too."""
_SURE, _SURE_OF_WORDS = 0.7, 0.95
"""So likely, and the rules read it, too, though another was near, or not all words: answered."""
_WORTH_OFFERING = 0.1


class Opinion(NamedTuple):
    specs: tuple[Spec, ...]
    frame: Frame
    chance: float


def weighed(
    readings: Readings, questions: Sequence[str], profile: DatasetProfile, first: int
) -> Readings:
    """The rules' readings, surer where the network agrees and doubted where it does not.

    `questions`: the one that was read, behind those that it may go on from.
    """
    if readings.frame.scope is not None or readings.frame.absent:
        return readings
    scene, sure = scene_of(profile), readings.sure
    out = {pair for one in readings.all[:1] for pair in _values(one.specs, ("!=", "not_in"))}
    opinions = _opinions(questions[-1], scene, first, out)
    is_alone = len(questions) == 1 or (sure is not None and _is_known(sure, opinions))
    if not is_alone:
        text = _BETWEEN[questions[-1].isascii()].join(questions)
        opinions = _opinions(text, scene, first, out)
    if not opinions:
        return readings
    if sure is None:
        return _settled(readings, opinions, questions[-1], scene)
    is_drawn = not is_alone and sure.frame.chart is not None
    if is_drawn or not _can_be_said(sure.specs) or _is_known(sure, opinions):
        return readings
    best = opinions[0]
    if best.chance < (_DOUBTS if is_alone else _DOUBTS_OF_SEVERAL):
        return readings
    doubt = Reading(best.specs, (), sure.cost + NEAR / 2, best.frame)
    return readings._replace(all=(sure, doubt, *readings.all[1:]))


def _settled(
    readings: Readings, opinions: Sequence[Opinion], question: str, scene: Scene
) -> Readings:
    """What the rules asked about: answered where the network is sure of one of theirs."""
    near = [one for one in readings.all if one.cost < readings.all[0].cost + NEAR]
    if not all(_can_be_said(one.specs) for one in near):
        return readings
    best = max(readings.all, key=lambda one: _chance(one, opinions), default=None)
    least = _SURE_OF_WORDS if best is not None and best.unread else _SURE
    if best is None or _chance(best, opinions) < least or _asks(best.unread, question, scene):
        return readings._replace(all=_offered(readings.all, opinions))
    rest = [one._replace(cost=one.cost + NEAR) for one in readings.all if one is not best]
    return readings._replace(all=(best._replace(unread=(), cost=0.0, set_aside=best.unread), *rest))


def _values(specs: Sequence[Spec], ops: tuple[str, ...]) -> set[tuple[str, str]]:
    """Columns with the values that conditions name: what is left out, or what is kept."""
    conditions = [
        part
        for spec in specs
        for one in spec.filters
        for part in (one.any_of if isinstance(one, AnyOf) else (one,))
        if part.op in ops
    ]
    return {
        (one.col, str(value))
        for one in conditions
        if isinstance(one, Compare | Among)
        for value in (one.value if isinstance(one, Among) else (one.value,))
    }


_SAID = frozenset(
    ("groupby_agg", "resample", "share_ratio", "top_rows", "derive", "compare_periods")
)
_AGGREGATES = frozenset(("sum", "mean", "median", "max", "min", "std", "nunique", "count"))
_PUT_TOGETHER = (GroupbyAgg, Resample)


def _can_be_said(specs: Sequence[Spec]) -> bool:
    """Whether the network's words say it at all: no outliers, no average of months' totals."""
    analyses = [spec for spec in specs if spec.type == "analysis"]
    for at, spec in enumerate(analyses):
        if spec.op not in _SAID or (isinstance(spec, TopRows) and spec.per is not None):
            return False
        if isinstance(spec, _PUT_TOGETHER):
            aggs = {agg for several in spec.metrics.values() for agg in several}
            is_again = spec.input != DATASET and any(
                isinstance(one, _PUT_TOGETHER) for one in analyses[:at]
            )
            if is_again or not aggs <= _AGGREGATES:
                return False
    return True


def _asks(unread: Sequence[str], question: str, scene: Scene) -> bool:
    """Whether one of the words asks for something: per, more than, not, a number."""
    asking = {item.text for item in items_of(question, scene) if item.sense.kind != "unknown"}
    return not asking.isdisjoint(unread)


def _offered(known: Sequence[Reading], opinions: Sequence[Opinion]) -> tuple[Reading, ...]:
    """The network's likeliest first, then the rules' own; none of them at once."""
    unread = known[0].unread if known else ()
    cost = max(UNREAD, known[0].cost if known else 0.0)
    new = [
        Reading(one.specs, unread, cost, one.frame)
        for one in opinions
        if one.chance >= _WORTH_OFFERING
    ]
    made: list[Reading] = []
    for one in (*new[:1], *known[:1], *new[1:], *known[1:]):
        if not any(_key(one.specs) == _key(other.specs) for other in made):
            made.append(one._replace(cost=cost + NEAR * (len(made) >= OFFERED)))
    return tuple(made)


def _opinions(
    question: str, scene: Scene, first: int, out: Collection[tuple[str, str]] = ()
) -> list[Opinion]:
    """The likeliest first; none that keeps what the rules leave `out`."""
    features = features_of(question, scene)
    made: list[Opinion] = []
    for found in read(features, Grammar(features.items, scene)):
        try:
            frame = frame_of(found.tokens, features.items, scene)
            specs = specs_of(frame, scene, Chooser({}), first)
        except (NotMeant, ValidationError):
            continue
        if not _values(specs, ("==", "in")).isdisjoint(out):
            continue
        same = next((at for at, one in enumerate(made) if _key(one.specs) == _key(specs)), None)
        if same is None:
            made.append(Opinion(specs, frame, found.chance))
        else:
            made[same] = made[same]._replace(chance=made[same].chance + found.chance)
    return sorted(made, key=lambda one: -one.chance)


def _is_known(reading: Reading, opinions: Sequence[Opinion]) -> bool:
    return bool(opinions) and _chance(reading, opinions) >= _KNOWN * opinions[0].chance


def _chance(reading: Reading, opinions: Sequence[Opinion]) -> float:
    key = _key(reading.specs)
    return next((one.chance for one in opinions if _key(one.specs) == key), 0.0)


def _key(specs: Sequence[Spec]) -> tuple[str, ...]:
    """What is computed; a chart beside a table, and the order of a whole table, say no more."""
    computed = [spec for spec in specs if spec.type == "analysis"] or list(specs)
    return tuple(written(_plain(spec)) for spec in computed)


def _plain(spec: Spec) -> Spec:
    filters = tuple(_one_of(one) if isinstance(one, AnyOf) else one for one in spec.filters)
    changes: dict[str, object] = {"filters": filters}
    if getattr(spec, "top_k", 0) is None and hasattr(spec, "sort"):
        changes["sort"] = None
    return spec.model_copy(update=changes)


def _one_of(one: AnyOf) -> Filter:
    """East or West: one of the values of a column."""
    parts = [part for part in one.any_of if isinstance(part, Compare) and part.op == "=="]
    if len(parts) < len(one.any_of) or len({part.col for part in parts}) > 1:
        return one
    return Among(col=parts[0].col, op="in", value=tuple(part.value for part in parts))
