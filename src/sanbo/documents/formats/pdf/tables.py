"""Ruled tables: cells from the lines that are drawn, their text from the glyphs inside.

Every glyph goes to one cell or stays in the text, so a table neither loses nor repeats anything.
The rulings come from pdfium, which has them at hand; pdfplumber finds the cells in them.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from pdfplumber.table import (
    cells_to_tables,
    edges_to_intersections,
    intersections_to_cells,
    merge_edges,
)

from sanbo.documents.formats.pdf.page import (
    LINE_BREAK,
    PLAIN,
    Box,
    Direction,
    Glyphs,
    Line,
    Page,
    RuledTable,
    joined,
    lines_of,
)
from sanbo.documents.table_heads import first_row_names_columns

MAX_CROSSINGS = 4_000
"""Finding cells takes the square of this; a page of text has a tenth."""

_NEAR = 3.0
_PATCH = 40.0
_WORD = re.compile(r"[^\W\d_]{2}")


class Cell(NamedTuple):
    box: Box
    lines: list[Line]

    def fills(self, line: Line, way: Direction) -> bool:
        """Whether the line ends because the cell ends."""
        room = (
            self.box.bottom - line.box.bottom if way == "down" else self.box.right - line.box.right
        )
        return room < 2 * (line.far - line.near)

    def text(self, way: Direction) -> str:
        """A line that fills its cell runs on in the next; others stand for themselves."""
        text = ""
        for place, line in enumerate(self.lines):
            before = self.lines[place - 1] if place else None
            if before and self.fills(before, way):
                text = joined(text, line.text, spaced=before.spaced)
            else:
                text = f"{text} {line.text}".strip()
        return text


def take_tables(page: Page, glyphs: Glyphs, way: Direction) -> tuple[list[RuledTable], Glyphs]:
    """The tables of the page, and its glyphs without theirs."""
    grids = [grid for grid in _grids(page) if _is_table(grid)]
    if not grids:
        return [], glyphs
    cell_of = _owners(glyphs, grids)
    filled = [len({cell for g, cell in cell_of.values() if g == n}) for n in range(len(grids))]
    kept = {n for n, grid in enumerate(grids) if filled[n] >= max(2, len(grid) / 10)}
    inside = {index: owner for index, owner in cell_of.items() if owner[0] in kept}
    rest, orders = _without(glyphs, inside)
    tables = [
        _table(
            grids[n],
            _cells(page, glyphs, grids[n], {i: c for i, (g, c) in inside.items() if g == n}, way),
            way,
            # Columns are numbered anew, so a table among them has no place: it comes after them.
            order if way == "right" else len(rest.characters),
        )
        for n, order in sorted(orders.items(), key=lambda item: item[1])
    ]
    return tables, rest


def _grids(page: Page) -> list[list[Box]]:
    edges: list[dict[str, Any]] = merge_edges(
        [_edge(rule) for rule in page.rulings], _NEAR, _NEAR, _NEAR, _NEAR
    )
    across = sum(edge["orientation"] == "h" for edge in edges)
    if across * (len(edges) - across) > 50 * MAX_CROSSINGS:
        return []
    edges += [_edge(side) for side in _open_sides(edges)]
    crossings = edges_to_intersections(edges, _NEAR, _NEAR)
    if len(crossings) > MAX_CROSSINGS:
        return []
    tables = cells_to_tables(intersections_to_cells(crossings))
    return [[Box(*map(float, cell)) for cell in cells] for cells in tables]


def _edge(rule: Box) -> dict[str, Any]:
    return {
        "orientation": "h" if rule.top == rule.bottom else "v",
        "x0": rule.left,
        "x1": rule.right,
        "top": rule.top,
        "bottom": rule.bottom,
        "width": rule.right - rule.left,
        "height": rule.bottom - rule.top,
    }


def _open_sides(edges: list[dict[str, Any]]) -> Iterator[Box]:
    """Tables are often set without lines at the left and right: there their rows end."""
    across = sorted((e for e in edges if e["orientation"] == "h"), key=lambda e: e["top"])
    down = [e for e in edges if e["orientation"] == "v"]
    for place, upper in enumerate(across):
        lower = next((e for e in across[place + 1 :] if _same_span(upper, e)), None)
        if lower is None:
            continue
        between = any(
            edge["top"] <= upper["top"] + _NEAR
            and edge["bottom"] >= lower["top"] - _NEAR
            and upper["x0"] + _NEAR < edge["x0"] < upper["x1"] - _NEAR
            for edge in down
        )
        if between:
            for x in (upper["x0"], upper["x1"]):
                if all(abs(edge["x0"] - x) > _NEAR for edge in down):
                    yield Box(x, upper["top"], x, lower["top"])


def _same_span(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return abs(one["x0"] - other["x0"]) <= _NEAR and abs(one["x1"] - other["x1"]) <= _NEAR


def _is_table(grid: list[Box]) -> bool:
    return len({cell.left for cell in grid}) > 1 and len({cell.top for cell in grid}) > 1


def _owners(glyphs: Glyphs, grids: list[list[Box]]) -> dict[int, tuple[int, int]]:
    """Which table and cell each glyph stands in."""
    nearby: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for table, grid in enumerate(grids):
        for number, cell in enumerate(grid):
            for column in range(int(cell.left // _PATCH), int(cell.right // _PATCH) + 1):
                for row in range(int(cell.top // _PATCH), int(cell.bottom // _PATCH) + 1):
                    nearby[column, row].append((table, number))
    found: dict[int, tuple[int, int]] = {}
    for index, box in enumerate(glyphs.boxes):
        if box is None:
            continue
        x, y = box.middle
        for table, number in nearby.get((int(x // _PATCH), int(y // _PATCH)), ()):
            if grids[table][number].holds(x, y):
                found[index] = table, number
                break
    return found


def _without(glyphs: Glyphs, inside: dict[int, tuple[int, int]]) -> tuple[Glyphs, dict[int, int]]:
    """The other glyphs, and where among them each table stood."""
    rest = Glyphs(glyphs.reader)
    orders: dict[int, int] = {}
    was_inside = False
    for index, (character, box) in enumerate(zip(glyphs.characters, glyphs.boxes, strict=True)):
        owner = inside.get(index)
        if owner is not None:
            orders.setdefault(owner[0], len(rest.characters))
            was_inside = True
            continue
        if was_inside and box is None:
            continue  # spaces and line breaks between the cells
        if was_inside:
            rest.add(LINE_BREAK)
            was_inside = False
        if index in glyphs.styles:
            rest.styles[len(rest.characters)] = glyphs.styles[index]
        rest.add(character, box)
    return rest, orders


def _table(grid: list[Box], cells: dict[int, Cell], way: Direction, order: int) -> RuledTable:
    tops = sorted({cell.top for cell in grid})
    lefts = sorted({cell.left for cell in grid})
    places: list[list[Cell | None]] = [[None] * len(lefts) for _ in tops]
    for number, box in enumerate(grid):
        places[tops.index(box.top)][lefts.index(box.left)] = cells.get(number)
    rows = [
        [cell.text(way) if cell else "" for cell in row] for part in places for row in _split(part)
    ]
    # Names of columns in bold; only the corner may be empty.
    stands_out = _is_bold(places[0]) and not _is_bold(places[1]) and all(rows[0][1:])
    columns = (*lefts, max(cell.right for cell in grid))
    return RuledTable(rows, first_row_names_columns(rows, stands_out=stands_out), columns, order)


def _is_bold(row: list[Cell | None]) -> bool:
    return all(line.style.bold for cell in row if cell for line in cell.lines)


def _split(row: list[Cell | None]) -> list[list[Cell | None]]:
    """Rows that no line parts: every cell has as many lines, side by side, and none was wrapped."""
    filled = [cell for cell in row if cell]
    count = len(filled[0].lines) if filled else 0
    if len(filled) < 2 or count < 2 or any(len(cell.lines) != count for cell in filled):
        return [row]
    for number in range(count):
        level = filled[0].lines[number].box
        for cell in filled:
            line = cell.lines[number]
            aside = not level.top <= line.box.middle[1] <= level.bottom
            wrapped = number < count - 1 and _WORD.search(line.text) and cell.fills(line, "right")
            if aside or wrapped:
                return [row]
    return [
        [Cell(cell.box, [cell.lines[number]]) if cell else None for cell in row]
        for number in range(count)
    ]


def _cells(
    page: Page, glyphs: Glyphs, grid: list[Box], cell_of: dict[int, int], way: Direction
) -> dict[int, Cell]:
    parts: dict[int, Glyphs] = {}
    last: dict[int, Box] = {}
    recent: int | None = None
    style = PLAIN
    for index, (character, box) in enumerate(zip(glyphs.characters, glyphs.boxes, strict=True)):
        cell = cell_of.get(index)
        style = glyphs.styles.get(index, style)
        if box is None or cell is None:
            if recent is not None and character != LINE_BREAK and box is None:
                parts[recent].add(character)
            continue
        part = parts.setdefault(cell, Glyphs(glyphs.reader))
        before = last.get(cell)
        if before is not None and box.middle[1] > before.bottom:  # the cell's next line
            part.add(LINE_BREAK)
        if before is None or index in glyphs.styles:
            part.styles[len(part.characters)] = style
        part.add(character, box)
        last[cell] = box
        recent = cell
    return {cell: Cell(grid[cell], lines_of(page, part, way)) for cell, part in parts.items()}
