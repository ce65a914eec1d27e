"""How a table looks on a sheet that the block itself began: header, widths, figures, totals."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from pydantic import JsonValue

from sanbo.blocks.excel.desk import Desk, json_value, last_column, last_row
from sanbo.documents.excel.book import AddTotals, FormatCells, LayOut
from sanbo.documents.excel.references import Area, Cell, letters
from sanbo.documents.excel.sheet import Sheet
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.reports.office_files import wanted
from sanbo.tables.values import text_of

HEADER_FILL = "D9E1F2"
_AMOUNT, _WITH_CENTS = "#,##0", "#,##0.00"
_LARGE = 10_000
"""Below, whole numbers may be years or codes: they stay as they are."""
_FEWEST = 2
"""Rows that are worth a sum."""
_NAMING = ("番号", "コード", "id", "no", "no.", "code", "年", "年度", "year")
"""How headings of numbers end that name something."""


_NOT_SUMMED = ("単価", "率", "残高", "平均", "price", "rate", "balance", "average")
"""How headings of amounts end that nobody adds up."""
_TABLES = ("append_table", "column_updates")


def sheets_begun(desk: Desk) -> set[str]:
    return {name for name in desk.workbook.sheets if last_row(desk.workbook.sheet(name))}


def style_tables(desk: Desk, begun: set[str]) -> None:
    """`begun`: sheets that had something before. On them, everything stays as people made it."""
    for name in _written(desk, begun, _TABLES):
        sheet = desk.workbook.sheet(name)
        if header := _header_row(sheet):
            _style(desk, sheet, header)


def total_tables(desk: Desk, begun: set[str], totals: bool | list[str] | None) -> None:
    """Below new tables: by default below rows that were given as data, where there are several.

    Sums that were there before stay below their table, with what was added to it, unless they are
    refused.
    """
    before = {name: desk.workbook.totals(name) for name in desk.workbook.sheets}
    before = {**desk.lifted, **{name: columns for name, columns in before.items() if columns}}
    kinds = _TABLES if totals else ("append_table",)
    new = _written(desk, begun, kinds) if totals is not False else []
    for name in sorted({*before, *new}):
        desk.lift_totals(name)
        sheet = desk.workbook.sheet(name)
        header = _header_row(sheet)
        if totals is False or not header:
            continue
        bottom, columns = last_row(sheet), _columns(sheet, header)
        chosen = (
            before[name]
            if name in before and not isinstance(totals, list)
            else _totalled(sheet, header, columns, totals)
        )
        if totals is None and name not in before and bottom - header < _FEWEST:
            continue
        _add_totals(desk, sheet, header, bottom, [each for each in chosen if each in columns])


def _written(desk: Desk, begun: set[str], kinds: Sequence[str]) -> list[str]:
    """New sheets on which one of these wrote."""
    found = {
        cell.sheet for _, kind, change in desk.changes if kind in kinds for cell in change.cells
    }
    return sorted(found - begun)


def _header_row(sheet: Sheet) -> int:
    """Its first row, where that is of texts alone and something stands under it; 0: none."""
    rows = [row for row in sheet.grid.row_numbers if _filled(sheet, row)]
    if len(rows) < 2 or not all(isinstance(each, str) for each in _filled(sheet, rows[0])):
        return 0
    return rows[0]


def _filled(sheet: Sheet, row: int) -> list[object]:
    return [sheet.value(at) for at, _ in sheet.grid.in_row(row) if not sheet.is_empty(at)]


def _columns(sheet: Sheet, header: int) -> list[int]:
    last = last_column(sheet)
    return [each for each in range(1, last + 1) if not sheet.is_empty(Cell(header, each))]


def _style(desk: Desk, sheet: Sheet, header: int) -> None:
    bottom, columns = last_row(sheet), _columns(sheet, header)
    area = Area(header, columns[0], header, columns[-1])
    head = FormatCells(sheet=sheet.name, range=str(area), bold=True, fill=HEADER_FILL)
    desk.workbook.apply(head)
    forms = {each: _form(sheet, header, bottom, each) for each in columns}
    figures = [each for each, form in forms.items() if form]
    for column in figures:
        below = str(Area(header + 1, column, bottom, column))
        look = FormatCells(sheet=sheet.name, range=below, number_format=forms[column])
        desk.workbook.apply(look)
    widths = wanted(*_texts(sheet, header, bottom, columns))
    named = {letters(column): width for column, width in zip(columns, widths, strict=True)}
    desk.workbook.apply(LayOut(sheet=sheet.name, widths=named, frozen_rows=header))


def _values(sheet: Sheet, header: int, bottom: int, column: int) -> Iterator[object]:
    for row in range(header + 1, bottom + 1):
        if not sheet.is_empty(Cell(row, column)):
            yield sheet.value(Cell(row, column))


def _form(sheet: Sheet, header: int, bottom: int, column: int) -> str:
    """The number format that a column of amounts wants; none for others."""
    numbers: list[int | float] = []
    for value in _values(sheet, header, bottom, column):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return ""
        numbers.append(value)
    heading = matching_form(str(sheet.value(Cell(header, column))))
    if heading.endswith(_NAMING) or max(map(abs, numbers), default=0) < _LARGE:
        return ""
    return _AMOUNT if all(float(each).is_integer() for each in numbers) else _WITH_CENTS


def _texts(
    sheet: Sheet, header: int, bottom: int, columns: Sequence[int]
) -> tuple[list[str], list[list[str]]]:
    rows = range(header + 1, min(bottom, header + 200) + 1)
    cells = [[_shown(sheet.value(Cell(row, each))) for each in columns] for row in rows]
    return [_shown(sheet.value(Cell(header, each))) for each in columns], cells


def _shown(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    # pyrefly: ignore[bad-argument-type]
    return value.isoformat() if isinstance(value, date) else text_of(json_value(value))


def _totalled(
    sheet: Sheet, header: int, columns: Sequence[int], wanted_: bool | list[str] | None
) -> list[int]:
    named = {matching_form(str(sheet.value(Cell(header, each)))): each for each in columns}
    if not isinstance(wanted_, list):
        bottom = last_row(sheet)
        return [
            each
            for heading, each in named.items()
            if not heading.endswith(_NOT_SUMMED) and _form(sheet, header, bottom, each)
        ]
    for name in wanted_:
        if matching_form(name) not in named:
            known: JsonValue = [str(sheet.value(Cell(header, each))) for each in columns]
            raise InvalidInput("excel_totals_unknown", name=name, details={"columns": known})
    return [named[matching_form(name)] for name in wanted_]


def _add_totals(desk: Desk, sheet: Sheet, header: int, bottom: int, columns: Sequence[int]) -> None:
    if not columns:
        return
    first = _columns(sheet, header)[0]
    sums = {letters(column): _sum(sheet, header, bottom, column) for column in columns}
    label = "" if first in columns else tell("excel_total")
    desk.workbook.apply(
        AddTotals(
            sheet=sheet.name,
            top=header + 1,
            bottom=bottom,
            sums=sums,
            first_column=first,
            label=label,
        )
    )
    for column in {first, *columns}:
        form = _form(sheet, header, bottom, column) or None
        cell = str(Cell(bottom + 1, column))
        look = FormatCells(sheet=sheet.name, range=cell, bold=True, number_format=form)
        desk.workbook.apply(look)
    desk.totals[sheet.name] = [str(sheet.value(Cell(header, each))) for each in columns]


def _sum(sheet: Sheet, header: int, bottom: int, column: int) -> int | float | None:
    """Exactly; None where a formula has yet to be calculated."""
    total = Decimal()
    for row in range(header + 1, bottom + 1):
        at = Cell(row, column)
        value = sheet.value(at)
        if value is None and sheet.formula(at) is not None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool):
            total += Decimal(str(value))
    return int(total) if total == total.to_integral_value() else float(total)
