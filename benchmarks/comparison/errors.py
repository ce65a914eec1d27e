"""What was linked wrongly or not at all, for whoever improves the aligner."""

from collections import defaultdict
from collections.abc import Iterable

from sanbo.agents.comparison.model import Chunk, Side

from .gold import Ids

_LONGEST = 120


def print_errors(
    name: str, old: Side, new: Side, gold: Iterable[Ids], predicted: Iterable[Ids]
) -> None:
    """By old chunk: what it truly became, and what it was taken for."""
    right, said = _by_old(gold), _by_old(predicted)
    old_chunks = {chunk.id: chunk for chunk in old.chunks}
    new_chunks = {chunk.id: chunk for chunk in new.chunks}
    for chunk in old.chunks:
        missed, wrong = right[chunk.id] - said[chunk.id], said[chunk.id] - right[chunk.id]
        if not missed and not wrong:
            continue
        print(f"  {name}: {_shown(old_chunks[chunk.id])}")
        for sign, ids in (("=", right[chunk.id] & said[chunk.id]), ("-", missed), ("+", wrong)):
            for identity in sorted(ids):
                print(f"    {sign} {_shown(new_chunks[identity])}")


def _by_old(pairs: Iterable[Ids]) -> defaultdict[str, set[str]]:
    by_old: defaultdict[str, set[str]] = defaultdict(set)
    for old, new in pairs:
        by_old[old].add(new)
    return by_old


def _shown(chunk: Chunk) -> str:
    text = " ".join(chunk.text.split())
    return f"{chunk.id} {text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}"
