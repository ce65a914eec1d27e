"""A second opinion on what a question asks for: the network's, held against what the rules read."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.reader.features import conversation, features_of
from sanbo.agents.analysis.reader.frames import YEAR_IS_OPEN, frame_of
from sanbo.agents.analysis.reader.grammar import NOT_SAID, Grammar
from sanbo.agents.analysis.reader.network import Read, has_met
from sanbo.agents.analysis.reader.network import readings as read
from sanbo.agents.analysis.rules.frame import UNREAD, Chooser, Frame
from sanbo.agents.analysis.rules.reading import (
    NEAR,
    OFFERED,
    Reading,
    Readings,
    disputes,
    unsaid,
    written,
)
from sanbo.agents.analysis.rules.scene import Scene, scene_of
from sanbo.agents.analysis.rules.senses import Item
from sanbo.agents.analysis.rules.specs import specs_of
from sanbo.agents.analysis.rules.steps import NotMeant, Spec
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filter
from sanbo.agents.analysis.spec.operations import Derive, GroupbyAgg, Resample, TopRows
from sanbo.agents.analysis.spec.plots import Aggregated, Hist, Plot, Scatter
from sanbo.agents.analysis.spec.words import DATASET


class _Sight(NamedTuple):
    doubts: float
    """So likely, and it is something else: what the rules are sure of is asked about."""
    known: float
    """Beside what is likeliest so likely at least: the network sees it, too."""
    agreed: float
    """Less likely, and though nothing is likelier, it is asked about."""


_OF_ONE, _OF_SEVERAL = _Sight(0.0, 0.9, 0.45), _Sight(0.35, 0.25, 0.0)
"""Many things may follow a question, so that none of them is very likely."""
_DECLINES = 0.5
"""So likely, and it can't be told without asking back, or not in these words."""
_SURE, _SURE_ALONE, _SURE_OF_WORDS = 0.85, 0.9, 0.95
"""So likely, and the rules read it, too, though another was near, or not all words; or do not."""
_WORTH_OFFERING, _LIKELY = 0.1, 0.5
_MOST_COLUMNS = 200
_DIGIT = re.compile(r"\d")


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
    told, sure = readings.frame, readings.sure
    is_known = sure is not None and (_is_chart(sure) or not _can_be_said(sure.specs))
    if len(profile.columns) > _MOST_COLUMNS or told.scope is not None or is_known:
        return readings  # of charts, and of what the network has no words for, rules know more
    scene, text = scene_of(profile), conversation(questions)
    if (sure is not None or told.absent) and _is_declined(text, profile):
        return readings if sure is None else readings._replace(all=_asked(readings))
    out = {pair for one in readings.all[:1] for pair in _values(one.specs, ("!=", "not_in"))}
    opinions = _opinions(text, scene, first, out)
    if not opinions:
        return readings
    if told.absent:
        return _meant(readings, opinions)
    if sure is None:
        return _opened(readings, opinions, scene)
    sight = _OF_ONE if len(questions) == 1 else _OF_SEVERAL
    return _doubted(readings, sure, opinions, scene, sight)


def _is_chart(reading: Reading) -> bool:
    """Asked for, or nothing but points and bins."""
    return reading.frame.chart is not None or all(spec.type == "plot" for spec in reading.specs)


def _meant(readings: Readings, opinions: Sequence[Opinion]) -> Readings:
    """No column has this name: offered is which it may be another word for."""
    likely = [one for one in opinions if one.chance >= _WORTH_OFFERING]
    if not likely or likely[0].chance < _LIKELY:
        return readings
    told = readings.frame
    unread = list(dict.fromkeys((*told.absent, *told.unread)))
    new = tuple(Reading(one.specs, tuple(unread), UNREAD, one.frame) for one in likely)
    return Readings(new, replace(told, absent=[], unread=unread))


def _doubted(
    readings: Readings, sure: Reading, opinions: Sequence[Opinion], scene: Scene, sight: _Sight
) -> Readings:
    """What the rules are sure of: asked about where the network is not, or reads something else."""
    best = opinions[0]
    if _is_same(best, sure):
        return readings if best.chance >= sight.agreed else readings._replace(all=_asked(readings))
    if best.chance < sight.doubts or _chance(sure, opinions) >= sight.known * best.chance:
        return readings
    if _is_certain(best, scene):
        return _answered(readings, best)
    doubt = Reading(best.specs, (), sure.cost + NEAR / 2, best.frame)
    rest = [one for one in readings.all[1:] if not _is_same(best, one)]
    return readings._replace(all=(sure, doubt, *rest))


def _asked(readings: Readings) -> tuple[Reading, ...]:
    """The first is not sure any more."""
    first, *rest = readings.all
    return (first._replace(cost=NEAR), *rest)


def _is_certain(opinion: Opinion, scene: Scene) -> bool:
    """Though the rules do not read it so; no total of what does not add up, as prices."""
    frame = opinion.frame
    is_open = bool(frame.options.get(YEAR_IS_OPEN)) or any(
        one.agg == "sum" and one.column and scene.columns[one.column].adds is False
        for one in frame.measures
    )
    return (
        opinion.chance >= _SURE_ALONE and not is_open and not disputes(scene.profile, opinion.specs)
    )


def _answered(readings: Readings, opinion: Opinion) -> Readings:
    unread = () if readings.sure else tuple(readings.frame.unread)
    sure = Reading(opinion.specs, (), 0.0, opinion.frame, unread)
    rest = [one for one in readings.all if not _is_same(opinion, one)]
    return readings._replace(all=(sure, *(one._replace(cost=one.cost + NEAR) for one in rest)))


def _is_declined(text: str, profile: DatasetProfile) -> bool:
    """Whether somebody would have to be asked back, or what is asked for can't be said so."""
    _, reads = _read(text, profile)
    return sum(one.chance for one in reads if one.tokens[0] in NOT_SAID) >= _DECLINES


def _opened(readings: Readings, opinions: Sequence[Opinion], scene: Scene) -> Readings:
    """What the rules asked about."""
    unread = readings.frame.unread
    is_read = not unread or (opinions[0].chance >= _SURE_OF_WORDS and _say_little(unread))
    is_open = not unread and not all(_can_be_said(one.specs) for one in _near(readings))
    if is_open or _is_either(readings, scene):
        return readings
    if is_read and _is_certain(opinions[0], scene):
        return _answered(readings, opinions[0])
    return _settled(readings, opinions, scene)


def _near(readings: Readings) -> list[Reading]:
    return [one for one in readings.all if one.cost < readings.all[0].cost + NEAR]


def _is_either(readings: Readings, scene: Scene) -> bool:
    """売上 of 国内売上 and 海外売上: the rules' first two differ in a column alone."""

    def said(reading: Reading) -> str:
        text = "".join(map(written, reading.specs))
        for name in sorted(scene.columns, key=len, reverse=True):
            text = text.replace(name, "#")
        return text

    near = _near(readings)[:2]
    return len(near) > 1 and not near[0].unread and said(near[0]) == said(near[1])


def _settled(readings: Readings, opinions: Sequence[Opinion], scene: Scene) -> Readings:
    """What the rules asked about: answered where the network is sure of one of theirs."""
    if not all(_can_be_said(one.specs) for one in _near(readings)):
        return readings
    best = max(readings.all, key=lambda one: _chance(one, opinions), default=None)
    if best is None or not _is_settled(best, opinions, scene):
        return readings._replace(all=_offered(readings, opinions))
    rest = [one._replace(cost=one.cost + NEAR) for one in readings.all if one is not best]
    sure = best._replace(unread=(), cost=0.0, set_aside=best.unread)
    return readings._replace(all=(sure, *rest))


def _is_settled(best: Reading, opinions: Sequence[Opinion], scene: Scene) -> bool:
    """Nothing is lost by it: no word that the network has never met, no part that is in no
    operation, no other total that the file tells, no year that was not said."""
    found = next((one for one in opinions if _is_same(one, best)), None)
    if found is None or found.chance < _SURE or found.frame.options.get(YEAR_IS_OPEN):
        return False
    is_said = _say_little(best.unread)
    is_whole = not unsaid(best.frame, best.specs) and not disputes(scene.profile, best.specs)
    return is_said and is_whole


def _say_little(words: Sequence[str]) -> bool:
    """No number, and no word that the networks have never met: it may be a condition."""
    return all(has_met(word) and not _DIGIT.search(word) for word in words)


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
_CALCULATED = ("add", "subtract", "multiply", "divide", "date_difference", "compare", "if")
"""No bands of ages."""
_NO_UNITS = ("half", "fiscal_year", "fiscal_quarter")
"""Of time, for which its words have none."""


def _can_be_said(specs: Sequence[Spec]) -> bool:
    """Whether the network's words say it at all: no outliers, no average of months' totals."""
    analyses = [spec for spec in specs if spec.type == "analysis"]
    below_zero = any(value == "0" for _, value in _values(specs, ("<",)))
    if below_zero or not all(spec.op in _SAID for spec in analyses):
        return False
    return all(_is_worded(spec, analyses[:at]) for at, spec in enumerate(analyses))


def _is_worded(spec: Spec, before: Sequence[Spec]) -> bool:
    match spec:
        case TopRows():
            return spec.per is None
        case Derive():
            return spec.expression.fn in _CALCULATED
        case GroupbyAgg() | Resample():
            aggs = {agg for several in spec.metrics.values() for agg in several}
            is_again = spec.input != DATASET and any(
                isinstance(one, _PUT_TOGETHER) for one in before
            )
            is_usual = isinstance(spec, GroupbyAgg) or spec.unit not in _NO_UNITS
            return is_usual and not is_again and aggs <= _AGGREGATES
        case _:
            return True


def _offered(readings: Readings, opinions: Sequence[Opinion]) -> tuple[Reading, ...]:
    """The network's first where it is likely, then the rules' own; none of them at once."""
    known = readings.all
    unread = known[0].unread if known else tuple(readings.frame.unread)
    cost = max(UNREAD, known[0].cost if known else 0.0)
    new = [
        Reading(one.specs, unread, cost, one.frame)
        for one in opinions
        if one.chance >= _WORTH_OFFERING
    ]
    first = [*new[:1], *known[:1]] if opinions[0].chance >= _LIKELY else [*known[:1], *new[:1]]
    made: list[Reading] = []
    for one in (*first, *new[1:], *known[1:]):
        if not any(computed(one.specs) == computed(other.specs) for other in made):
            made.append(one._replace(cost=cost + NEAR * (len(made) >= OFFERED)))
    return tuple(made)


@lru_cache(maxsize=256)
def _read(text: str, profile: DatasetProfile) -> tuple[tuple[Item, ...], tuple[Read, ...]]:
    """A conversation is read again with each of its questions."""
    scene = scene_of(profile)
    features = features_of(text, scene)
    return tuple(features.items), tuple(read(features, Grammar(features.items, scene)))


def _opinions(
    question: str, scene: Scene, first: int, out: Collection[tuple[str, str]] = ()
) -> list[Opinion]:
    """The likeliest first; none that keeps what the rules leave `out`."""
    items, reads = _read(question, scene.profile)
    made: list[Opinion] = []
    for found in reads:
        try:
            frame = frame_of(found.tokens, items, scene)
            specs = specs_of(frame, scene, Chooser({}), first)
        except (NotMeant, ValidationError):
            continue
        if unsaid(frame, specs) or not _values(specs, ("==", "in")).isdisjoint(out):
            continue
        same = next(
            (at for at, one in enumerate(made) if computed(one.specs) == computed(specs)), None
        )
        if same is None:
            made.append(Opinion(specs, frame, found.chance))
        else:
            made[same] = made[same]._replace(chance=made[same].chance + found.chance)
    return sorted(made, key=lambda one: -one.chance)


def _chance(reading: Reading, opinions: Sequence[Opinion]) -> float:
    return next((one.chance for one in opinions if _is_same(one, reading)), 0.0)


def _is_same(opinion: Opinion, reading: Reading) -> bool:
    """Of an order or a kind of chart that only one of them tells nothing is held against it."""
    told = (_sorts(opinion.specs), _sorts(reading.specs))
    drawn = (opinion.frame.chart, reading.frame.chart)
    return (
        computed(opinion.specs) == computed(reading.specs)
        and (not all(told) or told[0] == told[1])
        and (not all(drawn) or "any" in drawn or drawn[0] == drawn[1])
    )


def _sorts(specs: Sequence[Spec]) -> list[object]:
    return [sort for spec in specs if (sort := getattr(spec, "sort", None)) and sort != "none"]


def computed(specs: Sequence[Spec]) -> tuple[str, ...]:
    """What is computed; what stands on which axis, and the order of a whole table, say no more."""
    plots = [spec for spec in specs if isinstance(spec, Plot)]
    tables = [spec for spec in specs if spec.type == "analysis"] or [*map(_behind, plots)]
    drawn = {name for plot in plots for name in plot.groups().values()}
    return tuple(written(_plain(spec, drawn)) for spec in tables)


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
    if isinstance(spec, GroupbyAgg):
        changes["group_cols"] = tuple(sorted({*spec.group_cols, *drawn}))
    elif isinstance(spec, Resample):
        changes["by"] = tuple(sorted({*spec.by, *drawn} - {spec.date_col}))
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
