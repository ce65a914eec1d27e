"""matching.record_linkage: which record of one table is which of the other."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, PureBlock
from sanbo.blocks.matching.comparisons import Comparison, Ints, Pairs, in_words, reasons_of
from sanbo.blocks.matching.linkage_keys import (
    Fuzzy,
    Strategy,
    comparisons_of,
    read_keys,
    read_windows,
    share,
)
from sanbo.blocks.matching.pairing import Found, best_of_each, find_pairs, in_order, one_to_one
from sanbo.blocks.transforms.options import read_as
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row, Rows

# Pairs a little below the threshold are shown as candidates, for a person to judge.
_NEAR_MISS = 0.1
_LEAST_LIKELY = 0.3
_AMBIGUOUS = 0.02


class RecordLinkage(PureBlock[Given]):
    needed = ("left", "right")

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        fuzzy = read_as(Fuzzy, given.fuzzy, "fuzzy")
        most = given.window if isinstance(given.window, int) else None
        keys = read_keys(given.keys)
        windows = read_windows(None if most is not None else given.window)
        left, right = given.left[:most], given.right[:most]
        if not keys and not windows:
            raise InvalidInput("matching_nothing_compared")
        if given.strategy == "window" and not windows:
            raise InvalidInput("matching_window_missing")
        comparisons = comparisons_of(
            left,
            right,
            strategy=given.strategy,
            keys=keys,
            fuzzy=fuzzy,
            windows=windows,
        )
        threshold, floor = _thresholds(fuzzy, given.strategy)
        found = in_order(comparisons) or find_pairs(comparisons, floor)
        chosen = _chosen(found, threshold, given)
        others = _others(found, chosen, fuzzy.candidates_per_row)
        tell = _Telling(given, comparisons, found, context)
        matched_left = set(found.pairs.left[chosen].tolist())
        matched_right = set(found.pairs.right[chosen].tolist())
        return {
            "matches": tell.pairs(chosen, ambiguous=_ambiguous(found, chosen)),
            "candidates": tell.pairs(others, threshold=threshold),
            "unmatched_left": _without(given.left, matched_left),
            "unmatched_right": _without(given.right, matched_right),
            "summary": {
                "left": len(given.left),
                "right": len(given.right),
                "matches": len(chosen),
                "matched_left": len(matched_left),
                "matched_right": len(matched_right),
                "unmatched_left": len(given.left) - len(matched_left),
                "unmatched_right": len(given.right) - len(matched_right),
                "candidates": len(others),
                "threshold": threshold,
                "compared": [
                    {"field": one.respect.name, "type": one.respect.kind} for one in comparisons
                ],
            },
        }


def _thresholds(fuzzy: Fuzzy, strategy: Strategy) -> tuple[float, float]:
    """What a match must reach, and what a candidate."""
    if strategy in ("exact", "window"):
        return 0.0, 0.0
    threshold = share(fuzzy.threshold)
    if fuzzy.candidate_threshold is None:
        least = _LEAST_LIKELY if strategy == "hybrid" else threshold - _NEAR_MISS
        return threshold, max(min(least, threshold), 0.0)
    return threshold, min(share(fuzzy.candidate_threshold), threshold)


def _chosen(found: Found, threshold: float, given: Given) -> Ints:
    enough = np.flatnonzero(found.scores >= threshold - 1e-9)
    fitting = Found(
        Pairs(found.pairs.left[enough], found.pairs.right[enough]), found.scores[enough]
    )
    if given.assignment == "all":
        return enough
    if given.assignment == "best":
        return enough[best_of_each(fitting)]
    return enough[one_to_one(fitting)]


def _others(found: Found, chosen: Ints, most: int) -> Ints:
    """The best pairs of each left record that were not chosen."""
    is_open = np.ones(len(found), bool)
    is_open[chosen] = False
    places = np.flatnonzero(is_open)
    pairs = found.pairs
    order = places[np.lexsort((pairs.right[places], -found.scores[places], pairs.left[places]))]
    counts: dict[int, int] = {}
    kept: list[int] = []
    lefts: list[int] = pairs.left[order].tolist()
    for place, left in zip(order.tolist(), lefts, strict=True):
        counts[left] = counts.get(left, 0) + 1
        if counts[left] <= most:
            kept.append(place)
    return np.array(kept, dtype=np.int64)


def _ambiguous(found: Found, chosen: Ints) -> set[int]:
    """Chosen pairs beside which another pair of the same record is as good, or nearly."""
    is_chosen = np.zeros(len(found), bool)
    is_chosen[chosen] = True
    beside = np.flatnonzero(~is_chosen)
    near = np.zeros(len(chosen), bool)
    for side in (found.pairs.left, found.pairs.right):
        best = np.full(int(side.max(initial=-1)) + 1, -1.0)
        np.maximum.at(best, side[beside], found.scores[beside])
        near |= best[side[chosen]] >= found.scores[chosen] - _AMBIGUOUS
    return set(chosen[near].tolist())


class _Telling:
    def __init__(
        self,
        given: Given,
        comparisons: Sequence[Comparison],
        found: Found,
        context: BlockContext,
    ) -> None:
        self._given = given
        self._comparisons = comparisons
        self._found = found
        self._language: Language = context.language

    def pairs(
        self, places: Ints, *, ambiguous: set[int] | None = None, threshold: float | None = None
    ) -> Rows:
        pairs = Pairs(self._found.pairs.left[places], self._found.pairs.right[places])
        given = self._given
        every = reasons_of(pairs, given.left, given.right, self._comparisons, self._language)
        rows: Rows = []
        for number, place in enumerate(places.tolist()):
            left, right = int(pairs.left[number]), int(pairs.right[number])
            score = float(self._found.scores[place])
            row: Row = {
                "left_index": left,
                "right_index": right,
                "score": round(score, 4),
                "left": given.left[left],
                "right": given.right[right],
                "reasons": list[JsonValue](every[number]),
                "reason": in_words(every[number]),
            }
            if ambiguous is not None:
                row["ambiguous"] = place in ambiguous
            if threshold is not None:
                row["below_threshold"] = score < threshold - 1e-9
            rows.append(row)
        return rows


def _without(rows: Rows, matched: set[int]) -> Rows:
    return [row for number, row in enumerate(rows) if number not in matched]
