"""What a person has without Sanbo: a plain difference, and pairing by number."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import product
from math import hypot, log

from sanbo.agents.comparison.alignment.align import align
from sanbo.agents.comparison.alignment.matches import moved_links
from sanbo.agents.comparison.model import Chunk, Link, Side

from .gold import Ids, Predicted

Linking = Callable[[Side, Side], Sequence[Link]]


def sanbo(old: Side, new: Side) -> Sequence[Link]:
    return align(old, new).links


def plain_difference(old: Side, new: Side) -> Sequence[Link]:
    """difflib over paragraphs; where a block was replaced, its paragraphs paired in order."""
    matcher = SequenceMatcher(
        None,
        [chunk.text for chunk in old.chunks],
        [chunk.text for chunk in new.chunks],
        autojunk=False,
    )
    links: list[Link] = []
    for operation, start, end, other_start, other_end in matcher.get_opcodes():
        if operation in ("equal", "replace"):
            pairs = zip(old.chunks[start:end], new.chunks[other_start:other_end], strict=False)
            links += [_link(one, two) for one, two in pairs]
    return links


def same_number(old: Side, new: Side) -> Sequence[Link]:
    """What bears the same number, the first time, the second time; without one, the same text."""
    waiting: defaultdict[str, list[Chunk]] = defaultdict(list)
    for chunk in reversed(new.chunks):
        waiting[_number(chunk, new)].append(chunk)
    return [
        _link(chunk, found.pop())
        for chunk in old.chunks
        if (found := waiting.get(_number(chunk, old)))
    ]


def nearest_by_letters(old: Side, new: Side) -> dict[Ids, float]:
    """Each old chunk with the new one nearest to it by TF-IDF of its characters, and how near."""
    grams = [_grams(chunk.text) for chunk in (*old.chunks, *new.chunks)]
    found_in = Counter(gram for each in grams for gram in each)
    vectors = [_of_length_one(each, found_in, len(grams)) for each in grams]
    olds, news = vectors[: len(old.chunks)], vectors[len(old.chunks) :]
    nearest: dict[Ids, float] = {}
    for chunk, vector in zip(old.chunks, olds, strict=True):
        near = [_cosine(vector, other) for other in news]
        best = max(range(len(news)), key=near.__getitem__)
        nearest[chunk.id, new.chunks[best].id] = near[best]
    return nearest


def _grams(text: str) -> Counter[str]:
    """Of 3 to 5 characters."""
    text = text.casefold()
    return Counter(text[at : at + size] for size in (3, 4, 5) for at in range(len(text) - size + 1))


def _of_length_one(grams: Counter[str], found_in: Counter[str], texts: int) -> dict[str, float]:
    weights = {
        gram: (1 + log(count)) * (log((1 + texts) / (1 + found_in[gram])) + 1)
        for gram, count in grams.items()
    }
    length = hypot(*weights.values())
    return {gram: weight / length for gram, weight in weights.items()}


def _cosine(one: dict[str, float], two: dict[str, float]) -> float:
    return sum(weight * two[gram] for gram, weight in one.items() if gram in two)


SYSTEMS: dict[str, Linking] = {
    "Sanbo": sanbo,
    "difflib": plain_difference,
    "same number": same_number,
}


def predicted(old: Side, new: Side, links: Sequence[Link]) -> Predicted:
    moved = moved_links(old, new, links)
    return Predicted(
        pairs_of(links), pairs_of(link for at, link in enumerate(links) if at in moved)
    )


def pairs_of(links: Iterable[Link]) -> frozenset[Ids]:
    return frozenset(pair for link in links for pair in product(link.old, link.new))


def _link(old: Chunk, new: Chunk) -> Link:
    return Link(old=(old.id,), new=(new.id,), confidence=1)


def _number(chunk: Chunk, side: Side) -> str:
    return chunk.id if side.keyed else chunk.label or chunk.text
