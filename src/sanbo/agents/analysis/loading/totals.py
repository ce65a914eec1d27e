"""Rows that only add up the others (合計, 小計, 東京 計, Grand total), and such columns.

A row goes where its label says so and its figures bear it out; one that says so alone stays, and
people are told.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate
from operator import itemgetter

from sanbo.agents.analysis.loading.margins import without_rows
from sanbo.agents.analysis.loading.word_lists import WORDS, Preparations, ends_with, few, narrow
from sanbo.agents.analysis.profile import NUMERIC
from sanbo.documents.columns import Cell, infer_columns
from sanbo.documents.file_table import FoundTable
from sanbo.documents.table_heads import is_empty
from sanbo.tables.values import as_number

_LONGEST = 40
_SAMPLE = 200
_MOST_DIGITS = 6
_LARGEST = 1e300
_DIGITS = frozenset("0123456789")
_MOST_LEFT = 3
_OFTEN = 3
_MOST_TOTALS = 0.67
_DECORATION = " \t\n\u3000【】()[]<>《》〈〉「」『』*=-ー―─:：・◆■●▼▲◎"
_BRACKET_AT_END = re.compile(r"[(（][^()（）]{1,20}[)）]$")
_JOINS = "の/-:_ "
# Only what has one of these is looked at more closely: there may be a million words.
_MAY_BE = re.compile(
    "[計総全均累繰]|total|sum|averag|mean|avg|all|forward|[Ａ-Ｚａ-ｚ]", re.IGNORECASE
)
_BEGINS = re.compile("(?:sub-?|grand )?total |(?:小計|合計|総計)[ 　:：]", re.IGNORECASE)
_IN_THOUSANDS = re.compile(
    r"[千万億兆][円人個台件ドル]|thousand|million|billion|千単位|,000|\b000s?\b", re.I
)
_YEARS = range(1900, 2101)


@dataclass(frozen=True)
class _Label:
    is_mean: bool
    is_sure: bool = True
    rest: str = ""
    """東京 of 東京 計, in bare form."""


@dataclass(frozen=True)
class _Mark:
    """A row that says that it is a total."""

    row: int
    text: str
    label: _Label
    columns: frozenset[int]
    """Where it says so."""


_WHOLE = {
    word: _Label(name == "mean", is_sure)
    for name, words in WORDS.totals.items()
    for is_sure, each in ((True, words.whole), (False, words.unsure))
    for word in each
}
_SUMS = frozenset(word for word, label in _WHOLE.items() if label.is_sure and not label.is_mean)
_WHOLE_WORDS = tuple(word for word in _SUMS if len(word) > 1 and not word.isascii())
_BESIDE = sorted(
    ((word, name == "mean") for name, words in WORDS.totals.items() for word in words.beside),
    key=lambda pair: -len(pair[0]),
)


@lru_cache(1 << 14)
def _bare(text: str) -> str:
    return "".join(_words(text))


def _words(text: str) -> list[str]:
    form = _BRACKET_AT_END.sub("", narrow(text).strip()) or text
    return form.strip(_DECORATION).lower().split()


def _label(text: str) -> _Label | None:
    if len(text) > _LONGEST or not _MAY_BE.search(text):
        return None
    bare = _bare(text)
    if bare in _WHOLE:
        return _WHOLE[bare]
    words = _words(text)
    edges = {0, *accumulate(map(len, words))}
    for word, is_mean in _BESIDE:
        is_apart = word.isascii() and len(words) > 1  # Subtotal Fort Collins is of no T Collins
        if bare.endswith(word) and not (is_apart and len(bare) - len(word) not in edges):
            return _Label(is_mean, rest=bare.removesuffix(word).strip(_JOINS))
        if bare.startswith(word) and not (is_apart and len(word) not in edges):
            return _Label(is_mean, rest=bare.removeprefix(word).strip(_JOINS))
    return None


# Rows


def without_totals(found: FoundTable, preparations: Preparations) -> FoundTable:
    if not preparations.wants("totals"):
        return found
    marks = _marks(found)
    if not marks:
        return found
    right: dict[int, _Sum] = {}
    left, tries = marks, [marks]
    while tries:
        tried = [mark for mark in tries.pop(0) if mark.row not in right]
        figures = _Figures(found, [*right, *(mark.row for mark in tried)])
        right |= {mark.row: made for mark in tried if (made := figures.sum_of(mark))}
        still = [mark for mark in left if mark.row not in right]
        if len(tried) > 1 and still:
            # What is a row after all, a shop called 計, counts in the sums of the others.
            sure = [mark for mark in still if mark.label.is_sure]
            tries = (
                [sure] if 0 < len(sure) < len(tried) else [[each] for each in sure[-_MOST_LEFT:]]
            )
        left = still
    if values := _values_after_all(marks, right):
        rest = [mark for mark in marks if mark.row not in values]
        figures = _Figures(found, [mark.row for mark in rest])
        right = {mark.row: made for mark in rest if (made := figures.sum_of(mark))}
        left = [mark for mark in rest if mark.row not in right]
    _say(found, [mark for mark in marks if mark.row in right], right, preparations)
    odd = [mark for mark in left if mark.label.is_sure]
    if odd:
        rows = few(found.row_numbers[mark.row] for mark in odd)
        labels = few(dict.fromkeys(mark.text.strip() for mark in odd))
        preparations.say(
            "totals", "totals_kept", is_done=False, count=len(odd), rows=rows, labels=labels
        )
    return without_rows(found, list(right)) if right else found


def _say(
    found: FoundTable,
    marks: Sequence[_Mark],
    sums: "dict[int, _Sum]",
    preparations: Preparations,
) -> None:
    for text, has_figures in (("totals", True), ("totals_empty", False)):
        if some := [mark for mark in marks if (sums[mark.row].hits > 0) == has_figures]:
            rows = few(found.row_numbers[mark.row] for mark in some)
            labels = few(dict.fromkeys(mark.text.strip() for mark in some))
            preparations.say("totals", text, count=len(some), rows=rows, labels=labels)
    for mark in marks:
        if names := [found.names[at] for at in sums[mark.row].misses if at < len(found.names)]:
            preparations.say(
                "totals",
                "totals_differ",
                is_done=False,
                row=found.row_numbers[mark.row],
                columns=few(names),
            )


def _marks(found: FoundTable) -> list[_Mark]:
    rows = found.rows
    said: dict[int, dict[int, _Label]] = {}
    for column in range(len(rows[0]) if rows else 0):
        labels = {
            cell: label
            for cell in set(map(itemgetter(column), rows))
            # A million codes and amounts end with a digit, and no label does but one of a month.
            if isinstance(cell, str)
            and (cell[-1:] not in _DIGITS or _BEGINS.match(cell))
            and (label := _label(cell))
        }
        if labels:
            for number, row in enumerate(rows):
                # pyrefly: ignore[bad-argument-type]
                if label := labels.get(row[column]):
                    said.setdefault(number, {})[column] = label
    if any(label.rest for labels in said.values() for label in labels.values()):
        said = _with_known_rests(found, said)
    if len(said) > len(rows) * _MOST_TOTALS:
        return []
    return [
        _Mark(number, str(rows[number][min(labels)]), _surest(labels), frozenset(labels))
        for number, labels in sorted(said.items())
    ]


def _surest(labels: dict[int, _Label]) -> _Label:
    return max(labels.values(), key=lambda label: (label.is_sure, not label.rest))


def _with_known_rests(
    found: FoundTable, said: dict[int, dict[int, _Label]]
) -> dict[int, dict[int, _Label]]:
    """時計 is no total of 時: what is added up must stand in the table."""
    wanted = {label.rest for labels in said.values() for label in labels.values() if label.rest}
    known = {_bare(name) for name in found.names} & wanted
    for number, row in enumerate(found.rows):
        if number not in said:
            known.update(
                bare
                for cell in row
                if isinstance(cell, str)
                and len(cell) <= _LONGEST
                and (bare := _bare(cell)) in wanted
            )
    fitting = {
        number: {
            column: label
            for column, label in labels.items()
            if not label.rest or label.rest in known or _stands_alone(found.rows[number], column)
        }
        for number, labels in said.items()
    }
    return {number: labels for number, labels in fitting.items() if labels}


def _stands_alone(row: Sequence[Cell], column: int) -> bool:
    """Page total, 歳出合計: a word of its own at the end, and no others beside it, as data has."""
    words = str(row[column]).split()
    bare = _bare(words[-1]) if words else ""
    is_word = len(words) > 1 and bare in _SUMS
    return (
        is_word or bare.endswith(_WHOLE_WORDS)  # 時計 ends with 計 alone
    ) and (
        all(
            at == column
            or not isinstance(cell, str)
            or not cell.strip()
            or as_number(cell) is not None
            for at, cell in enumerate(row)
        )
    )


def _values_after_all(marks: Sequence[_Mark], right: Collection[int]) -> set[int]:
    """集計 as a kind of work: said of many rows, of which most do not add up."""
    said: dict[tuple[str, frozenset[int]], list[int]] = {}
    for mark in marks:
        said.setdefault((_bare(mark.text), mark.columns), []).append(mark.row)
    return {
        row
        for rows in said.values()
        if len(rows) >= _OFTEN and 2 * sum(row in right for row in rows) < len(rows)
        for row in rows
    }


@dataclass(frozen=True)
class _Sum:
    hits: int
    misses: tuple[int, ...]

    @property
    def bears_out(self) -> bool:
        return self.hits > len(self.misses)


class _Figures:
    """The numbers of a table as whole ones, and their sums over rows that are no totals."""

    def __init__(self, found: FoundTable, marked: Collection[int]) -> None:
        self._found = found
        self._marked = frozenset(marked)
        self._ordered = sorted(self._marked)
        self._rows = [n for n in range(len(found.rows)) if n not in self._marked]
        sample = [found.rows[number] for number in self._rows[:_SAMPLE]]
        kinds = infer_columns(sample)
        self.columns = [
            at
            for at, kind in enumerate(kinds)
            if kind in NUMERIC and not self._names_rows(at, sample)
        ]
        self._rates = {
            at
            for at in self.columns
            if kinds[at] == "percent" or ends_with(self._name(at), WORDS.rates)
        }
        self._is_rounded = any(map(_IN_THOUSANDS.search, (*found.above, *found.names)))
        self._digits = {at: self._most_digits(at, sample) for at in self.columns}
        self._values = {at: self._whole_numbers(at) for at in self.columns}
        self._before = {at: self._running(at) for at in self.columns}
        self._groups: dict[tuple[int, ...], dict[tuple[object, ...], list[int]]] = {}

    def _name(self, at: int) -> str:
        return self._found.names[at] if at < len(self._found.names) else ""

    def _names_rows(self, at: int, sample: Sequence[Sequence[Cell]]) -> bool:
        """番号 and 年度 are not added up."""
        if ends_with(self._name(at), WORDS.identifiers):
            return True
        # pyrefly: ignore[bad-argument-type]
        numbers = [as_number(row[at]) for row in sample if not is_empty(row[at])]
        return (
            len(numbers) > 1
            and all(number in _YEARS for number in numbers)
            and (ends_with(self._name(at), ("年", "年度", "year", "fy")))
        )

    def _most_digits(self, at: int, sample: Sequence[Sequence[Cell]]) -> int:
        marked = [self._found.rows[number] for number in self._ordered[:_SAMPLE]]
        # pyrefly: ignore[bad-argument-type]
        return max((_digits(as_number(row[at])) for row in (*sample, *marked)), default=0)

    def _whole_numbers(self, at: int) -> list[int | None]:
        scale = 10 ** self._digits[at]
        # pyrefly: ignore[bad-argument-type]
        numbers = (as_number(row[at]) for row in self._found.rows)
        return [None if n is None or not abs(n) < _LARGEST else round(n * scale) for n in numbers]

    def _running(self, at: int) -> list[tuple[int, int]]:
        """Sum and count of the rows before each, totals left out."""
        values = self._values[at]
        plain = [None if n in self._marked else value for n, value in enumerate(values)]
        sums = accumulate((value or 0 for value in plain), initial=0)
        counts = accumulate((value is not None for value in plain), initial=0)
        return list(zip(sums, counts, strict=True))

    def sum_of(self, mark: _Mark) -> _Sum | None:
        """How it adds up, over the rows that fit it best; None where it does not."""
        filled = [at for at in self.columns if self._values[at][mark.row] is not None]
        if not filled:
            is_bare = self.columns and mark.label.is_sure and not mark.label.rest
            return _Sum(0, ()) if is_bare else None
        judged = [at for at in filled if at not in self._rates] or filled
        best: _Sum | None = None
        for sums in self._candidates(mark):
            misses = tuple(at for at in judged if not self._is_sum(mark, at, *sums[at]))
            made = _Sum(len(judged) - len(misses), misses)
            if made.bears_out and (best is None or len(misses) < len(best.misses)):
                best = made
        return best

    def _is_sum(self, mark: _Mark, at: int, total: int, count: int) -> bool:
        said = self._values[at][mark.row]
        if said is None or not count:
            return said == 0
        if mark.label.is_mean:
            # pyrefly: ignore[bad-argument-type]
            own = _digits(as_number(self._found.rows[mark.row][at]))
            return abs(total / count - said) <= 0.5 * 10 ** (self._digits[at] - own) + 1e-9 * abs(
                said
            )
        is_rounded = self._is_rounded or self._digits[at] > 0
        return abs(total - said) <= ((count + 1) / 2 if is_rounded else 0)

    def _candidates(self, mark: _Mark) -> Iterator[dict[int, tuple[int, int]]]:
        """Sums over the rows it may be of: its group, its block above or below, all."""
        for rows in self._group(mark):
            yield {
                at: (sum(self._values[at][n] or 0 for n in rows), self._count(at, rows))
                for at in self.columns
            }
        end = len(self._found.rows)
        at = bisect_left(self._ordered, mark.row)
        above = self._ordered[at - 1] + 1 if at else 0
        below = next(iter(self._ordered[at + 1 : at + 2]), end)
        for start, stop in ((above, mark.row), (0, mark.row), (mark.row + 1, below), (0, end)):
            yield {at: self._between(at, start, stop) for at in self.columns}

    def adds_up(self, at: int, parts: Sequence[int]) -> bool:
        """Whether a column holds what others give together, row by row."""
        digits = max(self._digits[each] for each in (at, *parts))
        scale = {each: 10 ** (digits - self._digits[each]) for each in (at, *parts)}
        most = (len(parts) + 1) / 2 if digits or self._is_rounded else 0
        pairs = (
            (said * scale[at], sum((self._values[each][n] or 0) * scale[each] for each in parts))
            for n, said in enumerate(self._values[at])
            if said is not None
        )
        return any(self._values[at]) and all(abs(said - made) <= most for said, made in pairs)

    def _count(self, at: int, rows: Sequence[int]) -> int:
        return sum(self._values[at][n] is not None for n in rows)

    def _between(self, at: int, start: int, stop: int) -> tuple[int, int]:
        running = self._before[at]
        return running[stop][0] - running[start][0], running[stop][1] - running[start][1]

    def _group(self, mark: _Mark) -> Iterator[list[int]]:
        """Rows that have the same words beside the label, or the word in it."""
        row = self._found.rows[mark.row]
        words = [
            at
            for at, cell in enumerate(row)
            if at not in self.columns and at not in mark.columns and not is_empty(cell)
        ]
        for keys in dict.fromkeys((tuple(words), *((at,) for at in words))):
            if keys:
                yield self._by(keys).get(tuple(_key(row[at]) for at in keys), [])
        if mark.label.rest:
            for at in range(len(row)):
                if at not in self.columns:
                    yield self._by((at,)).get((mark.label.rest,), [])

    def _by(self, keys: tuple[int, ...]) -> dict[tuple[object, ...], list[int]]:
        if keys not in self._groups:
            groups = self._groups[keys] = {}
            for number in self._rows:
                row = self._found.rows[number]
                groups.setdefault(tuple(_key(row[at]) for at in keys), []).append(number)
        return self._groups[keys]


def _key(cell: Cell) -> object:
    return _bare(cell) if isinstance(cell, str) else cell


def _digits(number: float | None) -> int:
    """After the decimal point."""
    if not isinstance(number, float) or number.is_integer() or not abs(number) < _LARGEST:
        return 0
    exponent = Decimal(repr(number)).as_tuple().exponent
    return min(_MOST_DIGITS, -exponent) if isinstance(exponent, int) and exponent < 0 else 0


# Columns


def say_total_columns(found: FoundTable, preparations: Preparations) -> None:
    """合計 beside 4月, 5月 and 6月: it stays, but nobody should add it to them."""
    if not preparations.wants("totals"):
        return
    for at, parts in total_columns(found).items():
        names = few(found.names[each] for each in parts)
        preparations.say(
            "totals", "total_column", is_done=False, column=found.names[at], columns=names
        )


def total_columns(found: FoundTable) -> dict[int, Sequence[int]]:
    """Columns that say so and add up, with the places of what they add up."""
    labelled = {
        at: rest for at, name in enumerate(found.names) if (rest := _beside_label(name)) is not None
    }
    made: dict[int, Sequence[int]] = {}
    if not labelled or not found.rows:
        return made
    figures = _Figures(found, [])
    for at, rest in labelled.items():
        others = [each for each in figures.columns if each not in labelled]
        beside = [each for each in others if rest & set(found.names[each].split("_"))]
        before = [each for each in others if each < at]
        for parts in (beside,) if rest else (others, before):
            if at in figures.columns and len(parts) > 1 and figures.adds_up(at, parts):
                made[at] = parts
                break
    return made


def _beside_label(name: str) -> set[str] | None:
    """売上 of 売上_合計, nothing of 合計; None of a name that is no total's."""
    parts = name.split("_")
    rest = {part for part in parts if _bare(part) not in _SUMS}
    return rest if len(rest) < len(parts) else None
