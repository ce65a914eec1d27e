"""CSV and TSV files as documents: their tables, with rows numbered by the lines of the file."""

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.delimited import read_tables
from sanbo.documents.file_formats import FileFormat
from sanbo.documents.model import Document, Source

FORMAT = FileFormat(
    name="csv",
    titles={"ja": "CSV", "en": "CSV"},
    rank=50,
    endings={".csv": "text/csv", ".tsv": "text/tab-separated-values"},
    reader="sanbo.documents.formats.csv:read",
    is_text=True,
    table="delimited",
    counts_rows=True,
)


def read(source: Source) -> Document:
    tables = read_tables(source.data)
    builder = DocumentBuilder(source.name, "csv")
    builder.title = tables[0].title
    for table in tables:
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
