"""A text read clause by clause: of two texts that are compared, most clauses stand in both.

No number, value, duty or denial reaches over a 、 or a 。, and none is found by what is beyond one.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from sanbo.agents.comparison.differences.duties import Duty, duties
from sanbo.agents.comparison.differences.spans import Span, apart, spans
from sanbo.agents.comparison.differences.values.finding import values
from sanbo.agents.comparison.differences.values.model import Value


class Clause(NamedTuple):
    """Every place is counted from where the clause begins."""

    values: Sequence[Value]
    duties: Sequence[Duty]
    tokens: Sequence[str]
    starts: Sequence[int]
    special: Sequence[int]
    """Where those tokens begin that are more than a word."""


_CLAUSE = re.compile("[^、。]*[、。]|[^、。]+")
_LONGEST = 200
"""Characters: what is longer hardly stands anywhere else, and would only fill the memory."""


def clause_spans(text: str, marks: Sequence[Span]) -> list[Span]:
    """One after the other, over all of the text; its own numbers by themselves."""
    # A number like 第三条、第四条 is not cut.
    ends = list(accumulate(map(len, _CLAUSE.findall(without(text, marks)))))
    if cuts := [end for _, end in marks if _may_cut(text, end)]:
        ends = sorted({*ends, *cuts})
    return list(zip((0, *ends), ends, strict=False))


def _may_cut(text: str, at: int) -> bool:
    """Not where what follows might be read as one word with the number: 一行わなければならない."""
    return not (_IN_WORD.match(text, at - 1) and _IN_WORD.match(text, at))


_IN_WORD = re.compile("[ぁ-ん一-鿿々]")


def read_clause(text: str) -> Clause:
    return _kept_clause(text) if len(text) <= _LONGEST else numbered_clause(text)


def numbered_clause(
    text: str,
    *,
    marks: Sequence[Span] = (),
    references: Sequence[Span] = (),
    steps: Sequence[Span] = (),
) -> Clause:
    """Of a text with numbers of its own, or with some that it refers to step by step."""
    if marks == [(0, len(text))]:
        return Clause((), (), (text,), (0,), (0,))
    # `２　１０万円` is the second paragraph and ten, not two hundred and ten.
    found = values(without(text, marks), (*marks, *references))
    taken = spans(found)
    bound = apart(duties(text), taken)
    special = [*marks, *steps, *taken, *spans(bound)]
    special.sort()
    tokens, starts = _tokens(text, special)
    return Clause(found, bound, tokens, starts, [start for start, _ in special])


@lru_cache(maxsize=1 << 9)  # both texts of a change are read one after the other
def _kept_clause(text: str) -> Clause:
    return numbered_clause(text)


def without(text: str, marks: Sequence[Span]) -> str:
    for start, end in marks:
        text = text[:start] + "\n" * (end - start) + text[end:]
    return text


# ---- Words ----

_BLANK = re.compile(r"\s+")
# Without 並又及等若, which join words: 甲及び乙等 is four of them.
_KANJI = r"[\u4e00-\u4e25\u4e27-\u53c7\u53c9\u53cb-\u7b48\u7b4a-\u82e4\u82e6-\u9fff々〆]"
_WORDS = re.compile(
    r"[A-Za-z0-9À-ɏ０-９Ａ-Ｚａ-ｚ]+(?:[’'_.\-@/][A-Za-z0-9À-ɏ]+)*"
    rf"|\s+|及び|又は|若しくは|並びに|[ぁ-ん]+|[ァ-ヶー]+|{_KANJI}+|.",
    re.DOTALL,
)
_FUNCTION_WORDS = (
    "ただし|もしくは|または|および|ならびに|かつ|その|この|これら|これ|それ|もの|こと|とき|ため|ところ"
    "|ほか|から|まで|より|など|のみ|ごと|いずれか|いずれ|すべて|あらかじめ|を|[はがにのともで]$"
)
_KANA_WORDS = re.compile(rf"{_FUNCTION_WORDS}|.+?(?={_FUNCTION_WORDS}|$)", re.DOTALL)


@lru_cache(maxsize=4096)
def _kana_words(run: str) -> tuple[str, ...]:
    """`については` ends in a particle; few runs are ever met that were not met before."""
    return tuple(_KANA_WORDS.findall(run))


def _tokens(text: str, special: list[Span]) -> tuple[list[str], list[int]]:
    words, done = list[str](), 0
    for start, end in special:
        if start < done:
            continue
        _add_words(text[done:start], words)
        words.append(text[start:end])
        done = end
    _add_words(text[done:], words)
    starts = list(accumulate(map(len, words), initial=0))
    starts.pop()
    if _BLANK.search(text) is None:  # nearly always, in Japanese
        return words, starts
    kept = [at for at, word in enumerate(words) if not word.isspace()]
    return [words[at] for at in kept], [starts[at] for at in kept]


def _add_words(text: str, words: list[str]) -> None:
    for run in _WORDS.findall(text):
        if len(run) > 1 and "ぁ" <= run[0] <= "ん":
            words += _kana_words(run)
        else:
            words.append(run)
