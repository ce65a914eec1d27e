"""New rows in a workbook: a table with its header, or rows under those that are there."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sanbo.blocks.excel.desk import Desk, cell_value, last_row
from sanbo.blocks.excel.records import (
    Placed,
    Records,
    Row,
    column_of,
    placed_fields,
    records_of,
    start_cell,
)
from sanbo.blocks.excel.spellings import Operation
from sanbo.documents.excel.book import AppendRows, ClearCells, Header, Letter, UpdateRange
from sanbo.documents.excel.references import Cell, column_number, letters
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.tables import labels
from sanbo.documents.excel.values import Scalar
from sanbo.kernel.messages import tell
from sanbo.kernel.text import matching_form

Values = tuple[Scalar, ...]


def append_table(desk: Desk, operation: Operation) -> None:
    """With its header at `target`; without one, under the same header or below what is there."""
    records = records_of(operation.get("rows"), f"{operation.place}.rows")
    sheet = desk.sheet_for_rows(operation.text("sheet"))
    placed = _placed(operation, records, field_first=False)
    if not records.rows and not placed:
        desk.skip(tell("excel_skipped_no_rows"))
        return
    if "table" in operation or ("target" not in operation and _has_headers(sheet, placed)):
        _append(desk, operation, sheet, records, placed)
        return
    at = start_cell(operation.text("target")) if "target" in operation else _free_cell(sheet)
    if operation.flag("clear_existing", default=False):
        _clear_below(desk, sheet, at, max(1, len(placed)))
    rows = _values(desk, records, placed)
    if placed and operation.flag("header", default=True):
        rows.insert(0, tuple(each.column for each in placed))
    if rows:
        desk.apply(UpdateRange(sheet=sheet.name, range=str(at), rows=_even(rows)))
    desk.rows_appended += len(records.rows)


def append_rows_bottom(desk: Desk, operation: Operation) -> None:
    records = records_of(_rows(operation), f"{operation.place}.rows")
    if not records.rows:
        desk.skip(tell("excel_skipped_no_rows"))
        return
    sheet = desk.sheet_for_rows(operation.text("sheet"))
    _append(desk, operation, sheet, records, _placed(operation, records, field_first=True))


def _rows(operation: Operation) -> JsonValue:
    """Among objects, a list's values are those of `columns`, in their order."""
    rows, columns = operation.get("rows"), operation.get("columns")
    if not isinstance(rows, list) or not isinstance(columns, dict):
        return rows
    if not any(isinstance(row, dict) for row in rows):
        return rows
    return [dict(zip(columns, row, strict=False)) if isinstance(row, list) else row for row in rows]


def _append(
    desk: Desk, operation: Operation, sheet: Sheet, records: Records, placed: Sequence[Placed]
) -> None:
    if not records.rows:
        desk.skip(tell("excel_skipped_no_rows"))
        return
    if not placed and not last_row(sheet):
        at = f"{operation.text('first_column') or 'A'}2"  # row 1 is for headings
        rows = _even(_values(desk, records, placed))
        desk.apply(UpdateRange(sheet=sheet.name, range=at, rows=rows))
    elif not placed:
        _append_in_order(desk, operation, sheet, _values(desk, records, placed), "")
    elif not last_row(sheet) and not any(each.is_letter for each in placed):
        _begin(desk, sheet, records, placed)
    else:
        columns = [column_of(sheet, each) for each in placed]
        if any(isinstance(column, Letter) for column in columns):
            _append_by_letter(desk, operation, sheet, records, placed)
        else:
            rows = tuple(_named(desk, records, row, placed) for row in records.rows)
            desk.apply(
                AppendRows(
                    sheet=sheet.name,
                    rows=rows,
                    table=operation.text("table") or None,
                    below=_below(sheet, operation) or "table",
                    fill_formulas=operation.flag("fill_formulas", default=True),
                )
            )
    desk.rows_appended += len(records.rows)


def _begin(desk: Desk, sheet: Sheet, records: Records, placed: Sequence[Placed]) -> None:
    """An empty sheet gets the header first."""
    rows = [tuple(each.column for each in placed), *_values(desk, records, placed)]
    desk.apply(UpdateRange(sheet=sheet.name, range="A1", rows=_even(rows)))


def _named(
    desk: Desk, records: Records, row: Row, placed: Sequence[Placed]
) -> Mapping[str, Scalar]:
    return {
        each.column: cell_value(records.value(row, each.field), dates_as_text=desk.dates_as_text)
        for each in placed
    }


def _append_by_letter(
    desk: Desk, operation: Operation, sheet: Sheet, records: Records, placed: Sequence[Placed]
) -> None:
    """Side by side from the first column that is named to the last."""
    numbers = {
        column_number(column.letter): index
        for index, column in enumerate(column_of(sheet, each) for each in placed)
        if isinstance(column, Letter)
    }
    for each in placed:  # a header among letters: where it stands
        column = column_of(sheet, each)
        if isinstance(column, Header):
            numbers[_header_column(sheet, each.column)] = placed.index(each)
    first, last = min(numbers), max(numbers)
    values = _values(desk, records, placed)
    rows = [
        tuple(
            row[numbers[column]] if column in numbers else None for column in range(first, last + 1)
        )
        for row in values
    ]
    _append_in_order(desk, operation, sheet, rows, letters(first))


def _append_in_order(
    desk: Desk, operation: Operation, sheet: Sheet, rows: Sequence[Values], first: str
) -> None:
    desk.apply(
        AppendRows(
            sheet=sheet.name,
            rows=_even(rows),
            first_column=first or operation.text("first_column") or "A",
            table=operation.text("table") or None,
            below=_below(sheet, operation) or "table",
            fill_formulas=operation.flag("fill_formulas", default=True),
        )
    )


def _below(sheet: Sheet, operation: Operation) -> Letter | None:
    """Of the columns that tell where the rows end, the one that reaches furthest down."""
    given = operation.get("scan_columns")
    if given is None:
        return None
    texts = given if isinstance(given, list) else [given]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise operation.wrong("scan_columns")
    numbers = [column_number(str(text)) for text in texts]
    furthest = max(numbers, key=lambda number: last_row(sheet, [number]))
    return Letter(letter=letters(furthest))


def _placed(operation: Operation, records: Records, *, field_first: bool) -> list[Placed]:
    if "columns" in operation:
        place = f"{operation.place}.columns"
        return placed_fields(operation.get("columns"), place, field_first=field_first)
    return [Placed(name, name) for name in records.fields or ()]


def _values(desk: Desk, records: Records, placed: Sequence[Placed]) -> list[Values]:
    rows: list[Values] = []
    for row in records.rows:
        if isinstance(row, Mapping):
            found: Sequence[JsonValue] = [records.value(row, each.field) for each in placed]
        else:
            found = row
        rows.append(tuple(cell_value(value, dates_as_text=desk.dates_as_text) for value in found))
    return rows


def positional(desk: Desk, operation: Operation) -> list[Values]:
    """Rows as values in order, for places that have no header of their own."""
    records = records_of(operation.get("rows"), f"{operation.place}.rows")
    return list(_even(_values(desk, records, _placed(operation, records, field_first=False))))


def _even(rows: Sequence[Values]) -> tuple[Values, ...]:
    width = max((len(row) for row in rows), default=0) or 1
    return tuple((*row, *(None,) * (width - len(row))) for row in rows)


def _has_headers(sheet: Sheet, placed: Sequence[Placed]) -> bool:
    wanted = {matching_form(each.column) for each in placed}
    return bool(wanted) and any(
        wanted <= {matching_form(text) for text in labels(sheet, row).values()}
        for row in sheet.grid.row_numbers[:200]
    )


def _header_column(sheet: Sheet, header: str) -> int:
    form = matching_form(header)
    return next(
        column
        for row in sheet.grid.row_numbers[:200]
        for column, text in labels(sheet, row).items()
        if matching_form(text) == form
    )


def _free_cell(sheet: Sheet) -> Cell:
    """A1, or with a row between below what the sheet holds."""
    bottom = last_row(sheet)
    return Cell(bottom + 2, 1) if bottom else Cell(1, 1)


def _clear_below(desk: Desk, sheet: Sheet, at: Cell, width: int) -> None:
    bottom = last_row(sheet, range(at.column, at.column + width))
    if bottom >= at.row:
        last = Cell(bottom, at.column + width - 1)
        desk.apply(ClearCells(sheet=sheet.name, range=f"{at}:{last}"))
