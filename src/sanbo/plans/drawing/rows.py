"""Which row each node stands in, and where: few rows, few crossings, straight lines."""

import heapq
from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
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


BETWEEN_NODES = 28.0
BETWEEN_BENDS = 16.0
BETWEEN_ROWS = 44.0
MOST_BETWEEN_ROWS = 96.0
BEND_WIDTH = 2.0
SPARE = 60.0
PLACING_SWEEPS = 12
STRAIGHT = 8.0
"""How much more a line through several rows wants to be straight than one to the next row."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Size:
    across: float
    along: float


@dataclass(frozen=True)
class Arrangement:
    size: Size
    places: list[Point]
    """(across, along) of each node's first corner."""
    routes: list[list[Point]]
    """For each link, points in pairs: within a row straight on, from pair to pair a curve."""


def arrange(sizes: Sequence[Size], links: Sequence[Link], widest: int) -> Arrangement:
    if not sizes:
        return Arrangement(Size(0, 0), [], [])
    rows = in_rows(len(sizes), links, widest)
    widths = [size.across for size in sizes]
    bends = max((cell for row in rows.cells for cell in row), default=0) + 1 - len(sizes)
    widths += [BEND_WIDTH] * bends
    middles = _middles(rows, widths, len(sizes))
    first = min(middle - width / 2 for middle, width in zip(middles, widths, strict=True))
    middles = [middle - first for middle in middles]
    tops, bottoms = _bands(rows, sizes, middles)
    row_of = {cell: number for number, row in enumerate(rows.cells) for cell in row}
    places = [(middles[node] - widths[node] / 2, tops[row_of[node]]) for node in range(len(sizes))]
    routes: list[list[Point]] = []
    for chain, turned in zip(rows.chains, rows.turned, strict=True):
        route: list[Point] = []
        for number, cell in enumerate(chain):
            top, bottom, middle = tops[row_of[cell]], bottoms[row_of[cell]], middles[cell]
            if number == 0:
                route += [(middle, top + sizes[cell].along), (middle, bottom)]
            elif number == len(chain) - 1:
                route += [(middle, top), (middle, top)]
            else:
                route += [(middle, top), (middle, bottom)]
        routes.append(route[::-1] if turned else route)
    across = max(middle + width / 2 for middle, width in zip(middles, widths, strict=True))
    return Arrangement(Size(across, bottoms[-1]), places, routes)


def _bands(
    rows: Rows, sizes: Sequence[Size], middles: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Where each row begins and ends; rows with long lines between them stand further apart."""
    row_of = {cell: number for number, row in enumerate(rows.cells) for cell in row}
    reach = [0.0] * len(rows.cells)
    for upper, lower in rows.steps:
        reach[row_of[upper]] = max(reach[row_of[upper]], abs(middles[upper] - middles[lower]))
    tops: list[float] = []
    bottoms: list[float] = []
    position = 0.0
    for number, row in enumerate(rows.cells):
        height = max((sizes[cell].along for cell in row if cell < len(sizes)), default=0.0)
        tops.append(position)
        bottoms.append(position + height)
        position += height + min(BETWEEN_ROWS + reach[number] / 14, MOST_BETWEEN_ROWS)
    return tops, bottoms


def _middles(rows: Rows, widths: Sequence[float], nodes: int) -> list[float]:
    placing = _Placing(rows, widths, nodes)
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for upper, lower in rows.steps:
        above.setdefault(lower, []).append(upper)
        below.setdefault(upper, []).append(lower)
    for sweep in range(PLACING_SWEEPS):
        downwards, last = sweep % 2 == 0, sweep >= PLACING_SWEEPS - 2
        for row in range(len(rows.cells)) if downwards else reversed(range(len(rows.cells))):
            linked: dict[int, list[int]] = {}
            for cell in rows.cells[row]:
                one_side = above.get(cell, []) if downwards else below.get(cell, [])
                both = above.get(cell, []) + below.get(cell, [])
                linked[cell] = one_side if one_side and not last else both
            placing.settle(row, linked)
    return placing.middles


class _Placing:
    def __init__(self, rows: Rows, widths: Sequence[float], nodes: int) -> None:
        self.rows = rows.cells
        self.widths = widths
        self.nodes = nodes
        self.offsets = [self._offsets(row) for row in self.rows]
        # No row needs more room than the fullest, and none gets much more: else a plan with many
        # rows would drift away sideways.
        self.room = SPARE + max(
            offsets[-1] + (widths[row[0]] + widths[row[-1]]) / 2
            for row, offsets in zip(self.rows, self.offsets, strict=True)
        )
        self.middles = [0.0] * len(widths)
        for number, row in enumerate(self.rows):
            self._place(number, [self.room / 2] * len(row), [1.0] * len(row))

    def _offsets(self, row: Sequence[int]) -> list[float]:
        """Of each cell's middle from the first one's, when they stand as close as they may."""
        offsets = [0.0]
        for left, right in pairwise(row):
            gap = BETWEEN_BENDS if left >= self.nodes and right >= self.nodes else BETWEEN_NODES
            offsets.append(offsets[-1] + (self.widths[left] + self.widths[right]) / 2 + gap)
        return offsets

    def settle(self, row: int, linked: Mapping[int, Sequence[int]]) -> None:
        goals = [self._goal(cell, linked[cell]) for cell in self.rows[row]]
        self._place(row, [goal for goal, _ in goals], [weight for _, weight in goals])

    def _goal(self, cell: int, linked: Sequence[int]) -> tuple[float, float]:
        if not linked:
            return self.middles[cell], 0.1
        is_bend = cell >= self.nodes
        pulls = [STRAIGHT if is_bend and other >= self.nodes else 1.0 for other in linked]
        total = sum(pulls)
        moments = (pull * self.middles[other] for pull, other in zip(pulls, linked, strict=True))
        return sum(moments) / total, total

    def _place(self, row: int, goals: Sequence[float], weights: Sequence[float]) -> None:
        """As near to where each wants to be as the others let it (isotonic regression)."""
        cells, offsets = self.rows[row], self.offsets[row]
        pools: list[tuple[float, float, int]] = []  # value, weight, number of cells
        for goal, weight, offset in zip(goals, weights, offsets, strict=True):
            value, heavy, members = goal - offset, weight, 1
            while pools and pools[-1][0] >= value:
                before, more, others = pools.pop()
                value = (value * heavy + before * more) / (heavy + more)
                heavy, members = heavy + more, members + others
            pools.append((value, heavy, members))
        first = self.widths[cells[0]] / 2
        last = self.room - self.widths[cells[-1]] / 2 - offsets[-1]
        values = [value for value, _, members in pools for _ in range(members)]
        for cell, value, offset in zip(cells, values, offsets, strict=True):
            self.middles[cell] = min(max(value, first), last) + offset
