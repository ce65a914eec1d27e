"""`excel.write`: cells, columns, matching rows and whole tables."""

import base64
import io
from typing import Any

import pytest
from openpyxl import load_workbook

from sanbo.kernel.problems import SanboError
from tests.unit.blocks.computing import Computed, compute
from tests.unit.blocks.excel.books import ledger, made, values, written


def test_cells_come_with_their_sheet_or_as_addresses() -> None:
    result = written(
        cell_updates=[{"sheet": "台帳", "cells": {"C2": 1}}, {"sheet": "設定", "B2": 9}]
    )
    book = made(result)
    assert (book["台帳"]["C2"].value, book["設定"]["B2"].value) == (1, 9)
    assert result["write_summary"]["sheet"] == "設定"


def test_columns_go_under_their_headings_wherever_these_stand() -> None:
    update = {
        "sheet": "台帳",
        "columns": [
            {"header": "金額", "path": "detail.amount"},
            {"header": "氏名", "path": "name"},
        ],
        "values": [{"name": "上田", "detail": {"amount": 5}}],
        "by_header": True,
        "write_header": False,
    }
    assert values(made(written(column_updates=update))["台帳"])[1:] == [
        ["001", "上田", 5],
        [1002, "石井", 200],
    ]
    appended = made(written(column_updates={**update, "append": True}))["台帳"]
    assert [cell.value for cell in appended[4]] == [None, "上田", 5]


def test_columns_that_are_new_get_their_heading() -> None:
    update = {"sheet": "新", "columns": ["品名", "数"], "values": [{"品名": "紙", "数": 2}]}
    assert values(made(written(column_updates=update))["新"]) == [["品名", "数"], ["紙", 2]]
    beside = {
        "sheet": "台帳",
        "columns": ["氏名", "判定"],
        "values": [{"氏名": "青木", "判定": "可"}],
        "by_header": True,
    }
    sheet = made(written(column_updates=beside))["台帳"]
    assert (sheet["D1"].value, sheet["D2"].value) == ("判定", "可")
    lettered = {"sheet": "台帳", "column": "F", "start_row": 2, "values": [1, 2]}
    assert made(written(column_updates=lettered))["台帳"]["F3"].value == 2


def test_old_values_go_where_they_are_to_be_cleared() -> None:
    update = {
        "sheet": "台帳",
        "columns": [{"header": "氏名", "path": "n"}],
        "values": [{"n": "新"}],
        "clear_existing": True,
        "by_header": True,
    }
    sheet = made(written(column_updates=update))["台帳"]
    assert [sheet["B2"].value, sheet["B3"].value, sheet["C3"].value] == ["新", None, 200]


def test_matching_rows_are_updated() -> None:
    update = {
        "sheet": "台帳",
        "key_column": "A",
        "key_field": "番号",
        "start_row": 2,
        "items": [{"番号": 1002, "額": 7}],
        "update_columns": {"額": "C"},
        "fill_range_columns": "A:C",
    }
    result = written(match_updates=[update])
    assert made(result)["台帳"]["C3"].value == 7
    assert result["write_summary"]["rows_written"] == 1


@pytest.mark.parametrize(
    ("data", "config", "sheet", "expected"),
    [
        ([{"a": 1, "b": 2}], {"sheet": "結果"}, "結果", [["a", "b"], [1, 2]]),
        ({"items": [{"a": 1}]}, {"sheet": "結果", "write_header": False}, "結果", [[1]]),
        ({"結果": [{"a": 1}], "他": [{"b": 2}]}, {}, "他", [["b"], [2]]),
        ([{"a": 1, "b": 2}], {"sheet": "結果", "columns": {"乙": "b"}}, "結果", [["乙"], [2]]),
        ([{"氏名": "上田"}], {"sheet": "台帳", "append": True}, "台帳", None),
        ([{"a": 1}], {}, "Results", [["a"], [1]]),
    ],
)
def test_rows_become_a_table(data: Any, config: Any, sheet: str, expected: Any) -> None:
    found = values(made(written(data=data, output_config=config))[sheet])
    if expected is None:
        assert found[3] == [None, "上田", None]
    else:
        assert found == expected


def test_without_a_workbook_a_new_one_is_made_with_the_sheets_that_are_written() -> None:
    result = compute(
        "excel.write",
        {
            "cell_updates": [{"sheet": "表紙", "cells": {"A1": "題"}}],
            "data": {"一覧": [{"a": 1}]},
            "output_config": {"name": "一覧表"},
        },
    )
    assert made(result).sheetnames == ["表紙", "一覧"]
    assert result["workbook_updated"]["name"] == "一覧表.xlsx"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cell_updates": {"sheet": "台帳", "cell": {}}}, "target"),
        ({"cell_updates": {"sheet": "台帳", "sel": "A1"}}, "cell"),
        (
            {
                "column_updates": {
                    "sheet": "台帳",
                    "columns": ["氏明"],
                    "by_header": True,
                    "values": [{"氏明": 1}],
                }
            },
            "氏名",
        ),
        ({"column_updates": {"sheet": "台帳", "values": [[1]]}}, "columns"),
        ({"match_updates": {"sheet": "台帳", "items": [{"a": 1}]}}, "key"),
        ({"data": [{"a": 1}], "output_config": {"shet": "x"}}, "sheet"),
        ({"data": 5}, "data"),
    ],
)
def test_what_can_not_be_meant_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SanboError) as refused:
        compute("excel.write", {"workbook": ledger(), **given})
    problem = refused.value.problem
    assert said in f"{problem.message}{problem.hint}"


@pytest.mark.parametrize(
    "update",
    [
        {"sheet": "台帳", "cell": "C2", "value": 7},
        {"sheet_name": "台帳", "address": "C2", "formula": "=3+4"},
        {"sheet": "台帳", "row": 2, "column": "C", "value": 7},
        {"sheet": "台帳", "row": 2, "col": 3, "value": 7},
    ],
)
def test_one_cell_is_named_as_people_name_it(update: dict[str, Any]) -> None:
    assert made(written(cell_updates=[update]))["台帳"]["C2"].value in (7, "=3+4")


@pytest.mark.parametrize(
    "update",
    [
        {"key_column": "氏名", "key": "石井", "updates": {"金額": 5}},
        {"key_column": "氏名", "key_value": "石井", "values": {"金額": 5}},
        {"key_column": "氏名", "updates": [{"key": "石井", "values": {"金額": 5}}]},
        {"key": "氏名", "items": [{"match": "石井", "set": {"金額": 5}}]},
    ],
)
def test_a_key_may_stand_beside_what_is_written_in_its_row(update: dict[str, Any]) -> None:
    sheet = made(written(match_updates=[{"sheet": "台帳", **update}]))["台帳"]
    assert [row[2] for row in values(sheet) if row[1] == "石井"] == [5]


def test_rows_that_begin_in_the_row_of_their_headings_come_below_them() -> None:
    config = {"sheet": "集計", "start_row": 1, "start_col": 2, "include_header": True}
    sheet = made(written(data=[{"部門": "営業", "額": 3}], output_config=config))["集計"]
    assert [[cell.value for cell in row[1:]] for row in sheet.iter_rows()] == [
        ["部門", "額"],
        ["営業", 3],
    ]


_BILLS = [
    {"番号": 10001, "取引先": "青葉商店", "金額": 1234567, "税率": 0.1, "期日": "2026-05-31"},
    {"番号": 10002, "取引先": "若葉工業株式会社", "金額": 5000, "税率": 0.08, "期日": "2026-06-30"},
]


def test_a_new_table_looks_like_one() -> None:
    result = compute("excel.write", {"data": _BILLS, "output_config": {"sheet": "請求"}})
    sheet = made(result)["請求"]
    assert values(sheet)[1][:3] == [10001, "青葉商店", 1234567]
    assert [cell.value for cell in sheet[4]] == ["合計", None, "=SUM(C2:C3)", None, None]
    assert result["write_summary"]["totals"] == {"請求": ["金額"]}
    assert sheet.freeze_panes == "A2"
    assert sheet["A1"].font.bold
    assert sheet["A1"].fill.fgColor.rgb == "FFD9E1F2"
    assert not sheet["A2"].font.bold
    formats = {name: sheet[name].number_format for name in ("A2", "C2", "C3", "D2")}
    assert formats == {"A2": "General", "C2": "#,##0", "C3": "#,##0", "D2": "General"}
    assert sheet.column_dimensions["B"].width > sheet.column_dimensions["D"].width
    assert result["write_summary"]["rows_written"] == 2


def test_totals_stand_below_what_is_asked_for() -> None:
    config = {"sheet": "請求", "totals": ["金額", "税率"]}
    sheet = made(compute("excel.write", {"data": _BILLS, "output_config": config}))["請求"]
    sums = ["合計", None, "=SUM(C2:C3)", "=SUM(D2:D3)", None]
    assert [cell.value for cell in sheet[4]] == sums
    assert (sheet["C4"].font.bold, sheet["C4"].number_format) == (True, "#,##0")
    with pytest.raises(SanboError) as problem:
        compute("excel.write", {"data": _BILLS, "output_config": {"totals": ["金顎"]}})
    assert problem.value.problem.text_id == "excel_totals_unknown"


def test_a_sheet_that_people_made_keeps_its_look() -> None:
    plain = made(compute("excel.write", {"data": _BILLS, "output_config": {"style": False}}))
    assert plain["Results"].freeze_panes is None
    update = {"sheet": "台帳", "columns": ["氏名"], "values": [{"氏名": "青木"}], "by_header": True}
    assert made(written(column_updates=update))["台帳"].freeze_panes is None


def _given(result: Computed) -> dict[str, Any]:
    return {"name": "b.xlsx", "base64": base64.b64encode(result.bytes_of(_book(result))).decode()}


def _book(result: Computed) -> Any:
    return result["workbook_updated"]


def _read(result: Computed) -> Computed:
    # Results are in the file: nothing has to be calculated before it can be read.
    return compute("excel.read_data", {"workbook": _given(result), "recalc": True})


def test_totals_are_no_rows_of_the_table_for_those_who_read_or_go_on_writing() -> None:
    first = compute("excel.write", {"data": _BILLS, "output_config": {"sheet": "請求"}})
    read = _read(first)
    assert (read["rows"], read["summary"]["totals_left_out"]) == (_BILLS, {"請求": 4})
    third = {**_BILLS[0], "番号": 10003, "金額": 0.5}
    config = {"sheet": "請求", "append": True}
    more = {"workbook": _given(first), "data": [third], "output_config": config}
    columns = {name: letter for name, letter in zip(third, "ABCDE", strict=True)}
    bottom = {"type": "append_rows_bottom", "sheet_name": "請求", "rows": [third]}
    below = {"sheet": "請求", "append": True, "columns": list(third), "values": [third]}
    for block, given in (
        ("excel.write", more),
        ("excel.write", {"workbook": _given(first), "column_updates": below}),
        ("excel.update_workbook", {"workbook": _given(first), "operations": [bottom]}),
        (
            "excel.update_workbook",
            {"workbook": _given(first), "operations": [{**bottom, "columns": columns}]},
        ),
    ):
        then = compute(block, given)
        assert _read(then)["rows"] == [*_BILLS, third], given
        assert made(then)["請求"]["C5"].value == "=SUM(C2:C4)"
        assert made(then)["請求"]["C4"].number_format == "#,##0", given
        assert not made(then)["請求"]["A4"].font.bold
        results = load_workbook(io.BytesIO(then.bytes_of(_book(then))), data_only=True)
        assert [cell.value for cell in results["請求"][5]][:3] == ["合計", None, 1239567.5]


def test_a_cell_that_changes_changes_the_total_and_a_total_may_be_refused() -> None:
    first = compute("excel.write", {"data": _BILLS, "output_config": {"sheet": "請求"}})
    cells = {"type": "update_cells", "sheet_name": "請求", "cells": {"C2": 1, "H1": "=C4*2"}}
    then = compute("excel.update_workbook", {"workbook": _given(first), "operations": [cells]})
    results = load_workbook(io.BytesIO(then.bytes_of(_book(then))), data_only=True)["請求"]
    assert results["C4"].value == 5001
    refused: Any = {"workbook": _given(first), "data": [], "output_config": {"totals": False}}
    assert [row[0] for row in values(made(compute("excel.write", refused))["請求"])][3:] == []
    for given in (_BILLS[:1], [{"名前": "a", "単価": 20000}] * 2, [{"名前": "a", "数": 3}] * 2):
        assert compute("excel.write", {"data": given})["write_summary"]["totals"] == {}
    rows = {"sheet": "請求", "columns": ["金額"], "values": _BILLS}
    assert compute("excel.write", {"column_updates": rows})["write_summary"]["totals"] == {}
