"""The difference of two texts as pieces that join to both of them again."""

from collections.abc import Sequence

from sanbo.agents.comparison.differences.segments import Segment, segments
from sanbo.agents.comparison.differences.tokens import Reading, read
from sanbo.agents.comparison.model import Piece


def difference(old: str, new: str) -> tuple[Piece, ...]:
    """All `old` joined are the old text, all `new` the new one."""
    before, after = read(old), read(new)
    return pieces(before, after, segments(before, after))


def pieces(old: Reading, new: Reading, found: Sequence[Segment]) -> tuple[Piece, ...]:
    return tuple(
        _piece(
            segment.equal,
            old.text[old.place(segment.old_start) : old.place(segment.old_end)],
            new.text[new.place(segment.new_start) : new.place(segment.new_end)],
        )
        for segment in found
        if old.text or new.text
    )


def _piece(equal: bool, old: str, new: str) -> Piece:
    if equal:
        return Piece(op="equal", old=old, new=new)
    return Piece(op="replace" if old and new else "delete" if old else "insert", old=old, new=new)
