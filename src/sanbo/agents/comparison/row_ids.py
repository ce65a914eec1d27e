"""Rows of two tables that have the same ids: told apart while they are compared."""

from collections.abc import Iterable, Sequence

from sanbo.agents.comparison.model import Alignment, Change, Doubt, Pair, Place, Side

OLD, NEW = "A:", "B:"


def told_apart(pair: Pair) -> Pair:
    """`K-1` of the old table becomes `A:K-1`, of the new `B:K-1`; others stay as they are."""
    if pair.old is None or pair.new is None or not _is_keyed(pair):
        return pair
    alignment = pair.alignment
    links = [
        link.model_copy(update={"old": _with(OLD, link.old), "new": _with(NEW, link.new)})
        for link in alignment.links
    ]
    doubts = [_doubt(doubt) for doubt in alignment.doubts]
    linked_old = {each for link in alignment.links for each in link.old}
    linked_new = {each for link in alignment.links for each in link.new}
    return Pair(
        old=_side(pair.old, OLD),
        new=_side(pair.new, NEW),
        alignment=Alignment(
            links=tuple(links),
            doubts=tuple(doubts),
            unlinked={
                **_unlinked(alignment, pair.old, linked_old, OLD),
                **_unlinked(alignment, pair.new, linked_new, NEW),
            },
            similarity=alignment.similarity,
        ),
    )


def as_named(changes: Iterable[Change], pair: Pair) -> list[Change]:
    """With the ids that stand in the tables."""
    if not _is_keyed(pair):
        return list(changes)
    return [
        change.model_copy(
            update={
                "old": tuple(each.removeprefix(OLD) for each in change.old),
                "new": tuple(each.removeprefix(NEW) for each in change.new),
                "old_places": _places(change.old_places, OLD),
                "new_places": _places(change.new_places, NEW),
            }
        )
        for change in changes
    ]


def _is_keyed(pair: Pair) -> bool:
    return pair.old is not None and pair.new is not None and pair.old.keyed and pair.new.keyed


def _with(mark: str, ids: Sequence[str]) -> tuple[str, ...]:
    return tuple(mark + each for each in ids)


def _side(side: Side, mark: str) -> Side:
    chunks = [
        chunk.model_copy(
            update={
                "id": mark + chunk.id,
                "parent": None if chunk.parent is None else mark + chunk.parent,
            }
        )
        for chunk in side.chunks
    ]
    return side.model_copy(update={"chunks": tuple(chunks)})


def _doubt(doubt: Doubt) -> Doubt:
    candidates = [each.model_copy(update={"id": NEW + each.id}) for each in doubt.candidates]
    return doubt.model_copy(update={"old": OLD + doubt.old, "candidates": tuple(candidates)})


def _unlinked(alignment: Alignment, side: Side, linked: set[str], mark: str) -> dict[str, float]:
    known = alignment.unlinked
    return {
        mark + chunk.id: known[chunk.id]
        for chunk in side.chunks
        if chunk.id not in linked and chunk.id in known
    }


def _places(places: Sequence[Place], mark: str) -> tuple[Place, ...]:
    return tuple(place.model_copy(update={"id": place.id.removeprefix(mark)}) for place in places)
