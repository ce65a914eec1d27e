"""Values that a question may mean and does not say: まだの人 have 未提出, "no damage" is none.

They stand behind the places of the question, as places of their own that a reading points at.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from sanbo.agents.analysis.mentions.scene import KnownColumn, KnownValue, Scene
from sanbo.agents.analysis.mentions.senses import Item, Sense
from sanbo.kernel.text import matching_form
from sanbo.retrieval.tokens import reading

_MOST, _MOST_OF_ONE, _FEWEST = 30, 8, 2
_LISTED, _LIKE = 0.5, 0.8
_SHORTEST, _LONG, _NEARLY = 3, 5, 0.8
_PARTS = re.compile(r"[\s/・()\-]+")
_BEHIND = -1


def choices_of(items: Sequence[Item], scene: Scene) -> list[Item]:
    """Those of columns with few of them; columns that say yes or no say it themselves."""
    said = {
        (sense.value.column, sense.value.value)
        for item in items
        for sense in item.senses
        if sense.kind == "value" and sense.value is not None
    }
    words = {item.text for item in items if item.sense.kind in ("unknown", "literal", "part")}
    sound = _spoken("".join(item.text for item in items))
    return [
        _choice(value, is_like=_is_like(value.value, words, sound))
        for value in _values(scene)
        if (value.column, value.value) not in said
    ]


def is_choice(item: Item) -> bool:
    return item.start == _BEHIND


def is_like(item: Item) -> bool:
    """Whether something in the question is nearly called so: hocky, いばらき of 茨城."""
    return item.sense.quality >= _LIKE


def may_say(word: str, value: str) -> bool:
    """Whether a word of the question is a value's name, or a part of it, in another spelling."""
    form, sound = matching_form(value), _spoken(word)
    if form.isascii():
        return any(_is_cut_or_misspelt(word, part) for part in _parts_of(form))
    return len(sound) >= _SHORTEST and sound in _spoken(form)


def _choice(value: KnownValue, *, is_like: bool) -> Item:
    sense = Sense("value", value.value, _LIKE if is_like else _LISTED, value)
    text = matching_form(value.value)
    return Item(_BEHIND, _BEHIND, text, (sense,), not text.isascii(), is_content=False)


def _values(scene: Scene) -> Iterator[KnownValue]:
    fitting = [one for one in scene.columns.values() if _has_few(one)]
    left, listed = _MOST, set[str]()
    for one in sorted(fitting, key=lambda known: known.profile.distinct):
        left -= len(one.profile.values)
        if left >= 0:
            listed.add(one.name)
    for one in fitting:
        if one.name in listed:
            yield from (KnownValue(one.name, value, 1.0) for value in one.profile.values)


def _has_few(known: KnownColumn) -> bool:
    profile = known.profile
    is_text = profile.type == "text" and profile.is_whole and not profile.is_identifier
    is_few = _FEWEST <= len(profile.values) <= _MOST_OF_ONE
    return is_text and is_few and known.truth(is_true=True) is None


def _is_like(value: str, words: set[str], sound: str) -> bool:
    """`sound`: of the question."""
    form = matching_form(value)
    if form.isascii():
        return any(_is_cut_or_misspelt(word, part) for word in words for part in _parts_of(form))
    spoken = _spoken(form)
    return len(spoken) >= _SHORTEST and spoken in sound


def _parts_of(form: str) -> list[str]:
    return [part for part in (form, *_PARTS.split(form)) if len(part) >= _SHORTEST]


def _is_cut_or_misspelt(word: str, part: str) -> bool:
    """Tod, of Todmorden; hocky."""
    if len(word) < _SHORTEST or not word.isascii():
        return False
    if part.startswith(word) or word.startswith(part):
        return True
    is_as_long = abs(len(word) - len(part)) <= 1  # "marked" is not Marketing
    return (
        is_as_long and len(word) >= _LONG and SequenceMatcher(None, word, part).ratio() >= _NEARLY
    )


@lru_cache(maxsize=1024)
def _spoken(text: str) -> str:
    return "" if text.isascii() else reading(text).replace("ー", "")
