"""A text cut into what a person reads as one: a clause, 第N条, a date, an amount, a word."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from sanbo.agents.comparison.differences.duties import Denial, Duty, denials, duties
from sanbo.agents.comparison.differences.spans import (
    Span,
    Value,
    apart,
    shifted,
    spans,
    spans_within,
    within,
)
from sanbo.agents.comparison.differences.values import values
from sanbo.agents.comparison.numbering import own_mark
from sanbo.agents.comparison.references import Reference, references


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


class Blank(NamedTuple):
    at: int
    """Where in `squeezed` it would stand."""
    start: int
    """Where in the text it begins."""
    total: int
    """Characters that were left out so far, with this one."""


@dataclass(frozen=True)
class Reading:
    """A text and all that was found in it; every span is one of `squeezed`."""

    text: str
    squeezed: str
    """Without white space beside Japanese."""
    blanks: tuple[Blank, ...]
    """The white space that `squeezed` lacks."""
    marks: tuple[Span, ...]
    """Where its own numbers stand; of several paragraphs, those of each."""
    references: tuple[Reference, ...]
    """Without its own numbers."""
    values: tuple[Value, ...]
    duties: tuple[Duty, ...]
    tokens: list[str]
    starts: list[int]
    """Where each token begins."""
    special: frozenset[int]
    """Where those begin that are more than a word: numbers, references, values, duties."""
    clauses: list[Span]

    @property
    def denials(self) -> Sequence[Denial]:
        return self.denials_within(0, len(self.squeezed))

    def denials_within(self, start: int, end: int) -> Sequence[Denial]:
        """Those that reach into this stretch; looked for in its clauses alone."""
        first = bisect_right(self.clauses, start, key=lambda clause: clause[1])
        last = bisect_left(self.clauses, end, key=lambda clause: clause[0])
        if first >= last:
            return ()
        begin, stop = self.clauses[first][0], self.clauses[last - 1][1]
        found = [one.moved(begin) for one in denials(self.squeezed[begin:stop])]
        taken = (within(self.values, begin, stop), within(self.duties, begin, stop))
        return within(apart(found, (*spans(taken[0]), *spans(taken[1]))), start, end)

    def place(self, at: int) -> int:
        """Where in `text` a place of `squeezed` is; its beginning and end are those of the text."""
        if at <= 0:
            return 0
        if at >= len(self.squeezed):
            return len(self.text)
        before = bisect_right(self.blanks, at, key=lambda blank: blank.at)
        return at + self.blanks[before - 1].total if before else at


def read(*texts: str, is_heading: bool = False) -> Reading:
    """Of several paragraphs, as they are when joined by line breaks."""
    text = "\n".join(texts)
    squeezed, blanks = _squeezed(text)
    marks = tuple(_marks(texts, blanks, is_heading=is_heading))
    referred = tuple(apart(references(squeezed), marks))
    return _read_by_clauses(text, squeezed, blanks, marks, referred)


def _read_by_clauses(
    text: str,
    squeezed: str,
    blanks: tuple[Blank, ...],
    marks: tuple[Span, ...],
    referred: tuple[Reference, ...],
) -> Reading:
    values, duties = list[Value](), list[Duty]()
    tokens, starts, special = list[str](), list[int](), list[int]()
    clauses = clause_spans(squeezed, marks)
    last_number = max(marks[-1][1] if marks else 0, referred[-1].end if referred else 0)
    for begin, end in clauses:
        if begin >= last_number:
            clause = read_clause(squeezed[begin:end])
        else:
            clause = _clause(squeezed, begin, end, marks, referred)
        tokens += clause.tokens
        starts += [begin + start for start in clause.starts]
        special += [begin + start for start in clause.special]
        if clause.values:
            values += [value.moved(begin) for value in clause.values]
        if clause.duties:
            duties += [duty.moved(begin) for duty in clause.duties]
    return Reading(
        text=text,
        squeezed=squeezed,
        blanks=blanks,
        marks=marks,
        references=referred,
        values=tuple(values),
        duties=tuple(duties),
        tokens=tokens,
        starts=starts,
        special=frozenset(special),
        clauses=clauses,
    )


def _clause(
    text: str,
    begin: int,
    end: int,
    marks: Sequence[Span],
    referred: Sequence[Reference],
) -> Clause:
    own = spans_within(marks, begin, end)
    cited = within(referred, begin, end)
    if not own and not cited:
        return read_clause(text[begin:end])
    steps = [part for reference in cited for part in reference.parts]
    return numbered_clause(
        text[begin:end],
        marks=shifted(own, -begin),
        references=shifted(spans(cited), -begin),
        steps=shifted(spans(steps), -begin),
    )


def _marks(texts: Sequence[str], blanks: Sequence[Blank], *, is_heading: bool) -> Iterator[Span]:
    begin = 0
    for text in texts:
        mark = own_mark(text, is_heading=is_heading)
        if mark is not None:
            yield _found_again(blanks, begin + mark.start), _found_again(blanks, begin + mark.end)
        begin += len(text) + 1


def _found_again(blanks: Sequence[Blank], at: int) -> int:
    """Where in `squeezed` a place of the text is."""
    before = bisect_left(blanks, at, key=lambda blank: blank.start)
    return max(blanks[before - 1].at, at - blanks[before - 1].total) if before else at


def same_but_for_white_space(old: str, new: str) -> bool:
    if old == new:
        return True
    # Quick to tell of nearly all that differ; `may be` and `maybe` need the second look.
    return "".join(old.split()) == "".join(new.split()) and _flat(old) == _flat(new)


def _flat(text: str) -> str:
    return _squeezed(" ".join(text.split()))[0]


# Beside any of these, white space separates nothing.
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u30ff\U00020000-\U0003ffff]")
_BLANK = re.compile(r"\s+")


def _squeezed(text: str) -> tuple[str, tuple[Blank, ...]]:
    pieces, blanks, done, total = list[str](), list[Blank](), 0, 0
    for blank in _BLANK.finditer(text):
        start, end = blank.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        if before.isdigit() and after.isdigit():  # `１０　２０` are two numbers
            continue
        if _is_wide(before) or _is_wide(after):
            pieces.append(text[done:start])
            blanks.append(Blank(start - total, start, total + end - start))
            total += end - start
            done = end
    if not done:
        return text, ()
    return "".join((*pieces, text[done:])), tuple(blanks)


def _is_wide(character: str) -> bool:
    return _WIDE.match(character) is not None
