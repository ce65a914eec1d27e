"""Readings of a question: what it may ask for as operations, the likeliest first.

The networks write them; here each becomes operations, and is answered at once where it is likely,
no other is nearly as likely, and nothing that the question says is left unsaid.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from pydantic import ValidationError

from sanbo.agents.analysis.building.frame import Frame, Measure
from sanbo.agents.analysis.building.specs import specs_of
from sanbo.agents.analysis.building.steps import NotMeant, Spec
from sanbo.agents.analysis.building.unsaid import unsaid, words_of
from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import Scene, scene_of
from sanbo.agents.analysis.mentions.senses import Item
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.reader.choices import is_choice, may_say
from sanbo.agents.analysis.reader.doubts import (
    CALLED,
    has_doubts,
    is_drawn_otherwise,
    says_little,
    says_the_opposite,
)
from sanbo.agents.analysis.reader.features import begins, conversation, features_of
from sanbo.agents.analysis.reader.frames import frame_of
from sanbo.agents.analysis.reader.grammar import NOT_SAID, Grammar, Place
from sanbo.agents.analysis.reader.named import in_full, named_frame, with_named
from sanbo.agents.analysis.reader.network import Read, has_met
from sanbo.agents.analysis.reader.network import readings as read
from sanbo.agents.analysis.reader.reading import Reading, Readings
from sanbo.agents.analysis.reader.sameness import by_names, computed, names_of_numbers

_ANSWERED = 0.8
"""So likely, what a question is read as is answered at once."""
_CLOSE = 0.75
"""So much of the likeliest's chance leaves it open, too."""
_DECLINES = 0.5
"""So likely, and it can't be told without asking back, or not in these words."""
_LIKELY = 0.5
_MOST_COLUMNS = 60
_SCOPE = "scope."
_SAY_NOTHING = frozenset(("word", "glue", "join"))
_ONE_EACH = re.compile("[1一](?:日|[かヶカ]?月|週間?|年|人|名|件|社|店舗?|台|回)")
"""Of which there are so many on average: 1日平均, 1人あたり."""
_HIRAGANA = re.compile("[ぁ-ん]")


def read_question(question: str, profile: DatasetProfile, first: int = 1) -> Readings:
    return readings_of([question], profile, first)


def readings_of(questions: Sequence[str], profile: DatasetProfile, first: int = 1) -> Readings:
    """Of the last question, which may go on from those before it.

    `first`: the number of the first result.
    """
    if not profile.columns:
        return Readings()
    profile = _told_of(conversation(questions), profile)
    scene = scene_of(profile)
    questions = [_one_sentence(in_full(one, scene)) for one in questions]
    text = conversation(questions)
    items, reads = _read(text, profile)
    last = [item for item in items[begins(items) :] if not is_choice(item)]
    if scope := _scope(last):
        return Readings(scope=scope)
    named = _named(last, scene, first)
    found = named or _merged(reads, items, scene, first)
    found = _drawn_as_told(found, last)
    if not found:
        return Readings(unread=tuple(_said(last)))
    said = [item for item in items if not is_choice(item)]
    found = [one._replace(unread=_unread(one, said, last, scene)) for one in found]
    declined = 0.0 if named else sum(one.chance for one in reads if one.tokens[0] in NOT_SAID)
    is_sure = _is_clear(found, declined) and not has_doubts(found[0], items, questions[-1], scene)
    strange = tuple(word for word in found[0].unread if not says_little(word))
    return Readings(tuple(found), is_sure, declined, unread=strange)


def _one_sentence(question: str) -> str:
    """「。」 stands between questions: within one (…。お願いします。) it ends nothing."""
    return question.strip("。 　").replace("。", "、")


def _told_of(text: str, profile: DatasetProfile) -> DatasetProfile:
    """Of a wide table the columns that the question names best, or has a value of."""
    if len(profile.columns) <= _MOST_COLUMNS:
        return profile
    told: dict[str, float] = {}
    for item in items_of(text, scene_of(profile)):
        for one in item.senses:
            name = one.value.column if one.value is not None else one.name
            told[name] = max(one.quality, told.get(name, 0.0))
    names = sorted((one.name for one in profile.columns), key=lambda name: -told.get(name, 0.0))
    kept = {*names[:_MOST_COLUMNS]}
    columns = tuple(one for one in profile.columns if one.name in kept)
    return profile.model_copy(update={"columns": columns})


def _scope(items: Sequence[Item]) -> str | None:
    names = (item.sense.name for item in items if item.sense.kind == "word")
    return next((name.removeprefix(_SCOPE) for name in names if name.startswith(_SCOPE)), None)


def _drawn_as_told(found: Sequence[Reading], items: Sequence[Item]) -> Sequence[Reading]:
    """円グラフにして, behind a bar chart: of those with this chart, where they are likely."""
    kept = [one for one in found if not is_drawn_otherwise(one.frame, items)]
    left = 1 - sum(one.chance for one in found if one not in kept)
    if not kept or left < _LIKELY:
        return kept or found
    return [one._replace(chance=one.chance / left) for one in kept]


def _is_clear(found: Sequence[Reading], declined: float) -> bool:
    best, *others = (one.chance for one in found)
    is_close = max(others, default=0.0) > _CLOSE * best
    return best >= _ANSWERED and not is_close and declined < _DECLINES


@lru_cache(maxsize=256)
def _read(text: str, profile: DatasetProfile) -> tuple[tuple[Item, ...], tuple[Read, ...]]:
    """A conversation is read again with each of its questions."""
    scene = scene_of(profile)
    features = features_of(text, scene)
    return tuple(features.items), tuple(read(features, Grammar(features.items, scene)))


# ---- from tokens to operations ----


def _named(items: Sequence[Item], scene: Scene, first: int) -> list[Reading]:
    """An operation that a word names by itself: certain, where it can be computed."""
    frame = named_frame(items, scene)
    specs = None if frame is None else _specs(frame, scene, first)
    if frame is None or specs is None:
        return []
    return [Reading(specs, frame, 1.0, frozenset(item.text for item in items))]


def _merged(
    reads: Sequence[Read], items: Sequence[Item], scene: Scene, first: int
) -> list[Reading]:
    """What comes to the same is one; none that keeps what is to be left out."""
    named = names_of_numbers(scene)
    made: dict[tuple[str, ...], Reading] = {}
    for one in reads:
        try:
            frame = with_named(frame_of(one.tokens, items, scene), items[begins(items) :])
        except (NotMeant, ValidationError):
            continue
        specs = _specs(frame, scene, first)
        if specs is None or says_the_opposite(specs, items, begins(items)):
            continue
        told = by_names(computed(_specs(_by_rows(frame), scene, first) or specs), named)
        known = made.get(told)
        if known is None:
            places = [token.at for token in one.tokens if isinstance(token, Place)]
            made[told] = Reading(specs, frame, one.chance, _pointed_at(places, items))
        else:
            made[told] = known._replace(chance=known.chance + one.chance)
    return sorted(made.values(), key=lambda one: -one.chance)


def _by_rows(frame: Frame) -> Frame:
    """What one total is more than another, as the total of what each row has more."""
    formula = frame.formula
    if formula is None or formula.tree["fn"] != "subtract" or formula.counted:
        return frame
    measures = [Measure(formula.name, "sum")]
    derived = frame.derived | {formula.name: formula.tree}
    return replace(frame, formula=None, measures=measures, derived=derived)


def _specs(frame: Frame, scene: Scene, first: int) -> tuple[Spec, ...] | None:
    try:
        specs = specs_of(frame, scene, first)
    except (NotMeant, ValidationError):
        return None
    return None if unsaid(frame, specs) else specs


# ---- words ----


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


def _said(items: Sequence[Item]) -> dict[str, Item]:
    """What says something by itself, and is no word of the word table."""
    return {
        item.text: item
        for item in items
        if item.is_content and item.sense.kind not in _SAY_NOTHING and not is_choice(item)
    }


def _unread(
    reading: Reading, said: Sequence[Item], last: Sequence[Item], scene: Scene
) -> tuple[str, ...]:
    """Words that it does not point at, and that tell of none of its columns.

    What goes on from the questions before leaves nothing of them unread either.
    """
    known = _columns_in(reading, scene.columns)
    told = {one.name for item in last for one in item.senses if one.kind == "column"}
    told |= {one.value.column for item in last for one in item.senses if one.value is not None}
    items = last if known <= told else said
    counters = {
        item.text
        for ahead, item in pairwise(items)
        if ahead.text in reading.words and ahead.sense.kind == "number" and len(item.text) == 1
    }
    left = [
        text
        for text, item in _said(items).items()
        if text not in counters and not _has_part(item, reading.words, known)
    ]
    if (
        reading.frame.per
        or reading.frame.formula
        or any(one.agg == "mean" for one in reading.frame.measures)
    ):
        left = [text for text in left if not _ONE_EACH.fullmatch(text)]
    return tuple(left)


def _has_part(item: Item, words: Collection[str], known: Collection[str]) -> bool:
    """売上 is no part of 売上原価, where both are columns."""
    named = [one for one in item.senses if one.kind == "column"]
    called = [one for one in named if one.quality >= CALLED]
    if called:
        return any(one.name in known for one in called)
    is_partly = any(one.name in known for one in named)
    return is_partly or any(item.text in word or word in item.text for word in words)


def _columns_in(reading: Reading, columns: Mapping[str, object]) -> set[str]:
    told = words_of(reading.specs)
    return {name for name in columns if name in told}
