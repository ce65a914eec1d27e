"""A workbook's file in memory alone: openpyxl writes sheets to temporary files first, and a guarded
process has no folder for them."""

from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook
from openpyxl.drawing.spreadsheet_drawing import SpreadsheetDrawing
from openpyxl.worksheet._writer import WorksheetWriter  # pyright: ignore[reportPrivateUsage]
from openpyxl.writer.excel import ExcelWriter
from typing_extensions import override


def workbook_bytes(workbook: Workbook) -> bytes:
    buffer = BytesIO()
    _InMemory(workbook, ZipFile(buffer, "w", ZIP_DEFLATED)).save()
    return buffer.getvalue()


class _InMemory(ExcelWriter):
    @override
    def write_worksheet(self, ws: Any) -> None:
        """As the library does it, but for where the sheet is put on its way into the archive."""
        ws._drawing = SpreadsheetDrawing()
        ws._drawing.charts, ws._drawing.images = ws._charts, ws._images
        sheet = BytesIO()
        writer: Any = WorksheetWriter(ws, sheet)
        writer.write()
        ws._rels = writer._rels
        this: Any = self
        this._archive.writestr(ws.path[1:], sheet.getvalue())
        this.manifest.append(ws)
