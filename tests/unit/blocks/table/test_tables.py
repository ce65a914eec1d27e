"""Rows in other shapes: tables, cross tables, one row a value."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput
from tests.examples import examples
from tests.unit.blocks.computing import compute

SALES: list[dict[str, Any]] = [
    {"支店": "東京", "月": "4月", "売上": "1,000", "件数": 2},
    {"支店": "大阪", "月": "５月", "売上": 0.1, "件数": 1},
    {"支店": "東京", "月": "5月", "売上": "△200円", "件数": 4},
    {"支店": "大阪", "月": "5月", "売上": 0.2, "件数": 3},
    {"支店": None, "月": "4月", "売上": "未定", "件数": None},
]


def _pivot(**given: Any) -> Any:
    return compute("table.pivot", {"rows": SALES, **given})


def _refusal(block: str, values: dict[str, Any]) -> Any:
    with pytest.raises(InvalidInput) as refused:
        compute(block, values)
    return refused.value.problem


def test_a_cross_table_adds_up_exactly_and_tells_what_it_could_not_read() -> None:
    made = _pivot(index="支店", columns="月", values="売上", dropna=False)
    assert made["rows"] == [
        {"支店": "大阪", "4月": None, "５月": 0.3},
        {"支店": "東京", "4月": 1000, "５月": -200},
        {"支店": None, "4月": 0, "５月": None},
    ]
    assert made["summary"]["unreadable_examples"] == [{"row": 4, "field": "売上", "value": "未定"}]
    assert made["dataframe"]["columns"] == ["支店", "4月", "５月"]


def test_several_figures_are_named_and_totals_are_of_the_rows_themselves() -> None:
    made = _pivot(
        index=["支店"],
        columns=["月"],
        values=["件数"],
        aggfunc="mean",
        margins=True,
        sort=False,
        dropna=False,
    )
    assert made["rows"][0] == {"支店": "東京", "4月": 2, "５月": 4, "合計": 3}
    assert made["rows"][-1] == {"支店": "合計", "4月": 2, "５月": 8 / 3, "合計": 2.5}
    both = _pivot(index="支店", aggfunc={"売上": "max", "件数": "count"})
    assert both["rows"][0] == {"支店": "大阪", "売上": 0.2, "件数": 2}
    named = _pivot(index="支店", columns="月", values=["売上", "件数"])
    assert named["dataframe"]["columns"][1:] == [
        "売上__4月",
        "売上__５月",
        "件数__4月",
        "件数__５月",
    ]
    with use_language("en"):
        assert _pivot(index="月", margins=True)["rows"][-1]["月"] == "Total"


def test_rows_can_be_counted_and_numbers_are_found_without_being_named() -> None:
    assert _pivot(index="月", aggfunc="count")["rows"] == [
        {"月": "4月", "count": 2},
        {"月": "５月", "count": 3},
    ]
    assert _pivot(index="月")["rows"][0] == {"月": "4月", "件数": 2}


def test_a_table_without_rows_stays_without_rows() -> None:
    assert compute("table.pivot", {"rows": [], "index": "a", "values": "b"})["rows"] == []
    assert compute("table.unpivot", {"rows": [], "id_vars": "a"})["rows"] == []
    assert compute("table.from_rows", {"rows": []})["dataframe"]["columns"] == []


def test_columns_that_are_not_there_are_told_with_those_that_are() -> None:
    for block, values in (
        ("table.pivot", {"rows": SALES, "index": "店"}),
        ("table.unpivot", {"rows": SALES, "id_vars": "店"}),
        ("table.from_rows", {"rows": SALES, "dtype": {"店": "string"}}),
    ):
        problem = _refusal(block, values)
        assert "店" in problem.message
        assert "支店" in problem.hint
    assert _refusal("table.pivot", {"rows": [{"a": "x", "b": "y"}], "index": "a"})


def test_rows_become_a_table_with_types() -> None:
    rows = [
        {"番号": "0012", "日": "R6.5.1", "額": "¥1,000-", "済": "はい", "率": 1},
        {"番号": "0013", "日": "2024/5/2", "額": "(500)", "済": "×", "率": 0.5, "備考": {"a": 1}},
    ]
    dtype = {"日": "datetime64[ns]", "額": "int64", "済": "bool"}
    table = compute("table.from_rows", {"rows": rows, "dtype": dtype})["dataframe"]
    assert table["rows"] == [
        ["0012", "2024-05-01T00:00:00", 1000, True, 1, None],
        ["0013", "2024-05-02T00:00:00", -500, False, 0.5, {"a": 1}],
    ]
    assert table["dtypes"] == {
        "番号": "string",
        "日": "datetime",
        "額": "integer",
        "済": "boolean",
        "率": "number",
        "備考": "object",
    }
    assert (
        compute("table.from_rows", {"rows": rows, "dtype": "str"})["dataframe"]["rows"][0][4] == "1"
    )


def test_cells_that_are_not_of_the_type_are_named() -> None:
    problem = _refusal("table.from_rows", {"rows": SALES, "dtype": {"売上": "integer"}})
    assert "3件" in problem.message
    assert "5: 売上 = 未定" in problem.message
    assert _refusal("table.from_rows", {"rows": SALES, "dtype": "complex128"}).hint


def test_new_columns_never_hide_old_ones() -> None:
    rows = [{"variable": 1, "b": 2}]
    assert _refusal("table.unpivot", {"rows": rows, "id_vars": "variable"})


def test_empty_values_can_be_left_out() -> None:
    rows = [{"a": 1, "x": None, "y": 2}]
    made = compute("table.unpivot", {"rows": rows, "id_vars": "a", "drop_empty": True})
    assert made["rows"] == [{"a": 1, "variable": "y", "value": 2}]


@settings(max_examples=examples(25))
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "r": st.sampled_from(["a", "b", "c"]),
                "c": st.sampled_from(["x", "y"]),
                "v": st.integers(-1000, 1000),
            }
        ),
        max_size=12,
    )
)
def test_no_amount_is_lost_in_a_cross_table(rows: list[dict[str, Any]]) -> None:
    made = compute(
        "table.pivot",
        {"rows": rows, "index": "r", "columns": "c", "values": "v", "fill_value": 0},
    )
    back = compute("table.unpivot", {"rows": made["rows"], "id_vars": ["r"]})
    assert sum(row["value"] for row in back["rows"]) == sum(row["v"] for row in rows)


def test_many_rows_are_no_burden() -> None:
    rows = [{"k": f"取引先{n % 500}", "m": f"{n % 12 + 1}月", "v": n} for n in range(20_000)]
    made = compute("table.pivot", {"rows": rows, "index": "k", "columns": "m", "values": "v"})
    assert len(made["rows"]) == 500
