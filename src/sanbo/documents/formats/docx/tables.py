"""Word tables as a grid: merged cells say their value once, header rows become column names."""

from collections.abc import Callable
from dataclasses import dataclass

from sanbo.documents.ooxml.xml import MC, Element, W, is_on, number_of, value_of
from sanbo.documents.table_heads import first_row_names_columns, joined_names

# Word itself stops at 63 columns.
MAX_COLUMNS = 256
_MAX_CELLS = 1_000_000
_WRAPPERS = {f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins", f"{W}moveTo"}


@dataclass(frozen=True)
class Cell:
    element: Element
    span: int
    goes_on: bool
    """Continues the cell above: its value has been said."""


@dataclass(frozen=True)
class Row:
    before: int
    cells: list[Cell]
    is_header: bool


@dataclass(frozen=True)
class Grid:
    columns: list[str] | None
    rows: list[list[str]]


def rows_of(table: Element) -> list[Row]:
    return [_row(row) for row in _inside(table, f"{W}tr")]


def is_frame(rows: list[Row]) -> bool:
    """One column is a box around text, not a table of values."""
    return all(len(row.cells) <= 1 for row in rows)


def grid_of(rows: list[Row], text_of: Callable[[Element], str]) -> Grid:
    """`text_of` is asked for each cell once, in reading order: it counts list numbers."""
    wide = max((_width(row) for row in rows), default=0)
    keep_spans = wide * len(rows) <= _MAX_CELLS
    grid = [_texts(row, wide if keep_spans else 0, text_of) for row in rows]
    headers = 0
    while headers < len(rows) and rows[headers].is_header:
        headers += 1
    if (
        not headers
        and not _first_column_stands_out(rows)
        and first_row_names_columns(grid, stands_out=_first_row_stands_out(rows))
    ):
        headers = 1
    if not 0 < headers < len(rows):
        return Grid(None, grid)
    return Grid(_names(rows[:headers], grid[:headers]), grid[headers:])


def _inside(parent: Element, tag: str) -> list[Element]:
    """Rows of a table, or cells of a row, through content controls around them."""
    found: list[Element] = []
    todo = list(reversed(list(parent)))
    while todo:
        item = todo.pop()
        if item.tag == tag:
            found.append(item)
        elif item.tag in _WRAPPERS:
            todo.extend(reversed(list(item)))
        elif item.tag == f"{MC}AlternateContent" and len(item):
            todo.extend(reversed(list(next(iter(item)))))
    return found


def _row(element: Element) -> Row:
    properties = element.find(f"{W}trPr")
    before = 0
    header = False
    if properties is not None:
        before = _bounded(number_of(properties.find(f"{W}gridBefore")) or 0, least=0)
        header = is_on(properties.find(f"{W}tblHeader"))
    return Row(before, [_cell(cell) for cell in _inside(element, f"{W}tc")], header)


def _cell(element: Element) -> Cell:
    span = number_of(element.find(f"{W}tcPr/{W}gridSpan")) or 1
    merge = element.find(f"{W}tcPr/{W}vMerge")
    goes_on = merge is not None and value_of(merge, "continue") != "restart"
    return Cell(element, _bounded(span, least=1), goes_on)


def _bounded(count: int, *, least: int) -> int:
    return min(max(count, least), MAX_COLUMNS)


def _width(row: Row) -> int:
    return row.before + sum(cell.span for cell in row.cells)


def _texts(row: Row, width: int, text_of: Callable[[Element], str]) -> list[str]:
    texts = [""] * row.before if width else []
    for cell in row.cells:
        texts.append("" if cell.goes_on else text_of(cell.element))
        if width:
            texts.extend([""] * (cell.span - 1))
    return texts + [""] * (width - len(texts))


def _names(rows: list[Row], texts: list[list[str]]) -> list[str]:
    placed: list[list[tuple[int, int, str]]] = []
    for row, line in zip(rows, texts, strict=True):
        at = row.before
        placed.append([])
        for cell in row.cells:
            placed[-1].append((at, cell.span, line[at] if at < len(line) else ""))
            at += cell.span
    return joined_names(placed, len(texts[0]))


def _first_row_stands_out(rows: list[Row]) -> bool:
    if len(rows) < 2:
        return False
    first, second = ([cell.element for cell in row.cells] for row in rows[:2])
    named = [cell for cell in first if _has_text(cell)]
    return any(
        named and all(look(cell) for cell in named) and not any(look(cell) for cell in second[1:])
        for look in (_is_bold, _is_shaded)
    )


def _first_column_stands_out(rows: list[Row]) -> bool:
    """Labels of a form, each set off from the value beside it."""
    lines = [[cell.element for cell in row.cells if _has_text(cell.element)] for row in rows]
    lines = [line for line in lines if len(line) > 1]
    return len(lines) > 1 and any(
        all(look(line[0]) and not any(look(cell) for cell in line[1:]) for line in lines)
        for look in (_is_bold, _is_shaded)
    )


def _has_text(element: Element) -> bool:
    return any((text.text or "").strip() for text in element.iter(f"{W}t"))


def _is_bold(cell: Element) -> bool:
    runs = [run for run in cell.iter(f"{W}r") if _has_text(run)]
    return bool(runs) and all(is_on(run.find(f"{W}rPr/{W}b")) for run in runs)


def _is_shaded(cell: Element) -> bool:
    shade = cell.find(f"{W}tcPr/{W}shd")
    return shade is not None and (shade.get(f"{W}fill") or "auto").lower() not in ("auto", "ffffff")
