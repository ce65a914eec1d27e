"""Workbooks: Excel's of all ages, and OpenDocument's."""

from sanbo.documents.file_formats import FileFormat

FORMAT = FileFormat(
    name="xlsx",
    titles={"ja": "Excel", "en": "Excel"},
    rank=30,
    endings={
        ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
        ".xls": "application/vnd.ms-excel",
        ".xlsb": "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
        ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    },
    reader="sanbo.documents.sheet_tables:read",
    main_parts=("xl/workbook.xml", "xl/workbook.bin"),
    streams=("Workbook", "Book"),
    table="workbook",
)
