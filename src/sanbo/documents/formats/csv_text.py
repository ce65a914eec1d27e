"""CSV and TSV files as documents: one table, its rows numbered by the lines of the file."""

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.delimited import read_delimited
from sanbo.documents.model import Document, Source


def read(source: Source) -> Document:
    table = read_delimited(source.data)
    builder = DocumentBuilder(source.name, "csv")
    builder.title = table.title
    for line, text in table.title_lines:
        builder.paragraph(text, row=line)
    builder.table(
        table.rows,
        columns=table.header,
        title=table.title,
        header_row=table.header_row,
        row_numbers=table.row_numbers,
    )
    for warning in table.warnings:
        builder.warn(warning)
    return builder.build()
