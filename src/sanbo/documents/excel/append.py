"""New rows under the ones that are there: their formats and formulas go on, Excel tables grow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sanbo.documents.excel.addresses import Area, Cell, column_number, within
from sanbo.documents.excel.book import Book
from sanbo.documents.excel.edits import check, write
from sanbo.documents.excel.headers import block_columns, find_columns
from sanbo.documents.excel.nearest import nearest
from sanbo.documents.excel.references import moved, references, words
from sanbo.documents.excel.sheet import Formula, Sheet
from sanbo.documents.excel.tables import Table, extend, table_named, tables_of
from sanbo.documents.excel.updates import AppendRows, Change, Header
from sanbo.documents.excel.values import Scalar
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.kernel.text import matching_form

_TOTALS = frozenset({"SUM", "SUBTOTAL", "AGGREGATE", "AVERAGE", "COUNT", "COUNTA"})

Values = dict[int, Scalar]
"""A row's values by column."""


@dataclass(frozen=True)
class _Block:
    """What the rows join: its columns, the last row of its headers, the columns that get values."""

    sheet: Sheet
    left: int
    right: int
    header_bottom: int
    written: frozenset[int]

    def cells(self, row: int) -> Iterator[Cell]:
        for column in range(self.left, self.right + 1):
            yield Cell(row, column)

    def is_free(self, row: int) -> bool:
        """Formats, and formulas in columns that get no value, may be there: a prepared row."""
        return not any(self._is_taken(at) for at in self.cells(row))

    def _is_taken(self, at: Cell) -> bool:
        area = self.sheet.merged_at(at)
        if area is not None and not self.sheet.is_empty(area.anchor):
            return True
        is_prepared = self.sheet.formula(at) is not None and at.column not in self.written
        return not self.sheet.is_empty(at) and not is_prepared


def append_rows(book: Book, update: AppendRows) -> Change:
    sheet = book.sheet(update.sheet)
    table = None if update.table is None else table_named(book, sheet, update.table)
    rows, block = _arranged(sheet, table, update)
    first = _first_row(block, table, update)
    new = range(first, first + len(rows))
    within(Cell(new[-1], block.right))
    _check_room(block, new)
    model = first - 1 if first - 1 > block.header_bottom else None
    if model is not None:
        _check_no_total(block, model)
    growing = [table] if table else _tables_ending_at(book, block, first - 1)
    edits: dict[Cell, Scalar | Formula] = {}
    for number, values in zip(new, rows, strict=True):
        edits |= {Cell(number, column): value for column, value in values.items()}
        if update.fill_formulas:
            open_cells = [at for at in block.cells(number) if at.column not in values]
            edits |= dict(_formulas(sheet, growing, model, open_cells))
    checked = check(book, sheet, edits)
    if model is not None:
        _copy_look(block, model, new)
    changes = write(book, checked)
    for grown in growing:
        grown.root.attrib.pop("insertRow", None)
        if grown.area.bottom < new[-1]:
            extend(book, grown, new[-1])
    area = Area(first, block.left, new[-1], block.right)
    return Change(kind=update.kind, cells=changes, area=str(area), warnings=checked.warnings)


def _arranged(sheet: Sheet, table: Table | None, update: AppendRows) -> tuple[list[Values], _Block]:
    """Each value under its column."""
    by_name = [row for row in update.rows if isinstance(row, Mapping)]
    if not by_name:
        return _in_order(sheet, table, update)
    names = list(dict.fromkeys(name for row in by_name for name in row))
    if table is not None:
        columns = [_table_column(table, name) for name in names]
        block = _block_of(table, columns)
    else:
        found = find_columns(sheet, [Header(header=name) for name in names])
        columns = list(found.columns)
        left, right = block_columns(sheet, found)
        block = _Block(sheet, left, right, found.bottom, frozenset(columns))
    where = dict(zip(names, columns, strict=True))
    return [{where[name]: value for name, value in row.items()} for row in by_name], block


def _in_order(sheet: Sheet, table: Table | None, update: AppendRows) -> tuple[list[Values], _Block]:
    rows = [row for row in update.rows if not isinstance(row, Mapping)]
    left = table.area.left if table else column_number(update.first_column)
    right = left + max(len(row) for row in rows) - 1
    within(Cell(1, right))
    if table is not None and right > table.area.right:
        raise InvalidInput("excel_row_too_wide", table=table.name, columns=len(table.columns))
    columns = range(left, right + 1)
    values = [dict(enumerate(row, start=left)) for row in rows]
    if table is not None:
        return values, _block_of(table, columns)
    return values, _Block(sheet, left, right, 0, frozenset(columns))


def _table_column(table: Table, name: str) -> int:
    for column, known in enumerate(table.columns, start=table.area.left):
        if matching_form(known) == matching_form(name):
            return column
    near = nearest(name, table.columns)
    raise NotFound("excel_header_missing", sheet=table.sheet.name, header=name, nearest=near)


def _block_of(table: Table, written: Sequence[int]) -> _Block:
    area = table.area
    if table.total_rows:
        raise InvalidInput("excel_table_has_totals", table=table.name, row=area.bottom)
    header_bottom = area.top + table.header_rows - 1
    return _Block(table.sheet, area.left, area.right, header_bottom, frozenset(written))


def _first_row(block: _Block, table: Table | None, update: AppendRows) -> int:
    sheet, top = block.sheet, block.header_bottom
    numbers = [row for row in reversed(sheet.grid.row_numbers) if row > top]
    if table is not None:
        inside = range(table.area.bottom, top, -1)
        used = (row for row in inside if not block.is_free(row))
    elif update.below == "sheet":
        used = (row for row in numbers if _is_used(sheet, row))
    elif update.below != "table":
        column = find_columns(sheet, [update.below]).columns[0]
        used = (row for row in numbers if not sheet.is_empty(Cell(row, column)))
    elif top:
        row = top + 1
        while not block.is_free(row):
            row += 1
        return row
    else:
        used = (row for row in numbers if not block.is_free(row))
    return next(used, top) + 1


def _is_used(sheet: Sheet, row: int) -> bool:
    return any(not sheet.is_empty(at) for at, _ in sheet.grid.in_row(row))


def _check_room(block: _Block, rows: range) -> None:
    for row in rows:
        if not block.is_free(row):
            raise InvalidInput("excel_no_room", sheet=block.sheet.name, first=rows[0], row=row)


def _check_no_total(block: _Block, row: int) -> None:
    """A total of the rows above it would not count what comes below it."""
    for at in block.cells(row):
        text = block.sheet.formula(at) or ""
        if not any(call and name.upper() in _TOTALS for name, call in words(text)):
            continue
        areas = [found.area for found in references(text) if found.sheet is None]
        if any(a.left <= at.column <= a.right and a.top < a.bottom < row for a in areas):
            raise InvalidInput("excel_below_total", sheet=block.sheet.name, row=row)


def _tables_ending_at(book: Book, block: _Block, row: int) -> list[Table]:
    return [
        table
        for table in tables_of(book, block.sheet)
        if table.area.bottom == row
        and table.area.left <= block.left
        and block.right <= table.area.right
    ]


def _formulas(
    sheet: Sheet, tables: Sequence[Table], model: int | None, cells: Sequence[Cell]
) -> Iterator[tuple[Cell, Formula]]:
    calculated = {c: text for table in tables for c, text in table.column_formulas().items()}
    for at in cells:
        if not sheet.is_empty(at):
            continue
        above = None if model is None else Cell(model, at.column)
        text = None if above is None else sheet.formula(above)
        if above is not None and text is not None:
            if not any(above in area for area in sheet.arrays.values()):
                yield at, Formula(moved(text, at.row - above.row, 0))
        elif at.column in calculated and not any(references(calculated[at.column])):
            yield at, Formula(calculated[at.column])


def _copy_look(block: _Block, model: int, rows: range) -> None:
    """Cells that the file doesn't mention yet take the format of the row above."""
    sheet = block.sheet
    for row in rows:
        sheet.copy_height(model, row)
        for target in block.cells(row):
            source = Cell(model, target.column)
            if sheet.grid.node(target) is None and sheet.grid.node(source) is not None:
                sheet.set_style(target, sheet.style(source))
