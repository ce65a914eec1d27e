"""Rows are added where a person would add them, looking like the rows above."""

from typing import Any, cast

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.formatting import rule as rules
from openpyxl.styles import Font
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from pydantic import ValidationError

from sanbo.documents.excel.book import AppendRows, Change, Letter, UpdateCells
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.problems import InvalidInput, LimitExceeded, NotFound
from tests.unit.documents.excel_files import (
    edited,
    opened,
    parts,
    replacing,
    sales_report,
    saved,
    seen_by_calamine,
    staff_table,
    workbook,
)


def _appended(data: bytes, update: AppendRows) -> tuple[Any, Change, bytes]:
    book = Workbook(data)
    change = book.apply(update)
    after = book.save()
    return opened(after)[update.sheet], change, after


def test_rows_by_header_join_the_table_in_the_look_of_the_row_above() -> None:
    rows = ({"品番": "A-004", "品名": "もも", "単価": 300, "数量": 2}, {"品番": "A-005", "数量": 1})
    sheet, change, data = _appended(sales_report(), AppendRows(sheet="売上", rows=rows))
    assert change.area == "A7:E8"
    assert [sheet.cell(7, column).value for column in range(1, 6)] == [
        "A-004",
        "もも",
        300,
        2,
        "=C7*D7",
    ]
    assert sheet["E8"].value == "=C8*D8"
    for column in "ABCDE":
        above, new = sheet[f"{column}6"], sheet[f"{column}8"]
        assert repr(new.border) == repr(above.border)
        assert new.number_format == above.number_format
    assert sheet.row_dimensions[7].height == 24
    assert seen_by_calamine(data, "売上")[6][:4] == ["A-004", "もも", 300, 2]


def test_the_record_names_filled_formulas_too() -> None:
    _, change, _ = _appended(sales_report(), AppendRows(sheet="売上", rows=({"品番": "A-004"},)))
    assert [(c.cell, c.after.value, c.after.formula) for c in change.cells] == [
        ("A7", "A-004", None),
        ("E7", None, "=C7*D7"),
    ]


def test_formulas_are_filled_down_only_when_wanted() -> None:
    update = AppendRows(sheet="売上", rows=({"品番": "A-004"},), fill_formulas=False)
    sheet, _, _ = _appended(sales_report(), update)
    assert sheet["E7"].value is None
    assert sheet["E7"].number_format == '#,##0"円"'


def test_fixed_references_hold_when_a_formula_is_filled_down() -> None:
    cells = {"A1": "額", "B1": "税", "A2": 100, "B2": "=A2*$D$1+SUM(A$2:A2)"}
    update = AppendRows(sheet="表", rows=({"額": 200},))
    sheet, _, _ = _appended(workbook({"表": cells}), update)
    assert sheet["B3"].value == "=A3*$D$1+SUM(A$2:A3)"


def test_a_prepared_row_is_used_and_its_formulas_stay() -> None:
    """A form with formulas filled in far below its last entry."""
    cells: dict[str, object] = {"A1": "品名", "B1": "額", "C1": "税込", "A2": "桃", "B2": 100}
    cells |= {f"C{row}": f'=IF(B{row}="","",B{row}*1.1)' for row in range(2, 20)}
    sheet, change, _ = _appended(
        workbook({"表": cells}), AppendRows(sheet="表", rows=({"品名": "梨", "額": 200},))
    )
    assert [c.cell for c in change.cells] == ["A3", "B3"]
    assert sheet["C3"].value == '=IF(B3="","",B3*1.1)'


def test_rows_in_order_go_under_the_columns_they_fill() -> None:
    cells = {"A1": "x", "A2": "y", "B9": "離れた注記"}
    sheet, change, _ = _appended(
        workbook({"表": cells}), AppendRows(sheet="表", rows=(("a", 1), ("b", 2)))
    )
    assert change.area == "A10:B11"
    assert (sheet["A10"].value, sheet["B11"].value) == ("a", 2)


@pytest.mark.parametrize(
    ("update", "row"),
    [
        (AppendRows(sheet="表", rows=(("a",),), below=Letter(letter="A")), 3),
        (AppendRows(sheet="表", rows=(("a",),), below="sheet"), 10),
        (AppendRows(sheet="表", rows=(("a",),), first_column="B", below="table"), 10),
        (AppendRows(sheet="表", rows=({"品名": "a"},)), 3),
    ],
)
def test_what_ends_the_rows_can_be_chosen(update: AppendRows, row: int) -> None:
    cells = {"A1": "品名", "A2": "桃", "B9": "注記"}
    _, change, _ = _appended(workbook({"表": cells}), update)
    assert change.cells[0].cell[1:] == str(row)


def test_a_note_below_the_table_is_never_overwritten() -> None:
    cells = {"A1": "品名", "A2": "桃", "A4": "※税抜"}
    data = workbook({"表": cells})
    book = Workbook(data)
    with pytest.raises(InvalidInput) as refused:
        book.apply(AppendRows(sheet="表", rows=({"品名": "梨"}, {"品名": "柿"})))
    assert refused.value.problem.text_id == "excel_no_room"
    assert refused.value.problem.params["row"] == 4
    assert book.save() == data


def test_rows_are_not_put_below_a_total() -> None:
    cells = {"A1": "品名", "B1": "額", "A2": "桃", "B2": 1, "A3": "梨", "B3": 2}
    cells |= {"A4": "合計", "B4": "=SUM(B2:B3)"}
    book = Workbook(workbook({"表": cells}))
    with pytest.raises(InvalidInput) as refused:
        book.apply(AppendRows(sheet="表", rows=({"品名": "柿"},)))
    assert refused.value.problem.text_id == "excel_below_total"


@pytest.mark.parametrize(
    ("label", "total"),
    [
        ("合計", 300),
        ("合　計", "=F4+F5"),
        ("小計：", 300),
        ("総計（税込）", 300),
        ("TOTAL", 300),
        (None, "=B2+B3"),
        (None, '=SUMIF(A2:A3,"桃",B2:B3)'),
        (None, "=SUM(B$2:B3)*1.1"),
    ],
)
def test_a_row_that_reads_as_a_total_is_not_continued(label: str | None, total: object) -> None:
    cells: dict[str, object] = {"A1": "品名", "B1": "額", "A2": "桃", "B2": 1, "A3": "梨", "B3": 2}
    cells |= {"A4": label, "B4": total}
    data = workbook({"表": cells})
    book = Workbook(data)
    with pytest.raises(InvalidInput) as refused:
        book.apply(AppendRows(sheet="表", rows=({"品名": "柿"},)))
    assert refused.value.problem.text_id == "excel_below_total"
    assert refused.value.problem.params["row"] == 4
    assert book.save() == data


def test_a_column_named_total_is_no_total_row() -> None:
    cells = {"A1": "品名", "B1": "合計"}
    _, change, _ = _appended(workbook({"表": cells}), AppendRows(sheet="表", rows=(("桃", 1),)))
    assert change.area == "A2:B2"


def test_a_formula_goes_on_only_where_the_two_rows_above_agree() -> None:
    cells: dict[str, object] = {"A1": "額", "B1": "税込", "C1": "倍"}
    for row in (2, 3, 4):
        cells |= {f"A{row}": row, f"B{row}": f"=A{row}*1.1", f"C{row}": f"=a{row}*2"}
    cells["B4"] = "=A4*0.9"  # a discount for this one
    sheet, change, _ = _appended(workbook({"表": cells}), AppendRows(sheet="表", rows=({"額": 5},)))
    assert sheet["B5"].value is None
    assert sheet["C5"].value == "=A5*2"
    assert [(w.text_id, w.params["cells"]) for w in change.warnings] == [
        ("excel_formulas_not_filled", "B5")
    ]


def _covered_list() -> bytes:
    """A plain list with all that Excel users lay over one, and what reads it from elsewhere."""
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "4月 売上"
    for row in [["品名", "金額", "状態"], ["桃", 1, "済"], ["梨", 2, "未"], ["柿", 3, "未"]]:
        sheet.append(row)
    sheet.auto_filter.ref = "A1:C4"
    sheet.print_area = "A1:D4"
    choices: Any = DataValidation(type="list", formula1='"済,未"')
    choices.add("C2:C4")
    sheet.add_data_validation(choices)
    high = cast("Any", rules).CellIsRule(operator="greaterThan", formula=["2"], font=Font(b=True))
    sheet.conditional_formatting.add("B2:B4", high)
    sheet.conditional_formatting.add("A4", high)
    other = book.create_sheet("集計")
    other["A1"], other["A2"] = "=SUM('4月 売上'!B2:B4)", "=COUNTA('4月 売上'!B:B)"
    other["A3"] = "='4月 売上'!B4"
    book.defined_names["金額"] = DefinedName("金額", attr_text="'4月 売上'!$B$2:$B$4")
    chart: Any = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=2, max_row=4))
    other.add_chart(chart, "C3")
    return saved(book)


def test_rules_filter_and_print_area_of_a_plain_list_grow_with_it() -> None:
    update = AppendRows(sheet="4月 売上", rows=(("栗", 4, "済"), ("梅", 5, "未")))
    sheet, _, data = _appended(_covered_list(), update)
    assert sheet.auto_filter.ref == "A1:C6"
    assert sheet.print_area == "'4月 売上'!$A$1:$D$6"
    assert [str(rule.sqref) for rule in sheet.data_validations.dataValidation] == ["C2:C6"]
    assert [str(found.sqref) for found in sheet.conditional_formatting] == ["B2:B6", "A4"]
    assert b"$A$1:$C$6</definedName>" in parts(data)["xl/workbook.xml"]


def test_what_reads_a_list_to_its_old_end_is_named() -> None:
    update = AppendRows(sheet="4月 売上", rows=({"品名": "栗", "金額": 4},))
    _, change, data = _appended(_covered_list(), update)
    assert [(warning.text_id, warning.params["places"]) for warning in change.warnings] == [
        ("excel_formulas_end_above", "集計!A1"),
        ("excel_names_end_above", "金額"),
        ("excel_charts_end_above", "集計"),
    ]
    assert opened(data)["集計"]["A1"].value == "=SUM('4月 売上'!B2:B4)"


def test_a_running_total_is_no_total_row() -> None:
    cells = {"A1": "額", "B1": "累計", "A2": 1, "B2": "=SUM(A$2:A2)", "A3": 2, "B3": "=B2+A3"}
    sheet, _, _ = _appended(workbook({"表": cells}), AppendRows(sheet="表", rows=({"額": 3},)))
    assert sheet["B4"].value == "=B3+A4"


def test_an_excel_table_grows_with_its_filter_rules_and_formulas() -> None:
    update = AppendRows(
        sheet="社員", table="社員表", rows=({"社員番号": 1003, "氏名": "高橋", "基本給": 260000},)
    )
    sheet, _, data = _appended(staff_table(), update)
    table = sheet.tables["社員表"]
    assert table.ref == "A1:D4"
    assert table.autoFilter.ref == "A1:D4"
    assert sheet["D4"].value == "=C4*2"
    assert sheet["C4"].number_format == "#,##0"
    assert [str(found.sqref) for found in sheet.conditional_formatting] == ["C2:C4"]
    assert [str(rule.sqref) for rule in sheet.data_validations.dataValidation] == ["C2:C4"]
    assert seen_by_calamine(data, "社員")[3][:3] == [1003, "高橋", 260000]


def test_a_table_that_ends_where_rows_begin_grows_without_being_named() -> None:
    update = AppendRows(sheet="社員", rows=({"社員番号": 1003, "氏名": "高橋"},))
    sheet, _, _ = _appended(staff_table(), update)
    assert sheet.tables["社員表"].ref == "A1:D4"


def test_empty_rows_inside_a_table_are_filled_first() -> None:
    data = edited(
        staff_table(),
        {"xl/tables/table1.xml": lambda xml: xml.replace(b"A1:D3", b"A1:D6")},
    )
    update = AppendRows(sheet="社員", table="社員表", rows=((1003, "高橋", 1),))
    sheet, change, _ = _appended(data, update)
    assert change.cells[0].cell == "A4"
    assert sheet.tables["社員表"].ref == "A1:D6"


def test_a_table_with_a_total_row_is_left_alone() -> None:
    data = edited(
        staff_table(),
        {"xl/tables/table1.xml": replacing('ref="A1:D3"', 'totalsRowCount="1" ref="A1:D3"')},
    )
    with pytest.raises(InvalidInput) as refused:
        Workbook(data).apply(AppendRows(sheet="社員", table="社員表", rows=((1,),)))
    assert refused.value.problem.text_id == "excel_table_has_totals"


@pytest.mark.parametrize(
    ("update", "text_id", "nearest"),
    [
        (
            AppendRows(sheet="社員", table="社員評", rows=((1,),)),
            "excel_table_missing",
            "社員表",
        ),
        (
            AppendRows(sheet="社員", table="社員表", rows=({"基本給与": 1},)),
            "excel_header_missing",
            "基本給",
        ),
    ],
)
def test_unknown_tables_and_columns_are_refused_with_the_nearest(
    update: AppendRows, text_id: str, nearest: str
) -> None:
    with pytest.raises(NotFound) as refused:
        Workbook(staff_table()).apply(update)
    assert refused.value.problem.text_id == text_id
    assert str(refused.value.problem.params["nearest"]).startswith(nearest)


def test_a_row_wider_than_its_table_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        Workbook(staff_table()).apply(
            AppendRows(sheet="社員", table="社員表", rows=((1, 2, 3, 4, 5),))
        )
    assert refused.value.problem.text_id == "excel_row_too_wide"


def test_the_header_does_not_lend_its_look_to_the_first_row() -> None:
    book: Any = openpyxl.Workbook()
    book.active.title = "表"
    book.active["A1"] = "品名"
    book.active["A1"].font = Font(bold=True)
    sheet, _, _ = _appended(saved(book), AppendRows(sheet="表", rows=({"品名": "桃"},)))
    assert (sheet["A2"].value, sheet["A2"].font.b) == ("桃", False)


def test_a_full_sheet_takes_no_more_rows() -> None:
    book = Workbook(workbook({"表": {"A1": 1}}))
    book.apply(UpdateCells(sheet="表", cells={"A1048576": 1}))
    with pytest.raises(LimitExceeded) as refused:
        book.apply(AppendRows(sheet="表", rows=((1,),)))
    assert refused.value.problem.text_id == "excel_beyond_sheet"


def test_unrelated_parts_keep_their_bytes() -> None:
    data = staff_table()
    _, _, after = _appended(data, AppendRows(sheet="社員", rows=({"社員番号": 1003},)))
    changed = {part for part, content in parts(after).items() if parts(data)[part] != content}
    assert changed == {"xl/worksheets/sheet1.xml", "xl/tables/table1.xml", "xl/workbook.xml"}


@pytest.mark.parametrize("rows", [(), ({},), ((),)])
def test_rows_without_values_are_no_update(rows: Any) -> None:
    with pytest.raises(ValidationError):
        AppendRows(sheet="社員", rows=rows)
