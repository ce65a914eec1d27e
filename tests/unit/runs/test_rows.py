"""Rows that people fill in: read as people write them; what is wrong is told at its cell."""

import contextlib
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sanbo.kernel.problems import InvalidInput
from sanbo.runs.interactions import check_answer
from sanbo.runs.model import JsonObject, Question, Requirement

LINES = Requirement.model_validate(
    {
        "id": "lines",
        "type": "table",
        "label": "明細",
        "columns": [
            {"id": "item", "type": "text", "label": "品名"},
            {"id": "amount", "type": "number", "label": "金額", "validation": {"min": 0}},
            {"id": "due", "type": "date", "label": "期日", "required": False},
            {"id": "tax", "type": "select", "label": "税", "options": [8, 10], "default": 10},
            {"id": "paid", "type": "boolean", "label": "支払済", "required": False},
        ],
        "validation": {"min_rows": 1, "max_rows": 3},
    }
)
FORM = Question(mode="collect", message="?", requirements=(LINES,))


def test_cells_are_read_as_people_write_them_and_blank_rows_are_none() -> None:
    rows: list[JsonObject] = [
        {"item": 501, "amount": "１，２００", "due": "R8.11.17", "tax": "8", "paid": "はい"},
        {"item": " ", "amount": None, "paid": False},
        {"item": "封筒", "amount": 30.5},
    ]
    assert check_answer(FORM, {"lines": rows})["lines"] == [
        {"item": "501", "amount": 1200, "due": "2026-11-17", "tax": 8, "paid": True},
        {"item": "封筒", "amount": 30.5, "due": None, "tax": 10, "paid": None},
    ]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"item": "紙", "amount": "未定"}], [(1, "amount", "数値")]),
        ([{"item": "紙", "amount": 1}, {"item": "", "amount": -1}], [(2, "amount", "0以上")]),
        ([{"amount": 1, "due": "11/17"}], [(1, "item", "入力"), (1, "due", "年月日")]),
        ([{"item": "紙", "amount": 1, "tax": 5}], [(1, "tax", "8、10")]),
        ([{"item": "紙", "amount": 1, "colour": "赤"}], [(1, "", "列だけ")]),
        ([{"item": "紙", "amount": 1}] * 4, [(None, None, "3行以内")]),
        ([], [(None, None, "1行以上")]),
        (["紙"], [(1, "", "列だけ")]),
        ("紙", [(None, None, "行の一覧")]),
    ],
)
def test_what_is_wrong_is_told_at_its_cell(rows: Any, told: list[tuple[Any, Any, str]]) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_answer(FORM, {"lines": rows})
    found = cast("list[dict[str, Any]]", refused.value.problem.details["fields"])
    by_place = {(each.get("row"), each.get("column")): each["message"] for each in found}
    for row, column, text in told:
        assert text in by_place[row, column]


@pytest.mark.parametrize(
    "typed",
    [
        '紙,"1,200",R8.11.17\n封筒,30,',
        "紙\t1,200\t令和8年11月17日\n封筒\t30",
        '金額,品名,期日\n"1,200",紙,2026/11/17\n\n30,封筒,',
    ],
)
def test_rows_are_typed_or_saved_by_a_spreadsheet(typed: str) -> None:
    read = LINES.kind.typed(LINES, typed)
    assert [(row["item"], row["amount"], row["due"]) for row in cast("Any", read)] == [
        ("紙", 1200, "2026-11-17"),
        ("封筒", 30, None),
    ]
    with pytest.raises(InvalidInput, match="1行目"):
        LINES.kind.typed(LINES, "a,1,2026-01-01,8,y,more")


CELLS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)


@given(st.lists(st.dictionaries(st.sampled_from(["item", "amount", "due", "tax", "x"]), CELLS)))
def test_what_was_taken_once_is_taken_again_unchanged(rows: list[dict[str, Any]]) -> None:
    with contextlib.suppress(InvalidInput):
        taken = check_answer(FORM, {"lines": rows})
        assert check_answer(FORM, taken) == taken


@pytest.mark.parametrize(
    "columns",
    [
        [],
        [{"id": "a", "type": "chat", "label": "A"}],
        [{"id": "a", "type": "text", "label": "A"}] * 2,
    ],
)
def test_a_table_has_columns_that_fit_into_cells(columns: list[JsonObject]) -> None:
    with pytest.raises(ValidationError):
        Requirement.model_validate(
            {"id": "t", "type": "table", "label": "T", "columns": cast("Any", columns)}
        )
