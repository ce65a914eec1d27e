"""A second opinion on what a question asks for: the network's, held against what the rules read."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, permutations
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile
from sanbo.agents.analysis.reader.choices import is_choice, may_say
from sanbo.agents.analysis.reader.doubts import has_doubts
from sanbo.agents.analysis.reader.features import conversation, features_of
from sanbo.agents.analysis.reader.frames import YEAR_IS_OPEN, frame_of
from sanbo.agents.analysis.reader.grammar import NOT_SAID, Grammar, Place
from sanbo.agents.analysis.reader.network import Read, has_met
from sanbo.agents.analysis.reader.network import readings as read
from sanbo.agents.analysis.rules.frame import UNREAD, Chooser, Frame
from sanbo.agents.analysis.rules.lexicon import is_code
from sanbo.agents.analysis.rules.reading import (
    NEAR,
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
from sanbo.agents.analysis.rules.tokens import forms
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filter
from sanbo.agents.analysis.spec.operations import Derive, GroupbyAgg, Resample, TopRows
from sanbo.agents.analysis.spec.plots import Aggregated, Hist, Plot, Scatter

_ANSWERED = 0.85
"""So likely, what a question is read as is answered at once."""
_BOTH = 0.35
"""So much likelier where the rules are sure of it, too."""
_CLOSE = 0.75
"""So much of the likeliest's chance leaves it open, too."""
_DECLINES = 0.5
"""So likely, and it can't be told without asking back, or not in these words."""
_WORTH_OFFERING, _LIKELY = 0.1, 0.5
_MOST_COLUMNS, _FEW = 200, 2
_ONE_EACH = re.compile("[1一](?:日|[かヶカ]?月|週間?|年|人|名|件|社|店舗?|台|回)")
"""Of which there are so many on average: 1日平均, 1人あたり."""
_DIGIT = re.compile(r"\d")
_HIRAGANA = re.compile("[ぁ-ん]")


class Opinion(NamedTuple):
    specs: tuple[Spec, ...]
    frame: Frame
    chance: float
    words: frozenset[str]
    """Of the question, that it points at."""
    computed: tuple[str, ...]


def weighed(
    readings: Readings, questions: Sequence[str], profile: DatasetProfile, first: int
) -> Readings:
    """The rules' readings with the networks' among them: the likeliest first, and answered at
    once where it is that likely. What the networks have no words for the rules decide alone.

    `questions`: the one that was read, behind those that it may go on from.
    """
    told, sure = readings.frame, readings.sure
    is_known = sure is not None and (_is_chart(sure) or not _can_be_said(sure.specs))
    if len(profile.columns) > _MOST_COLUMNS or told.scope is not None or is_known:
        return readings
    scene, text = scene_of(profile), conversation(questions)
    if (sure is not None or told.absent) and _is_declined(text, profile):
        return readings if sure is None else readings._replace(all=_asked(readings))
    out = {pair for one in readings.all[:1] for pair in _values(one.specs, ("!=", "not_in"))}
    opinions = _opinions(text, scene, first, out)
    if not opinions:
        return readings
    if told.absent:
        return _meant(readings, opinions)
    ranked = _ranked(readings, opinions, scene)
    best = ranked[0]
    own = best.opinion.chance if best.opinion else 0.0
    others = [one.chance for one in opinions if one is not best.opinion]
    is_close = max(others, default=0.0) > _CLOSE * own
    items, _ = _read(text, profile)
    is_open = _is_open(best, readings, scene)
    is_open = is_open or has_doubts(best.reading, items, questions[-1], scene)
    if best.chance >= _ANSWERED and not is_close and not is_open:
        return _answered(best.reading, ranked)
    return readings._replace(all=_offered(readings, ranked))


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


def _asked(readings: Readings) -> tuple[Reading, ...]:
    """The first is not sure any more."""
    first, *rest = readings.all
    return (first._replace(cost=NEAR), *rest)


class _Ranked(NamedTuple):
    reading: Reading
    chance: float
    opinion: Opinion | None


def _ranked(readings: Readings, opinions: Sequence[Opinion], scene: Scene) -> list[_Ranked]:
    """The likeliest first: what the networks think, and the rules' word where they are sure."""
    unread = readings.all[0].unread if readings.all else tuple(readings.frame.unread)
    made: list[_Ranked] = []
    named = _names(scene)
    for one in readings.all:
        same = next((other for other in opinions if _is_same(other, one, named)), None)
        chance = (same.chance if same else 0.0) + _BOTH * (one is readings.sure)
        left = _left(one.unread, same) if same else one.unread
        made.append(_Ranked(one._replace(unread=left), chance, same))
    made += [
        _Ranked(Reading(one.specs, _left(unread, one), UNREAD, one.frame), one.chance, one)
        for one in opinions
        if not any(one is other.opinion for other in made)
    ]
    return sorted(made, key=lambda one: (-one.chance, one.reading.cost))


def _left(unread: Sequence[str], opinion: Opinion) -> tuple[str, ...]:
    """Words that the rules could not read, and that have no part in this either."""
    used = opinion.words
    left = (word for word in unread if not any(word in one or one in word for one in used))
    if "per" in opinion.frame.options:
        return tuple(word for word in left if not _ONE_EACH.fullmatch(word))
    return tuple(left)


def _is_open(best: _Ranked, readings: Readings, scene: Scene) -> bool:
    """It is asked about, however likely: a month of no year, a total of what does not add up
    (prices) or that the file disputes, a number or a name that is in no reading, one of two columns
    that are called so alike, another chart than the one that is named, what the networks have no
    words for."""
    reading, near = best.reading, _near(readings)
    frame = best.opinion.frame if best.opinion else reading.frame
    summed = [scene.columns.get(one.column or "") for one in frame.measures if one.agg == "sum"]
    is_added = readings.sure is None and any(one and one.adds is False for one in summed)
    drawn = readings.frame.chart
    return (
        is_added
        or (drawn not in (None, "any") and frame.chart != drawn)
        or bool(frame.options.get(YEAR_IS_OPEN))
        or bool(disputes(scene.profile, reading.specs))
        or bool(unsaid(reading.frame, reading.specs))
        or not _say_little(reading.unread)
        or not all(_can_be_said(one.specs) for one in near)
        or (readings.sure is None and _is_either(near, scene))
    )


def _answered(best: Reading, ranked: Sequence[_Ranked]) -> Readings:
    sure = best._replace(unread=(), cost=0.0, set_aside=best.unread)
    rest = [one.reading for one in ranked if one.reading is not best]
    rest = [one._replace(cost=max(one.cost, NEAR)) for one in rest]
    return Readings((sure, *rest), sure.frame)


def _offered(readings: Readings, ranked: Sequence[_Ranked]) -> tuple[Reading, ...]:
    """None of them at once; the rules' own are among them, and what only they have words for."""
    known = readings.all[:1]
    theirs = [one for one in _near(readings) if not _can_be_said(one.specs)]
    likely = [one.reading for one in ranked if one.chance >= _WORTH_OFFERING]
    rest = [one.reading for one in ranked if one.chance < _WORTH_OFFERING]
    made: list[Reading] = []
    for one in (*likely[:1], *theirs, *likely[1:], *known, *rest):
        if not any(computed(one.specs) == computed(other.specs) for other in made):
            made.append(one._replace(cost=max(one.cost, NEAR)))
    return tuple(made)


def _near(readings: Readings) -> list[Reading]:
    return [one for one in readings.all if one.cost < readings.all[0].cost + NEAR]


def _is_either(near: Sequence[Reading], scene: Scene) -> bool:
    """売上 of 国内売上 and 海外売上: the rules' first two differ in a column alone."""

    def said(reading: Reading) -> str:
        text = "".join(map(written, reading.specs))
        for name in sorted(scene.columns, key=len, reverse=True):
            text = text.replace(name, "#")
        return text

    first, second = (*near[:2], None, None)[:2]
    if first is None or second is None or first.unread:
        return False
    named = _names(scene)
    one, other = (_of_names(computed(each.specs), named) for each in (first, second))
    return one != other and said(first) == said(second)


def _say_little(words: Sequence[str]) -> bool:
    """No number, and no word that the networks have never met: it may be a condition."""
    return all(has_met(word) and not _DIGIT.search(word) for word in words)


def _is_declined(text: str, profile: DatasetProfile) -> bool:
    """Whether somebody would have to be asked back, or what is asked for can't be said so."""
    _, reads = _read(text, profile)
    return sum(one.chance for one in reads if one.tokens[0] in NOT_SAID) >= _DECLINES


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
_CALCULATED = ("add", "subtract", "multiply", "divide", "date_difference", "compare", "if")
"""No bands of ages."""
_NO_UNITS = ("half", "fiscal_year", "fiscal_quarter")
"""Of time, for which its words have none."""


def _can_be_said(specs: Sequence[Spec]) -> bool:
    """Whether the network's words say it at all: no outliers, no running totals."""
    analyses = [spec for spec in specs if spec.type == "analysis"]
    below_zero = any(value == "0" for _, value in _values(specs, ("<",)))
    if below_zero or not all(spec.op in _SAID for spec in analyses):
        return False
    return all(map(_is_worded, analyses))


def _is_worded(spec: Spec) -> bool:
    match spec:
        case TopRows():
            return spec.per is None
        case Derive():
            return spec.expression.fn in _CALCULATED
        case GroupbyAgg() | Resample():
            aggs = {agg for several in spec.metrics.values() for agg in several}
            is_usual = isinstance(spec, GroupbyAgg) or spec.unit not in _NO_UNITS
            return is_usual and aggs <= _AGGREGATES
        case _:
            return True


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
    named = _names(scene)
    made: list[Opinion] = []
    for found in reads:
        try:
            frame = frame_of(found.tokens, items, scene)
            specs = specs_of(frame, scene, Chooser({}), first)
        except (NotMeant, ValidationError):
            continue
        if unsaid(frame, specs) or not _values(specs, ("==", "in")).isdisjoint(out):
            continue
        told = _of_names(computed(specs), named)
        same = next((at for at, one in enumerate(made) if one.computed == told), None)
        if same is None:
            words = _pointed_at([one.at for one in found.tokens if isinstance(one, Place)], items)
            made.append(Opinion(specs, frame, found.chance, words, told))
        else:
            made[same] = made[same]._replace(chance=made[same].chance + found.chance)
    return sorted(made, key=lambda one: -one.chance)


def _pointed_at(places: Sequence[int], items: Sequence[Item]) -> frozenset[str]:
    """With the words of the word table beside them, but for glue: 3泊以上, 3万円を超えた."""
    told = [at for at, item in enumerate(items) if item.sense.kind != "glue" or at in places]
    beside = [
        other for pair in pairwise(told) for other in (pair, pair[::-1]) if other[0] in places
    ]
    words = {items[at].text for _, at in beside if items[at].sense.kind == "word"}
    meant = [items[at] for at in places if is_choice(items[at])]
    if meant:
        words |= {item.text for item in items if _tells(item, meant)}
    return frozenset(words | {items[at].text for at in places})


def _tells(item: Item, meant: Sequence[Item]) -> bool:
    """まだ, 出してない, turned down: what says that one of the values is meant, in words that are
    known and name nothing; or another spelling of one."""
    if any(may_say(item.text, one.text) for one in meant):
        return True
    is_name = item.is_capital or (item.is_japanese and not _HIRAGANA.search(item.text))
    return item.sense.kind in ("unknown", "word") and not is_name and has_met(item.text)


def _names(scene: Scene) -> dict[str, str]:
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


def _of_names(told: tuple[str, ...], named: Mapping[str, str]) -> tuple[str, ...]:
    for number, name in named.items():
        told = tuple(one.replace(f'"{number}"', f'"{name}"') for one in told)
    return told


def _is_same(opinion: Opinion, reading: Reading, named: Mapping[str, str]) -> bool:
    """Of an order or a kind of chart that only one of them tells nothing is held against it."""
    told = (_sorts(opinion.specs), _sorts(reading.specs))
    drawn = (opinion.frame.chart, reading.frame.chart)
    return (
        opinion.computed == _of_names(computed(reading.specs), named)
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
