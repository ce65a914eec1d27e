"""Documents to pairs: which belongs to which, cut into chunks, aligned. In a process of its own."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module

from sanbo.agents.comparison import given as limits
from sanbo.agents.comparison.chunking.pairing import pair_documents
from sanbo.agents.comparison.chunking.sides import Letter
from sanbo.agents.comparison.chunking.tables import table_side
from sanbo.agents.comparison.given import SIZE, PackedSide, ReadDocument, SideName
from sanbo.agents.comparison.material import Compared
from sanbo.agents.comparison.model import Alignment, Change, Doubt, Frozen, Pair, Place, Side
from sanbo.documents.transport import unpacked
from sanbo.kernel.problems import InvalidInput, Problem, UnsupportedFormat
from sanbo.sandbox.calls import pieces_apart
from sanbo.sandbox.memory import Memory

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


_ALIGNER = "sanbo.agents.comparison.alignment.align"
"""By name: scikit-learn and scipy are not for a command that merely starts."""
Align = Callable[[Side, Side], Alignment]
Couple = tuple[ReadDocument | None, ReadDocument | None]
_NAMES = 20


class SideFacts(Frozen):
    names: tuple[str, ...]
    """The first of them."""
    chunks: int
    characters: int


class Prepared(Frozen):
    """What is known of the sides without looking into them."""

    old: SideFacts
    new: SideFacts


async def prepare_apart(
    old: PackedSide,
    new: PackedSide,
    *,
    id_column: str,
    text_column: str,
) -> tuple[Prepared, Memory]:
    """The second is a `Compared` in JSON."""
    with old.memory, new.memory:
        made = await pieces_apart(
            compared_in,
            [old.problems, new.problems],
            id_column,
            text_column,
            inputs=[old.memory, new.memory],
            limits=limits.WORKING,
        )
    with made:
        return await asyncio.to_thread(_taken_apart, made.view())


def _taken_apart(data: memoryview) -> tuple[Prepared, Memory]:
    (size,) = SIZE.unpack_from(data)
    prepared = Prepared.model_validate_json(bytes(data[SIZE.size : SIZE.size + size]))
    return prepared, Memory.of([data[SIZE.size + size :]])


def compared_in(
    problems: Sequence[Sequence[Problem | None]],
    id_column: str,
    text_column: str,
    old: memoryview,
    new: memoryview,
) -> Iterator[bytes]:
    sides = [_documents(data, told) for data, told in zip((old, new), problems, strict=True)]
    compared = prepare(*sides, id_column=id_column, text_column=text_column)
    prepared = Prepared(old=_facts(compared.pairs, "old"), new=_facts(compared.pairs, "new"))
    head = prepared.model_dump_json().encode()
    yield SIZE.pack(len(head))
    yield head
    yield compared.model_dump_json().encode()


def _documents(data: memoryview, problems: Sequence[Problem | None]) -> list[ReadDocument]:
    found: list[ReadDocument] = []
    at = 0
    for problem in problems:
        (size,) = SIZE.unpack_from(data, at)
        at += SIZE.size
        found.append(ReadDocument(document=unpacked(data[at : at + size]), problem=problem))
        at += size
    return found


def _facts(pairs: Sequence[Pair], name: SideName) -> SideFacts:
    sides = [side for pair in pairs if (side := pair.old if name == "old" else pair.new)]
    return SideFacts(
        names=tuple(side.name for side in sides[:_NAMES]),
        chunks=sum(len(side.chunks) for side in sides),
        characters=sum(len(side.text) for side in sides),
    )


def prepare(
    old: Sequence[ReadDocument],
    new: Sequence[ReadDocument],
    *,
    id_column: str = "",
    text_column: str = "",
) -> Compared:
    sides: tuple[tuple[SideName, Sequence[ReadDocument]], ...] = (("old", old), ("new", new))
    for name, given in sides:
        _refuse_too_much(name, given)
    couples = [
        (None if a is None else old[a], None if b is None else new[b]) for a, b in _paired(old, new)
    ]
    compared = [couple for couple in couples if _unread(couple) is None]
    left_out = [problem for couple in couples if (problem := _unread(couple)) is not None]
    pairs: list[Pair] = []
    chunks: dict[SideName, int] = {"old": 0, "new": 0}
    for number, (before, after) in enumerate(compared, 1):
        prefix = f"{number}-" if len(compared) > 1 else ""

        def side(read: ReadDocument | None, letter: Letter, prefix: str = prefix) -> Side | None:
            if read is None:
                return None
            return table_side(
                read.document, letter, prefix, id_column=id_column, text_column=text_column
            )

        before_side, after_side = side(before, "A"), side(after, "B")
        cut: tuple[tuple[SideName, Side | None], ...] = (("old", before_side), ("new", after_side))
        for name, each in cut:
            chunks[name] += len(each.chunks) if each else 0
            if chunks[name] > limits.MOST_CHUNKS:
                raise limits.too_much(name, limits.MOST_CHARACTERS)
        pairs.append(_aligned(before_side, after_side))
    if not pairs:
        raise InvalidInput("comparison_nothing_compared", reason=left_out[0].message)
    if len(pairs) == 1:
        _refuse_empty(pairs[0])
    return Compared(pairs=tuple(pairs), left_out=tuple(left_out))


def _paired(
    old: Sequence[ReadDocument], new: Sequence[ReadDocument]
) -> list[tuple[int | None, int | None]]:
    if len(old) == 1 and len(new) == 1:
        return [(0, 0)]  # whatever they are called
    return pair_documents([each.document for each in old], [each.document for each in new])


def _unread(couple: Couple) -> Problem | None:
    """Of a pair of which one can't be read nothing is told: the other would look deleted."""
    for read in couple:
        if read is not None and read.problem is not None:
            return UnsupportedFormat(
                "comparison_left_out", name=read.document.name, reason=read.problem.message
            ).problem
    return None


def warm_up() -> None:
    """Its libraries take seconds to load."""
    import_module(_ALIGNER)


def _aligned(old: Side | None, new: Side | None) -> Pair:
    if old is not None and new is not None and old.chunks and new.chunks:
        align: Align = import_module(_ALIGNER).align
        return told_apart(Pair(old=old, new=new, alignment=align(old, new)))
    chunks = (*(old.chunks if old else ()), *(new.chunks if new else ()))
    alone = Alignment(
        links=(), doubts=(), unlinked={chunk.id: 1.0 for chunk in chunks}, similarity=0.0
    )
    return Pair(old=old, new=new, alignment=alone)


def _refuse_too_much(name: SideName, read: Sequence[ReadDocument]) -> None:
    """Before anything is cut into chunks: that alone would take minutes."""
    lengths = [len(each.document.text) for each in read]
    if max(lengths) > limits.LONGEST_DOCUMENT:
        raise limits.too_much(name, limits.LONGEST_DOCUMENT)
    blocks = sum(len(each.document.blocks) for each in read)
    if sum(lengths) > limits.MOST_CHARACTERS or blocks > limits.MOST_CHUNKS:
        raise limits.too_much(name, limits.MOST_CHARACTERS)


def _refuse_empty(pair: Pair) -> None:
    for name, side in (("old", pair.old), ("new", pair.new)):
        if side is not None and not side.chunks:
            raise InvalidInput(f"comparison_empty.{name}", name=side.name)
