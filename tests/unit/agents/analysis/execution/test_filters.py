"""Which rows conditions leave: missing cells, dates, numbers as people write them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from sanbo.agents.analysis.execution.filters import keep_rows, keep_some_rows
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.filters import Filters
from sanbo.kernel.problems import InvalidInput

FRAME = pd.DataFrame(
    {
        "店": pd.Series(["新宿店", "渋谷店", None, "ＡＢＣ店", "新宿店"], dtype="str"),
        "額": pd.array([1_000_000, 999_999, 50, None, -3], dtype="Int64"),
        "率": [0.5, 0.25, np.nan, 0.1, 0.9],
        "日": pd.Series(
            pd.to_datetime(
                ["2025-03-31", "2025-04-01 13:30", "2025-04-30", "NaT", "2026-04-01"],
                format="ISO8601",
            )
        ).astype("datetime64[us]"),
        "済": pd.array([True, False, None, True, False], dtype="boolean"),
        "時": pd.Series(["09:05", "13:00", "23:59", None, "0:30"], dtype="str"),
        "空": [np.nan] * 5,
    }
)
KINDS: dict[str, ValueType] = {
    "店": "text",
    "額": "currency",
    "率": "percent",
    "日": "datetime",
    "済": "boolean",
    "時": "time",
    "空": "empty",
}


def left(*filters: dict[str, Any]) -> list[int]:
    read = TypeAdapter[Filters](Filters).validate_python(list(filters))
    return keep_rows(FRAME, KINDS, read).index.tolist()


def where(col: str, op: str, value: Any = None) -> dict[str, Any]:
    return {"col": col, "op": op} | ({} if value is None else {"value": value})


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (where("額", ">=", "100万円"), [0]),
        (where("額", ">=", 999_999), [0, 1]),
        (where("額", "<", "▲1"), [4]),
        (where("額", "!=", 50), [0, 1, 4]),
        (where("額", "in", ["50", "1,000,000"]), [0, 2]),
        (where("額", ">", 10**30), []),
        (where("率", "<=", "25%"), [1, 3]),
        (where("店", "==", "新宿店"), [0, 4]),
        (where("店", "==", "abc店"), [3]),
        (where("店", "!=", "新宿店"), [1, 3]),
        (where("店", "contains", "店"), [0, 1, 3, 4]),
        (where("店", "contains", "."), []),
        (where("店", "is_null"), [2]),
        (where("額", "not_null"), [0, 1, 2, 4]),
        (where("日", "==", "2025-04"), [1, 2]),
        (where("日", "==", "2025/4/1"), [1]),
        (where("日", "!=", "2025年4月"), [0, 4]),
        (where("日", "==", "令和7年"), [0, 1, 2]),
        (where("日", "==", 2025), [0, 1, 2]),
        (where("日", "==", "2025年度"), [1, 2]),
        (where("日", "in", ["FY2024", "2026-04-01"]), [0, 4]),
        (where("日", ">", "2025-04"), [4]),
        (where("日", ">=", "2025-04"), [1, 2, 4]),
        (where("日", "<", "2025-04"), [0]),
        (where("日", "<=", "2025-04-01"), [0, 1]),
        (where("日", ">", "2025-04-01 13:30"), [2, 4]),
        (where("済", "==", True), [0, 3]),
        (where("済", "==", "はい"), [0, 3]),
        (where("済", "!=", True), [1, 4]),
        (where("時", ">=", "13:00"), [1, 2]),
        (where("時", "<", "9:05"), [4]),
        (where("空", "==", "x"), []),
    ],
)
def test_a_condition_leaves_the_rows_that_meet_it(
    condition: dict[str, Any], expected: list[int]
) -> None:
    assert left(condition) == expected


def test_all_conditions_hold_and_one_of_the_alternatives() -> None:
    either = {"any_of": [where("店", "==", "渋谷店"), where("額", "<", 0)]}
    assert left(either) == [1, 4]
    assert left(either, where("日", "<", "2026")) == [1]


@pytest.mark.parametrize(
    ("condition", "column", "value"),
    [
        (where("額", ">", "たくさん"), "額", "たくさん"),
        (where("日", ">=", "そのうち"), "日", "そのうち"),
        (where("日", "==", "2025-13"), "日", "2025-13"),
        (where("済", "==", "たぶん"), "済", "たぶん"),
        (where("時", "==", "25:99"), "時", "25:99"),
        (where("額", "==", True), "額", "True"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_with_its_column(
    condition: dict[str, Any], column: str, value: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        left(condition)
    assert column in refused.value.problem.message
    assert value in refused.value.problem.message
    assert refused.value.problem.recoverable


def test_words_are_not_ordered_against_a_number() -> None:
    with pytest.raises(InvalidInput) as refused:
        left(where("店", ">", 3))
    assert "cast" in refused.value.problem.hint


def test_a_condition_that_leaves_nothing_is_named_with_the_nearest_values() -> None:
    read = TypeAdapter[Filters](Filters).validate_python(
        [where("額", ">", 0), where("店", "==", "新宿")]
    )
    with pytest.raises(InvalidInput) as refused:
        keep_some_rows(FRAME, KINDS, read)
    assert "店が新宿" in refused.value.problem.message
    assert "新宿店" in refused.value.problem.hint


def test_conditions_that_only_together_leave_no_row_are_named_together() -> None:
    read = TypeAdapter[Filters](Filters).validate_python(
        [where("率", ">", 0), where("店", "==", "渋谷店"), where("額", "<", 0)]
    )
    with pytest.raises(InvalidInput) as refused:
        keep_some_rows(FRAME, KINDS, read)
    assert "店が渋谷店（これだけなら1行）" in refused.value.problem.message
    assert "額が0未満（これだけなら1行）" in refused.value.problem.message
    assert "率" not in refused.value.problem.message


def test_outliers_are_judged_among_the_rows_that_other_conditions_leave() -> None:
    frame = pd.DataFrame({"g": ["a"] * 6 + ["b"] * 6, "v": [1, 2, 3, 2, 1, 50, *range(1000, 1006)]})
    frame["g"] = frame["g"].astype("str")
    kinds: dict[str, ValueType] = {"g": "text", "v": "integer"}
    here, far = where("g", "==", "a"), {"col": "v", "op": "is_outlier"}
    for order in ([here, far], [far, here]):
        read = TypeAdapter[Filters](Filters).validate_python(order)
        assert keep_rows(frame, kinds, read)["v"].tolist() == [50]
    by = TypeAdapter[Filters](Filters).validate_python([{**far, "by": "g"}])
    assert keep_rows(frame, kinds, by)["v"].tolist() == [50]
    usual = TypeAdapter[Filters](Filters).validate_python([{**far, "op": "not_outlier", "by": "g"}])
    assert len(keep_rows(frame, kinds, usual)) == 11


@given(
    st.lists(st.one_of(st.none(), st.integers(-(2**62), 2**62)), min_size=1, max_size=30),
    st.integers(-(2**62), 2**62),
    st.sampled_from(["==", "!=", ">", ">=", "<", "<="]),
)
def test_a_comparison_and_its_opposite_share_the_present_cells(
    cells: list[int | None], value: int, op: str
) -> None:
    opposite = {"==": "!=", "!=": "==", ">": "<=", "<=": ">", "<": ">=", ">=": "<"}[op]
    frame = pd.DataFrame({"v": pd.array(cells, dtype="Int64")})
    kinds: dict[str, ValueType] = {"v": "integer"}
    both = 0
    for one in (op, opposite):
        condition = [{"col": "v", "op": one, "value": value}]
        read = TypeAdapter[Filters](Filters).validate_python(condition)
        both += len(keep_rows(frame, kinds, read))
    assert both == sum(cell is not None for cell in cells)
