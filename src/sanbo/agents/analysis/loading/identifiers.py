"""Columns that name rows: 社員番号, order id, JANコード. Their numbers are no figures."""

import re
from collections.abc import Sequence

from sanbo.agents.analysis.loading.preparations import Preparations, few
from sanbo.agents.analysis.loading.word_lists import WORDS, ends_with
from sanbo.agents.analysis.profile import ColumnProfile

_NEARLY_ALL = 0.9
_MANY = 0.1
_MOST_GROUPS = 50
"""Codes with more different ones are nobody's groups."""
_CODE = re.compile(r"[A-Za-z]{0,6}[-_ ]?[0-9][0-9A-Za-z\-_ ()+]{0,39}")
_DIGITS = re.compile(r"[0-9]{2,}")
_UNNAMED = re.compile(r"unnamed: 0|列1|column 1|index", re.IGNORECASE)
_COUNTED = re.compile(r"(?:number|no|num|count) of |の数$", re.IGNORECASE)


def with_identifiers(
    columns: Sequence[ColumnProfile], rows: int, preparations: Preparations
) -> tuple[ColumnProfile, ...]:
    if not preparations.wants("identifiers"):
        return tuple(columns)
    found = [column.name for column in columns if is_identifier(column, rows)]
    if found:
        preparations.say("identifiers", "identifiers", count=len(found), columns=few(found))
    return tuple(
        column.model_copy(update={"is_identifier": True}) if column.name in found else column
        for column in columns
    )


def with_rates(columns: Sequence[ColumnProfile]) -> tuple[ColumnProfile, ...]:
    """By their cells or their names: 12.5%, 単価, 年齢, discount rate."""
    return tuple(
        column.model_copy(update={"is_rate": True})
        if column.is_numeric and (column.unit in ("%", "％") or ends_with(column.name, WORDS.rates))
        else column
        for column in columns
    )


def is_identifier(column: ColumnProfile, rows: int) -> bool:
    """By its name and by the look of its values; zeros in front say enough."""
    filled = rows - column.missing
    is_unique = filled > 1 and column.distinct >= filled * _NEARLY_ALL
    is_named = ends_with(column.name, WORDS.identifiers) and not _COUNTED.search(column.name)
    if column.type == "integer":
        is_whole = isinstance(column.minimum, int) and column.minimum >= 0
        is_counter = is_unique and bool(_UNNAMED.fullmatch(column.name))
        return is_whole and (is_named or is_counter)
    if column.type != "text" or not column.values:
        return False
    is_many = is_unique or column.distinct > max(_MOST_GROUPS, filled * _MANY)
    if is_named:
        return (
            is_many and sum(map(bool, map(_CODE.fullmatch, column.values))) > len(column.values) / 2
        )
    has_zeros = any(value.startswith("0") for value in column.values)
    return is_many and has_zeros and all(map(_DIGITS.fullmatch, column.values))
