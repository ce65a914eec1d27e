"""Workbooks as documents: a heading a sheet, its tables and the lines around them."""

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.model import Document, Source
from sanbo.documents.sheet_tables import SheetText, find_tables
from sanbo.documents.sheets import Sheet, read_sheets, shown
from sanbo.kernel.problems import UnsupportedFormat


def read(source: Source) -> Document:
    sheets = [sheet for sheet in read_sheets(source.data) if sheet.rows]
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
            ([shown(cell) for cell in row] for row in part.rows),
            columns=part.columns,
            title=part.title,
            sheet=sheet.name,
            header_row=part.header_row,
            row_numbers=part.row_numbers,
        )
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
