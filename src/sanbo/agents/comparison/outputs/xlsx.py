"""新旧対照表 for Excel: a row a change, changed words underlined; and a sheet of counts."""

import re
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook
from openpyxl.drawing.spreadsheet_drawing import SpreadsheetDrawing
from openpyxl.styles import Alignment
from openpyxl.worksheet._writer import WorksheetWriter  # pyright: ignore[reportPrivateUsage]
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter
from typing_extensions import override

from sanbo.agents.comparison.model import ComparisonResult
from sanbo.agents.comparison.outputs.excel_cells import (
    CENTRED,
    HEADER,
    WRAPPED,
    put,
    set_print,
    sheet_title,
)
from sanbo.agents.comparison.outputs.excel_rows import COLUMNS, WIDTHS, looks, section_rows
from sanbo.agents.comparison.outputs.office_file import Content, with_content
from sanbo.agents.comparison.outputs.rows import Section, sections
from sanbo.agents.comparison.outputs.wording import document_name, flag_word, kind_word, pair_name
from sanbo.kernel.messages import Language, tell


def put_summary(sheet: Worksheet, result: ComparisonResult, language: Language) -> None:
    title = tell("comparison_outputs.table.summary_sheet", language)
    put(sheet, 1, 1, title, language, bold=True, size=14)
    count = tell("comparison_outputs.table.count", language)
    counts = result.summary.counts
    rows: list[Sequence[str | int]] = [
        (tell("comparison_outputs.table.kinds", language), count),
        *((kind_word(kind, language), number) for kind, number in counts.items()),
        (
            tell("comparison_outputs.table.differences", language),
            sum(number for kind, number in counts.items() if kind != "unchanged"),
        ),
    ]
    at = _put_counts(sheet, 3, rows, language)
    rows = [
        (tell("comparison_outputs.table.flags", language), count),
        *((flag_word(flag, language), number) for flag, number in result.summary.flags.items()),
        (tell("comparison_outputs.table.attention", language), result.summary.attention),
    ]
    at = _put_counts(sheet, at + 1, rows, language)
    _put_documents(sheet, at + 1, result, language)
    for column, width in zip("ABCDE", (38, 12, 42, 42, 20), strict=True):
        sheet.column_dimensions[column].width = width
    set_print(sheet)


def _put_counts(
    sheet: Worksheet, at: int, rows: Sequence[Sequence[str | int]], language: Language
) -> int:
    """The first is the header, the last the sum."""
    for place, row in enumerate(rows):
        for column, value in enumerate(row, start=1):
            is_end = place in (0, len(rows) - 1)
            alignment = WRAPPED if column == 1 else CENTRED
            cell = put(
                sheet,
                at + place,
                column,
                value,
                language,
                bold=is_end,
                alignment=alignment,
                lined=True,
            )
            if place == 0:
                cell.fill = HEADER
    return at + len(rows)


def _put_documents(sheet: Worksheet, at: int, result: ComparisonResult, language: Language) -> None:
    headers = (
        tell("comparison_outputs.table.documents", language),
        tell("comparison_outputs.table.count", language),
        tell("comparison_outputs.column.new", language),
        tell("comparison_outputs.column.old", language),
        tell("comparison_outputs.table.similarity", language),
    )
    for column, header in enumerate(headers, start=1):
        cell = put(sheet, at, column, header, language, bold=True, alignment=WRAPPED, lined=True)
        cell.fill = HEADER
    differing = Counter(change.pair for change in result.changes if change.kind != "unchanged")
    for place, pair in enumerate(result.pairs):
        values = (
            tell(f"comparison_outputs.outcome.{pair.outcome}", language),
            differing[place],
            document_name(pair.new, language),
            document_name(pair.old, language),
            round(pair.similarity, 3),
        )
        for column, value in enumerate(values, start=1):
            alignment = CENTRED if column in (2, 5) else WRAPPED
            cell = put(
                sheet, at + place + 1, column, value, language, alignment=alignment, lined=True
            )
            if column == 5:
                cell.number_format = "0%"


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


_HEADER_ROW = 4
_DIMENSION = re.compile("<dimension [^<>]*/>")


def excel_table(
    result: ComparisonResult, *, language: Language, fold_renumbered: bool = False
) -> bytes:
    workbook = Workbook()
    summary = workbook.worksheets[0]
    summary.title = tell("comparison_outputs.table.summary_sheet", language)
    look = looks(summary, language)
    put_summary(summary, result, language)
    parts = sections(result, fold_renumbered=fold_renumbered)
    sheets = _sheets(workbook, parts, language)
    if len(parts) == 1:
        workbook.move_sheet(summary, 1)
    workbook.active = 0
    workbook.properties.title = tell("comparison_outputs.table.title", language)
    workbook.properties.creator = "Sanbo"
    return with_content(
        workbook_bytes(workbook),
        {
            f"xl/worksheets/sheet{workbook.index(sheet) + 1}.xml": Content(
                "</sheetData>",
                "".join(section_rows(section, _HEADER_ROW + 1, look, language)),
                leave_out=_DIMENSION,
            )
            for section, sheet in zip(parts, sheets, strict=True)
        },
    )


def _sheets(workbook: Workbook, parts: Sequence[Section], language: Language) -> list[Worksheet]:
    """With all but the rows."""
    sheets: list[Worksheet] = []
    for section in parts:
        if len(parts) == 1:
            name = tell("comparison_outputs.table.title", language)
        else:
            name = f"{section.number} {pair_name(section.pair, language)}"
        sheet: Worksheet = workbook.create_sheet(sheet_title(name, workbook.sheetnames))
        _put_head(sheet, section, language)
        sheet.freeze_panes = f"A{_HEADER_ROW + 1}"
        sheet.auto_filter.ref = f"A{_HEADER_ROW}:G{_HEADER_ROW + len(section.rows)}"
        sheet.print_title_rows = f"{_HEADER_ROW}:{_HEADER_ROW}"
        set_print(sheet)
        sheets.append(sheet)
    return sheets


def _put_head(sheet: Worksheet, section: Section, language: Language) -> None:
    old = document_name(section.pair.old, language)
    new = document_name(section.pair.new, language)
    title = tell("comparison_outputs.table.title", language)
    if section.pair.outcome != "related":
        title += f"　{tell(f'comparison_outputs.outcome.{section.pair.outcome}', language)}"
    put(sheet, 1, 1, title, language, bold=True, size=14)
    names = (
        tell("comparison_outputs.table.new_name", language, name=new),
        tell("comparison_outputs.table.old_name", language, name=old),
    )
    for row, name in enumerate(names, start=2):
        put(sheet, row, 1, name, language)
    centred = Alignment(horizontal="center", vertical="center")
    for column, (name, width) in enumerate(zip(COLUMNS, WIDTHS, strict=True), start=1):
        told = tell(f"comparison_outputs.column.{name}", language)
        cell = put(
            sheet, _HEADER_ROW, column, told, language, bold=True, alignment=centred, lined=True
        )
        cell.fill = HEADER
        sheet.column_dimensions["ABCDEFG"[column - 1]].width = width
