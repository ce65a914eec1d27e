"""Looking at tables, taking rows in order, and explicit steps that change them."""

import numpy as np
import pandas as pd
import pytest

from sanbo.kernel.problems import InvalidInput
from tests.unit.agents.analysis.execution.performing import (
    arrow_file,
    done,
    file_of,
    sales,
    sales_file,
)

FRAME, _ = sales()
DATA = sales_file()


def test_an_overview_counts_rows_columns_gaps_and_duplicates() -> None:
    found = done({"op": "dataset_overview"}, DATA)
    missing = int(FRAME.isna().sum().sum())
    assert found.column("value") == [400, 7, missing, int(FRAME.duplicated().sum())]
    assert found.column("column", table=1) == list(FRAME.columns)
    assert found.column("missing", table=1) == FRAME.isna().sum().tolist()
    assert found.column("distinct", table=1) == FRAME.nunique().tolist()


def test_an_empty_table_has_an_overview() -> None:
    data = arrow_file(pd.DataFrame({"a": pd.Series([], dtype="float64")}), {"a": "empty"})
    assert done({"op": "dataset_overview"}, data).column("value")[:2] == [0, 1]
    with pytest.raises(InvalidInput):
        done({"op": "groupby_agg", "group_cols": ["a"]}, data)


def test_missing_cells_are_counted_most_first() -> None:
    found = done({"op": "missingness"}, DATA)
    expected = FRAME.isna().sum().sort_values(ascending=False, kind="stable")
    assert found.column("missing") == expected.tolist()
    assert found.column("missing_share") == pytest.approx((expected / 400).tolist())


def test_a_summary_of_numbers_equals_describe_and_words_are_counted() -> None:
    found = done({"op": "column_summary", "columns": ["売上", "店舗"]}, DATA)
    described = FRAME["売上"].describe()
    row = found.row()
    for ours, theirs in {"mean": "mean", "std": "std", "q25": "25%", "median": "50%"}.items():
        assert row[ours] == pytest.approx(described[theirs])
    assert row["sum"] == FRAME["売上"].sum()
    counts = FRAME["店舗"].value_counts()
    assert found.column("count", table=1) == counts.tolist()


def test_an_all_missing_column_is_summarised_without_numbers() -> None:
    data = arrow_file(pd.DataFrame({"v": pd.array([None] * 3, dtype="Int64")}), {"v": "integer"})
    row = done({"op": "column_summary"}, data).row()
    assert (row["count"], row["missing"], row["mean"], row["max"]) == (0, 3, None, None)


def test_duplicates_are_counted_with_examples() -> None:
    frame = pd.DataFrame({"a": ["x", "x", "y", None, None, None]}, dtype="str")
    found = done({"op": "duplicate_check"}, arrow_file(frame, {"a": "text"}))
    assert found.column("value") == [6, 2, 5, 3]
    assert found.column("rows", table=1) == [3, 2]
    assert found.column("a", table=1) == [None, "x"]


def test_the_first_rows_keep_ties_in_order_and_say_when_more_are_alike() -> None:
    frame = pd.DataFrame({"n": list("abcd"), "v": [1, 3, 3, None]}).astype(
        {"n": "str", "v": "Int64"}
    )
    data = arrow_file(frame, {"n": "text", "v": "integer"})
    found = done({"op": "top_rows", "by": ["v"], "n": 1}, data)
    assert found.column("n") == ["b", "c"], "both are the highest"
    assert "同じ値のものも含めて、2件" in found.conventions
    same = pd.DataFrame({"n": list("abcd"), "v": [3, 3, 3, 1]}).astype({"n": "str"})
    table = arrow_file(same, {"n": "text", "v": "integer"})
    two = done({"op": "top_rows", "by": ["v"], "n": 2}, table)
    assert two.column("n") == ["a", "b"], "two rows are two"
    assert "同じ値" in two.cautions
    everything = done({"op": "top_rows", "by": ["v"], "n": 9, "columns": ["n"]}, data)
    assert everything.column("n") == ["b", "c", "a", "d"]
    assert [column.name for column in everything.table.columns] == ["n"]


def test_running_totals_by_group_equal_plain_pandas() -> None:
    spec = {"op": "cumulative", "column": "売上", "order_by": "日付", "by": ["店舗"]}
    found = done(spec, DATA).frame.pandas()
    expected = FRAME.groupby("店舗", dropna=False)["売上"].cumsum()
    pd.testing.assert_series_equal(found["売上_cumulative"], expected, check_names=False)
    share = done({**spec, "kind": "share", "by": [], "name": "率"}, DATA).frame.pandas()
    last = share["率"].dropna().iloc[-1]
    assert last == pytest.approx(1)


def test_changes_from_row_to_row_have_no_rate_after_zero() -> None:
    frame = pd.DataFrame({"v": [10, 0, 5, 15], "t": [4, 3, 2, 1]})
    data = arrow_file(frame, {"v": "integer", "t": "integer"})
    found = done({"op": "lag", "column": "v", "order_by": "t"}, data)
    assert found.column("v") == [15, 5, 0, 10]
    assert found.column("v_previous") == [None, 15, 5, 0]
    assert found.column("v_difference") == [None, -10, -5, 10]
    assert found.column("v_rate") == [None, pytest.approx(-2 / 3), -1.0, None]
    assert "前の値が0の1件" in found.cautions


def test_gaps_are_filled_with_the_median_and_told() -> None:
    found = done({"op": "impute", "columns": ["利益率"], "method": "median"}, DATA)
    made = found.frame.pandas(["利益率"])["利益率"]
    expected = FRAME["利益率"].fillna(FRAME["利益率"].median())
    pd.testing.assert_series_equal(made, expected)
    assert f"{int(FRAME['利益率'].isna().sum())}件" in found.conventions
    assert found.frame.kinds["利益率"] == "percent"


def test_a_constant_is_read_as_what_the_column_holds() -> None:
    filling = {"op": "impute", "columns": ["売上"], "method": "constant"}
    found = done({**filling, "value": "1万円"}, DATA)
    assert found.frame.pandas()["売上"].tolist() == FRAME["売上"].fillna(10_000).tolist()
    with pytest.raises(InvalidInput):
        done({**filling, "value": "なし"}, DATA)


def test_rows_with_gaps_are_taken_out_and_forward_filling_says_what_is_left() -> None:
    dropped = done({"op": "impute", "columns": ["売上"], "method": "drop_rows"}, DATA)
    assert dropped.frame.rows == int(FRAME["売上"].notna().sum())
    frame = pd.DataFrame({"v": pd.Series([None, "a", None], dtype="str")})
    data = arrow_file(frame, {"v": "text"})
    filled = done({"op": "impute", "columns": ["v"], "method": "forward"}, data)
    assert filled.column("v") == [None, "a", "a"]
    assert "空欄のまま" in filled.cautions


@pytest.mark.parametrize("keep", ["first", "last"])
def test_repeated_rows_are_taken_out(keep: str) -> None:
    found = done({"op": "dedup", "columns": ["店舗"], "keep": keep}, DATA)
    # pyrefly: ignore[no-matching-overload]
    expected = FRAME.drop_duplicates("店舗", keep=keep)
    assert found.frame.pandas()["数量"].tolist() == expected["数量"].tolist()


def test_filters_hold_for_steps_too() -> None:
    only = [{"col": "店舗", "op": "==", "value": "新宿店"}]
    tree = {"fn": "column", "name": "数量"}
    found = done({"op": "derive", "name": "n", "expression": tree, "filters": only}, DATA)
    assert found.frame.rows == int((FRAME["店舗"] == "新宿店").sum())
    assert found.column("n") == found.column("数量")


def test_a_result_is_the_input_of_the_next_spec() -> None:
    spec = {"op": "resample", "date_col": "日付", "unit": "month", "metrics": {"売上": ["sum"]}}
    monthly = done(spec, DATA)
    change = done({"op": "lag", "column": "売上_sum"}, monthly.output)
    sums = FRAME.groupby(FRAME["日付"].dt.strftime("%Y-%m"))["売上"].sum().astype("float64")
    assert change.column("売上_sum_rate")[1:] == pytest.approx(sums.pct_change().tolist()[1:])
    assert change.table.columns[1].unit == "円"


def test_a_derived_column_can_be_used_by_the_next_spec() -> None:
    frame = pd.DataFrame({"a": np.arange(1000.0), "b": ["x"] * 1000}).astype({"b": "str"})
    data = arrow_file(frame, {"a": "number", "b": "text"})
    table = done({"op": "derive", "name": "c", "expression": {"fn": "constant", "value": 1}}, data)
    assert done({"op": "groupby_agg", "group_cols": ["b"]}, file_of(table.frame.table)).column(
        "count"
    ) == [1000]
