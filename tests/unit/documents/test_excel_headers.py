"""Columns are found by their headers, rows by their keys, as a person would point at them."""

from datetime import date
from typing import Any

import openpyxl
import pytest

from sanbo.documents.excel.book import (
    Assignment,
    Header,
    Letter,
    Match,
    UpdateColumn,
    UpdateRowsByMatch,
)
from sanbo.documents.excel.values import Scalar
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.problems import InvalidInput, NotFound
from tests.unit.documents.excel_files import opened, sales_report, saved, workbook


def _budget() -> bytes:
    """Two rows of headers: 氏名 merged down, 4月 and 5月 merged over 予算 and 実績."""
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "予実"
    sheet["A1"] = "予算 実績 一覧"
    for area, text in {"A3:A4": "氏名", "B3:C3": "4月", "D3:E3": "5月"}.items():
        sheet.merge_cells(area)
        sheet[area.partition(":")[0]] = text
    for column, text in enumerate(["予算", "実績", "予算", "実績"], start=2):
        sheet.cell(4, column, text)
    sheet.append(["佐藤", 10, 11, 12, 13])
    sheet.append(["鈴木", 20, 21, 22, 23])
    return saved(book)


def _set(**values: Scalar) -> tuple[Assignment, ...]:
    return tuple(Assignment(column=Header(header=name), value=v) for name, v in values.items())


def test_a_column_is_found_under_a_title_by_its_header() -> None:
    book = Workbook(sales_report())
    change = book.apply(UpdateColumn(sheet="売上", column=Header(header="数量"), values=(1, 2, 3)))
    assert [c.cell for c in change.cells] == ["D4", "D5", "D6"]


def test_width_case_and_spaces_of_a_header_do_not_matter() -> None:
    book = Workbook(workbook({"表": {"A1": "ｺｰﾄﾞ　ＮＯ", "B1": "Name", "A2": 1}}))
    change = book.apply(UpdateColumn(sheet="表", column=Header(header="コード no"), values=(9,)))
    assert change.cells[0].cell == "A2"


def test_a_title_of_the_same_words_is_not_taken_for_the_header() -> None:
    cells = {"A1": "金額", "A3": "品名", "B3": "金額", "A4": "桃", "B4": 1}
    book = Workbook(workbook({"表": cells}))
    change = book.apply(UpdateColumn(sheet="表", column=Header(header="金額"), values=(5,)))
    assert change.cells[0].cell == "B4"


def test_values_begin_below_a_header_that_is_merged_downwards() -> None:
    book = Workbook(_budget())
    change = book.apply(UpdateColumn(sheet="予実", column=Header(header="氏名"), values=("高橋",)))
    assert change.cells[0].cell == "A5"


def test_a_header_that_stands_twice_is_refused_with_its_columns() -> None:
    book = Workbook(_budget())
    with pytest.raises(InvalidInput) as refused:
        book.apply(UpdateColumn(sheet="予実", column=Header(header="実績"), values=(1,)))
    problem = refused.value.problem
    assert problem.text_id == "excel_header_duplicate"
    assert problem.params["columns"] == "C、E"


def test_the_group_above_tells_equal_headers_apart() -> None:
    book = Workbook(_budget())
    header = Header(header=("5月", "実績"))
    change = book.apply(UpdateColumn(sheet="予実", column=header, values=(99,)))
    assert [(c.cell, c.before.value) for c in change.cells] == [("E5", 13)]


def test_a_group_counts_for_the_columns_to_its_right_without_merged_cells() -> None:
    cells = {"A1": "4月", "C1": "5月", "A2": "予算", "B2": "実績", "C2": "予算", "D2": "実績"}
    book = Workbook(workbook({"表": cells}))
    header = Header(header=("4月", "実績"))
    assert book.apply(UpdateColumn(sheet="表", column=header, values=(1,))).cells[0].cell == "B3"


def test_a_missing_header_is_refused_with_the_nearest_ones() -> None:
    book = Workbook(sales_report())
    with pytest.raises(NotFound) as refused:
        book.apply(UpdateColumn(sheet="売上", column=Header(header="単位"), values=(1,)))
    problem = refused.value.problem
    assert problem.text_id == "excel_header_missing"
    assert str(problem.params["nearest"]).startswith("単価")


def test_a_header_row_can_be_named() -> None:
    cells = {"A1": "項目", "B1": "値", "A5": "項目", "B5": "値", "B6": 1}
    book = Workbook(workbook({"表": cells}))
    header = Header(header="値", row=5)
    assert book.apply(UpdateColumn(sheet="表", column=header, values=(2,))).cells[0].cell == "B6"


def test_a_column_by_letter_begins_at_the_row_given() -> None:
    book = Workbook(sales_report())
    change = book.apply(
        UpdateColumn(sheet="売上", column=Letter(letter="d"), values=(7,), first_row=5)
    )
    assert change.cells[0].cell == "D5"


def test_a_row_is_found_by_its_key() -> None:
    book = Workbook(sales_report())
    change = book.apply(
        UpdateRowsByMatch(
            sheet="売上",
            keys=(Header(header="品番"),),
            rows=(Match(key=("ａ-002",), set=_set(数量=30, 単価=90)),),
        )
    )
    assert [(c.cell, c.after.value) for c in change.cells] == [("D5", 30), ("C5", 90)]
    assert opened(book.save())["売上"]["D5"].value == 30


@pytest.mark.parametrize(
    ("stored", "key", "found"),
    [
        (1001, "1001", True),
        ("1001", 1001, True),
        (1001.0, 1001, True),
        ("001", 1, False),
        (0.1, "0.1", True),
        (date(2025, 4, 1), date(2025, 4, 1), True),
        (date(2025, 4, 1), "2025-04-01", True),
        (True, "true", True),
    ],
)
def test_keys_match_by_what_people_read(stored: Scalar, key: Scalar, found: bool) -> None:
    book = Workbook(workbook({"表": {"A1": "ID", "B1": "状態", "A2": stored}}))
    change = book.apply(
        UpdateRowsByMatch(
            sheet="表",
            keys=(Header(header="ID"),),
            rows=(Match(key=(key,), set=_set(状態="済")),),
            missing="skip",
        )
    )
    assert bool(change.cells) is found
    assert change.missing == (() if found else ((key,),))


def test_a_missing_key_is_refused_with_the_nearest_and_changes_nothing() -> None:
    data = sales_report()
    book = Workbook(data)
    rows = (Match(key=("A-001",), set=_set(数量=1)), Match(key=("A-009",), set=_set(数量=2)))
    with pytest.raises(NotFound) as refused:
        book.apply(UpdateRowsByMatch(sheet="売上", keys=(Header(header="品番"),), rows=rows))
    assert refused.value.problem.text_id == "excel_row_missing"
    assert "a-00" in str(refused.value.problem.params["nearest"])
    assert book.save() == data


def test_several_rows_of_one_key_are_refused_unless_all_are_meant() -> None:
    cells = {"A1": "部署", "B1": "状態", "A2": "営業", "A3": "総務", "A4": "営業"}
    book = Workbook(workbook({"表": cells}))
    rows = (Match(key=("営業",), set=_set(状態="済")),)
    with pytest.raises(InvalidInput) as refused:
        book.apply(UpdateRowsByMatch(sheet="表", keys=(Header(header="部署"),), rows=rows))
    assert refused.value.problem.params["rows"] == "2、4"
    change = book.apply(
        UpdateRowsByMatch(sheet="表", keys=(Header(header="部署"),), rows=rows, several="all")
    )
    assert [c.cell for c in change.cells] == ["B2", "B4"]


def test_two_values_for_one_cell_are_refused() -> None:
    rows = tuple(Match(key=("A-001",), set=_set(数量=count)) for count in (1, 2))
    with pytest.raises(InvalidInput) as refused:
        Workbook(sales_report()).apply(
            UpdateRowsByMatch(sheet="売上", keys=(Header(header="品番"),), rows=rows)
        )
    assert refused.value.problem.text_id == "excel_cell_twice"


def test_several_key_columns_find_one_row() -> None:
    cells = {"A1": "部署", "B1": "月", "C1": "額", "A2": "営業", "B2": 4, "A3": "営業", "B3": 5}
    book = Workbook(workbook({"表": cells}))
    change = book.apply(
        UpdateRowsByMatch(
            sheet="表",
            keys=(Header(header="部署"), Header(header="月")),
            rows=(Match(key=("営業", 5), set=_set(額=7)),),
        )
    )
    assert [c.cell for c in change.cells] == ["C3"]


def test_a_key_merged_over_rows_counts_for_each_of_them() -> None:
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "表"
    for row in [["部署", "氏名", "状態"], ["営業", "佐藤"], [None, "鈴木"], ["総務", "高橋"]]:
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    workbook_ = Workbook(saved(book))
    change = workbook_.apply(
        UpdateRowsByMatch(
            sheet="表",
            keys=(Header(header="部署"), Header(header="氏名")),
            rows=(Match(key=("営業", "鈴木"), set=_set(状態="済")),),
        )
    )
    assert [c.cell for c in change.cells] == ["C3"]


def test_an_outdated_result_is_not_taken_for_a_key() -> None:
    """B2 showed 10 before A2 changed: nobody knows what it shows now."""
    book = Workbook(sales_report())
    book.apply(UpdateColumn(sheet="売上", column=Header(header="数量"), values=(11,)))
    with pytest.raises(NotFound):
        book.apply(
            UpdateRowsByMatch(
                sheet="売上",
                keys=(Header(header="金額"),),
                rows=(Match(key=(1200,), set=_set(品名="？")),),
            )
        )
