"""The workbook into which the sample plan writes: laid out by hand, with formulas and rules."""

from typing import Any, cast

import openpyxl
from openpyxl.formatting import rule as rules
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.properties import PageSetupProperties

from tests.sample_plans.invoices import saved

RESULTS = (
    "照合番号",
    "請求書番号",
    "請求先",
    "支払期限",
    "請求金額",
    "判定",
    "入金日",
    "入金額",
    "差額",
    "振込名義",
    "差異",
    "説明",
    "対応状況",
)
PAYMENTS = ("取引日", "振込名義", "入金額", "区分", "説明")
DIFFERENCES = ("差異の種類", "取引先・名義", "請求書番号", "請求金額", "入金額", "差額", "説明")
HEADER_ROW = 4
PREPARED_ROWS = 40
_MONEY = frozenset({"請求金額", "入金額", "差額"})
_DAYS = frozenset({"支払期限", "入金日", "取引日"})
_WIDTHS = {
    "説明": 90,
    "請求先": 28,
    "取引先・名義": 28,
    "振込名義": 24,
    "請求書番号": 18,
    "差異": 20,
    "差異の種類": 20,
}
_LINE = Side(style="thin", color="FFBFBFBF")
_BOX = Border(left=_LINE, right=_LINE, top=_LINE, bottom=_LINE)
_rules = cast("Any", rules)


def workbook() -> bytes:
    book: Any = openpyxl.Workbook()
    _cover(book.active)
    results = _list(book, "照合結果", "請求と入金の照合結果", RESULTS)
    _list(book, "未照合の入金", "請求の見当たらない入金", PAYMENTS)
    _list(book, "差異一覧", "差異とその説明", DIFFERENCES)
    last = HEADER_ROW + PREPARED_ROWS
    choices: Any = DataValidation(type="list", formula1='"未対応,確認中,対応済"', allow_blank=True)
    choices.add(f"M{HEADER_ROW + 1}:M{last}")
    results.add_data_validation(choices)
    area = f"F{HEADER_ROW + 1}:F{last}"
    for verdict, color in (("差異あり", "FFFFF2CC"), ("未入金", "FFF8CBAD")):
        fill = PatternFill("solid", bgColor=color)
        rule = _rules.FormulaRule([f'$F{HEADER_ROW + 1}="{verdict}"'], fill=fill)
        results.conditional_formatting.add(area, rule)
    return saved(book)


def _cover(sheet: Any) -> None:
    sheet.title = "表紙"
    sheet.sheet_view.showGridLines = False
    sheet.column_dimensions["A"].width = 22
    sheet.column_dimensions["B"].width = 30
    sheet.merge_cells("A1:B1")
    sheet["A1"] = "入金消込 確認票"
    sheet["A1"].font = Font(size=18, bold=True, color="FF1F4E79")
    labels = (
        ("対象月", None),
        ("基準日", None),
        ("確認者のコメント", None),
        (None, None),
        ("請求件数", "=COUNTA(照合結果!B5:B44)"),
        ("一致", '=COUNTIF(照合結果!F5:F44,"一致")'),
        ("差異あり", '=COUNTIF(照合結果!F5:F44,"差異あり")'),
        ("未入金", '=COUNTIF(照合結果!F5:F44,"未入金")'),
        ("請求金額の合計", "=SUM(照合結果!E5:E44)"),
        ("入金額の合計", "=SUM(照合結果!H5:H44)"),
        ("差額の合計", "=SUM(照合結果!I5:I44)"),
    )
    for row, (label, value) in enumerate(labels, start=3):
        if label is None:
            continue
        head, cell = sheet.cell(row, 1, label), sheet.cell(row, 2, value)
        head.fill = PatternFill("solid", fgColor="FFDDEBF7")
        head.font = Font(bold=True)
        for each in (head, cell):
            each.border = _BOX
        cell.number_format = "yyyy/m/d" if label == "基準日" else "#,##0"
        cell.alignment = Alignment(horizontal="right", wrap_text=True)


def _list(book: Any, name: str, title: str, headings: tuple[str, ...]) -> Any:
    sheet = book.create_sheet(name)
    sheet["A1"] = title
    sheet["A1"].font = Font(size=14, bold=True)
    sheet["A2"] = "このシートはプランが書き込みます。行の書式はあらかじめ40行分用意してあります。"
    sheet["A2"].font = Font(size=9, italic=True, color="FF7F7F7F")
    for column, heading in enumerate(headings, start=1):
        letter = get_column_letter(column)
        sheet.column_dimensions[letter].width = _WIDTHS.get(heading, 13)
        head = sheet.cell(HEADER_ROW, column, heading)
        head.font = Font(bold=True, color="FFFFFFFF")
        head.fill = PatternFill("solid", fgColor="FF1F4E79")
        head.alignment = Alignment(horizontal="center", vertical="center")
        head.border = _BOX
        for row in range(HEADER_ROW + 1, HEADER_ROW + 1 + PREPARED_ROWS):
            cell = sheet.cell(row, column)
            cell.border = _BOX
            cell.alignment = Alignment(vertical="top", wrap_text=heading == "説明")
            if heading in _MONEY:
                cell.number_format = "#,##0;[Red]-#,##0"
            elif heading in _DAYS:
                cell.number_format = "yyyy/m/d"
    sheet.freeze_panes = f"A{HEADER_ROW + 1}"
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.print_title_rows = f"{HEADER_ROW}:{HEADER_ROW}"
    return sheet
