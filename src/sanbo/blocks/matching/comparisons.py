"""How alike two records are in one respect, and which pairs are worth looking at for it.

A comparison knows the values of both sides: numbers, days, texts by the letters they share, names
of companies also as read. It scores pairs of records (0 to 1), and it can name all pairs that reach
a score without trying every pair: so ten thousand records on each side take a second and not
minutes.
"""

import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from rapidfuzz import process
from rapidfuzz.distance import Indel

from sanbo.blocks.matching.readings import company_reading
from sanbo.kernel.messages import Language, tell
from sanbo.language.companies import company_key, is_kana
from sanbo.tables.rows import Row, Rows, value_at
from sanbo.tables.values import text_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Kind = Literal["exact", "text", "company", "number", "date"]

CHUNK = 500_000
"""Pairs looked at in one go: what fits into the processor's cache and a little memory."""


@dataclass(frozen=True)
class Pairs:
    """Record `left[n]` of the one side with record `right[n]` of the other."""

    left: Ints
    right: Ints

    def __len__(self) -> int:
        return len(self.left)

    def where(self, kept: npt.NDArray[np.bool_]) -> "Pairs":
        return Pairs(self.left[kept], self.right[kept])


@dataclass(frozen=True)
class Respect:
    """In what the records are compared, and how much it counts."""

    name: str
    """As people know it: 取引先, or 請求額 / 入金額 where the sides call it differently."""
    kind: Kind
    left: str
    right: str
    weight: float = 1.0
    minimum: float = 0.0
    """A pair that scores less in this respect is none, however alike it is in others."""


class Comparison(ABC):
    respect: Respect

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """How many records there are at left and at right."""

    @abstractmethod
    def scores(self, pairs: Pairs) -> Floats: ...

    @abstractmethod
    def cost(self, least: float) -> float:
        """About how many pairs `candidates` gives or takes the time of; `inf` if it can't."""

    @abstractmethod
    def candidates(self, least: float) -> Iterator[Pairs]:
        """All pairs that score at least so much here, and maybe more; never one twice."""


def spans(first: Ints, last: Ints, order: Ints) -> Iterator[Pairs]:
    """Each left record with those that stand from `first` to before `last` in `order`."""
    counts = np.maximum(last - first, 0)
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        before = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, before + CHUNK, side="right"))
        stop = max(stop, start + 1)
        part = counts[start:stop]
        left = np.repeat(np.arange(start, stop, dtype=np.int64), part)
        offsets = np.arange(len(left), dtype=np.int64) - np.repeat(np.cumsum(part) - part, part)
        yield Pairs(left, order[np.repeat(first[start:stop], part) + offsets])
        start = stop


class Same(Comparison):
    """Equal or not: codes, and whatever a plan calls a key."""

    def __init__(self, respect: Respect, left: Sequence[object], right: Sequence[object]) -> None:
        """None equals nothing."""
        self.respect = respect
        known: dict[object, int] = {}
        self._left = _numbered(left, known)
        self._right = _numbered(right, known)
        self._order = np.argsort(self._right, kind="stable").astype(np.int64)
        ordered = self._right[self._order]
        self._first = np.searchsorted(ordered, self._left, side="left").astype(np.int64)
        last = np.searchsorted(ordered, self._left, side="right").astype(np.int64)
        self._last = np.where(self._left < 0, self._first, last)

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self._left), len(self._right)

    def scores(self, pairs: Pairs) -> Floats:
        one, other = self._left[pairs.left], self._right[pairs.right]
        return ((one == other) & (one >= 0)).astype(np.float64)

    def cost(self, least: float) -> float:
        return float((self._last - self._first).sum()) if least > 0 else float("inf")

    def candidates(self, least: float) -> Iterator[Pairs]:
        _ = least
        return spans(self._first, self._last, self._order)

    def in_order(self) -> Pairs:
        """Of records with the same value, the first left with the first right, and so on."""
        order = np.argsort(self._left, kind="stable").astype(np.int64)
        ordered = self._left[order]
        place = np.arange(len(order)) - np.searchsorted(ordered, ordered, side="left")
        target = self._first[order] + place
        there = (ordered >= 0) & (target < self._last[order])
        return Pairs(order[there], self._order[target[there]])


def _numbered(values: Sequence[object], known: dict[object, int]) -> Ints:
    return np.array(
        [-1 if value is None else known.setdefault(value, len(known)) for value in values],
        dtype=np.int64,
    )


@dataclass(frozen=True)
class Tolerance:
    """How far the right value may be below and above the left one."""

    below: float = 0.0
    above: float = 0.0
    share: float = 0.0
    """Of the larger of the two, if that is more: 0.01 for one percent."""


class Near(Comparison):
    """Numbers, or days as numbers: 1 where equal, 0.5 at the edge of what is allowed, then 0."""

    def __init__(
        self,
        respect: Respect,
        left: Sequence[float | None],
        right: Sequence[float | None],
        tolerance: Tolerance,
    ) -> None:
        self.respect = respect
        self._left = _floats(left)
        self._right = _floats(right)
        self._tolerance = tolerance
        self._order = np.argsort(self._right, kind="stable").astype(np.int64)
        self._there = len(self._right) - int(np.isnan(self._right).sum())

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self._left), len(self._right)

    def differences(self, pairs: Pairs) -> Floats:
        """Right minus left; NaN where one of them is empty."""
        return self._right[pairs.right] - self._left[pairs.left]

    def scores(self, pairs: Pairs) -> Floats:
        difference = self.differences(pairs)
        size = np.maximum(np.abs(self._left[pairs.left]), np.abs(self._right[pairs.right]))
        least = np.where(difference < 0, self._tolerance.below, self._tolerance.above)
        allowed = np.maximum(least, self._tolerance.share * size)
        distance = np.abs(difference)
        # Amounts with decimals: 0.3 and 0.1 + 0.2 are no different.
        slack = 1e-9 * np.maximum(size, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(allowed > 0, distance / allowed, 0.0)
        inside = distance <= allowed + slack
        return np.where(inside, 1.0 - 0.5 * np.clip(part, 0.0, 1.0), 0.0)

    def _span(self) -> tuple[Ints, Ints]:
        share = self._tolerance.share
        size = np.abs(self._left)
        widest = share / (1 - share) * size
        slack = 1e-9 * np.maximum(size, 1.0) * 4
        ordered = self._right[self._order][: self._there]
        low = self._left - np.maximum(self._tolerance.below, widest) - slack
        high = self._left + np.maximum(self._tolerance.above, widest) + slack
        first = np.searchsorted(ordered, low, side="left").astype(np.int64)
        last = np.searchsorted(ordered, high, side="right").astype(np.int64)
        return first, np.where(np.isnan(self._left), first, last)

    def cost(self, least: float) -> float:
        if least <= 0:
            return float("inf")
        first, last = self._span()
        return float(np.maximum(last - first, 0).sum())

    def candidates(self, least: float) -> Iterator[Pairs]:
        _ = least
        return spans(*self._span(), self._order)


def _floats(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


_SAME = 1 - 1e-9


def reasons_of(
    pairs: Pairs, left: Rows, right: Rows, comparisons: Sequence[Comparison], language: Language
) -> list[list[Row]]:
    """For each pair, what each comparison says of it."""
    found: list[list[Row]] = [[] for _ in range(len(pairs))]
    ones: list[int] = pairs.left.tolist()
    others: list[int] = pairs.right.tolist()
    for comparison in comparisons:
        respect = comparison.respect
        scores: list[float] = comparison.scores(pairs).tolist()
        apart = _apart(comparison, pairs)
        for place, score in enumerate(scores):
            found[place].append(
                {
                    "field": respect.name,
                    "type": respect.kind,
                    "left": value_at(left[ones[place]], respect.left),
                    "right": value_at(right[others[place]], respect.right),
                    "score": round(score, 4),
                    "text": _words(comparison, score, apart[place], language),
                }
            )
    return found


def _apart(comparison: Comparison, pairs: Pairs) -> list[float | None]:
    if not isinstance(comparison, Near):
        return [None] * len(pairs)
    differences: list[float] = comparison.differences(pairs).tolist()
    return [None if np.isnan(one) else one for one in differences]


def _words(comparison: Comparison, score: float, apart: float | None, language: Language) -> str:
    respect = comparison.respect
    if score >= _SAME:
        return tell("matching_reason.same", language, field=respect.name)
    if apart is not None and respect.kind == "date":
        return tell("matching_reason.days", language, field=respect.name, days=f"{apart:+.0f}")
    if apart is not None:
        number = text_of(round(apart, 6))
        return tell("matching_reason.difference", language, field=respect.name, difference=number)
    if respect.kind == "exact" or score == 0:
        return tell("matching_reason.different", language, field=respect.name)
    return tell("matching_reason.alike", language, field=respect.name, percent=f"{score:.0%}")


def in_words(reasons: Sequence[Row]) -> str:
    return "、".join(str(reason["text"]) for reason in reasons)


# ---- texts that are alike ------------------------------------------------------------------------


# What a look at two texts' letters costs beside a look at a pair of records, as measured.
_LETTERS = 0.02
_SAMPLE = 256
_BITS = 64
_LETTERS_A_WORD = 16
_MOST_WORDS = 8
_BLOCK = 2_000_000
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Texts:
    """Different texts, and which of them each record has; -1 for none."""

    texts: list[str]
    number: Ints

    @classmethod
    def of(cls, values: Sequence[str]) -> "Texts":
        known: dict[str, int] = {}
        number = [known.setdefault(value, len(known)) if value else -1 for value in values]
        return cls(list(known), np.array(number, dtype=np.int64))

    @property
    def order(self) -> Ints:
        return np.argsort(self.number, kind="stable").astype(np.int64)


@dataclass(frozen=True)
class Letters:
    """Which letters texts have, as bits, and how long they are."""

    bits: npt.NDArray[np.uint64]
    """A row a text."""
    lengths: Ints

    def part(self, start: int, stop: int) -> "Letters":
        return Letters(self.bits[start:stop], self.lengths[start:stop])


class Alike(Comparison):
    """1 for the same text, less for each letter that would have to be put in or taken out."""

    def __init__(self, respect: Respect, left: Sequence[str], right: Sequence[str]) -> None:
        self.respect = respect
        self._left = Texts.of(left)
        self._right = Texts.of(right)
        words = _words_for([*self._left.texts, *self._right.texts])
        self._left_letters = _letters(self._left.texts, words)
        self._right_letters = _letters(self._right.texts, words)

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self._left.number), len(self._right.number)

    def scores(self, pairs: Pairs) -> Floats:
        one, other = self._left.number[pairs.left], self._right.number[pairs.right]
        found = np.zeros(len(pairs))
        there = np.flatnonzero((one >= 0) & (other >= 0))
        if not len(there):
            return found
        # Records repeat each other: each pair of texts is compared once.
        width = len(self._right.texts)
        known, back = np.unique(one[there] * width + other[there], return_inverse=True)
        found[there] = self._similarity(known // width, known % width)[back]
        return found

    def _similarity(self, left: Ints, right: Ints) -> Floats:
        lefts: list[int] = left.tolist()
        rights: list[int] = right.tolist()
        # pyrefly: ignore[no-matching-overload]
        return process.cpdist(
            [self._left.texts[number] for number in lefts],
            [self._right.texts[number] for number in rights],
            scorer=Indel.normalized_similarity,
            dtype=np.float64,
        )

    def cost(self, least: float) -> float:
        """Letters of all pairs, and the pairs that a sample lets expect to share enough of them."""
        if least <= 0:
            return float("inf")
        count = len(self._left.texts) * len(self._right.texts)
        if not count:
            return 0.0
        left = self._left_letters.part(0, _SAMPLE)
        right = self._right_letters.part(0, _SAMPLE * 16)
        sampled = _sharing(left, right, least)[0]
        share = len(sampled) / (len(left.lengths) * len(right.lengths))
        return count * (_LETTERS + share)

    def candidates(self, least: float) -> Iterator[Pairs]:
        order = self._right.order
        ordered = self._right.number[order]
        rows = self._left.order
        numbers = self._left.number[rows]
        for left, right in self._alike(least):
            first = np.searchsorted(numbers, left, side="left").astype(np.int64)
            last = np.searchsorted(numbers, left, side="right").astype(np.int64)
            for texts in spans(first, last, rows):
                other = right[texts.left]
                start = np.searchsorted(ordered, other, side="left").astype(np.int64)
                end = np.searchsorted(ordered, other, side="right").astype(np.int64)
                for pairs in spans(start, end, order):
                    yield Pairs(texts.right[pairs.left], pairs.right)

    def _alike(self, least: float) -> Iterator[tuple[Ints, Ints]]:
        """Numbers of texts that are alike."""
        step = max(1, _BLOCK // max(len(self._right.texts), 1))
        for start in range(0, len(self._left.texts), step):
            part = self._left_letters.part(start, start + step)
            left, right = _sharing(part, self._right_letters, least)
            for first in range(0, len(left), CHUNK):
                one = left[first : first + CHUNK] + start
                other = right[first : first + CHUNK]
                alike = self._similarity(one, other) >= least - _ROUNDING
                yield one[alike], other[alike]


def _sharing(left: Letters, right: Letters, least: float) -> tuple[Ints, Ints]:
    """Pairs that have enough letters in common to be alike to this degree; nothing is missed.

    Texts of n and m letters that are alike to the degree t differ in (1 - t)·(n + m) letters at
    most, and each bit in which they differ is a letter that one has and the other has not.
    """
    differing = np.zeros((len(left.lengths), len(right.lengths)), dtype=np.uint16)
    for word in range(left.bits.shape[1]):
        differing += np.bitwise_count(left.bits[:, word, None] ^ right.bits[None, :, word])
    longest = int(left.lengths.max(initial=0) + right.lengths.max(initial=0))
    allowed = np.floor((1 - least) * np.arange(longest + 1) + _ROUNDING).astype(np.uint16)
    one, other = np.nonzero(differing <= allowed[left.lengths[:, None] + right.lengths[None, :]])
    return one.astype(np.int64), other.astype(np.int64)


def _words_for(texts: Sequence[str]) -> int:
    """Longer texts need more bits, or all of them look alike."""
    mean = sum(map(len, texts)) / max(len(texts), 1)
    return int(min(max(1, -(-mean // _LETTERS_A_WORD)), _MOST_WORDS))


def _letters(texts: Sequence[str], words: int) -> Letters:
    bits = np.zeros((len(texts), words), dtype=np.uint64)
    places: dict[tuple[str, int], tuple[int, np.uint64]] = {}
    for number, text in enumerate(texts):
        seen: Counter[str] = Counter()
        for letter in text:
            # The second of a kind is another letter: ABA differs from AB.
            mark = (letter, seen[letter])
            seen[letter] += 1
            if mark not in places:
                place = zlib.crc32(f"{letter}{mark[1]}".encode("utf-8", "surrogatepass"))
                place %= words * _BITS
                places[mark] = (place // _BITS, np.uint64(1 << place % _BITS))
            word, bit = places[mark]
            bits[number, word] |= bit
    return Letters(bits, np.array([len(text) for text in texts], dtype=np.int64))


class Companies(Comparison):
    """山田商事(株) is like ㈱山田商事, and like a bank's ｶ)ﾔﾏﾀﾞｼﾖｳｼﾞ."""

    def __init__(self, respect: Respect, left: Sequence[str], right: Sequence[str]) -> None:
        self.respect = respect
        left_keys, right_keys = [company_key(name) for name in left], list(map(company_key, right))
        self._written = Alike(respect, left_keys, right_keys)
        kana = [[bool(key) and is_kana(key) for key in keys] for keys in (left_keys, right_keys)]
        # Readings are asked for only where kana meet kanji: they are guesses of a dictionary.
        self._read = [
            Alike(
                respect,
                _readings(left, kana[0], of_kana=of_kana),
                _readings(right, kana[1], of_kana=not of_kana),
            )
            for of_kana in (True, False)
            if any(kana[1 - of_kana]) and not all(kana[int(of_kana)])
        ]

    @property
    def sizes(self) -> tuple[int, int]:
        return self._written.sizes

    def scores(self, pairs: Pairs) -> Floats:
        found = self._written.scores(pairs)
        for read in self._read:
            found = np.maximum(found, read.scores(pairs))
        return found

    def cost(self, least: float) -> float:
        return sum(one.cost(least) for one in (self._written, *self._read))

    def candidates(self, least: float) -> Iterator[Pairs]:
        yield from self._written.candidates(least)
        for read in self._read:
            for pairs in read.candidates(least):
                yield pairs.where(self._written.scores(pairs) < least - 1e-9)


def _readings(names: Sequence[str], kana: Sequence[bool], *, of_kana: bool) -> list[str]:
    pairs = zip(names, kana, strict=True)
    return [company_reading(name) if name and is_so is of_kana else "" for name, is_so in pairs]
