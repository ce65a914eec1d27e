"""Whether a change is one of numbers alone, and whether its references followed their articles."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from sanbo.agents.comparison.differences.segments import Segment
from sanbo.agents.comparison.differences.spans import within
from sanbo.agents.comparison.differences.tokens import Reading
from sanbo.agents.comparison.model import FlagDetail, Side
from sanbo.agents.comparison.numbering.addresses import Address, Directory, Target, address_of
from sanbo.agents.comparison.numbering.references import Reference


def only_renumbered(old: Reading, new: Reading) -> bool:
    """Whether both say the same but for their own numbers and those they refer to."""
    if len(old.tokens) - len(old.marks) != len(new.tokens) - len(new.marks):
        return False
    pairs = zip_longest(_without_numbers(old), _without_numbers(new))
    return all(one == other for one, other in pairs)


def _without_numbers(reading: Reading) -> Iterator[str]:
    parts = {part.start: part for reference in reading.references for part in reference.parts}
    marks = {start for start, _ in reading.marks}
    for word, start in zip(reading.tokens, reading.starts, strict=True):
        if start in marks:
            continue
        part = parts.get(start)
        yield word if part is None or part.relative else f"#{part.unit}"


def cited_words(reading: Reading) -> list[str]:
    return [reading.squeezed[one.start : one.end] for one in reading.references]


@dataclass(frozen=True)
class Citing:
    """A text with its number and what it refers to."""

    label: str
    text: str
    references: tuple[Reference, ...]


@dataclass(frozen=True)
class NewPlaces:
    """Where the numbered places of the old document are in the new one."""

    _old: Directory
    _new: Directory
    _went: dict[Address, frozenset[Address]]

    @cached_property
    def all_stay(self) -> bool:
        """No number went elsewhere, so that no reference has to follow."""
        return all(places == frozenset((address,)) for address, places in self._went.items())

    def strays(
        self, old: Citing, new: Citing, pairs: Iterable[tuple[int, int]], *, reworded: bool = False
    ) -> Iterator[FlagDetail]:
        """References, by their places among those of both, that do not lead where they did.

        In a text that was `reworded` it is enough that the new one leads there anywhere.
        """
        if not old.references or not new.references:
            return
        if self.all_stay:
            pairs = [pair for pair in pairs if _words(old, pair[0]) != _words(new, pair[1])]
            if not pairs:
                return
        here = self._old.targets(old.references, address_of(old.label))
        there = self._new.targets(new.references, address_of(new.label))
        anywhere = self._led([target for target in there if target])
        for one, other in pairs:
            before, after = here[one], there[other]
            if before is None or after is None:
                continue
            if self._follows(before, anywhere if reworded else self._led([after])):
                continue
            words = _words(old, one), _words(new, other)
            if not (old.references[one].is_relative and words[0] == words[1]):
                yield FlagDetail(flag="reference", old=words[0], new=words[1])

    def _led(self, targets: Sequence[Target]) -> frozenset[Target]:
        exact = (Target(self._new.canonical(one.address), False) for one in targets)
        return frozenset((*targets, *exact))

    def _follows(self, old: Target, new: frozenset[Target]) -> bool:
        """Whether one of the new leads where the old did, or nobody can tell where that is now."""
        # `民法第三条又は第五条`: whose fifth article it is, only a reader can tell.
        if Target(old.address, True) in new:
            return True
        if old.external:
            return Target(old.address, False) in new
        expected = self._expected(old.address)
        return expected is None or any(Target(address, False) in new for address in expected)

    def _expected(self, old: Address) -> frozenset[Address] | None:
        """Where this place is in the new document; None where it has no counterpart."""
        old = self._old.canonical(old)
        for length in range(len(old), 0, -1):
            went = self._went.get(old[:length])
            if went is not None:
                return frozenset((*place, *old[length:]) for place in went)
        return None


def _words(citing: Citing, at: int) -> str:
    reference = citing.references[at]
    return citing.text[reference.start : reference.end]


def new_places(
    old: Side, new: Side, links: Iterable[tuple[Sequence[str], Sequence[str]]]
) -> NewPlaces:
    """From the labels of chunks that correspond."""
    here = {chunk.id: address_of(chunk.label) for chunk in old.chunks if chunk.label}
    there = {chunk.id: address_of(chunk.label) for chunk in new.chunks if chunk.label}
    went: defaultdict[Address, set[Address]] = defaultdict(set)
    for olds, news in links:
        for one in olds:
            for other in news:
                before, after = here.get(one), there.get(other)
                if before and after:
                    went[before].add(after)
    return NewPlaces(
        Directory(chunk.label for chunk in old.chunks),
        Directory(chunk.label for chunk in new.chunks),
        {address: frozenset(places) for address, places in went.items()},
    )


def corresponding_places(
    old: Reading, new: Reading, segments: Iterable[Segment]
) -> Iterator[tuple[int, int]]:
    """References that stand in one stretch, changed or not, where both sides have as many."""
    here = [_At(one.start, one.end, at) for at, one in enumerate(old.references)]
    there = [_At(one.start, one.end, at) for at, one in enumerate(new.references)]
    for segment in segments:
        ours = within(here, segment.old_start, segment.old_end)
        theirs = within(there, segment.new_start, segment.new_end)
        if len(ours) == len(theirs):
            yield from ((one.at, other.at) for one, other in zip(ours, theirs, strict=True))


class _At(NamedTuple):
    start: int
    end: int
    at: int
