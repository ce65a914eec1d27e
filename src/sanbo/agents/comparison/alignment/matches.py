"""Which old chunk goes with which new one so far, and the first such matches: by the same words.

A side as numbers; what is said once on each side; what is said many times, such as 「削除」, told
apart by where it stands; what stayed in order.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sanbo.agents.comparison.chunking.paragraphs import plain
from sanbo.agents.comparison.model import Chunk, Link, Side


@dataclass(frozen=True, slots=True)
class Outline:
    """One side by index; `-1` as a parent is the document itself."""

    ids: tuple[str, ...]
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    parents: tuple[int, ...]
    children: dict[int, list[int]]
    headings: tuple[str, ...]
    """The words under which a row without a parent stands."""

    def __len__(self) -> int:
        return len(self.ids)


def outline_of(side: Side) -> Outline:
    index = {chunk.id: place for place, chunk in enumerate(side.chunks)}
    parents = tuple(index.get(chunk.parent or "", -1) for chunk in side.chunks)
    children: dict[int, list[int]] = {}
    for place, parent in enumerate(parents):
        children.setdefault(parent, []).append(place)
    return Outline(
        ids=tuple(chunk.id for chunk in side.chunks),
        keys=tuple(_said(chunk) for chunk in side.chunks),
        texts=tuple(" ".join(chunk.text.split()) for chunk in side.chunks),
        labels=tuple(chunk.label for chunk in side.chunks),
        kinds=tuple(chunk.kind for chunk in side.chunks),
        parents=parents,
        children=children,
        headings=tuple(_headings(chunk) for chunk in side.chunks),
    )


def _headings(chunk: Chunk) -> str:
    is_alone = chunk.kind == "row" and chunk.parent is None
    return plain(" ".join(chunk.position.headings)) if is_alone else ""


def _said(chunk: Chunk) -> str:
    """A chunk that is nothing but its number says its number."""
    return chunk.key or chunk.text.strip()


@dataclass(slots=True)
class Matches:
    new_of: list[int]
    old_of: list[int]
    confidence: dict[int, float] = field(default_factory=dict[int, float])
    """By index of the old chunk."""

    @classmethod
    def none(cls, old: int, new: int) -> "Matches":
        return cls([-1] * old, [-1] * new)

    def link(self, old: int, new: int, confidence: float) -> None:
        self.new_of[old] = new
        self.old_of[new] = old
        self.confidence[old] = confidence

    def unlink(self, old: int) -> None:
        self.old_of[self.new_of[old]] = -1
        self.new_of[old] = -1
        del self.confidence[old]

    def free(self, old: int, new: int) -> bool:
        return self.new_of[old] < 0 and self.old_of[new] < 0

    def pairs(self) -> Iterator[tuple[int, int]]:
        return ((old, new) for old, new in enumerate(self.new_of) if new >= 0)

    def free_old(self) -> list[int]:
        return [old for old, new in enumerate(self.new_of) if new < 0]

    def free_new(self) -> list[int]:
        return [new for new, old in enumerate(self.old_of) if old < 0]


def heaviest_increasing(values: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Indices of the strictly increasing subsequence of greatest weight, in O(n log n)."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)), start=1)}
    best: list[tuple[float, int]] = [(0.0, -1)] * (len(ranks) + 1)
    before = [-1] * len(values)
    for index, value in enumerate(values):
        rank = ranks[value]
        weight, last = _heaviest_below(best, rank - 1)
        before[index] = last
        _raise(best, rank, (weight + weights[index], index))
    _, last = _heaviest_below(best, len(ranks))
    chosen: list[int] = []
    while last >= 0:
        chosen.append(last)
        last = before[last]
    return chosen[::-1]


# Two operations of a Fenwick tree of maxima over the ranks.
def _heaviest_below(tree: list[tuple[float, int]], rank: int) -> tuple[float, int]:
    found = (0.0, -1)
    while rank > 0:
        if tree[rank][0] > found[0]:
            found = tree[rank]
        rank -= rank & -rank
    return found


def _raise(tree: list[tuple[float, int]], rank: int, entry: tuple[float, int]) -> None:
    while rank < len(tree):
        if entry[0] > tree[rank][0]:
            tree[rank] = entry
        rank += rank & -rank


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


@dataclass(frozen=True, slots=True)
class Gap:
    old: range
    new: range


@dataclass(frozen=True, slots=True)
class Monotone:
    """The links that kept their order, with what lies between each and the next."""

    old: tuple[int, ...]
    new: tuple[int, ...]
    old_size: int
    new_size: int

    def gaps(self) -> Iterator[Gap]:
        olds = (-1, *self.old, self.old_size)
        news = (-1, *self.new, self.new_size)
        for index in range(len(olds) - 1):
            gap = Gap(
                range(olds[index] + 1, olds[index + 1]), range(news[index] + 1, news[index + 1])
            )
            if gap.old and gap.new:
                yield gap

    def bounds(self, old: int) -> tuple[int, int]:
        """The new chunks just before and just after where this old one should stand."""
        index = bisect_right(self.old, old)
        before = index - 1 if index and self.old[index - 1] != old else index - 2
        low = self.new[before] if before >= 0 else -1
        high = self.new[index] if index < len(self.new) else self.new_size
        return low, high


def monotone_links(old: Outline, new: Outline, matches: Matches) -> Monotone:
    pairs = list(matches.pairs())
    weights = [min(len(old.keys[one]), 200) * matches.confidence[one] for one, _ in pairs]
    kept = heaviest_increasing([other for _, other in pairs], weights)
    return Monotone(
        tuple(pairs[index][0] for index in kept),
        tuple(pairs[index][1] for index in kept),
        len(old),
        len(new),
    )


def moved_links(old: Side, new: Side, links: Sequence[Link]) -> frozenset[int]:
    """Indices of the links that moved; a link of several chunks stands where its longest does."""
    old_place = {chunk.id: place for place, chunk in enumerate(old.chunks)}
    new_place = {chunk.id: place for place, chunk in enumerate(new.chunks)}
    lengths = {chunk.id: len(chunk.text) for chunk in (*old.chunks, *new.chunks)}

    def main(ids: tuple[str, ...]) -> str:
        return max(ids, key=lambda one: lengths[one])

    order = sorted(range(len(links)), key=lambda index: old_place[main(links[index].old)])
    places = [new_place[main(links[index].new)] for index in order]
    weights = [_weight(links[index]) for index in order]
    kept = {order[index] for index in heaviest_increasing(places, weights)}
    return frozenset(range(len(links))) - kept


def _weight(link: Link) -> float:
    """A link that is sure holds its place against one that may be wrong."""
    return 0.5 + link.confidence / 2


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
