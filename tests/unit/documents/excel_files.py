"""Workbooks as people bring them, with what openpyxl can't write put into the package by hand."""

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, cast

import openpyxl
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting import rule as rules
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table
from python_calamine import CalamineWorkbook

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

Cells = Mapping[str, object]
_rules = cast("Any", rules)


def workbook(sheets: Mapping[str, Cells]) -> bytes:
    """Sheets of cells by address."""
    book: Any = openpyxl.Workbook()
    book.remove(book.active)
    for name, cells in sheets.items():
        sheet = book.create_sheet(name)
        for address, value in cells.items():
            sheet[address] = value
    return saved(book)


def saved(book: Any) -> bytes:
    out = io.BytesIO()
    book.save(out)
    # openpyxl always asks for a calculation: only the code under test may set that mark here.
    return edited(
        out.getvalue(),
        {"xl/workbook.xml": lambda xml: xml.replace(b' fullCalcOnLoad="1"', b"")},
    )


def sales_report() -> bytes:
    """Three sheets: title, merged cells, formulas with results, rules, a list, a chart, a name."""
    return with_results(saved(_sales_book()), _SALES_RESULTS)


def busy_report() -> bytes:
    """The same, with all else that people do to a sheet and that an update must leave alone."""
    book = _sales_book()
    sales, settings = book["売上"], book["設定"]
    sales.row_dimensions[5].hidden = True
    sales.row_dimensions[4].height = 31.5
    sales.print_area = "A1:E6"
    sales.print_title_rows = "3:3"
    sales.sheet_properties.tabColor = "FF00AA00"
    for row, values in enumerate([("項目", "値"), ("区分", "甲"), ("等級", 3)], start=5):
        for column, value in enumerate(values, start=1):
            settings.cell(row, column, value)
    settings.add_table(Table(displayName="設定表", ref="A5:B7"))
    data = with_results(saved(book), _SALES_RESULTS)
    texts = ("品番", "品名", "りんご", "みかん", "ぶどう")
    return with_shared_strings(data, {text: f"<si><t>{text}</t></si>" for text in texts})


_SALES_RESULTS = {
    "xl/worksheets/sheet1.xml": {"E4": "1200", "E5": "2000", "E6": "1800"},
    "xl/worksheets/sheet2.xml": {"B1": "5000", "B2": "5500", "B3": "2"},
}


def _sales_book() -> Any:
    book: Any = openpyxl.Workbook()
    sales = book.active
    sales.title = "売上"
    sales["A1"] = "2025年度 売上一覧"
    sales.merge_cells("A1:E1")
    sales["A1"].font = Font(bold=True, size=16)
    sales["A1"].alignment = Alignment(horizontal="center")
    line = Side(style="thin")
    header = ["品番", "品名", "単価", "数量", "金額"]
    for column, text in enumerate(header, start=1):
        cell = sales.cell(3, column, text)
        cell.font = Font(bold=True)
        cell.fill = PatternFill("solid", fgColor="FFDDEEFF")
        cell.border = Border(left=line, right=line, top=line, bottom=line)
    rows = [("A-001", "りんご", 120, 10), ("A-002", "みかん", 80, 25), ("A-003", "ぶどう", 450, 4)]
    for row, (code, name, price, count) in enumerate(rows, start=4):
        for column, value in enumerate((code, name, price, count, f"=C{row}*D{row}"), start=1):
            cell = sales.cell(row, column, value)
            cell.border = Border(left=line, right=line, top=line, bottom=line)
            if column in (3, 5):
                cell.number_format = '#,##0"円"'
    sales.row_dimensions[6].height = 24
    red = PatternFill("solid", bgColor="FFFFCCCC")
    high = _rules.CellIsRule(operator="greaterThan", formula=["1500"], fill=red)
    sales.conditional_formatting.add("E4:E6", high)
    choices: Any = DataValidation(type="whole", operator="between", formula1="0", formula2="999")
    choices.add("D4:D6")
    sales.add_data_validation(choices)
    sales["B4"].comment = Comment("青森産", "担当者")
    sales.freeze_panes = "A4"
    sales.column_dimensions["B"].width = 30

    summary = book.create_sheet("集計")
    summary["A1"], summary["B1"] = "合計", "=SUM(売上!E4:E6)"
    summary["A2"], summary["B2"] = "税込", "=ROUND(B1*税率,0)"
    summary["A3"], summary["B3"] = "件数（参考）", "=ROWS(設定!A1:A2)"
    chart: Any = BarChart()
    chart.add_data(Reference(sales, min_col=5, min_row=3, max_row=6), titles_from_data=True)
    chart.set_categories(Reference(sales, min_col=2, min_row=4, max_row=6))
    summary.add_chart(chart, "D2")

    settings = book.create_sheet("設定")
    settings["A1"], settings["B1"] = "税率", 1.1
    settings["A2"], settings["B2"] = "担当", "山田"
    book.defined_names["税率"] = DefinedName("税率", attr_text="設定!$B$1")
    return book


def staff_table() -> bytes:
    """An Excel table with a calculated column, a rule and an input rule over its rows."""
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "社員"
    for row in [
        ["社員番号", "氏名", "基本給", "賞与"],
        [1001, "佐藤", 300000, None],
        [1002, "鈴木", 280000, None],
    ]:
        sheet.append(row)
    for row in (2, 3):
        sheet.cell(row, 4, f"=C{row}*2")
        sheet.cell(row, 3).number_format = "#,##0"
    sheet.add_table(Table(displayName="社員表", ref="A1:D3"))
    red = Font(color="FFFF0000")
    low = _rules.CellIsRule(operator="lessThan", formula=["250000"], font=red)
    sheet.conditional_formatting.add("C2:C3", low)
    rule: Any = DataValidation(type="whole", operator="greaterThan", formula1="0")
    rule.add("C2:C3")
    sheet.add_data_validation(rule)
    return saved(book)


def with_results(data: bytes, results: Mapping[str, Mapping[str, str]]) -> bytes:
    """As after a calculation: formulas with what they gave."""

    def put(cells: Mapping[str, str]) -> Callable[[bytes], bytes]:
        def change(xml: bytes) -> bytes:
            text = xml.decode()
            for address, value in cells.items():
                pattern = rf'(<c r="{address}"[^>]*><f>[^<]*</f>)<v\s*(?:/>|></v>)'
                text, count = re.subn(pattern, rf"\g<1><v>{value}</v>", text)
                assert count == 1, address
            return text.encode()

        return change

    return edited(data, {part: put(cells) for part, cells in results.items()})


def with_shared_strings(data: bytes, items: Mapping[str, str]) -> bytes:
    """The first sheet's texts as Excel keeps them: each text, and its `si` in the shared part."""

    def share(xml: bytes) -> bytes:
        text = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), xml.decode())
        for index, shown in enumerate(items):
            inline = f't="inlineStr"><is><t>{shown}</t></is></c>'
            assert inline in text, shown
            text = text.replace(inline, f't="s"><v>{index}</v></c>')
        return text.encode()

    return with_part(
        edited(data, {"xl/worksheets/sheet1.xml": share}),
        owner="xl/workbook.xml",
        part="xl/sharedStrings.xml",
        kind="sharedStrings",
        content_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml",
        content=f'<sst xmlns="{MAIN}">{"".join(items.values())}</sst>',
    )


def with_part(
    data: bytes, *, owner: str, part: str, kind: str, content_type: str, content: str | bytes
) -> bytes:
    """A further part, declared and related to its owner as `rIdNew<kind>`."""
    folder, _, file = owner.rpartition("/")
    rels = f"{folder}/_rels/{file}.rels"
    type_ = kind if "/" in kind else f"{REL}/{kind}"
    identifier = f"rIdNew{type_.rpartition('/')[2]}"
    relation = f'<Relationship Id="{identifier}" Type="{type_}" Target="/{part}"/>'
    override = f'<Override PartName="/{part}" ContentType="{content_type}"/>'
    changes = {"[Content_Types].xml": replacing("</Types>", override + "</Types>")}
    new: dict[str, str | bytes] = {part: content}
    if rels in parts(data):
        changes[rels] = replacing("</Relationships>", relation + "</Relationships>")
    else:
        package = "http://schemas.openxmlformats.org/package/2006/relationships"
        new[rels] = f'<Relationships xmlns="{package}">{relation}</Relationships>'
    return edited(data, changes, new)


def edited(
    data: bytes,
    changes: Mapping[str, Callable[[bytes], bytes]] | None = None,
    new: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """The package with parts changed and added."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        for info in before.infolist():
            content = before.read(info)
            change = (changes or {}).get(info.filename)
            after.writestr(info, content if change is None else change(content))
        for name, content in (new or {}).items():
            after.writestr(name, content)
    return out.getvalue()


def replacing(old: str, new: str) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        assert old.encode() in content, old
        return content.replace(old.encode(), new.encode(), 1)

    return change


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def opened(data: bytes, *, results: bool = False) -> Any:
    """With openpyxl; `results` for what formulas gave."""
    return cast("Any", openpyxl).load_workbook(io.BytesIO(data), data_only=results)


def seen_by_calamine(data: bytes, sheet: str) -> list[list[Any]]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    return book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
