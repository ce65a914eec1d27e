"""Documents to pairs: which belongs to which, cut into chunks, aligned. Blocking."""

from collections.abc import Callable, Sequence
from importlib import import_module

from sanbo.agents.comparison.chunking.pairing import pair_documents
from sanbo.agents.comparison.chunking.sides import Letter
from sanbo.agents.comparison.chunking.tables import table_side
from sanbo.agents.comparison.material import Compared
from sanbo.agents.comparison.model import Alignment, Pair, Side
from sanbo.agents.comparison.row_ids import told_apart
from sanbo.agents.comparison.sources import ReadDocument
from sanbo.kernel.problems import InvalidInput, LimitExceeded, Problem, UnsupportedFormat

_ALIGNER = "sanbo.agents.comparison.alignment.align"
"""By name: scikit-learn and scipy are not for a command that merely starts."""
MOST_CHUNKS = 50_000
"""Of all documents of a side. Far more than any contract or law has; beyond it memory runs out."""
MOST_CHARACTERS = 20_000_000
"""Of all documents of a side."""
LONGEST_DOCUMENT = 6_000_000
"""In characters: aligning two such takes minutes and 3 GB, whatever they say."""
Align = Callable[[Side, Side], Alignment]
Couple = tuple[ReadDocument | None, ReadDocument | None]


def prepare(
    old: Sequence[ReadDocument],
    new: Sequence[ReadDocument],
    *,
    id_column: str = "",
    text_column: str = "",
) -> Compared:
    for name, given in (("old", old), ("new", new)):
        _refuse_too_much(name, given)
    couples = [
        (None if a is None else old[a], None if b is None else new[b]) for a, b in _paired(old, new)
    ]
    compared = [couple for couple in couples if _unread(couple) is None]
    left_out = [problem for couple in couples if (problem := _unread(couple)) is not None]
    pairs: list[Pair] = []
    chunks = {"old": 0, "new": 0}
    for number, (before, after) in enumerate(compared, 1):
        prefix = f"{number}-" if len(compared) > 1 else ""

        def side(read: ReadDocument | None, letter: Letter, prefix: str = prefix) -> Side | None:
            if read is None:
                return None
            return table_side(
                read.document, letter, prefix, id_column=id_column, text_column=text_column
            )

        before_side, after_side = side(before, "A"), side(after, "B")
        for name, each in (("old", before_side), ("new", after_side)):
            chunks[name] += len(each.chunks) if each else 0
            if chunks[name] > MOST_CHUNKS:
                raise _too_much(name)
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


def load_aligner() -> None:
    """Its libraries take seconds to load: while files are read in other processes."""
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


def _refuse_too_much(name: str, read: Sequence[ReadDocument]) -> None:
    """Before anything is cut into chunks: that alone would take minutes."""
    lengths = [len(each.document.text) for each in read]
    if max(lengths) > LONGEST_DOCUMENT:
        raise _too_much(name, LONGEST_DOCUMENT)
    blocks = sum(len(each.document.blocks) for each in read)
    if sum(lengths) > MOST_CHARACTERS or blocks > MOST_CHUNKS:
        raise _too_much(name)


def _too_much(name: str, characters: int = MOST_CHARACTERS) -> LimitExceeded:
    return LimitExceeded(f"comparison_too_large.{name}", chunks=MOST_CHUNKS, characters=characters)


def _refuse_empty(pair: Pair) -> None:
    for name, side in (("old", pair.old), ("new", pair.new)):
        if side is not None and not side.chunks:
            raise InvalidInput(f"comparison_empty.{name}", name=side.name)
