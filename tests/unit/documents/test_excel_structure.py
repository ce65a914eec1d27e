"""Sheets are added and copied, rows come in between, cells are formatted: all else follows."""

import re
from typing import Any

import openpyxl
import pytest
from openpyxl.chart import LineChart, Reference
from openpyxl.comments import Comment
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.pagebreak import Break

from sanbo.documents.excel.book import (
    AddSheet,
    AppendRows,
    CopySheet,
    FormatCells,
    InsertRows,
    UpdateCells,
    UpdateRange,
)
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.problems import Conflict, InvalidInput, LimitExceeded, NotFound
from tests.unit.documents.excel_files import (
    MAIN,
    edited,
    opened,
    parts,
    sales_report,
    saved,
    seen_by_calamine,
    staff_table,
    with_part,
    workbook,
)


def test_a_new_sheet_takes_values_at_once() -> None:
    book = Workbook(sales_report())
    change = book.apply(AddSheet(name="結果", after="売上"))
    book.apply(UpdateRange(sheet="結果", range="A1", rows=(("氏名", "点"), ("佐藤", 90))))
    book.apply(AppendRows(sheet="結果", rows=({"氏名": "鈴木", "点": 80},)))
    data = book.save()
    assert change.sheets == ("結果",)
    assert book.sheets == opened(data).sheetnames == ["売上", "結果", "集計", "設定"]
    assert seen_by_calamine(data, "結果") == [["氏名", "点"], ["佐藤", 90], ["鈴木", 80]]


def test_names_and_the_open_tab_keep_their_sheets_when_one_comes_before_them() -> None:
    book = opened(sales_report())
    book["集計"].print_area = "A1:B3"
    book.active = 2
    workbook_ = Workbook(saved(book))
    workbook_.apply(AddSheet(name="結果", after="売上"))
    after = opened(workbook_.save())
    assert after["集計"].print_area == "'集計'!$A$1:$B$3"
    assert not after["結果"].print_area
    assert after.active.title == "設定"


@pytest.mark.parametrize("name", ["", "   ", "a/b", "x" * 32, "'先頭", "[1]", "History", "𠮷" * 16])
def test_names_that_excel_refuses_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Workbook(sales_report()).apply(AddSheet(name=name))
    assert refused.value.problem.text_id == "excel_sheet_name_invalid"


def test_a_name_that_is_taken_is_refused() -> None:
    book = Workbook(workbook({"Sheet1": {}}))
    with pytest.raises(Conflict) as refused:
        book.apply(AddSheet(name="ｓｈｅｅｔ１"))
    assert refused.value.problem.text_id == "excel_sheet_exists"


def test_a_copy_has_cells_formats_rules_comments_and_its_own_references() -> None:
    book = Workbook(sales_report())
    book.apply(CopySheet(sheet="売上", name="売上 4月", after="売上"))
    book.apply(UpdateCells(sheet="売上 4月", cells={"D4": 99}))
    after = opened(book.save())
    original, copy = after["売上"], after["売上 4月"]
    assert after.sheetnames == ["売上", "売上 4月", "集計", "設定"]
    assert (original["D4"].value, copy["D4"].value) == (10, 99)
    assert copy["E4"].value == "=C4*D4"
    assert repr(copy["A3"].fill) == repr(original["A3"].fill)
    assert [str(area) for area in copy.merged_cells.ranges] == ["A1:E1"]
    assert [str(rules.sqref) for rules in copy.conditional_formatting] == ["E4:E6"]
    assert copy["B4"].comment.text == "青森産"
    assert copy.column_dimensions["B"].width == original.column_dimensions["B"].width
    assert after["集計"]["B1"].value == "=SUM(売上!E4:E6)"


def test_a_copied_chart_shows_the_copy() -> None:
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "実績"
    for row in (["月", "額"], ["4月", 1], ["5月", 2]):
        sheet.append(row)
    chart: Any = LineChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "D2")
    sheet["F20"] = "=実績!B2+B3"
    workbook_ = Workbook(saved(book))
    workbook_.apply(CopySheet(sheet="実績", name="実績 2期"))
    after = parts(workbook_.save())
    assert "'実績'!$B$2:$B$3".encode() in _unescaped(after["xl/charts/chart1.xml"])
    assert "'実績 2期'!$B$2:$B$3".encode() in after["xl/charts/chart2.xml"]
    assert opened(workbook_.save())["実績 2期"]["F20"].value == "='実績 2期'!B2+B3"


def _unescaped(xml: bytes) -> bytes:
    return re.sub(rb"&#(\d+);", lambda found: chr(int(found[1])).encode(), xml)


def test_names_that_mean_the_copied_sheet_mean_the_copy_there() -> None:
    book: Any = opened(sales_report())
    book["設定"].print_area = "A1:B2"
    workbook_ = Workbook(saved(book))
    workbook_.apply(CopySheet(sheet="設定", name="設定2"))
    after = opened(workbook_.save())
    assert after["設定2"].print_area == "'設定2'!$A$1:$B$2"
    assert after["設定2"].defined_names["税率"].attr_text == "設定2!$B$1"
    assert after.defined_names["税率"].attr_text == "設定!$B$1"


def test_a_copied_table_gets_a_name_of_its_own() -> None:
    book: Any = opened(staff_table())
    book["社員"]["F1"] = "=SUM(社員表[基本給])"
    workbook_ = Workbook(saved(book))
    workbook_.apply(CopySheet(sheet="社員", name="写し"))
    data = workbook_.save()
    after = opened(data)
    assert list(after["写し"].tables) == ["社員表_2"]
    assert after["写し"]["F1"].value == "=SUM(社員表_2[基本給])"
    assert after["社員"]["F1"].value == "=SUM(社員表[基本給])"
    ids = [
        re.search(rb'<table[^>]* id="(\d+)"', parts(data)[f"xl/tables/table{n}.xml"])
        for n in (1, 2)
    ]
    assert len({found[1] for found in ids if found}) == 2


def test_a_copy_is_not_selected_together_with_the_original() -> None:
    """Excel would write into both tabs at once."""
    book = Workbook(sales_report())
    book.apply(CopySheet(sheet="売上", name="写し"))
    tabs = [sheet.sheet_view.tabSelected for sheet in opened(book.save()).worksheets]
    assert tabs.count(True) <= 1


def test_copying_or_placing_by_an_unknown_sheet_is_refused() -> None:
    book = Workbook(sales_report())
    for update in (CopySheet(sheet="売り上げ", name="x"), AddSheet(name="x", after="売り上げ")):
        with pytest.raises(NotFound) as refused:
            book.apply(update)
        assert str(refused.value.problem.params["nearest"]).startswith("売上")


def test_inserted_rows_move_everything_below_and_what_refers_to_it() -> None:
    book: Any = opened(sales_report())
    sales = book["売上"]
    sales["B6"].comment = Comment("山梨産", "担当者")
    sales.merge_cells("A8:B8")
    sales.print_area = "A1:E6"
    sales.row_breaks.append(Break(id=6))
    sales["A10"].hyperlink = "#売上!A6"
    book["集計"]["B4"] = "=売上!E6"
    workbook_ = Workbook(saved(book))
    change = workbook_.apply(InsertRows(sheet="売上", row=5, count=2))
    after = opened(workbook_.save())
    sheet = after["売上"]
    assert change.area == "5:6"
    assert [sheet.cell(row, 1).value for row in range(4, 9)] == [
        "A-001",
        None,
        None,
        "A-002",
        "A-003",
    ]
    assert sheet["E7"].value == "=C7*D7"
    assert sheet.row_dimensions[8].height == 24
    assert {str(area) for area in sheet.merged_cells.ranges} == {"A1:E1", "A10:B10"}
    assert [str(rules.sqref) for rules in sheet.conditional_formatting] == ["E4:E8"]
    assert [str(r.sqref) for r in sheet.data_validations.dataValidation] == ["D4:D8"]
    assert (sheet["B4"].comment.text, sheet["B8"].comment.text) == ("青森産", "山梨産")
    assert sheet.print_area == "'売上'!$A$1:$E$8"
    assert [item.id for item in sheet.row_breaks.brk] == [8]
    assert after["集計"]["B1"].value == "=SUM(売上!E4:E8)"
    assert after["集計"]["B4"].value == "=売上!E8"
    chart = parts(workbook_.save())["xl/charts/chart1.xml"].decode()
    assert "$E$4:$E$8" in chart
    assert repr(sheet["C5"].border) == repr(sheet["C4"].border)
    assert sheet["C6"].number_format == '#,##0"円"'


def test_inserted_rows_make_a_table_grow_when_they_fall_into_it() -> None:
    book = Workbook(staff_table())
    book.apply(InsertRows(sheet="社員", row=3))
    sheet = opened(book.save())["社員"]
    assert sheet.tables["社員表"].ref == "A1:D4"
    assert sheet["D4"].value == "=C4*2"


def test_results_stay_true_when_rows_come_in_between() -> None:
    book = Workbook(sales_report())
    book.apply(InsertRows(sheet="売上", row=2))
    after = opened(book.save(), results=True)
    assert after["売上"]["E5"].value == 1200
    assert after["集計"]["B2"].value == 5500


def test_a_shared_formula_about_another_sheet_follows_cell_by_cell() -> None:
    cells = {f"A{row}": row for row in range(1, 5)}
    data = workbook({"元": cells, "先": {f"A{row}": f"=元!A{row}" for row in range(1, 5)}})

    def share(xml: bytes) -> bytes:
        text = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), xml.decode())
        text = text.replace("<f>元!A1</f>", '<f t="shared" ref="A1:A4" si="0">元!A1</f>')
        return re.sub(r"<f>元!A\d</f>", '<f t="shared" si="0"/>', text).encode()

    book = Workbook(edited(data, {"xl/worksheets/sheet2.xml": share}))
    book.apply(InsertRows(sheet="元", row=3))
    sheet = opened(book.save())["先"]
    assert [sheet[f"A{row}"].value for row in range(1, 5)] == [
        "=元!A1",
        "=元!A2",
        "=元!A4",
        "=元!A5",
    ]


def test_rows_are_not_inserted_into_an_array_formula() -> None:
    book: Any = openpyxl.Workbook()
    book.active.title = "表"
    book.active["B1"] = ArrayFormula("B1:B5", "=A1:A5*2")
    workbook_ = Workbook(saved(book))
    with pytest.raises(InvalidInput) as refused:
        workbook_.apply(InsertRows(sheet="表", row=3))
    assert refused.value.problem.text_id == "excel_insert_splits_array"
    workbook_.apply(InsertRows(sheet="表", row=1))
    assert opened(workbook_.save())["表"]["B2"].value.ref == "B2:B6"


def test_rows_are_not_inserted_into_a_pivot_table() -> None:
    data = with_part(
        workbook({"表": {"A1": 1}}),
        owner="xl/worksheets/sheet1.xml",
        part="xl/pivotTables/pivotTable1.xml",
        kind="pivotTable",
        content_type="application/vnd.openxmlformats-officedocument.spreadsheetml.pivotTable+xml",
        content=f'<pivotTableDefinition xmlns="{MAIN}"><location ref="A3:C9"/>'
        "</pivotTableDefinition>",
    )
    book = Workbook(data)
    with pytest.raises(InvalidInput) as refused:
        book.apply(InsertRows(sheet="表", row=5))
    assert refused.value.problem.text_id == "excel_insert_splits_pivot"
    book.apply(InsertRows(sheet="表", row=2))
    assert b'ref="A4:C10"' in parts(book.save())["xl/pivotTables/pivotTable1.xml"]


def test_rows_are_not_pushed_off_the_sheet() -> None:
    book = Workbook(workbook({"表": {"A1": 1}}))
    book.apply(UpdateCells(sheet="表", cells={"A1048576": 1}))
    with pytest.raises(LimitExceeded):
        book.apply(InsertRows(sheet="表", row=5))


def test_formatting_changes_what_is_given_and_keeps_the_rest() -> None:
    book = Workbook(sales_report())
    change = book.apply(
        FormatCells(
            sheet="売上",
            range="C4:D4",
            bold=True,
            font_color="#ff0000",
            fill="FFFF00",
            number_format="0.00",
            horizontal="right",
            wrap=True,
        )
    )
    data = book.save()
    cell = opened(data)["売上"]["C4"]
    assert change.area == "C4:D4"
    assert (cell.value, cell.number_format, cell.font.b) == (120, "0.00", True)
    assert (cell.font.color.rgb, cell.fill.fgColor.rgb) == ("FFFF0000", "FFFFFF00")
    assert (cell.alignment.horizontal, cell.alignment.wrap_text) == ("right", True)
    assert cell.border.left.style == "thin"
    untouched = opened(data)["売上"]["C5"]
    assert (untouched.number_format, untouched.font.b) == ('#,##0"円"', False)


def test_formats_that_are_already_there_are_not_added_again() -> None:
    data = sales_report()
    book = Workbook(data)
    for _ in range(3):
        book.apply(FormatCells(sheet="売上", range="A4:E6", italic=True, border="medium"))
    styles = parts(book.save())["xl/styles.xml"]
    found = re.search(rb'<cellXfs count="(\d+)"', styles)
    assert found
    assert int(found[1]) <= 8
    again = opened(book.save())["売上"]["E6"]
    assert (again.font.i, again.border.top.style) == (True, "medium")
    book.apply(FormatCells(sheet="売上", range="E6", italic=False, border="none"))
    plain = opened(book.save())["売上"]["E6"]
    assert (plain.font.i, plain.border.top.style) == (False, None)
