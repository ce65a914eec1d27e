"""新旧対照表 for Excel: a row a change, changed words underlined; and a sheet of counts."""

import re
from collections.abc import Sequence

from openpyxl import Workbook
from openpyxl.styles import Alignment
from openpyxl.worksheet.worksheet import Worksheet

from sanbo.agents.comparison.model import ComparisonResult
from sanbo.agents.comparison.outputs.excel_cells import HEADER, put, set_print, sheet_title
from sanbo.agents.comparison.outputs.excel_rows import COLUMNS, WIDTHS, looks, section_rows
from sanbo.agents.comparison.outputs.excel_summary import put_summary
from sanbo.agents.comparison.outputs.office_file import Content, with_content
from sanbo.agents.comparison.outputs.rows import Section, sections
from sanbo.agents.comparison.outputs.wording import document_name, pair_name
from sanbo.agents.comparison.outputs.workbook_bytes import workbook_bytes
from sanbo.kernel.messages import Language, tell

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
