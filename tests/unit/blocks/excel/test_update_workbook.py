"""`excel.update_workbook`, with operations as plans in circulation write them."""

import random
from datetime import datetime
from typing import Any

import pytest

from sanbo.kernel.problems import SanboError
from tests.unit.blocks.excel.books import file_of, ledger, made, report, updated, values


def test_sheets_are_added_and_copied_where_asked_for() -> None:
    result = updated(
        {"type": "add_sheet", "sheet_name": "結果"},
        {"type": "copy_sheet", "sheet_name": "台帳", "target": "台帳(控)", "position": "first"},
        {"type": "add_sheet", "sheet_name": "中", "before": "設定"},
        {"type": "add_sheet", "sheet_name": "台帳"},
    )
    assert made(result).sheetnames == ["台帳(控)", "台帳", "中", "設定", "結果"]
    assert result["summary"]["sheets_added"] == ["結果", "台帳(控)", "中"]
    assert [each["operation"] for each in result["summary"]["skipped"]] == [4]


def test_cells_are_written_in_every_spelling_and_values_never_become_formulas() -> None:
    result = updated(
        {"type": "update_cells", "sheet_name": "台帳", "cells": {"C2": 150, "D2": "=1+1"}},
        {"op": "update_cells", "sheet": "台帳", "target": "E2", "data": "2026-05-31"},
        {"type": "update_cells", "sheet": "台帳", "cells": [{"cell": "F2", "value": ["a", "b"]}]},
        {"type": "update_cells", "sheet": "台帳", "target": "G2:G3", "value": 0},
    )
    sheet = made(result)["台帳"]
    assert [sheet[at].value for at in ("C2", "E2", "F2", "G2", "G3")] == [
        150,
        datetime(2026, 5, 31),
        "a、b",
        0,
        0,
    ]
    assert (sheet["D2"].value, sheet["D2"].data_type) == ("=1+1", "s")
    assert any("update_formula" in each for each in result["summary"]["warnings"])
    change = result["summary"]["cell_changes"][0]
    assert (change["cell"], change["before"], change["after"]) == ("C2", 100, 150)


def test_a_table_goes_to_its_place_with_its_header_or_under_one_that_is_there() -> None:
    rows = [{"項目": "売上", "金額": 1}, {"項目": "原価", "金額": 2, "備考": "予定"}]
    result = updated(
        {"type": "append_table", "sheet_name": "新", "target": "B2", "data": rows},
        {"type": "append_table", "sheet_name": "台帳", "data": {"氏名": ["上田"], "金額": [5]}},
        {"type": "append_table", "sheet_name": "設定", "data": {"columns": ["p"], "rows": [[7]]}},
    )
    book = made(result)
    assert values(book["新"])[1:] == [
        [None, "項目", "金額", "備考"],
        [None, "売上", 1, None],
        [None, "原価", 2, "予定"],
    ]
    assert [cell.value for cell in book["台帳"][4]] == [None, "上田", 5]
    assert values(book["設定"])[3:] == [["p", None], [7, None]]
    assert result["summary"]["rows_appended"] == 4


def test_rows_join_the_list_by_letter_by_heading_or_in_an_empty_sheet() -> None:
    people = [{"id": "003", "人": {"氏名": "上田"}, "額": 300}]
    by_letter = {
        "type": "append_rows_bottom",
        "sheet_name": "台帳",
        "rows": people,
        "columns": {"id": "A", "額": "C"},
        "scan_columns": ["A", "B"],
    }
    by_heading = {
        "type": "append_rows_bottom",
        "sheet_name": "台帳",
        "rows": people,
        "columns": {"id": "社員番号", "人.氏名": "氏名"},
    }
    like_letters = {
        "type": "append_rows_bottom",
        "sheet_name": "設定",
        "rows": [{"k": "y", "v": 2}],
        "columns": {"k": "ID", "v": "値"},
    }
    empty = {"type": "append_rows_bottom", "sheet_name": "新しい表", "rows": [{"甲": 1, "乙": 2}]}
    nothing: dict[str, Any] = {"type": "append_rows_bottom", "sheet_name": "台帳", "rows": []}
    result = updated(by_letter, by_heading, like_letters, empty, nothing)
    book = made(result)
    assert values(book["台帳"])[3:] == [["003", None, 300], ["003", "上田", None]]
    assert values(book["設定"])[2:] == [["y", 2]]
    assert values(book["新しい表"]) == [["甲", "乙"], [1, 2]]
    assert len(result["summary"]["skipped"]) == 1


def test_rows_are_inserted_with_what_goes_into_them() -> None:
    result = updated(
        {"type": "insert_rows", "sheet_name": "台帳", "start_row": 2, "rows": [["000", "相川", 5]]},
        {"type": "insert_rows", "sheet_name": "設定", "start_row": 2, "count": 2},
    )
    book = made(result)
    assert [cell.value for cell in book["台帳"][2]] == ["000", "相川", 5]
    assert book["台帳"]["A3"].value == "001"
    assert book["設定"]["A4"].value == "x"


def test_formulas_are_written_spread_and_rewritten() -> None:
    result = updated(
        {"type": "update_formula", "sheet_name": "台帳", "cells": {"D1": "=SUM(C2:C3)"}},
        {
            "type": "update_formula_range",
            "sheet_name": "台帳",
            "range": "D2:D3",
            "template": "=C2*2",
        },
        {"type": "update_formula_range", "sheet": "台帳", "range": "E2:E3", "formula": "=C{row}+1"},
        {
            "type": "replace_in_formulas",
            "sheet_name": "台帳",
            "range": "D:D",
            "search": "*2",
            "replace": "*3",
        },
        {
            "type": "replace_in_formulas",
            "sheet_name": "台帳",
            "search": r"C(\d)\+",
            "replace": r"$C\1+",
            "regex": True,
        },
        {"type": "replace_in_formulas", "search": "C3", "replace": "C9", "condition": False},
    )
    sheet = made(result)["台帳"]
    assert [sheet[at].value for at in ("D1", "D2", "D3", "E2", "E3")] == [
        "=SUM(C2:C3)",
        "=C2*3",
        "=C3*3",
        "=$C2+1",
        "=$C3+1",
    ]


def test_rows_are_found_by_key_updated_coloured_and_missing_keys_told() -> None:
    items = [
        {"社員番号": "1002", "額": 999},
        {"社員番号": "001", "額": 5},
        {"社員番号": "9", "額": 1},
    ]
    result = updated(
        {
            "type": "update_rows_by_match",
            "sheet_name": "台帳",
            "key": "社員番号",
            "key_column": "A",
            "items": items,
            "update_columns": {"額": "C"},
            "fill_range_columns": "A:C",
            "fill_color": "#D9D9D9",
        }
    )
    sheet = made(result)["台帳"]
    assert [sheet["C2"].value, sheet["C3"].value] == [5, 999]
    assert sheet["B3"].fill.fgColor.rgb == "FFD9D9D9"
    assert result["summary"]["missing_keys"] == ["9"]
    assert result["summary"]["rows_updated"] == 2
    assert result["summary"]["cells_formatted"] == 6


def test_cells_are_formatted_flat_or_in_groups() -> None:
    result = updated(
        {
            "type": "format_cells",
            "sheet_name": "台帳",
            "ranges": ["A1:C1"],
            "fill": {"color": "FFE2EFDA"},
            "bold": True,
        },
        {
            "type": "format_cells",
            "sheet_name": "台帳",
            "range": "C:C",
            "font": {"color": "#FF0000", "size": 12},
            "alignment": {"horizontal": "right", "wrap_text": True},
            "number_format": "#,##0",
            "border": {"style": "thin"},
        },
    )
    sheet = made(result)["台帳"]
    assert sheet["A1"].fill.fgColor.rgb == "FFE2EFDA"
    assert sheet["B1"].font.b
    assert sheet["C3"].font.color.rgb == "FFFF0000"
    assert sheet["C3"].alignment.wrap_text
    assert sheet["C3"].number_format == "#,##0"
    assert sheet["C4"].number_format == "General"


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"type": "update_cells_if", "condition": True, "target": "C2", "data": 0}, [0, 200]),
        ({"type": "update_cells_if", "condition": "false", "cells": {"C2": 0}}, [100, 200]),
        (
            {
                "type": "update_cells_if",
                "condition": {"operator": ">", "value": 150},
                "range": "C2:C3",
                "value": 0,
            },
            [100, 0],
        ),
        (
            {
                "type": "update_cells_if",
                "condition": {"operator": "lt", "value": 150},
                "cells": {"C2": 1, "C3": 1},
            },
            [1, 200],
        ),
        (
            {
                "type": "update_cells_if",
                "condition": {"cell": "B2", "operator": "eq", "value": "青木"},
                "cells": {"C3": 7},
            },
            [100, 7],
        ),
        ({"type": "clear_cells", "targets": ["C2", "C3"]}, [None, None]),
        (
            {
                "type": "clear_cells_if",
                "targets": ["C2:C3"],
                "condition": {"operator": "gte", "value": 200},
            },
            [100, None],
        ),
        ({"type": "clear_cells_if", "targets": ["C2"], "condition": False}, [100, 200]),
        ({"type": "clear_cells", "range": "2:2", "if": True}, [None, 200]),
    ],
)
def test_conditions_hold_for_the_operation_or_for_each_cell(
    operation: dict[str, Any], expected: list[Any]
) -> None:
    sheet = made(updated({"sheet_name": "台帳", **operation}))["台帳"]
    assert [sheet["C2"].value, sheet["C3"].value] == expected


def test_what_is_not_touched_stays() -> None:
    result = updated(
        {
            "type": "append_rows_bottom",
            "sheet_name": "売上",
            "rows": [{"品番": "A-004", "品名": "なし", "単価": 200, "数量": 2}],
        },
        book=report(),
    )
    book = made(result)
    sheet = book["売上"]
    assert sheet["E7"].value == "=C7*D7"
    assert sheet["C7"].number_format == '#,##0"円"'
    assert sheet.freeze_panes == "A4"
    assert len(book["集計"]._charts) == 1
    assert result["summary"]["losses"] == []


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ({"type": "apend_table"}, "append_table"),
        ({}, "add_sheet"),
        ("text", "operations[0]"),
        ({"type": "update_cells", "sheet_nam": "台帳"}, "sheet_name"),
        ({"type": "update_cells", "sheet": "台帳", "sheet_name": "台帳"}, "sheet_name"),
        ({"type": "update_cells", "sheet_name": "台帳"}, "cells"),
        ({"type": "update_cells", "sheet_name": "台帳", "cells": {"あ1": 1}}, "あ1"),
        ({"type": "insert_rows", "sheet_name": "台張", "row": 2}, "台帳"),
        ({"type": "insert_rows", "sheet_name": "台帳", "row": "x"}, "row"),
        (
            {
                "type": "update_rows_by_match",
                "sheet_name": "台帳",
                "key": "社員番合",
                "items": [{"社員番合": 1, "金額": 2}],
            },
            "社員番号",
        ),
        (
            {
                "type": "update_rows_by_match",
                "sheet_name": "台帳",
                "key": "社員番号",
                "items": [{"社員番号": 7, "金額": 2}],
                "missing": "refuse",
            },
            "operations[0]",
        ),
        ({"type": "append_rows_bottom", "sheet_name": "台帳", "rows": [{"氏明": 1}]}, "氏名"),
        ({"type": "append_rows_bottom", "sheet_name": "台帳", "rows": [{"氏名": 1}, [2]]}, "2"),
        ({"type": "append_rows_bottom", "sheet_name": "台帳", "rows": 5}, "rows"),
        ({"type": "format_cells", "sheet_name": "台帳", "range": "A1", "fill": "赤"}, "fill"),
        ({"type": "replace_in_formulas", "search": "(", "replace": "", "regex": True}, "("),
        (
            {
                "type": "update_formula",
                "sheet_name": "台帳",
                "cells": {"A1": '=WEBSERVICE("http://x")'},
            },
            "WEBSERVICE",
        ),
        (
            {"type": "copy_sheet", "sheet_name": "台帳", "target": "控", "position": "middle"},
            "position",
        ),
        (
            {
                "type": "update_cells_if",
                "sheet_name": "台帳",
                "range": "C2",
                "condition": {"operator": "like"},
            },
            "condition",
        ),
    ],
)
def test_what_can_not_be_meant_is_refused_with_what_was_probably_meant(
    operation: Any, said: str
) -> None:
    with pytest.raises(SanboError) as refused:
        updated(operation)
    problem = refused.value.problem
    assert said in f"{problem.message}{problem.hint}"


def test_a_workbook_comes_as_a_file_an_object_text_or_not_at_all() -> None:
    cells = {"type": "update_cells", "sheet_name": "結果", "cells": {"A1": 1}}
    named = updated(cells, book={"name": "出力.xlsx", "bytes": ledger()})
    assert named["workbook_updated"]["name"] == "出力.xlsx"
    assert made(named)["結果"]["A1"].value == 1
    again = updated(cells, book=named["workbook_b64"], name="a/b?.xlsx")
    assert again["workbook_updated"]["name"] == "a_b_.xlsx"
    new = updated(cells, book={"name": "新規"})
    assert new["workbook_updated"]["name"] == "新規.xlsx"
    assert made(new).sheetnames == ["結果"]
    assert new["summary"]["warnings"] == []


def test_text_of_a_large_workbook_is_given_only_when_asked_for() -> None:
    rng = random.Random(1)
    rows = [[rng.randbytes(200).hex() for _ in range(4)] for _ in range(400)]
    big = {"type": "append_table", "sheet_name": "大", "data": rows, "target": "A1"}
    assert updated(big)["workbook_b64"] is None
    assert updated(big, base64=True)["workbook_b64"]
    small = {"type": "update_cells", "sheet_name": "台帳", "cells": {"A9": 1}}
    assert updated(small, base64=False)["workbook_b64"] is None
    assert updated(small)["workbook_b64"]


def test_the_same_step_run_again_gives_the_same_bytes() -> None:
    cells = {"type": "update_cells", "sheet_name": "結果", "cells": {"A1": 1}}
    first, second = (updated(cells, book={"name": "新規"}) for _ in range(2))
    assert first["workbook_updated"] == second["workbook_updated"]


def test_a_file_that_is_no_workbook_is_refused() -> None:
    with pytest.raises(SanboError):
        updated({"type": "add_sheet", "sheet_name": "x"}, book=file_of(b"abc"))
    with pytest.raises(SanboError):
        updated({"type": "add_sheet", "sheet_name": "x"}, book="これは違う")


def test_dates_may_stay_text() -> None:
    given = {"type": "update_cells", "sheet_name": "台帳", "cells": {"D2": "2026-05-31"}}
    sheet = made(updated(given, dates_as_text=True))["台帳"]
    assert sheet["D2"].value == "2026-05-31"
