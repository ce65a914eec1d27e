"""What a question says and a reading leaves unsaid: it is asked about, however likely it is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import cast

from sanbo.agents.analysis.reader.features import begins
from sanbo.agents.analysis.rules.frame import Frame
from sanbo.agents.analysis.rules.reading import Reading
from sanbo.agents.analysis.rules.scene import Scene
from sanbo.agents.analysis.rules.senses import Item
from sanbo.agents.analysis.rules.steps import Spec
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Contains
from sanbo.agents.analysis.spec.operations import Resample, ShareRatio
from sanbo.kernel.text import matching_form

_LEFT_OUT = frozenset(("exclude", "not_contain"))
_NOT = frozenset(("!=", "not_in", "not_contains", "is_null", "is_missing", "<", "<="))
_HOLDS = frozenset(("==", "in", "contains"))
_NAMES_NOT = re.compile(
    r"[未×]|[不無非](?!動産|印|常勤)|なし|否|(?:no|not|none|non|never)\b(?!\.)|n$"
    r"|un(?:paid|sold|sent|read|seen|met|known|\w+ed|\w+able)\b",
    re.IGNORECASE,
)
_MONEY = frozenset(("how_much", "money"))
_ORDER = frozenset(("order", "desc", "asc", "newest", "oldest"))
_LIMITS = frozenset(("ge", "gt", "le", "lt"))
_HONOURED = re.compile("さん|氏|様|君|先生")
_HOW_MANY = re.compile("何([^\\W\\d_])")
_WORD = re.compile(r"[A-Za-z][\w'-]*")
_BEGINS = re.compile(r"(?:^|[.?!])\s*\Z")
_SEVERAL, _MANY = 2, 12


def has_doubts(reading: Reading, items: Sequence[Item], question: str, scene: Scene) -> bool:
    last = items[begins(items) :]
    frame, specs = reading.frame, reading.specs
    return (
        is_turned_round(specs, last)
        or _has_name(reading.unread, question)
        or not _are_named(frame, items, scene)
        or (_is_count(frame) and _asks_for_figure(last, scene))
        or (_has(last, _ORDER) and not _is_ordered(specs))
        or any(
            _is_limit(value, last)
            or _is_of_several(value, column, question, scene)
            or _is_in_notes(value, column, scene)
            for column, value in _held(specs)
        )
    )


# ---- what is left out ----


def is_turned_round(specs: Sequence[Spec], items: Sequence[Item]) -> bool:
    """Something is left out in words (not counting schools), and nothing in the reading."""
    is_told = _has(items, _LEFT_OUT)
    return is_told and not any(_says_not(spec.model_dump(mode="json")) for spec in specs)


def _says_not(part: object) -> bool:
    """What is said not to be so, or is so by its own name: 未回答, unpaid, 0."""
    if isinstance(part, Mapping):
        told = cast("Mapping[str, object]", part)
        is_none = told.get("op") in _HOLDS and _is_none(told.get("value"))
        return is_none or any(map(_says_not, told.values()))
    if isinstance(part, list):
        return any(map(_says_not, cast("list[object]", part)))
    return part in _NOT


def _is_none(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_is_none, cast("list[object]", value)))
    if isinstance(value, str):
        return _NAMES_NOT.match(value) is not None or value in ("0", "0.0")
    return value is not None and value in (False, 0)


# ---- names, figures, order ----


def _has_name(words: Sequence[str], question: str) -> bool:
    """Smith, met or not: somebody's name may be a condition. All capitals say nothing."""
    if question.isupper():
        return False
    written = {
        found[0].casefold()
        for found in _WORD.finditer(question)
        if found[0][0].isupper() and not _BEGINS.search(question, 0, found.start())
    }
    return not written.isdisjoint(words)


def _are_named(frame: Frame, items: Sequence[Item], scene: Scene) -> bool:
    """Of several figures each is told; one alone may go without saying."""
    columns = {one.column for one in frame.measures if one.column in scene.columns}
    told = {sense.name for item in items for sense in item.senses if sense.kind == "column"}
    return len(columns) < _SEVERAL or columns <= told


def _is_count(frame: Frame) -> bool:
    """Of rows, and of nothing else."""
    is_other = frame.is_share or frame.op or frame.formula or frame.wants_rows
    return bool(frame.measures) and not is_other and all(m.column is None for m in frame.measures)


def _asks_for_figure(items: Sequence[Item], scene: Scene) -> bool:
    """How much; 何頭, where there is 頭数."""
    names = [one.name for one in scene.columns.values() if one.is_measure]
    counted = [found[1] for item in items if (found := _HOW_MANY.match(item.text))]
    is_counted = any(f"{counter}数" in name for counter in counted for name in names)
    return bool(names) and (is_counted or _has(items, _MONEY))


def _is_ordered(specs: Sequence[Spec]) -> bool:
    """Periods stand in their order, and of shares the largest first."""
    return any(
        getattr(spec, "sort", None)
        or getattr(spec, "by", None)
        or isinstance(spec, Resample | ShareRatio)
        for spec in specs
    )


def _has(items: Sequence[Item], names: frozenset[str]) -> bool:
    return any(item.sense.kind == "word" and item.sense.name in names for item in items)


# ---- values of text ----


def _held(specs: Sequence[Spec]) -> Iterator[tuple[str, str]]:
    """Columns of text with the values that they have to have, or to contain."""
    for spec in specs:
        for one in spec.filters:
            for part in one.any_of if isinstance(one, AnyOf) else (one,):
                if isinstance(part, Compare | Contains | Among) and part.op in _HOLDS:
                    values = part.value if isinstance(part, Among) else (part.value,)
                    yield from ((part.col, value) for value in values if isinstance(value, str))


def _is_limit(value: str, items: Sequence[Item]) -> bool:
    """要介護3以上: more than this one value."""
    form = matching_form(value)
    return any(
        item.is_japanese and matching_form(item.text) == form and limit.sense.name in _LIMITS
        for item, limit in pairwise(items)
        if limit.is_japanese and limit.sense.kind == "word"
    )


def _is_of_several(value: str, column: str, question: str, scene: Scene) -> bool:
    """田中さん, of two of that name."""
    known = scene.columns.get(column)
    at = question.find(value)
    if known is None or at < 0 or not _HONOURED.match(question, at + len(value)):
        return False
    return sum(value in other for other in known.profile.values) >= _SEVERAL


def _is_in_notes(value: str, column: str, scene: Scene) -> bool:
    """至急, where other cells of the notes say more than that."""
    known = scene.columns.get(column)
    if known is None or not (known.profile.missing or known.profile.distinct > _MANY):
        return False
    others = known.profile.values
    longer = [other for other in others if value in other and other != value]
    return value in others and not value.isascii() and bool(longer)
