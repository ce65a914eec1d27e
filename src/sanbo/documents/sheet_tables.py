"""The tables on a sheet and the lines of text around them; a workbook as a document of them.

People put titles above a table, notes below it, a second table beside it, and merge cells to
group columns. Only what is clear is taken apart: where in doubt, rows stay together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.columns import Cell, infer_columns
from sanbo.documents.model import Document, Source
from sanbo.documents.sheets import Sheet, read_sheets, shown, shown_as
from sanbo.documents.table_heads import (
    ROWS_TO_JUDGE_BY,
    column_names,
    find_head,
    first_full_row,
    is_empty,
    is_header,
    joined_header,
)
from sanbo.kernel.problems import UnsupportedFormat

Grid = list[list[Cell]]
Merged = dict[int, list[tuple[range, int]]]
"""By the row where it begins: a merged cell's columns, and how many rows it covers."""
MOST_HEADER_ROWS = 4
_MOST_LOOSE_LINES = 5
_FIGURES = frozenset(("integer", "number", "percent", "currency"))


@dataclass(frozen=True)
class SheetText:
    """A line outside of tables."""

    row: int
    text: str


@dataclass(frozen=True)
class SheetTable:
    title: str | None
    columns: list[str] | None
    header_row: int
    """The sheet's number of the header, or of the first row if there is none."""
    rows: list[list[Cell]]
    row_numbers: list[int]
    column_numbers: list[int]
    """The sheet's own, from 1."""
    heads: list[list[Cell]]
    """The header's rows as they stand; none if there is no header."""


@dataclass(frozen=True)
class _Region:
    """Rows with something in them, and the columns that they use; both count from 0."""

    rows: list[int]
    columns: range


def find_tables(
    sheet: Sheet, *, header_rows: int = MOST_HEADER_ROWS, joint: str = " "
) -> Iterator[SheetText | SheetTable]:
    """In reading order; of several header rows at most so many, their names joined by `joint`."""
    grid = _with_merged_values(sheet)
    merged = _merged_by_row(sheet)
    joining = _Joining(header_rows, joint)
    title: str | None = None
    for region in _regions(grid):
        if _is_loose(grid, region):
            lines = list(_lines(grid, region, sheet))
            title = title or lines[0].text
            yield from lines
            continue
        for part in _side_by_side(grid, region):
            yield from _table(part, _Heads(grid, part, merged, joining), sheet, title)
        title = None


def _with_merged_values(sheet: Sheet) -> Grid:
    """Cells merged downwards repeat their text in every row that they cover.

    Numbers do not: they would be counted several times.
    """
    grid = [list(row) for row in sheet.rows]
    # Cells of a sheet are merged once at most; a file may claim anything.
    to_fill = len(grid) * len(grid[0]) if grid else 0
    for merged in sheet.merged:
        top, left = merged.first_row - sheet.first_row, merged.first_column - sheet.first_column
        if not (0 <= top < len(grid) and 0 <= left < len(grid[top])):
            continue
        value = grid[top][left]
        to_fill -= min(len(grid), merged.last_row - merged.first_row)
        if isinstance(value, str) and to_fill >= 0:
            for row in grid[top + 1 : merged.last_row - sheet.first_row + 1]:
                if not all(is_empty(cell) for cell in row):
                    row[left] = value
    return grid


def _merged_by_row(sheet: Sheet) -> Merged:
    by_row: Merged = {}
    for merged in sheet.merged:
        left = merged.first_column - sheet.first_column
        columns = range(left, merged.last_column - sheet.first_column + 1)
        height = merged.last_row - merged.first_row + 1
        by_row.setdefault(merged.first_row - sheet.first_row, []).append((columns, height))
    return by_row


def _regions(grid: Grid) -> Iterator[_Region]:
    """Rows that belong together: up to an empty row, unless the table goes on after it."""
    current: _Region | None = None
    is_table = False
    for band in _bands(grid):
        if current is not None and is_table and _goes_on(grid, current.columns, band):
            current.rows.extend(band.rows)
            continue
        if current is not None:
            yield current
        current = band
        is_table = not _is_loose(grid, band)
    if current is not None:
        yield current


def _bands(grid: Grid) -> Iterator[_Region]:
    rows: list[int] = []
    for number, row in enumerate(grid):
        if not all(is_empty(cell) for cell in row):
            rows.append(number)
        elif rows:
            yield _region(grid, rows)
            rows = []
    if rows:
        yield _region(grid, rows)


def _region(grid: Grid, rows: list[int]) -> _Region:
    used = _used_columns(grid, rows, range(len(grid[0])))
    return _Region(rows, range(min(used), max(used) + 1))


def _used_columns(grid: Grid, rows: Sequence[int], columns: range) -> set[int]:
    unused = set(columns)
    for row in rows:
        unused -= {column for column in unused if not is_empty(grid[row][column])}
        if not unused:
            break
    return set(columns) - unused


def _goes_on(grid: Grid, columns: range, band: _Region) -> bool:
    is_inside = columns.start <= band.columns.start and band.columns.stop <= columns.stop
    if not is_inside or _is_loose(grid, band):
        return False
    cells = _cells(grid, band)
    begin = first_full_row(cells)
    return begin == 0 and not is_header(cells[0], cells[1:], surely=True)


def _is_loose(grid: Grid, region: _Region) -> bool:
    """One cell a row: lines of text, not a table. A long column, or one of numbers, is a table."""
    if len(region.columns) == 1:
        cells = [grid[row][region.columns.start] for row in region.rows]
        return len(cells) == 1 or (
            len(cells) <= _MOST_LOOSE_LINES and all(isinstance(cell, str) for cell in cells)
        )
    return all(
        sum(not is_empty(grid[row][column]) for column in region.columns) == 1
        for row in region.rows
    )


def _cells(grid: Grid, region: _Region) -> list[list[Cell]]:
    return [grid[row][region.columns.start : region.columns.stop] for row in region.rows]


def _lines(grid: Grid, region: _Region, sheet: Sheet) -> Iterator[SheetText]:
    formats = sheet.formats
    for row in region.rows:
        number = sheet.first_row + row
        texts = (
            shown_as(grid[row][column], formats.get(sheet.first_column + column, {}).get(number))
            for column in region.columns
            if not is_empty(grid[row][column])
        )
        yield SheetText(number, " ".join(text.strip() for text in texts))


def _side_by_side(grid: Grid, region: _Region) -> list[_Region]:
    """Two tables beside each other, if an empty column parts them and each is clearly whole."""
    used = _used_columns(grid, region.rows, region.columns)
    parts: list[_Region] = []
    begin = region.columns.start
    for column in [
        *(column for column in region.columns if column not in used),
        region.columns.stop,
    ]:
        if column > begin:
            columns = range(begin, column)
            rows = [
                row for row in region.rows if not all(is_empty(grid[row][at]) for at in columns)
            ]
            parts.append(_Region(rows, columns))
        begin = column + 1
    return parts if len(parts) > 1 and _are_whole(grid, parts) else [region]


def _are_whole(grid: Grid, parts: Sequence[_Region]) -> bool:
    """Each begins with a header, and they differ in length, repeat each other's names, or each
    has names of its own rows: words that stand once, before figures.
    """
    headers: list[set[str]] = []
    named: list[bool] = []
    for part in parts:
        cells = _cells(grid, part)
        begin = first_full_row(cells)
        header = cells[begin]
        if len(part.columns) < 2 or any(is_empty(cell) for cell in header):
            return False
        if not is_header(header, cells[begin + 1 :]):
            return False
        headers.append(set(map(shown, header)))
        named.append(_names_its_rows(cells[begin + 1 :]))
    lengths = {len(part.rows) for part in parts}
    return len(lengths) > 1 or all(named) or any(header & headers[0] for header in headers[1:])


def _names_its_rows(body: Sequence[Sequence[Cell]]) -> bool:
    names = [row[0] for row in body]
    has_names = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    kinds = infer_columns(body[:ROWS_TO_JUDGE_BY])
    return has_names and any(kind in _FIGURES for kind in kinds[1:])


def _table(
    region: _Region, heads: "_Heads", sheet: Sheet, title: str | None
) -> Iterator[SheetText | SheetTable]:
    grid = heads.grid
    first_row = sheet.first_row
    begin, depth = heads.begin_and_depth()
    if begin:
        above = list(_lines(grid, _Region(region.rows[:begin], region.columns), sheet))
        title = title or above[0].text
        yield from above
    rows = region.rows[begin:]
    used = sorted(_used_columns(grid, rows, region.columns))
    names = heads.names(rows[:depth], used)
    body = [[grid[row][column] for column in used] for row in rows[depth:]]
    has_header = depth > 1 or is_header([grid[rows[0]][column] for column in used], body)
    if not has_header:
        body.insert(0, [grid[rows[0]][column] for column in used])
    yield SheetTable(
        title=title,
        columns=column_names(names) if has_header else None,
        header_row=first_row + rows[0],
        rows=body,
        row_numbers=[first_row + row for row in rows[depth if has_header else 0 :]],
        column_numbers=[sheet.first_column + column for column in used],
        heads=[[grid[row][column] for column in used] for row in rows[: depth * has_header]],
    )


@dataclass(frozen=True)
class _Joining:
    most_rows: int
    joint: str


class _Heads:
    """The header rows of a region, in which merged cells group columns."""

    def __init__(self, grid: Grid, region: _Region, merged: Merged, joining: _Joining) -> None:
        self.grid = grid
        self._region = region
        self._merged = merged
        self._joining = joining
        self._is_blank_below_groups = False

    def begin_and_depth(self) -> tuple[int, int]:
        """Rows above the header, and how many it takes."""
        rows = [self.row(number) for number in self._region.rows[:ROWS_TO_JUDGE_BY]]
        begin = first_full_row(rows)
        depth = self._depth(begin)
        if depth == 1 and self._joining.most_rows > 1:
            # Groups that nobody merged: their names stand over the first of their columns alone.
            texts: list[list[Cell]] = [
                ["" if cell is None else cell for cell in row] for row in rows
            ]
            head = find_head(texts)
            if head.header_rows > 1:
                self._is_blank_below_groups = True
                return head.title_lines, head.header_rows
        return begin, depth

    def _groups(self, row: int) -> list[tuple[range, int]]:
        whole = self._region.columns
        return [
            (columns, height)
            for columns, height in self._merged.get(row, ())
            if columns.start >= whole.start and columns.stop <= whole.stop
        ]

    def row(self, number: int) -> list[Cell]:
        """With the values of merged cells in all their columns; a title stays alone."""
        columns = self._region.columns
        cells = self.grid[number][columns.start : columns.stop]
        if sum(not is_empty(cell) for cell in cells) < 2:
            return cells
        for merged, _ in self._groups(number):
            for column in merged[1:]:
                cells[column - columns.start] = cells[merged.start - columns.start]
        return cells

    def _depth(self, begin: int) -> int:
        """How many rows the header takes: a group of columns has their names below it."""
        rows = self._region.rows[begin:-1]
        depth = 1
        most = self._joining.most_rows
        for above in range(min(len(rows), most)):
            if above >= depth:
                break
            for columns, height in self._groups(rows[above]):
                depth = max(depth, above + height)
                if above + 1 < len(rows) and self._are_names(rows[above + 1], columns):
                    depth = max(depth, above + 2)
        depth = min(depth, most, max(1, len(rows)))
        return depth if all(self._are_words(row) for row in rows[:depth]) else 1

    def _are_names(self, row: int, group: range) -> bool:
        is_divided = any(not is_empty(self.grid[row][column]) for column in group[1:])
        return is_divided and self._are_words(row)

    def _are_words(self, row: int) -> bool:
        columns = self._region.columns
        cells = self.grid[row][columns.start : columns.stop]
        return all(isinstance(cell, str) or cell is None for cell in cells)

    def names(self, rows: Sequence[int], columns: Sequence[int]) -> list[str]:
        filled = [self.row(row) for row in rows]
        start = self._region.columns.start
        if self._is_blank_below_groups:
            groups, names = ([shown(row[column - start]) for column in columns] for row in filled)
            return joined_header(groups, names, self._joining.joint)
        return [
            self._joining.joint.join(
                filter(None, dict.fromkeys(shown(row[column - start]).strip() for row in filled))
            )
            for column in columns
        ]


def read(source: Source) -> Document:
    sheets = [sheet for sheet in read_sheets(source.data) if sheet.rows or sheet.notes.found]
    if not sheets:
        raise UnsupportedFormat("tables_nothing_in_it")
    builder = DocumentBuilder(source.name, "xlsx")
    for sheet in sheets:
        _add(builder, sheet)
    hidden = [sheet.name for sheet in sheets if sheet.is_hidden]
    if hidden:
        builder.warn(UnsupportedFormat("tables_hidden_sheets", sheets=", ".join(hidden)))
    return builder.build()


def _add(builder: DocumentBuilder, sheet: Sheet) -> None:
    builder.heading(sheet.name, 1, sheet=sheet.name)
    for part in find_tables(sheet):
        if isinstance(part, SheetText):
            builder.paragraph(part.text, sheet=sheet.name, row=part.row)
            continue
        builder.table(
            _texts(sheet, part),
            columns=part.columns,
            title=part.title,
            sheet=sheet.name,
            header_row=part.header_row,
            row_numbers=part.row_numbers,
        )
    for note in sheet.notes.found:
        text = note.text if note.cell is None else f"{note.cell}: {note.text}"
        builder.paragraph(text, role="note", sheet=sheet.name, row=note.row)
    _warn(builder, sheet)


def _texts(sheet: Sheet, table: SheetTable) -> Iterator[list[str]]:
    formatted = [
        (place, sheet.formats[column])
        for place, column in enumerate(table.column_numbers)
        if column in sheet.formats
    ]
    for number, row in zip(table.row_numbers, table.rows, strict=True):
        texts = [cell if isinstance(cell, str) else shown(cell) for cell in row]
        for place, formats in formatted:
            if number in formats:
                texts[place] = shown_as(row[place], formats[number])
        yield texts


def _warn(builder: DocumentBuilder, sheet: Sheet) -> None:
    if sheet.notes.is_incomplete:
        builder.warn(UnsupportedFormat("workbook_notes_incomplete", sheet=sheet.name))
    if sheet.not_calculated:
        builder.warn(
            UnsupportedFormat("tables_not_calculated", sheet=sheet.name, count=sheet.not_calculated)
        )
    if sheet.errors:
        kinds = ", ".join(sorted(set(sheet.errors))[:5])
        builder.warn(
            UnsupportedFormat(
                "tables_formula_errors", sheet=sheet.name, errors=kinds, count=len(sheet.errors)
            )
        )
