"""Texts that are alike, found by the letters they share; names of companies also as read."""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz import process
from rapidfuzz.distance import Indel

from sanbo.blocks.matching.comparisons import CHUNK, Comparison, Floats, Ints, Pairs, Respect, spans
from sanbo.blocks.matching.readings import company_reading
from sanbo.language.companies import company_key, is_kana

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
