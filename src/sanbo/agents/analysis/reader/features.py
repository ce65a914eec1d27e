"""A question beside its table as numbers: its places, the columns, and what ties one to another."""

from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import KnownColumn, Scene
from sanbo.agents.analysis.mentions.senses import Item, Kind, Sense
from sanbo.agents.analysis.mentions.tokens import forms
from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.reader.choices import choices_of, is_choice, is_like
from sanbo.agents.analysis.reader.values import figure_of, value_called
from sanbo.documents.columns import ColumnType
from sanbo.kernel.text import matching_form
from sanbo.language.likeness import Floats, vectors_of

DIMENSIONS = 80
TEXT = 4
"""Of what is told of a place, its text: what is seldom written is in no list."""
KINDS = ("", *get_args(Kind))
TYPES = get_args(ColumnType)
_UNSAID = frozenset(("value", "part", "literal", "when"))
"""What stands for itself: what it says is in no word list."""
_VALUES = _UNSAID - {"part"} | {"number"}
_LONGEST, _FEW, _LAST = 24, 30, 39
_BETWEEN = "。"
_CHOICE, CHOICE = "choice", "="
"""Its kind; before its text: in the list of words it is another than one that is said."""
# How a place and a column belong together.
_CALLED, _NEARLY, _PARTLY, _HOLDS, _CONTAINS, _IN_UNIT, _ALIKE, _RELATED = range(1, 9)
TIES = 9
_MUCH_ALIKE, _ALIKE_AT_ALL = 0.6, 0.4


class Features(NamedTuple):
    items: Sequence[Item]
    places: list[tuple[str, ...]]
    """Of each place what is looked up in word lists."""
    meanings: Floats
    columns: list[tuple[str, ...]]
    flags: Floats
    names: Floats
    held: Floats
    """What the values of each column mean, where these are few."""
    ties: NDArray[np.int64]
    """Places by columns."""
    said: int
    """So many places are of the question; behind them stand values that it may mean."""


def conversation(questions: Sequence[str]) -> str:
    """One text of a question and those that it goes on from."""
    return (f"{_BETWEEN} " if questions[-1].isascii() else _BETWEEN).join(questions)


def features_of(question: str, scene: Scene) -> Features:
    said = items_of(question, scene)
    items, first = [*said, *choices_of(said, scene)], begins(said)
    known = list(scene.columns.values())
    ties = _ties(items, known)
    return Features(
        items=items,
        places=[
            (*_place(item, is_last=at >= first), _numbered(at)) for at, item in enumerate(items)
        ],
        meanings=_stacked([_meaning(item) for item in items]),
        columns=[
            (*_column(one), *_told(row))
            for one, row in zip(known, ties[: len(said)].T, strict=True)
        ],
        flags=_stacked([_flags(one, scene.profile.rows) for one in known]),
        names=_stacked([_mean(forms(one.name)) for one in known]),
        held=_stacked([_held(one.profile) for one in known]),
        ties=ties,
        said=len(said),
    )


def begins(items: Sequence[Item]) -> int:
    """The last of several questions."""
    ends = [at for at, item in enumerate(items[:-1]) if item.text == _BETWEEN]
    return max(ends, default=-1) + 1


def _place(item: Item, *, is_last: bool) -> tuple[str, ...]:
    first, second = (*item.senses, None)[:2]
    if is_choice(item):
        return (_CHOICE, "", "", "", CHOICE + text_of(item.text), "", "01"[is_like(item)])
    figure = figure_of(item)
    kinds = {sense.kind for sense in item.senses}
    flags = (
        item.is_japanese,
        item.is_content,
        "column" in kinds,
        "value" in kinds or "part" in kinds,
        len(item.senses) > 1,
        is_last,
    )
    return (
        item.sense.kind,
        _word(first),
        second.kind if second else "",
        _word(second),
        "" if item.sense.kind in _UNSAID else text_of(item.text),
        figure.unit if figure else "",
        "".join("01"[flag] for flag in flags),
    )


def _word(sense: Sense | None) -> str:
    return sense.name if sense is not None and sense.kind == "word" else ""


def text_of(said: str) -> str:
    """As it stands in the list of words."""
    text = said.casefold()
    is_number = text.replace(".", "").replace(",", "").isdecimal()
    return "#" if is_number else " ".join(forms(text))[:_LONGEST]


def _meaning(item: Item) -> Floats:
    if item.sense.kind in _VALUES and not is_choice(item):
        return np.zeros(DIMENSIONS, np.float32)
    return _mean(forms(item.text))


def _held(profile: ColumnProfile) -> Floats:
    few = profile.values if profile.is_whole and len(profile.values) <= _FEW else ()
    return _mean(tuple(word for value in few for word in forms(value)))


def _mean(words: tuple[str, ...]) -> Floats:
    if not words:
        return np.zeros(DIMENSIONS, np.float32)
    return np.asarray(vectors_of(words).mean(axis=0), np.float32)


def _stacked(rows: list[Floats]) -> Floats:
    return np.stack(rows) if rows else np.zeros((0, DIMENSIONS), np.float32)


def _column(known: KnownColumn) -> tuple[str, ...]:
    distinct = known.profile.distinct
    size = sum(distinct > most for most in (1, 2, 8, 30, 100))
    return known.profile.type, str(known.adds), str(size)


def _told(ties: NDArray[np.int64]) -> tuple[str, str]:
    """Where a column is told of: the first and the last of the places that tell of it best."""
    if not ties.any():
        return "", ""
    best = np.flatnonzero(ties == ties[ties > 0].min())
    return _numbered(int(best[0])), _numbered(int(best[-1]))


def _numbered(place: int) -> str:
    return str(min(place, _LAST))


def _flags(known: KnownColumn, rows: int) -> Floats:
    profile = known.profile
    return np.array(
        [
            profile.is_identifier,
            profile.is_rate,
            known.is_row(rows),
            known.is_money,
            known.is_year,
            profile.missing > 0,
            known.is_amount,
        ],
        np.float32,
    )


def _ties(items: Sequence[Item], known: Sequence[KnownColumn]) -> NDArray[np.int64]:
    found = np.zeros((len(items), len(known)), np.int64)
    at = {one.name: place for place, one in enumerate(known)}
    names = [forms(one.name) for one in known]
    for row, item in zip(found, items, strict=True):
        if is_choice(item) and (meant := item.sense.value) is not None:
            row[at[meant.column]] = _HOLDS
            continue
        for number, sense in enumerate(item.senses):
            if sense.kind == "column" and sense.name in at:
                place, tie = at[sense.name], _called(sense, is_first=number == 0)
                row[place] = min(row[place] or tie, tie)
            elif sense.value is not None and sense.value.column in at:
                place = at[sense.value.column]
                row[place] = row[place] or (_HOLDS if sense.kind == "value" else _CONTAINS)
        for place, one in enumerate(known):
            if row[place] in (0, _PARTLY) and (value := value_called(item, one)) is not None:
                is_whole = matching_form(value) == matching_form(item.text)
                row[place] = _HOLDS if is_whole else row[place] or _CONTAINS
        figure = figure_of(item)
        for place, one in enumerate(known):
            unit = one.profile.unit
            if figure and figure.unit and figure.unit in unit and not row[place]:
                row[place] = _IN_UNIT
        said = forms(item.text)
        if said and not row.any() and item.sense.kind not in _VALUES:
            row[:] = [_alike(said, name) for name in names]
    return found


def _called(sense: Sense, *, is_first: bool) -> int:
    if sense.quality >= 0.9:
        return _CALLED if is_first else _NEARLY
    return _NEARLY if is_first and sense.quality >= 0.6 else _PARTLY


def _alike(said: tuple[str, ...], name: tuple[str, ...]) -> int:
    if not name:
        return 0
    most = float((vectors_of(said) @ vectors_of(name).T).max())
    return _ALIKE if most >= _MUCH_ALIKE else _RELATED if most >= _ALIKE_AT_ALL else 0
