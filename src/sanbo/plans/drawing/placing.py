"""Where nodes of given sizes stand in their rows: apart, with lines as straight as can be.

`across` runs along a row, `along` from row to row; which of them is horizontal is decided later.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sanbo.plans.drawing.layers import Link, Rows, in_rows

BETWEEN_NODES = 28.0
BETWEEN_BENDS = 16.0
BETWEEN_ROWS = 44.0
MOST_BETWEEN_ROWS = 96.0
BEND_WIDTH = 2.0
SPARE = 60.0
SWEEPS = 12
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
    for sweep in range(SWEEPS):
        downwards, last = sweep % 2 == 0, sweep >= SWEEPS - 2
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
