"""Unique exact anchors: what is said once in each document, and in the same words."""

from collections import Counter
from collections.abc import Sequence

from sanbo.agents.comparison.alignment.matches import Matches
from sanbo.agents.comparison.alignment.order import heaviest_increasing
from sanbo.agents.comparison.alignment.outline import Outline

TELLING = 8
"""Characters from which equal words are no accident."""


def link_unique(old: Outline, new: Outline, matches: Matches) -> None:
    """First by what is said, then by the text as it stands; short ones only where in order."""
    for old_words, new_words in ((old.keys, new.keys), (old.texts, new.texts)):
        found = [
            pair for pair in _unique_on_both(old_words, new_words, matches) if matches.free(*pair)
        ]
        for one, other in found:
            if len(old_words[one]) >= TELLING:
                matches.link(one, other, 1.0)
        in_order = _in_order_with(found, matches)
        for one, other in found:
            if matches.free(one, other) and (one, other) in in_order:
                matches.link(one, other, 1.0)


def _unique_on_both(
    old_words: Sequence[str], new_words: Sequence[str], matches: Matches
) -> list[tuple[int, int]]:
    old_free, new_free = matches.free_old(), matches.free_new()
    old_counts = Counter(old_words[one] for one in old_free)
    new_counts = Counter(new_words[other] for other in new_free)
    place = {new_words[other]: other for other in new_free}
    return [
        (one, place[words])
        for one in old_free
        if old_counts[words := old_words[one]] == 1 and new_counts[words] == 1
    ]


def _in_order_with(found: list[tuple[int, int]], matches: Matches) -> set[tuple[int, int]]:
    """Those that keep the order of what is linked; an anchor weighs far more than a short one."""
    pairs = sorted({*matches.pairs(), *found})
    weights = [1.0 if matches.new_of[old] == new else 0.01 for old, new in pairs]
    kept = heaviest_increasing([new for _, new in pairs], weights)
    return {pairs[index] for index in kept}
