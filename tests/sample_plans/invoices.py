"""Invoices as files: PDF as printed from a program, Excel as filled in by hand."""

import io
import zipfile
from typing import Any, cast

import openpyxl
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from tests.sample_plans.case import ISSUER, Bill

GOTHIC = "HeiseiKakuGo-W5"
_THIN = Side(style="thin", color="FF888888")
_BOX = Border(left=_THIN, right=_THIN, top=_THIN, bottom=_THIN)
_WHEN = (2026, 4, 30, 9, 0, 0)


def pdf(bill: Bill) -> bytes:
    cast("Any", pdfmetrics).registerFont(UnicodeCIDFont(GOTHIC))
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    canvas.setTitle(f"請求書 {bill.number}")
    _head(canvas, bill)
    _items(canvas, bill)
    _foot(canvas)
    canvas.save()
    return out.getvalue()


def _head(canvas: Canvas, bill: Bill) -> None:
    canvas.setFont(GOTHIC, 22)
    canvas.drawCentredString(298, 775, "請 求 書")
    canvas.setFont(GOTHIC, 10)
    canvas.drawRightString(545, 745, f"請求書番号：{bill.number}")
    canvas.drawRightString(545, 730, f"発行日：{bill.issued}")
    canvas.setFont(GOTHIC, 14)
    canvas.drawString(50, 715, f"{bill.customer}　御中")
    canvas.line(50, 710, 300, 710)
    canvas.setFont(GOTHIC, 10)
    for step, text in enumerate(
        (ISSUER, "〒101-0000 東京都千代田区見本町1-2-3", "登録番号：T0000000000000")
    ):
        canvas.drawRightString(545, 690 - 14 * step, text)
    canvas.drawString(50, 670, "下記のとおりご請求申し上げます。")
    canvas.setFont(GOTHIC, 13)
    canvas.drawString(50, 635, f"ご請求金額：￥{bill.total:,}-（税込）")
    canvas.line(50, 630, 300, 630)
    canvas.setFont(GOTHIC, 10)
    canvas.drawString(50, 612, f"お支払期限：{bill.due}")


def _items(canvas: Canvas, bill: Bill) -> None:
    columns = (50, 300, 360, 450, 545)
    top = 580
    rows = [("品目", "数量", "単価", "金額")]
    rows += [
        (line.item, f"{line.quantity}", f"{line.price:,}", f"{line.amount:,}")
        for line in bill.lines
    ]
    for number, row in enumerate(rows):
        y = top - 20 * number
        canvas.drawString(columns[0] + 5, y - 14, row[0])
        for column, text in enumerate(row[1:], start=2):
            canvas.drawRightString(columns[column] - 5, y - 14, text)
    bottom = top - 20 * len(rows)
    for number in range(len(rows) + 1):
        canvas.line(columns[0], top - 20 * number, columns[-1], top - 20 * number)
    for x in columns:
        canvas.line(x, top, x, bottom)
    for step, (label, amount) in enumerate(
        (("小計", bill.subtotal), ("消費税（10%）", bill.tax), ("合計", bill.total))
    ):
        canvas.drawString(400, bottom - 20 - 16 * step, label)
        canvas.drawRightString(540, bottom - 20 - 16 * step, f"{amount:,}円")


def _foot(canvas: Canvas) -> None:
    canvas.drawString(
        50, 120, "お振込先：みほん銀行 見本支店 普通 1234567 カ）アオバシステムサービス"
    )
    canvas.drawString(50, 105, "恐れ入りますが、振込手数料は貴社にてご負担ください。")


def xlsx(bill: Bill) -> bytes:
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "請求書"
    for column, width in zip("ABCDE", (30, 8, 12, 14, 4), strict=True):
        sheet.column_dimensions[column].width = width
    sheet.merge_cells("A1:D1")
    sheet["A1"] = "請求書"
    sheet["A1"].font = Font(size=18, bold=True)
    sheet["A1"].alignment = Alignment(horizontal="center")
    sheet["A3"] = f"{bill.customer} 御中"
    sheet["A3"].font = Font(size=13, bold=True)
    for row, (label, value) in enumerate(
        (("請求書番号", bill.number), ("請求日", bill.issued), ("お支払期限", bill.due)), start=3
    ):
        sheet.cell(row, 3, label)
        sheet.cell(row, 4, value)
    sheet["C6"] = ISSUER
    sheet["A7"] = "ご請求金額"
    sheet.merge_cells("B7:D7")
    sheet["B7"] = bill.total
    sheet["B7"].number_format = '"¥"#,##0'
    sheet["B7"].font = Font(size=14, bold=True)
    _lines(sheet, bill)
    return saved(book)


def _lines(sheet: Any, bill: Bill) -> None:
    for column, text in enumerate(("品目", "数量", "単価", "金額"), start=1):
        cell = sheet.cell(9, column, text)
        cell.fill = PatternFill("solid", fgColor="FFE2EFDA")
        cell.border = _BOX
    for row, line in enumerate(bill.lines, start=10):
        values = (line.item, line.quantity, line.price, line.amount)
        for column, value in enumerate(values, start=1):
            cell = sheet.cell(row, column, value)
            cell.border = _BOX
            if column > 1:
                cell.number_format = "#,##0"
    last = 10 + len(bill.lines)
    for step, (label, amount) in enumerate(
        (("小計", bill.subtotal), ("消費税", bill.tax), ("合計", bill.total))
    ):
        sheet.cell(last + step, 3, label)
        cell = sheet.cell(last + step, 4, amount)
        cell.number_format = "#,##0"
    sheet.cell(last + 4, 1, "お振込先 みほん銀行 見本支店 普通 1234567")


def saved(book: Any) -> bytes:
    """With the same bytes every time: no clock in it."""
    out = io.BytesIO()
    book.save(out)
    return repacked(out.getvalue())


def repacked(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(made, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name == "docProps/core.xml":
                content = _without_clock(content)
            after.writestr(
                zipfile.ZipInfo(name, _WHEN), content, zipfile.ZIP_DEFLATED, compresslevel=9
            )
    return made.getvalue()


def _without_clock(core: bytes) -> bytes:
    text = core.decode()
    for tag in ("created", "modified"):
        head, _, rest = text.partition(f"<dcterms:{tag}")
        if rest:
            attributes, _, tail = rest.partition(">")
            _, _, tail = tail.partition("<")
            text = f"{head}<dcterms:{tag}{attributes}>2026-04-30T00:00:00Z<{tail}"
    return text.encode()


class WindowsName(zipfile.ZipInfo):
    """A Japanese name as Windows' own folders pack it: CP932, without the mark of UTF-8."""

    def __init__(self, name: str) -> None:
        super().__init__(name, _WHEN)
        self.raw = name.encode("cp932")
        self.create_system = 0

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:
        return self.raw, self.flag_bits & ~0x800


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, data in files.items():
            info = cast("zipfile.ZipInfo", WindowsName(name))
            package.writestr(info, data, zipfile.ZIP_DEFLATED, compresslevel=9)
    return out.getvalue()
