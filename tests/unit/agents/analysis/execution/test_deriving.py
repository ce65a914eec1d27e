"""New columns from closed trees, and text made into values."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sanbo.agents.analysis.profile import ValueType
from sanbo.kernel.problems import InvalidInput
from tests.unit.agents.analysis.execution.performing import Done, arrow_file, done

FRAME = pd.DataFrame(
    {
        "売上": pd.array([100, 0, None, -25], dtype="Int64"),
        "数量": [4, 0, 2, 5],
        "率": [2.5, -2.5, 1.005, np.nan],
        "店": pd.Series(["新宿店", "渋谷店", None, "新宿店"], dtype="str"),
        "始": pd.to_datetime(["2024-01-31", "2025-04-01", "2025-04-01", "NaT"]),
        "終": pd.to_datetime(["2024-02-29", "2024-03-31", "2026-04-01", "2025-01-01"]),
    }
).astype({"始": "datetime64[us]", "終": "datetime64[us]"})
KINDS: dict[str, ValueType] = {
    "売上": "currency",
    "数量": "integer",
    "率": "number",
    "店": "text",
    "始": "date",
    "終": "date",
}
DATA = arrow_file(FRAME, KINDS, {"売上": "円", "数量": "個"})


def col(name: str) -> dict[str, Any]:
    return {"fn": "column", "name": name}


def between(start: dict[str, Any], unit: str) -> dict[str, Any]:
    return {"fn": "date_difference", "start": start, "end": col("終"), "unit": unit}


def const(value: object) -> dict[str, Any]:
    return {"fn": "constant", "value": value}


def derived(expression: dict[str, Any]) -> Done:
    return done({"op": "derive", "name": "新", "expression": expression}, DATA)


def cells(expression: dict[str, Any]) -> list[Any]:
    return derived(expression).column("新")


def test_division_by_zero_gives_no_value_and_is_counted() -> None:
    found = derived({"fn": "divide", "left": col("数量"), "right": col("売上")})
    assert found.column("新") == [0.04, None, None, -0.2]
    assert "0で割ることになる1件" in found.cautions


def test_whole_numbers_stay_whole_and_money_keeps_its_unit() -> None:
    found = derived({"fn": "multiply", "left": col("売上"), "right": col("数量")})
    assert found.column("新") == [400, 0, None, -125]
    assert found.table.columns[-1].kind == "integer"
    assert found.table.columns[-1].unit == "円"


def test_a_product_beyond_64_bits_does_not_wrap() -> None:
    big = {"fn": "multiply", "left": col("数量"), "right": const(2**62)}
    assert cells(big)[0] == pytest.approx(2.0**64)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ({"fn": "round", "of": col("率")}, [3, -3, 1, None]),
        ({"fn": "round", "of": col("率"), "digits": 2}, [2.5, -2.5, 1.01, None]),
        ({"fn": "log", "of": col("数量"), "base": "2"}, [2, None, 1, pytest.approx(np.log2(5))]),
        ({"fn": "log", "of": col("数量"), "plus_one": True}, pytest.approx(np.log1p([4, 0, 2, 5]))),
        ({"fn": "sqrt", "of": col("率")}, pytest.approx([2.5**0.5, None, 1.005**0.5, None])),
        ({"fn": "rank", "of": col("数量")}, [2, 4, 3, 1]),
        ({"fn": "share", "of": col("数量")}, pytest.approx([4 / 11, 0, 2 / 11, 5 / 11])),
        ({"fn": "min_max", "of": col("数量")}, [0.8, 0.0, 0.4, 1.0]),
        ({"fn": "modulo", "left": col("数量"), "right": const(3)}, [1, 0, 2, 2]),
        ({"fn": "power", "left": col("数量"), "right": const(2)}, [16, 0, 4, 25]),
        ({"fn": "date_part", "of": col("始"), "part": "weekday"}, [3, 2, 2, None]),
        (
            {"fn": "date_part", "of": col("始"), "part": "fiscal_year"},
            ["2023年度", "2025年度", "2025年度", None],
        ),
        ({"fn": "date_difference", "start": col("始"), "end": col("終")}, [29, -366, 365, None]),
        (
            {"fn": "date_difference", "start": col("始"), "end": col("終"), "unit": "months"},
            [0, -12, 12, None],
        ),
        (
            between(const("2024-01-01"), "years"),
            [0, 0, 2, 1],
        ),
        (
            {"fn": "bin", "of": col("数量"), "edges": [0, 2, 5]},
            ["2: 2以上5以下", "1: 0以上2未満", "2: 2以上5以下", "2: 2以上5以下"],
        ),
        (
            {"fn": "bin", "of": col("数量"), "edges": [1, 3, 4.5], "labels": ["少", "多"]},
            ["多", None, "少", None],
        ),
        ({"fn": "length", "of": col("店")}, [3, 3, None, 3]),
        ({"fn": "is_missing", "of": col("店")}, [False, False, True, False]),
        ({"fn": "contains", "of": col("店"), "text": "新宿"}, [True, False, None, True]),
        (
            {
                "fn": "contains",
                "of": {"fn": "join", "parts": [col("店"), const("Co")]},
                "text": "ｃｏ",
            },
            [True, True, None, True],
        ),
        (
            {"fn": "text_part", "of": col("店"), "start": 0, "length": 2},
            ["新宿", "渋谷", None, "新宿"],
        ),
        ({"fn": "text_part", "of": col("店"), "start": -1}, ["店", "店", None, "店"]),
        (
            {"fn": "join", "parts": [col("店"), col("数量")], "separator": "-"},
            ["新宿店-4", "渋谷店-0", None, "新宿店-5"],
        ),
        (
            {"fn": "compare", "left": col("売上"), "op": ">=", "right": const("0円")},
            [True, True, None, False],
        ),
        (
            {"fn": "compare", "left": col("始"), "op": "<", "right": col("終")},
            [True, False, True, None],
        ),
        (
            {
                "fn": "if",
                "condition": {"fn": "compare", "left": col("売上"), "op": ">", "right": const(0)},
                "then": const("黒字"),
                "otherwise": const("その他"),
            },
            ["黒字", "その他", None, "その他"],
        ),
    ],
)
def test_a_part_gives_a_cell_for_each_row(expression: dict[str, Any], expected: object) -> None:
    assert cells(expression) == expected


def test_z_scores_within_groups_equal_plain_pandas() -> None:
    frame = pd.DataFrame({"g": list("aabbb"), "v": [1.0, 3.0, 2.0, 4.0, 9.0]}).astype({"g": "str"})
    data = arrow_file(frame, {"g": "text", "v": "number"})
    tree = {"fn": "zscore", "of": col("v"), "by": "g", "ddof": 0}
    found = done({"op": "derive", "name": "z", "expression": tree}, data)
    grouped = frame.groupby("g")["v"]
    expected = (frame["v"] - grouped.transform("mean")) / grouped.transform("std", ddof=0)
    assert found.column("z") == pytest.approx(expected.tolist())


def test_calculating_with_words_names_the_part() -> None:
    with pytest.raises(InvalidInput) as refused:
        derived({"fn": "add", "left": col("数量"), "right": col("店")})
    assert "店" in refused.value.problem.message


def test_text_that_looks_like_code_is_only_text() -> None:
    assert cells(const("__import__('os').system('id')")) == ["__import__('os').system('id')"] * 4


def test_a_known_name_is_replaced_with_a_caution_and_other_columns_stay() -> None:
    found = done({"op": "derive", "name": "数量", "expression": const(1)}, DATA)
    assert found.column("数量") == [1, 1, 1, 1]
    assert "数量" in found.cautions
    assert found.frame.kinds["売上"] == "currency"
    assert found.frame.units["売上"] == "円"


# ---- text to values ----


def cast(cells: list[str | None], to: str, **more: object) -> Done:
    data = arrow_file(pd.DataFrame({"x": pd.Series(cells, dtype="str")}), {"x": "text"})
    return done({"op": "cast", "column": "x", "to": to, **more}, data)


@pytest.mark.parametrize(
    ("texts", "to", "expected"),
    [
        (["1,234円", "▲5円", "１２３円", None], "number", [1234, -5, 123, None]),
        (["12%", "0.5%"], "number", [0.12, 0.005]),
        (["1億2,000万", "3.5"], "number", [120_000_000, 3.5]),
        (["10", "20"], "integer", [10, 20]),
        (["9:05", "13:30", None], "minutes", [545, 810, None]),
        (
            ["令和7年4月1日", "2025/4/2", "20250403"],
            "date",
            ["2025-04-01", "2025-04-02", "2025-04-03"],
        ),
        (["2025-04-01 9:05"], "datetime", ["2025-04-01 09:05:00"]),
        (["はい", "×", "1"], "boolean", [True, False, True]),
    ],
)
def test_text_is_read_as_offices_write_it(
    texts: list[str | None], to: str, expected: object
) -> None:
    assert cast(texts, to).column("x") == expected


def test_percentages_and_yen_are_known_afterwards() -> None:
    assert cast(["12%"], "number").frame.kinds["x"] == "percent"
    money = cast(["1,000円"], "number").frame
    assert (money.kinds["x"], money.units["x"]) == ("currency", "円")


def test_what_cannot_be_read_is_an_error_with_examples_or_told_as_empty() -> None:
    with pytest.raises(InvalidInput) as refused:
        cast(["1", "不明", "未定", "2"], "number")
    assert "2件" in refused.value.problem.message
    assert "不明" in refused.value.problem.message
    found = cast(["1", "不明", "未定", "2"], "number", unreadable="null", name="数")
    assert found.column("数") == [1, None, None, 2]
    assert found.column("x") == ["1", "不明", "未定", "2"]
    assert "不明" in found.cautions


def test_casting_numbers_to_whole_ones_reports_fractions() -> None:
    data = arrow_file(pd.DataFrame({"x": [1.0, 2.5]}), {"x": "number"})
    with pytest.raises(InvalidInput, match="1件"):
        done({"op": "cast", "column": "x", "to": "integer"}, data)


def test_whole_numbers_beyond_floating_point_stay_exact() -> None:
    data = arrow_file(
        pd.DataFrame({"n": [9007199254740993, -7], "by": [10, 3]}),
        {"n": "integer", "by": "integer"},
    )
    column = {"fn": "column", "name": "n"}
    by = {"fn": "column", "name": "by"}
    for expression, expected in (
        ({"fn": "modulo", "left": column, "right": by}, [3, 2]),
        ({"fn": "abs", "of": column}, [9007199254740993, 7]),
        ({"fn": "negate", "of": column}, [-9007199254740993, 7]),
        ({"fn": "round", "of": column}, [9007199254740993, -7]),
    ):
        made = done({"op": "derive", "name": "z", "expression": expression}, data)
        assert made.column("z") == expected


def test_classes_of_money_are_named_as_people_write_it() -> None:
    data = arrow_file(pd.DataFrame({"v": [5e5, 2.5e6, 9e8]}), {"v": "number"})
    part = {"fn": "bin", "of": {"fn": "column", "name": "v"}}
    given = done(
        {"op": "derive", "name": "z", "expression": {**part, "edges": [0, 1e6, 1e9]}}, data
    )
    assert given.column("z")[:2] == ["1: 0以上1,000,000未満", "2: 1,000,000以上1,000,000,000以下"]
    equal = done({"op": "derive", "name": "z", "expression": {**part, "count": 3}}, data)
    assert not any("e+" in name for name in equal.column("z"))


def test_full_months_are_counted_and_the_convention_is_said() -> None:
    days = pd.DataFrame({"s": ["2024-01-31", "2024-02-29"], "e": ["2024-02-29", "2025-02-28"]})
    frame = days.apply(pd.to_datetime).astype("datetime64[us]")
    data = arrow_file(frame, {"s": "date", "e": "date"})
    part = {
        "fn": "date_difference",
        "start": {"fn": "column", "name": "s"},
        "end": {"fn": "column", "name": "e"},
        "unit": "months",
    }
    made = done({"op": "derive", "name": "z", "expression": part}, data)
    assert made.column("z") == [0, 11]
    assert "満了" in made.conventions
