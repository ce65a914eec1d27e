"""What is said many times in the same words, such as 「削除」: told apart by where it stands."""

from collections import defaultdict
from collections.abc import Sequence

from sanbo.agents.comparison.alignment.anchors import Gap, monotone_links
from sanbo.agents.comparison.alignment.outline import Matches, Outline

_SURE, _COUNTS_DIFFER = 0.97, 0.8
_ROUNDS = 3
_TELL_APART = 10_000
"""Pairs of equal chunks in one place that are weighed one by one; more are taken in order."""


def link_duplicates(old: Outline, new: Outline, matches: Matches) -> None:
    """Between monotone anchors first; then next to, and under, what is linked already."""
    for _ in range(_ROUNDS):
        before = len(matches.confidence)
        for gap in monotone_links(old, new, matches).gaps():
            _link_in_gap(old, new, matches, gap)
        if len(matches.confidence) == before:
            break
    _link_neighbours(old, new, matches)
    link_under_parents(old, new, matches)
    _link_neighbours(old, new, matches)


def _link_in_gap(old: Outline, new: Outline, matches: Matches, gap: Gap) -> None:
    _link_equal(old, new, matches, gap.old, gap.new)


def link_under_parents(old: Outline, new: Outline, matches: Matches) -> None:
    """Equal children of linked parents: 「一　その他」 is the one of its own article."""
    for one, other in list(matches.pairs()):
        if one in old.children and other in new.children:
            _link_equal(old, new, matches, old.children[one], new.children[other])


def _link_equal(
    old: Outline, new: Outline, matches: Matches, olds: Sequence[int], news: Sequence[int]
) -> None:
    there: defaultdict[str, list[int]] = defaultdict(list)
    for other in news:
        if matches.old_of[other] < 0:
            there[new.keys[other]].append(other)
    here: defaultdict[str, list[int]] = defaultdict(list)
    for one in olds:
        if matches.new_of[one] < 0 and old.keys[one] in there:
            here[old.keys[one]].append(one)
    for words, ones in here.items():
        others = there[words]
        if len(ones) == len(others):
            for one, other in zip(ones, others, strict=True):
                matches.link(one, other, 1.0 if len(ones) == 1 else _SURE)
        elif len(ones) * len(others) <= _TELL_APART:
            for one, other in _in_order(old, new, matches, ones, others):
                matches.link(one, other, _COUNTS_DIFFER)
        else:
            for one, other in zip(ones, others, strict=False):
                matches.link(one, other, _COUNTS_DIFFER)


def _in_order(
    old: Outline, new: Outline, matches: Matches, ones: list[int], others: list[int]
) -> list[tuple[int, int]]:
    """As many as possible in order, by label and parent where there is a choice."""
    rows, columns = len(ones), len(others)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            taken = 1 + _told_apart(old, new, matches, ones[row], others[column])
            best[row][column] = max(
                best[row + 1][column + 1] + taken, best[row + 1][column], best[row][column + 1]
            )
    row = column = 0
    chosen: list[tuple[int, int]] = []
    while row < rows and column < columns:
        taken = 1 + _told_apart(old, new, matches, ones[row], others[column])
        if best[row][column] == best[row + 1][column + 1] + taken:
            chosen.append((ones[row], others[column]))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return chosen


def _told_apart(old: Outline, new: Outline, matches: Matches, one: int, other: int) -> float:
    parent = old.parents[one]
    same_parent = parent >= 0 and matches.new_of[parent] == new.parents[other]
    same_label = bool(old.labels[one]) and old.labels[one] == new.labels[other]
    return 0.5 * same_parent + 0.25 * same_label


def _link_neighbours(old: Outline, new: Outline, matches: Matches) -> None:
    """A moved stretch takes its duplicates with it: the next of a linked one, if it is equal."""
    for step, places in ((1, range(len(old))), (-1, range(len(old) - 1, -1, -1))):
        for place in places:
            other = matches.new_of[place]
            one_next, other_next = place + step, other + step
            if (
                other >= 0
                and 0 <= one_next < len(old)
                and 0 <= other_next < len(new)
                and matches.free(one_next, other_next)
                and old.keys[one_next] == new.keys[other_next]
            ):
                matches.link(one_next, other_next, _SURE)
