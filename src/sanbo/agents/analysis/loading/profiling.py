"""What a table's columns hold, which of them name rows, and which only average.

The same word written in two ways: 「新宿本店 」, ｼﾝｼﾞｭｸ, ABC and abc, in columns of words.
"""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, time
from itertools import islice
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute

from sanbo.agents.analysis.execution.frames import TYPE_KEY, UNIT_KEY
from sanbo.agents.analysis.loading.word_lists import (
    WORDS,
    Preparations,
    ends_with,
    few,
    narrow,
    short,
)
from sanbo.agents.analysis.profile import MOST_VALUES, ColumnProfile, ValueType

_BLANKS = "[\\s\u3000\u00a0\u200b\ufeff]+"
_BLANK = re.compile(_BLANKS)
_BETWEEN_LATIN = re.compile(r"(?<=[!-~]) (?=[!-~])")
_LONGEST = 200
_EXAMPLES = 3
_SHORT = 15


def with_one_spelling(table: pa.Table, preparations: Preparations) -> pa.Table:
    """Each word as it is written most often; blanks around words go."""
    if not preparations.wants("variants"):
        return table
    for at, name in enumerate(table.column_names):
        field: Any = cast("Any", table.schema).field(at)
        if field.metadata[TYPE_KEY] != b"text":
            continue
        column: Any = table.column(at)
        meant = _meant(column)
        if not meant:
            continue
        words = pa.array(list(meant), pa.string())
        places: Any = _compute.index_in(column, words)
        changed = len(column) - places.null_count
        spelled: Any = pa.array(list(meant.values()), pa.string())
        new: Any = _compute.if_else(
            _compute.is_valid(places), _compute.take(spelled, places), column
        )
        table = table.set_column(at, field, new)
        examples = few(
            f"「{short(old, _SHORT)}」→「{short(now, _SHORT)}」"
            for old, now in islice(meant.items(), _EXAMPLES)
        )
        preparations.say("variants", "variants", column=name, count=changed, examples=examples)
    return table


def _meant(column: Any) -> dict[str, str]:
    """What is to be written otherwise, and how."""
    counts: Any = _compute.value_counts(column.drop_null())
    words, often = counts.field(0), counts.field(1)
    doubtful = _doubtful(words)
    if not doubtful:
        return {}
    spellings: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for place in doubtful:
        word = words[place].as_py()
        spellings[_form(word)].append((often[place].as_py(), word))
    meant: dict[str, str] = {}
    for each in spellings.values():
        used: dict[str, int] = defaultdict(int)
        for count, word in each:
            used[word.strip(_AROUND)] += count
        # Of two that stand equally often, the one in the usual width, then the first.
        chosen = max(used, key=lambda word: (used[word], narrow(word) == word))
        meant |= {word: chosen for _, word in each if word != chosen}
    return meant


_AROUND = " \t\r\n\u3000\u00a0\u200b\ufeff"


def _doubtful(words: Any) -> list[int]:
    """Places of words with blanks around them, or with another one in the same coarse form.

    Coarser than `_form`, and made by Arrow at once: most words are alone and not looked at again.
    """
    is_short: Any = _compute.less_equal(_compute.utf8_length(words), _LONGEST)
    short: Any = _compute.indices_nonzero(is_short)
    words = words.take(short)
    coarse: Any = _compute.utf8_lower(_compute.utf8_normalize(words, form="NFKC"))
    coarse = _compute.replace_substring_regex(
        coarse, pattern="[\\s\\p{Z}\u200b\ufeff]+", replacement=""
    )
    counts: Any = _compute.value_counts(coarse)
    twice = counts.field(0).filter(_compute.greater(counts.field(1), 1))
    around: Any = _compute.not_equal(_compute.utf8_trim(words, characters=_AROUND), words)
    among: Any = _compute.or_(_compute.is_in(coarse, twice), around)
    return short.take(_compute.indices_nonzero(among)).to_pylist()


def _form(word: str) -> str:
    """Without what blanks, width and case make different. A blank between Latin words counts."""
    form = _BLANK.sub(" ", narrow(word)).strip().lower()
    kept = _BETWEEN_LATIN.sub("\0", form)
    return kept.replace(" ", "").replace("\0", " ")


_compute: Any = pyarrow.compute  # its stubs leave half of it unknown

_LONGEST_VALUE = 200


def profile_columns(table: pa.Table, *, with_values: bool = True) -> tuple[ColumnProfile, ...]:
    """Without values, only what every column is."""
    return tuple(
        _column_profile(cast("Any", table.schema).field(number), column, with_values)
        for number, column in enumerate(table.columns)
    )


def _column_profile(
    field: "pa.Field[Any]", column: "pa.ChunkedArray[Any]", with_values: bool
) -> ColumnProfile:
    metadata = field.metadata or {}
    kind = cast("ValueType", metadata.get(TYPE_KEY, b"text").decode())
    if not with_values:
        unit = metadata.get(UNIT_KEY, b"").decode()
        return ColumnProfile(
            name=field.name, type=kind, unit=unit, missing=column.null_count, is_whole=False
        )
    distinct = int(_compute.count_distinct(column).as_py()) if kind != "empty" else 0
    lowest = highest = None
    values: list[str] = []
    if kind in ("text", "boolean", "time"):
        values = _commonest(column)
    elif kind != "empty":
        bounds = cast("dict[str, Any]", _compute.min_max(column).as_py())
        lowest, highest = _bound(bounds["min"]), _bound(bounds["max"])
    return ColumnProfile(
        name=field.name,
        type=kind,
        unit=metadata.get(UNIT_KEY, b"").decode(),
        missing=column.null_count,
        distinct=distinct,
        values=tuple(values),
        minimum=lowest,
        maximum=highest,
        is_whole=len(values) == distinct,
    )


def _commonest(column: "pa.ChunkedArray[Any]") -> list[str]:
    counts: Any = _compute.value_counts(column.drop_null())
    order: Any = _compute.sort_indices(counts.field(1), sort_keys=[("", "descending")])
    top: list[object] = counts.field(0).take(order[:MOST_VALUES]).to_pylist()
    return [
        ("TRUE" if value else "FALSE") if isinstance(value, bool) else str(value)[:_LONGEST_VALUE]
        for value in top
    ]


def _bound(value: Any) -> str | int | float | None:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return value


def shown_value(value: Any) -> str | int | float | bool | None:
    if isinstance(value, datetime):
        return _bound(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


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
