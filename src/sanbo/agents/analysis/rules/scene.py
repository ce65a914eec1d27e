"""A question with what it names marked in it: columns, values, moments, bounds."""

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules import lexicon
from sanbo.agents.analysis.rules.amounts import Bound, bounds
from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.exclusions import Exclusions, Thing, exclusions
from sanbo.agents.analysis.rules.mentions import ColumnMention, Names, columns_named
from sanbo.agents.analysis.rules.moments import Moment, moments
from sanbo.agents.analysis.rules.values import ValueMention, Values
from sanbo.agents.analysis.rules.wording import LONGEST, form, is_kanji


class Table:
    """The dataset as questions are read against it; made once for a decision."""

    def __init__(self, profile: DatasetProfile) -> None:
        self.profile = profile
        self.columns = Columns(profile)
        self.names = Names(self.columns)

    @cached_property
    def values(self) -> Values:
        return Values(self.profile)

    @cached_property
    def newest(self) -> date | None:
        """The last day in the data, from which 今月 and 直近 are seen."""
        found = [_day(self.columns[name].maximum) for name in self.columns.times]
        return max((one for one in found if one), default=None)

    def span(self, column: str) -> tuple[date, date] | None:
        low, high = _day(self.columns[column].minimum), _day(self.columns[column].maximum)
        return (low, high) if low and high else None


class _Same:
    """Profiles of the same content are one key."""

    def __init__(self, profile: DatasetProfile) -> None:
        self.profile = profile
        columns = tuple((one.name, one.type, one.distinct) for one in profile.columns)
        self._key = (profile.dataset_id, profile.sha256, profile.rows, columns)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other._key == self._key


@lru_cache(maxsize=4)
def _table(same: _Same) -> Table:
    return Table(same.profile)


def table_of(profile: DatasetProfile) -> Table:
    """The same one for every decision of a run."""
    return _table(_Same(profile))


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Scene:
    text: str
    """In its form."""
    masked: str
    """Columns are ■, values □, moments ◇; as long as the text."""
    columns: tuple[ColumnMention, ...]
    values: tuple[ValueMention, ...]
    moments: tuple[Moment, ...]
    bounds: tuple[Bound, ...]
    exclusions: Exclusions


_RESERVED = re.compile(
    "|".join(
        f"(?:{one.pattern})"
        for one in (
            lexicon.DISTINCT,
            *(words for _, words in lexicon.PERIOD_MEAN),
            *(words for _, _, words in lexicon.GROWTH),
            *(words for _, words in lexicon.UNITS),
            *(words for _, words in lexicon.CHARTS),
        )
    )
    + r"|(?<![a-z])(?:how many|time series|over time|in order of|date "
    r"range)(?![a-z])|年代|価格帯|構成比|前年|前月|件数|名前順|日付順"
)
"""Words of questions: they hide shorter names of columns, and names as long as they are win."""


def scene(question: str, table: Table) -> Scene:
    text = form(question[:LONGEST])
    when = _longest(list(moments(text, table.newest)))
    reserved = [found.span() for found in _RESERVED.finditer(text) if found.group()]
    dated = list(text)
    for one in when:
        dated[one.start : one.end] = "◇" * (one.end - one.start)
    # 時間 of 3時間以上 is no part of a column's name.
    reserved += [(one.start, one.end) for one in bounds("".join(dated))]
    spans: list[tuple[int, float, object, int, int]] = []
    spans += [(one.end - one.start, 5.2, one, one.start, one.end) for one in when]
    spans += [
        (one.end - one.start, one.strength, one, one.start, one.end) for one in _all(text, table)
    ]
    spans += [
        (
            one.end - one.start,
            5.4 if one.strength == 4 else one.strength - 0.5,
            one,
            one.start,
            one.end,
        )
        for one in table.values.named(text)
    ]
    spans += [(end - start, 5.3, None, start, end) for start, end in reserved]
    spans.sort(key=lambda one: (-one[0], -one[1], one[3]))
    kept: list[tuple[object, int, int]] = []
    for _, _, what, start, end in spans:
        same = next((one for one in kept if one[1:] == (start, end)), None)
        if isinstance(what, ValueMention) and same and isinstance(same[0], ValueMention):
            kept[kept.index(same)] = (_joined(same[0], what), start, end)
        elif all(end <= first or last <= start for _, first, last in kept):
            kept.append((what, start, end))
    kept.sort(key=lambda one: one[1])
    blocked = [(start, end) for what, start, end in kept if not isinstance(what, ColumnMention)]
    named = columns_named(text, table.names, blocked)
    found_values = tuple(what for what, _, _ in kept if isinstance(what, ValueMention))
    found_moments = tuple(what for what, _, _ in kept if isinstance(what, Moment))
    named = _with_their_count(named, text, table)
    named = tuple(one for one in named if not _is_compound(one, named, found_values, text))
    masked = list(text)
    for mark, mentions in (("■", named), ("□", found_values), ("◇", found_moments)):
        for one in mentions:
            masked[one.start : one.end] = mark * (one.end - one.start)
    hidden = "".join(masked)
    limits = tuple(bounds(hidden))
    left_out = exclusions(hidden, found_values, (found_moments, limits), _is_alike)
    return Scene(text, hidden, named, found_values, found_moments, limits, left_out)


def _is_alike(one: Thing, other: Thing) -> bool:
    """Values of one column; moments and bounds are alike among themselves."""
    if isinstance(one, ValueMention) and isinstance(other, ValueMention):
        return bool({column for column, _ in one.found} & {column for column, _ in other.found})
    return True


_BEFORE_A_NAME = frozenset(
    "別毎各全総均計大小高低値間次年月日週期比率額数順位店者人件今前後同当的用向系化性上下内外中番最度総純実累番品平合"
)


def _is_compound(
    one: ColumnMention,
    named: tuple[ColumnMention, ...],
    values: tuple[ValueMention, ...],
    text: str,
) -> bool:
    """客単価 is not 単価: a character before a name that belongs to nothing else changes it."""
    before = text[one.start - 1 : one.start]
    if (
        not before
        or not is_kanji(before)
        or before in _BEFORE_A_NAME
        or not is_kanji(text[one.start])
    ):
        return False
    return not any(other.end == one.start for other in (*named, *values))


_NUMBER_OF = re.compile(r"(?<![a-z])(?:the )?(?:number|no\.) of (?:the )?$")


def _with_their_count(
    named: tuple[ColumnMention, ...], text: str, table: Table
) -> tuple[ColumnMention, ...]:
    """`number of cylinders` is the column of cylinders: there is nothing to count."""
    found: list[ColumnMention] = []
    for one in named:
        before = (
            _NUMBER_OF.search(text[: one.start]) if table.columns.is_numeric(one.column) else None
        )
        is_id = table.columns.roles[one.column] == "id"
        found.append(replace(one, start=before.start()) if before and not is_id else one)
    return tuple(found)


def _all(text: str, table: Table) -> list[ColumnMention]:
    return list(columns_named(text, table.names))


def _joined(one: ValueMention, other: ValueMention) -> ValueMention:
    if other.strength < one.strength or set(other.found) <= set(one.found):
        return one
    return ValueMention(one.start, one.end, (*one.found, *other.found), one.strength)


def _longest(found: list[Moment]) -> list[Moment]:
    kept: list[Moment] = []
    for one in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)
