"""Whether a change is one of numbers alone, and whether its references followed their articles.

A reference leads to an address within its own document: 同条第二項 of what, 前条 of which.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from typing import NamedTuple

from sanbo.agents.comparison.differences.segments import Segment
from sanbo.agents.comparison.differences.spans import within
from sanbo.agents.comparison.differences.tokens import Reading
from sanbo.agents.comparison.model import FlagDetail, Side
from sanbo.agents.comparison.numbering import Unit
from sanbo.agents.comparison.references import Part, Reference, english_numbers, references

Step = tuple[Unit, tuple[int, ...]]
Address = tuple[Step, ...]
"""`第三条第二項` is ((article, (3,)), (paragraph, (2,))); `2.1` is ((decimal, (2, 1)),)."""


@dataclass(frozen=True)
class Target:
    address: Address
    external: bool


_LATIN_LABEL = re.compile(r"[A-Za-z0-9.()\s-]+")
_ABOVE: dict[Unit, tuple[Unit, ...]] = {
    "paragraph": ("supplement", "article"),
    "item": ("supplement", "article", "paragraph"),
}
"""What a reference that begins with one of these takes from its own place."""
_LATIN_UNITS: frozenset[Unit] = frozenset(("section", "article", "paragraph", "item"))
_FIRST: Step = ("paragraph", (1,))


@lru_cache(maxsize=65536)
def address_of(label: str) -> Address:
    """Of a label as a person would cite it; empty where it has no number."""
    parts = [part for found in references(label) for part in found.parts]
    if not label.isascii():
        return tuple(map(_step, parts))
    if parts:
        unit: Unit = "annex" if parts[0].unit == "annex" else "decimal"
        return ((unit, tuple(number for part in parts for number in part.number)),)
    numbers = english_numbers(label) if _LATIN_LABEL.fullmatch(label) else ()
    return (("decimal", numbers),) if numbers else ()


def _step(part: Part) -> Step:
    return part.unit, part.number


class Directory:
    """The numbered places of one document, in their order."""

    def __init__(self, labels: Iterable[str]) -> None:
        self._addresses = [address for label in labels if (address := address_of(label))]
        self._known = frozenset(self._addresses)
        self._articles = [
            address for address in dict.fromkeys(self._addresses) if address[-1][0] == "article"
        ]
        self._place = {address: place for place, address in enumerate(self._articles)}

    def targets(self, found: Sequence[Reference], own: Address) -> list[Target | None]:
        """Of each reference of one text; None where it can't be told."""
        targets: list[Target | None] = []
        for reference in found:
            # 同条 after a place that can't be told can't be told either.
            targets.append(self._target(reference, own, targets[-1] if targets else None))
        return targets

    def canonical(self, address: Address) -> Address:
        """As the document itself counts: 第三条第一項 is 第三条 where that bears no 1."""
        if address in self._known:
            return address
        without = tuple(step for step in address if step != _FIRST)
        if without in self._known:
            return without
        at = next((at for at, (unit, _) in enumerate(address) if unit == "article"), None)
        if at is not None:
            within = (*address[: at + 1], _FIRST, *address[at + 1 :])
            if within in self._known:
                return within
        return address

    def _target(self, reference: Reference, own: Address, last: Target | None) -> Target | None:
        first = reference.parts[0]
        if first.relative == "same":
            return _goes_on(last, reference)
        if reference.external:
            return _elsewhere(last, reference)
        if first.relative is not None:
            base = self._relative(first, own)
            return Target((*base, *_numbered(reference)), False) if base else None
        return self._numbered_target(reference, own, last)

    def _numbered_target(
        self, reference: Reference, own: Address, last: Target | None
    ) -> Target | None:
        first, steps = reference.parts[0], _numbered(reference)
        if _is_supplement(own) and first.unit not in (*_ABOVE, "supplement"):
            return None  # 附則 speak of laws that amend, and of articles as they were then
        latin: Address = (("decimal", first.number),)
        if len(steps) == 1 and first.unit in _LATIN_UNITS and latin in self._known:
            return Target(latin, False)
        if first.unit in _ABOVE:
            from_ = last.address if reference.joined and last else own
            external = bool(reference.joined and last and last.external)
            above = _above(from_, first.unit)
            return Target((*above, *steps), external) if above else None
        return Target(steps, False)

    def _relative(self, part: Part, own: Address) -> Address:
        """前条, 次項, 本条; nothing for 前三項 and 各号, which name several."""
        if part.relative == "each" or part.count > 1:
            return ()
        if part.relative == "this":
            return _until(own, part.unit)
        by = -1 if part.relative == "previous" else 1
        if part.unit == "article":
            place = self._place.get(_until(own, "article"))
            inside = place is not None and 0 <= place + by < len(self._articles)
            return self._articles[place + by] if inside and place is not None else ()
        here = _until(self._with_paragraph(own), part.unit)
        if not here or here[-1][0] != part.unit or len(here[-1][1]) != 1:
            return ()
        number = here[-1][1][0] + by
        return (*here[:-1], (part.unit, (number,))) if number > 0 else ()

    @staticmethod
    def _with_paragraph(own: Address) -> Address:
        return (*own, _FIRST) if own and own[-1][0] == "article" else own


def _is_supplement(address: Address) -> bool:
    return bool(address) and address[0][0] == "supplement"


def _numbered(reference: Reference) -> Address:
    return tuple(_step(part) for part in reference.parts if not part.relative)


def _goes_on(last: Target | None, reference: Reference) -> Target | None:
    """同条第三項 after a reference to any place of that article."""
    base = _until(last.address, reference.parts[0].unit) if last else ()
    return Target((*base, *_numbered(reference)), last.external) if last and base else None


def _elsewhere(last: Target | None, reference: Reference) -> Target:
    """Into another law; the second of `民法第四条第一項及び第二項` is in its fourth article too."""
    below = reference.joined and reference.parts[0].unit in _ABOVE
    above = _above(last.address, reference.parts[0].unit) if below and last else ()
    return Target((*above, *_numbered(reference)), True)


def _until(address: Address, unit: Unit) -> Address:
    """Down to this unit; nothing where it has none."""
    at = next((at for at, (one, _) in enumerate(address) if one == unit), None)
    return () if at is None else address[: at + 1]


def _above(address: Address, unit: Unit) -> Address:
    wanted = _ABOVE[unit]
    found = tuple(step for step in address if step[0] in wanted)
    return found if any(step[0] in ("article", "supplement") for step in found) else ()


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
