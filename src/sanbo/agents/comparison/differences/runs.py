"""Runs of equal and of changed words: the shortest way from one list of words to another."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
