"""Workbooks as documents: a heading a sheet, its tables and the lines around them."""

from collections.abc import Iterator

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.model import Document, Source
from sanbo.documents.sheet_tables import SheetTable, SheetText, find_tables
from sanbo.documents.sheets import Sheet, read_sheets, shown, shown_as
from sanbo.kernel.problems import UnsupportedFormat


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
