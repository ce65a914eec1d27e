"""Which row each node stands in, and in which order: few rows, few crossings, and no surprises.

Rows follow the dependencies; a row that would grow too wide goes on in the next. A link over
several rows passes each of them at a point of its own, a `bend`. Links that fan out from one node
or into one share their bends, so that a hundred of them are one trunk and not a hundred lines.
In a large plan the longest links are left out: there would be more of their bends than of nodes.
"""

import heapq
from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

SWEEPS = 8
MOST_BENDS = 6_000
"""Of all links together: the work grows with them, and they with the square of the nodes."""

Link = tuple[int, int, str]
"""From which node to which, and of what kind; kinds never share a bend."""


@dataclass(frozen=True)
class Rows:
    """Cells by row. A cell below the number of nodes is that node, any other is a bend."""

    cells: list[list[int]]
    """By row, in their order."""
    steps: list[tuple[int, int]]
    """Pairs of cells in neighbouring rows that a line connects, each pair once."""
    chains: list[list[int]]
    """For each link, the cells that it passes, from the upper row to the lower; none of a link
    that is left out."""
    turned: list[bool]
    """For each link, whether it points upwards: part of a cycle, which only a broken plan has."""


def in_rows(count: int, links: Sequence[Link], widest: int) -> Rows:
    place = {node: position for position, node in enumerate(_in_order(count, links))}
    turned = [place[source] > place[target] for source, target, _ in links]
    downward = [
        (target, source, kind) if back else (source, target, kind)
        for (source, target, kind), back in zip(links, turned, strict=True)
    ]
    row_of = _row_of(sorted(range(count), key=place.__getitem__), downward, widest)
    cells: list[list[int]] = [[] for _ in range(max(row_of, default=-1) + 1)]
    for node in sorted(range(count), key=place.__getitem__):
        cells[row_of[node]].append(node)
    chains = _chains(count, downward, row_of, cells)
    steps = sorted({pair for chain in chains for pair in pairwise(chain)})
    return Rows(_ordered(cells, steps), steps, chains, turned)


def _in_order(count: int, links: Sequence[Link]) -> list[int]:
    """After what they depend on and else as written; in a cycle, the first of it goes first."""
    waits: list[set[int]] = [set() for _ in range(count)]
    followers: list[list[int]] = [[] for _ in range(count)]
    for source, target, _ in links:
        followers[source].append(target)
        waits[target].add(source)
    ordered: list[int] = []
    done = [False] * count
    ready = [node for node in range(count) if not waits[node]]
    first = 0
    while len(ordered) < count:
        while done[first]:
            first += 1
        node = heapq.heappop(ready) if ready else first
        if done[node]:
            continue
        done[node] = True
        ordered.append(node)
        for follower in followers[node]:
            waits[follower].discard(node)
            if not waits[follower] and not done[follower]:
                heapq.heappush(ready, follower)
    return ordered


def _row_of(order: Sequence[int], links: Sequence[Link], widest: int) -> list[int]:
    rows = [0] * len(order)
    before: list[list[int]] = [[] for _ in order]
    after: list[list[int]] = [[] for _ in order]
    for source, target, _ in links:
        before[target].append(source)
        after[source].append(target)
    filled: dict[int, int] = {}
    beyond: dict[int, int] = {}
    """From a full row to one further on that was not full when it was last looked for."""
    for node in order:
        wanted = row = max((rows[source] + 1 for source in before[node]), default=0)
        while filled.get(row, 0) >= widest:
            row = beyond.get(row, row + 1)
        if row != wanted:
            beyond[wanted] = row
        rows[node] = row
        filled[row] = filled.get(row, 0) + 1
    for node in order:  # what waits for nothing stands just above who needs it first
        if after[node] and not before[node]:
            row = min(rows[target] for target in after[node]) - 1
            if row > rows[node] and filled.get(row, 0) < widest:
                filled[rows[node]] -= 1
                filled[row] = filled.get(row, 0) + 1
                rows[node] = row
    used = {row: position for position, row in enumerate(sorted(set(rows)))}
    return [used[row] for row in rows]


def _chains(
    count: int, links: Sequence[Link], row_of: Sequence[int], cells: list[list[int]]
) -> list[list[int]]:
    """Adds the bends to `cells`."""
    leaving = [0] * count
    arriving = [0] * count
    for source, target, _ in links:
        leaving[source] += 1
        arriving[target] += 1
    bends: dict[tuple[tuple[str, int], str, int], int] = {}
    chains: list[list[int]] = []
    drawn = _drawn([row_of[target] - row_of[source] for source, target, _ in links])
    for (source, target, kind), is_drawn in zip(links, drawn, strict=True):
        if not is_drawn:
            chains.append([])
            continue
        shared = ("to", target) if arriving[target] > leaving[source] else ("from", source)
        chain = [source]
        for row in range(row_of[source] + 1, row_of[target]):
            key = (shared, kind, row)
            if key not in bends:
                bends[key] = count + len(bends)
                cells[row].append(bends[key])
            chain.append(bends[key])
        chains.append([*chain, target])
    return chains


def _drawn(spans: Sequence[int]) -> list[bool]:
    """The shortest links, as many as may have bends."""
    drawn = [True] * len(spans)
    bends = 0
    for link in sorted(range(len(spans)), key=spans.__getitem__):
        bends += max(0, spans[link] - 1)
        drawn[link] = bends <= MOST_BENDS
    return drawn


def _ordered(cells: list[list[int]], steps: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The order with the fewest crossings of some that were tried."""
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for upper, lower in steps:
        above.setdefault(lower, []).append(upper)
        below.setdefault(upper, []).append(lower)
    now = [list(row) for row in cells]
    best, fewest = now, _crossings(now, below)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        now = [list(row) for row in now]
        for row in range(1, len(now)) if down else range(len(now) - 2, -1, -1):
            beside = now[row - 1] if down else now[row + 1]
            _sort(now[row], beside, above if down else below)
        crossings = _crossings(now, below)
        if crossings < fewest:
            best, fewest = now, crossings
    return best


def _sort(row: list[int], beside: Sequence[int], linked: dict[int, list[int]]) -> None:
    """Each to the middle of those it is linked with; the others keep their place."""
    position = {cell: number for number, cell in enumerate(beside)}
    scale = max(len(beside) - 1, 1) / max(len(row) - 1, 1)
    wanted = {
        cell: fmean(position[other] for other in linked[cell]) if cell in linked else number * scale
        for number, cell in enumerate(row)
    }
    row.sort(key=wanted.__getitem__)


def _crossings(rows: Sequence[Sequence[int]], below: dict[int, list[int]]) -> int:
    crossings = 0
    for upper, lower in pairwise(rows):
        position = {cell: number for number, cell in enumerate(lower)}
        seen: list[int] = []
        for cell in upper:
            ends = sorted(position[other] for other in below.get(cell, ()))
            crossings += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return crossings
