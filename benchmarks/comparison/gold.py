"""What truly corresponds after synthetic edits, by chunk: read back, never guessed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sanbo.agents.comparison.chunking.sides import Letter, document_side
from sanbo.agents.comparison.model import Side
from sanbo.documents.extract import extract
from sanbo.documents.model import Source

from .passages import Passage, write_passages

Ids = tuple[str, str]
"""Of an old chunk and of the new one that comes from it."""


class GoldMismatch(Exception):
    """What the reader made of a text isn't what was written into it."""


@dataclass(frozen=True)
class Gold:
    """A link pair is (old id, new id). A split paragraph has a pair for each half, a merged one for
    each source; a chunk that was deleted or inserted has none."""

    pairs: frozenset[Ids]
    splits: tuple[frozenset[Ids], ...]
    """The pairs of each paragraph that was split or merged: found when all of them are."""
    edits: dict[str, frozenset[str]]
    """What was done to each chunk that was touched, by its id on either side."""


class Predicted(NamedTuple):
    """What a system says."""

    pairs: frozenset[Ids]
    """Of a link of several chunks, each old one with each new one."""
    moved: frozenset[Ids]
    """Those of links that left their order."""


def read_side(passages: Sequence[Passage], letter: Letter) -> Side:
    source = Source(name="law.md", data=write_passages(passages).encode())
    return document_side(extract(source), letter)


def gold_of(old: Sequence[Passage], old_side: Side, new: Sequence[Passage], new_side: Side) -> Gold:
    old_ids, new_ids = _ids_by_passage(old, old_side), _ids_by_passage(new, new_side)
    uses = Counter(origin for passage in new for origin in passage.origins)
    pairs: set[Ids] = set()
    families: dict[int, set[Ids]] = {}
    edits: dict[str, frozenset[str]] = {}
    for passage, ids in zip(new, new_ids, strict=True):
        for origin in passage.origins:
            linked = _carried(old_ids[origin], ids)
            pairs |= linked
            if len(passage.origins) > 1 or uses[origin] > 1:
                family = min(passage.origins)
                families.setdefault(family, set()).update(linked)
            if passage.edits:
                edits |= dict.fromkeys(old_ids[origin], passage.edits)
        if passage.edits:
            edits |= dict.fromkeys(ids, passage.edits)
    for at, ids in enumerate(old_ids):
        if at not in uses:
            edits |= dict.fromkeys(ids, frozenset({"delete"}))
    splits = tuple(frozenset(family) for family in families.values())
    return Gold(frozenset(pairs), splits, edits)


def _carried(old: list[str], new: list[str]) -> set[Ids]:
    if len(old) != len(new):
        raise GoldMismatch(f"{old} and {new}: the reader cut one passage in two ways")
    return set(zip(old, new, strict=True))


def _ids_by_passage(passages: Sequence[Passage], side: Side) -> list[list[str]]:
    """The chunks of each passage; both must hold the same characters."""
    chunks = iter(side.chunks)
    by_passage: list[list[str]] = []
    for passage in passages:
        wanted, got = _squeezed(passage.visible), ""
        ids: list[str] = []
        while len(got) < len(wanted) and (chunk := next(chunks, None)):
            got += _squeezed(chunk.text)
            ids.append(chunk.id)
        if got != wanted:
            raise GoldMismatch(f"written {wanted[:80]!r}, read {got[:80]!r}")
        by_passage.append(ids)
    if (left := next(chunks, None)) is not None:
        raise GoldMismatch(f"read beyond the end: {left.text[:80]!r}")
    return by_passage


def _squeezed(text: str) -> str:
    return "".join(text.split())
