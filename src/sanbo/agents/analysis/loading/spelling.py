"""The same word written in two ways: 「新宿本店 」, ｼﾝｼﾞｭｸ, ABC and abc, in columns of words."""

import re
from collections import defaultdict
from itertools import islice
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute

from sanbo.agents.analysis.execution.frames import TYPE_KEY
from sanbo.agents.analysis.loading.word_lists import Preparations, few, narrow, short

_compute: Any = pyarrow.compute  # its stubs leave half of it unknown

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
