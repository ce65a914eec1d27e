"""Company names that are alike as they are written, or as they are read where one is in kana."""

from collections.abc import Iterator, Sequence

import numpy as np

from sanbo.blocks.matching.alike import Alike
from sanbo.blocks.matching.comparisons import Comparison, Floats, Pairs, Respect
from sanbo.blocks.matching.readings import company_reading
from sanbo.language.companies import company_key, is_kana


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
