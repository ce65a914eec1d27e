"""Where two texts differ, as a person would mark it: whole words, no confetti."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sanbo.agents.comparison.differences.tokens import Reading, read
from sanbo.agents.comparison.model import Piece

# rapidfuzz keeps a bit for every pair of tokens: 50 MB at this bound.
_MOST_PAIRS = 400_000_000


@dataclass(slots=True)
class Run:
    """Words `old[0]` to `old[1]` of one list became those of the other."""

    equal: bool
    old: tuple[int, int]
    new: tuple[int, int]


def runs_of(old: Sequence[str], new: Sequence[str]) -> list[Run]:
    """In order, equal and changed ones by turns."""
    head = common_head(old, new)
    tail = _common_tail(old, new, min(len(old), len(new)) - head)
    old_end, new_end = len(old) - tail, len(new) - tail
    runs = [Run(True, (0, head), (0, head))]
    runs += _middle(old[head:old_end], new[head:new_end], head)
    runs.append(Run(True, (old_end, len(old)), (new_end, len(new))))
    return _merged(run for run in runs if run.old[1] > run.old[0] or run.new[1] > run.new[0])


def common_head(old: Sequence[str], new: Sequence[str]) -> int:
    """How many both begin with."""
    length = min(len(old), len(new))
    return next((at for at in range(length) if old[at] != new[at]), length)


def _common_tail(old: Sequence[str], new: Sequence[str], most: int) -> int:
    return next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)


def _middle(old: Sequence[str], new: Sequence[str], at: int) -> Iterator[Run]:
    """What no prefix or suffix has settled; `at`: where both begin."""
    if not old or not new or len(old) * len(new) > _MOST_PAIRS:
        yield Run(False, (at, at + len(old)), (at, at + len(new)))
        return
    numbers: dict[str, int] = {}
    here = [numbers.setdefault(text, len(numbers)) for text in old]
    known = len(numbers)
    there = [numbers.setdefault(text, len(numbers)) for text in new]
    if min(there) >= known:  # not one token in common
        yield Run(False, (at, at + len(old)), (at, at + len(new)))
        return
    from rapidfuzz.distance import Indel  # noqa: PLC0415 - takes 100 ms, at the first difference

    for code in Indel.opcodes(here, there):
        old_run = at + code.src_start, at + code.src_end
        yield Run(code.tag == "equal", old_run, (at + code.dest_start, at + code.dest_end))


def _merged(runs: Iterable[Run]) -> list[Run]:
    merged: list[Run] = []
    for run in runs:
        append_run(merged, run)
    return merged


def append_run(runs: list[Run], run: Run) -> None:
    """What is like the run before it goes on with it."""
    if runs and runs[-1].equal == run.equal:
        last = runs[-1]
        last.old, last.new = (last.old[0], run.old[1]), (last.new[0], run.new[1])
    else:
        runs.append(run)


class Segment(NamedTuple):
    """`squeezed[old_start:old_end]` of the old text became the same of the new."""

    equal: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int


def segments(old: Reading, new: Reading) -> list[Segment]:
    """They cover both texts, in order; no two neighbours are of one sort."""
    if not old.tokens or not new.tokens:
        nothing = not old.tokens and not new.tokens
        return [Segment(nothing, 0, len(old.squeezed), 0, len(new.squeezed))]
    runs = _without_islands(runs_of(old.tokens, new.tokens), old, new)
    _slide(runs, old.tokens, new.tokens)
    return list(_joined(_refined(runs, old, new)))


# ---- Small islands between changes ----

_PUNCTUATION = frozenset("、。，．,.・「」『』（）()［］[]【】〔〕:：;；-‐－―…/／\"'“”‘’")
_PARTICLES = frozenset("をはがにのともでへや") | {"及び", "又は", "若しくは", "並びに"}


_ISLAND = 16  # characters that are read as a phrase of their own
_LONG = 4  # what a single word counts at most beside an island


def _without_islands(runs: list[Run], old: Reading, new: Reading) -> list[Run]:
    """Equal words that are fewer than what changed on both sides of them count as changed."""
    if len(runs) < 4:  # at most one change, and nothing between two
        return runs
    kept: list[Run] = []
    size = _Size(0, 0)  # of the changed run that was kept last; summed up, as it may grow long
    for at, run in enumerate(runs):
        if not run.equal:
            before = size if kept and not kept[-1].equal else _Size(0, 0)
            size = _Size.of(run, old, new) + before
        elif kept and at + 1 < len(runs) and _words(kept[-1], runs[at + 1]) > 3:
            weight = sum(_weights(new, run.new))
            around = min(size.larger, _Size.of(runs[at + 1], old, new).larger)
            run.equal = weight > min(around, _ISLAND)
            size += _Size(weight, weight)
        append_run(kept, run)
    return kept


@dataclass(slots=True)
class _Size:
    """How much a reader sees changed on each side."""

    old: float
    new: float

    @classmethod
    def of(cls, run: Run, old: Reading, new: Reading) -> "_Size":
        return cls(
            sum(min(weight, _LONG) for weight in _weights(old, run.old)),
            sum(min(weight, _LONG) for weight in _weights(new, run.new)),
        )

    def __add__(self, other: "_Size") -> "_Size":
        return _Size(self.old + other.old, self.new + other.new)

    @property
    def larger(self) -> float:
        return max(self.old, self.new)


def _words(*runs: Run) -> int:
    """One word for one word beside another such pair is read best as two."""
    return sum(max(run.old[1] - run.old[0], run.new[1] - run.new[0]) for run in runs)


def _weights(reading: Reading, run: tuple[int, int]) -> Iterator[float]:
    for at in range(*run):
        word = reading.tokens[at]
        if word in _PUNCTUATION or word in _PARTICLES:
            yield 0.5
        elif word.isascii():
            yield max(1.0, len(word) / 2)
        else:
            yield len(word) * (2 if reading.starts[at] in reading.special else 1)


# ---- What was put in or left out begins where a phrase does ----


def _slide(runs: list[Run], old: Sequence[str], new: Sequence[str]) -> None:
    for before, run, after in zip(runs, runs[1:], runs[2:], strict=False):
        if run.equal or not before.equal or not after.equal:
            continue
        if run.old[0] == run.old[1]:
            tokens, span = new, run.new
        elif run.new[0] == run.new[1]:
            tokens, span = old, run.old
        else:
            continue
        room = before.old[1] - before.old[0], after.old[1] - after.old[0]
        shift = _best_shift(tokens, span, room)
        if shift:
            _shift(before, run, after, shift)


def _best_shift(tokens: Sequence[str], span: tuple[int, int], room: tuple[int, int]) -> int:
    start, end = span
    shifts = [0]
    while -shifts[-1] < room[0] and _same(tokens, start + shifts[-1] - 1, end + shifts[-1] - 1):
        shifts.append(shifts[-1] - 1)
    forward = 0
    while forward < room[1] and _same(tokens, start + forward, end + forward):
        forward += 1
        shifts.append(forward)
    return max(
        shifts, key=lambda by: (_is_break(tokens, start + by) + _is_break(tokens, end + by), by)
    )


def _same(tokens: Sequence[str], one: int, other: int) -> bool:
    return one >= 0 and other < len(tokens) and tokens[one] == tokens[other]


_ENDING = frozenset("。．.;；:：」）)")
_PAUSING = frozenset("、，,「（(")
_BRACKETS = frozenset("（(「」）)")


def _is_break(tokens: Sequence[str], at: int) -> int:
    """How well a phrase may begin here."""
    if at == 0 or at == len(tokens):
        return 3
    before, here = tokens[at - 1], tokens[at]
    if before in _ENDING:
        return 3
    if before in _PAUSING or here in _BRACKETS:
        return 2
    return 1 if before in _PARTICLES else 0


def _shift(before: Run, run: Run, after: Run, by: int) -> None:
    before.old, before.new = (
        (before.old[0], before.old[1] + by),
        (before.new[0], before.new[1] + by),
    )
    run.old, run.new = (run.old[0] + by, run.old[1] + by), (run.new[0] + by, run.new[1] + by)
    after.old, after.new = (after.old[0] + by, after.old[1]), (after.new[0] + by, after.new[1])


# ---- Parts of long words ----


def _refined(runs: list[Run], old: Reading, new: Reading) -> Iterator[Segment]:
    for run in runs:
        (a, b), (c, d) = _span(old, run.old), _span(new, run.new)
        if run.equal or a == b or c == d:
            yield Segment(run.equal, a, b, c, d)
            continue
        head = _shared_head(old, new, run)
        tail = _shared_tail(old, new, run) if (a + head, c + head) != (b, d) else 0
        tail = min(tail, b - a - head, d - c - head)
        yield Segment(True, a, a + head, c, c + head)
        yield Segment(False, a + head, b - tail, c + head, d - tail)
        yield Segment(True, b - tail, b, d - tail, d)


def _span(reading: Reading, run: tuple[int, int]) -> tuple[int, int]:
    return _begin(reading, run[0]), _begin(reading, run[1])


def _begin(reading: Reading, at: int) -> int:
    """A token reaches to where the next one begins; the first one from the very beginning."""
    if at == 0:
        return 0
    return reading.starts[at] if at < len(reading.starts) else len(reading.squeezed)


def _shared_head(old: Reading, new: Reading, run: Run) -> int:
    """Characters in which the first words agree, where both are long words of one sort."""
    here, there = run.old[0], run.new[0]
    begins = _begin(old, here) == old.starts[here] and _begin(new, there) == new.starts[there]
    if not begins or _is_whole(old, here) or _is_whole(new, there):
        return 0
    one, other = old.tokens[here], new.tokens[there]
    return _readable(one, other, common_head(one, other))


def _shared_tail(old: Reading, new: Reading, run: Run) -> int:
    here, there = run.old[1] - 1, run.new[1] - 1
    ends = _ends(old, here) and _ends(new, there)
    if not ends or _is_whole(old, here) or _is_whole(new, there):
        return 0
    one, other = old.tokens[here], new.tokens[there]
    return _readable(one, other, common_head(one[::-1], other[::-1]))


def _is_whole(reading: Reading, at: int) -> bool:
    """Nothing may be cut out of a reference, a value or a word in Latin letters."""
    return reading.starts[at] in reading.special or reading.tokens[at][0] < "ぁ"


def _ends(reading: Reading, at: int) -> bool:
    """No white space follows it."""
    return _begin(reading, at + 1) == reading.starts[at] + len(reading.tokens[at])


def _readable(one: str, other: str, shared: int) -> int:
    """個人情報 keeps 情報 and 下請事業者 keeps 事業者, but 使用者 and 利用者 share no word."""
    rest = len(one) - shared, len(other) - shared
    if shared >= 3:
        return shared
    return shared if shared == 2 and (1 not in rest or 0 in rest) else 0


def _joined(found: Iterator[Segment]) -> Iterator[Segment]:
    last: Segment | None = None
    for segment in found:
        if segment.old_start == segment.old_end and segment.new_start == segment.new_end:
            continue
        if last is None:
            last = segment
        elif last.equal == segment.equal:
            last = Segment(
                last.equal, last.old_start, segment.old_end, last.new_start, segment.new_end
            )
        else:
            yield last
            last = segment
    if last is not None:
        yield last


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
