"""Groups, shares, cross tables and periods: the numbers are those of plain pandas."""

import numpy as np
import pandas as pd
import pytest

from sanbo.kernel.problems import InvalidInput, LimitExceeded
from tests.unit.agents.analysis.execution.performing import (
    arrow_file,
    done,
    sales,
    sales_file,
)

FRAME, KINDS = sales()
DATA = sales_file()
NAMED = FRAME.fillna({"店舗": "（空欄）"})


def test_sums_by_shop_stand_largest_first_with_labels_and_units() -> None:
    spec = {
        "op": "groupby_agg",
        "group_cols": ["店舗"],
        "metrics": {"売上": ["sum"]},
        "sort": {"by": "売上_sum"},
    }
    found = done(spec, DATA)
    expected = NAMED.groupby("店舗")["売上"].sum().sort_values(ascending=False)
    assert found.column("店舗") == expected.index.tolist()
    assert found.column("売上_sum") == expected.tolist()
    assert found.table.title == "店舗別の売上（合計）"
    column = found.table.columns[1]
    assert (column.label, column.kind, column.unit) == ("売上（合計）", "integer", "円")
    assert "売上の空欄" in found.conventions
    english = done(spec, DATA, "en")
    assert english.table.title == "売上 (sum) by 店舗"
    assert english.column("売上_sum") == expected.tolist()
    assert "(blank)" in english.column("店舗")


def test_sorting_by_the_column_itself_means_its_only_aggregate() -> None:
    spec = {"op": "groupby_agg", "group_cols": ["店舗"], "metrics": {"売上": ["mean"]}}
    found = done({**spec, "sort": {"by": "売上", "ascending": True}}, DATA)
    assert found.column("売上_mean") == sorted(found.column("売上_mean"))
    with pytest.raises(InvalidInput) as refused:
        done({**spec, "sort": {"by": "粗利"}}, DATA)
    assert "売上_mean" in refused.value.problem.hint


def test_the_first_groups_are_the_largest_unless_told() -> None:
    spec = {"op": "groupby_agg", "group_cols": ["店舗"], "metrics": {"数量": ["sum"]}, "top_k": 2}
    expected = NAMED.groupby("店舗")["数量"].sum().nlargest(2)
    assert done(spec, DATA).column("数量_sum") == expected.tolist()


def test_a_count_of_no_rows_is_zero_but_an_aggregate_of_none_is_refused() -> None:
    nothing = [{"col": "店舗", "op": "==", "value": "大阪"}]
    found = done({"op": "groupby_agg", "filters": nothing}, DATA)
    assert found.column("count") == [0]
    assert found.outcome.used_rows == 0
    with pytest.raises(InvalidInput) as refused:
        done({"op": "groupby_agg", "metrics": {"売上": ["sum"]}, "filters": nothing}, DATA)
    assert "店舗が大阪" in refused.value.problem.message


def test_more_groups_than_are_shown_are_all_in_the_table() -> None:
    keys = pd.Series((np.arange(150_000) % 110_000).astype(str), dtype="str")
    data = arrow_file(pd.DataFrame({"品番": keys}), {"品番": "text"})
    found = done({"op": "groupby_agg", "group_cols": ["品番"]}, data)
    assert len(found.table.rows) == 200
    assert found.table.row_count == 110_000
    assert found.frame.rows == 110_000


def test_values_that_differ_in_width_only_are_told() -> None:
    frame = pd.DataFrame({"店": pd.Series(["ABC", "ＡＢＣ"], dtype="str")})
    found = done({"op": "groupby_agg", "group_cols": ["店"]}, arrow_file(frame, {"店": "text"}))
    assert "ＡＢＣ" in found.cautions


# ---- shares ----


def test_shares_add_up_and_are_classed() -> None:
    frame = pd.DataFrame({"g": list("abcd"), "v": [70, 20, 6, 4]}).astype({"g": "str"})
    data = arrow_file(frame, {"g": "text", "v": "integer"})
    found = done({"op": "share_ratio", "group_col": "g", "value_col": "v"}, data)
    assert found.column("share") == pytest.approx([0.7, 0.2, 0.06, 0.04])
    assert found.column("cumulative_share") == pytest.approx([0.7, 0.9, 0.96, 1.0])
    assert found.column("class") == ["A", "B", "C", "C"]


def test_one_dominant_group_is_an_a() -> None:
    frame = pd.DataFrame({"g": ["a", "b"], "v": [98, 2]}).astype({"g": "str"})
    data = arrow_file(frame, {"g": "text", "v": "integer"})
    found = done({"op": "share_ratio", "group_col": "g", "value_col": "v"}, data)
    assert found.column("class") == ["A", "C"]


def test_the_rest_becomes_one_row() -> None:
    found = done({"op": "share_ratio", "group_col": "店舗", "value_col": "売上", "top_k": 2}, DATA)
    sums = NAMED.groupby("店舗")["売上"].sum().sort_values(ascending=False)
    assert found.column("店舗") == [*sums.index[:2], "その他"]
    assert found.column("売上_sum") == [*sums.iloc[:2], sums.iloc[2:].sum()]
    assert sum(found.column("share")) == pytest.approx(1)


def test_the_rest_of_numbers_is_named_too() -> None:
    frame = pd.DataFrame({"年": [2023, 2023, 2024, 2025]})
    data = arrow_file(frame, {"年": "integer"})
    found = done({"op": "share_ratio", "group_col": "年", "top_k": 1}, data)
    assert found.column("年") == ["2023", "その他"]


def test_shares_within_groups_add_up_in_each() -> None:
    found = done({"op": "share_ratio", "group_col": "カテゴリ", "within": "店舗"}, DATA)
    frame = found.frame.pandas()
    assert frame.groupby("店舗")["share"].sum().to_numpy() == pytest.approx(np.ones(5))
    counts = NAMED.groupby(["店舗", "カテゴリ"]).size()
    for shop, category, count in zip(frame["店舗"], frame["カテゴリ"], frame["count"], strict=True):
        assert counts[shop, category] == count


def test_shares_of_negatives_are_cautioned_and_of_zero_are_none() -> None:
    frame = pd.DataFrame({"g": ["a", "b"], "v": [5, -5], "w": [5, -1]}).astype({"g": "str"})
    data = arrow_file(frame, {"g": "text", "v": "integer", "w": "integer"})
    none = done({"op": "share_ratio", "group_col": "g", "value_col": "v"}, data)
    assert none.column("share") == [None, None]
    assert "合計が0" in none.cautions
    negative = done({"op": "share_ratio", "group_col": "g", "value_col": "w"}, data)
    assert negative.column("share") == [1.25, -0.25]
    assert negative.column("class") == [None, None]
    assert "負の値" in negative.cautions


# ---- cross tables ----


def test_a_cross_table_equals_plain_pandas_with_its_totals() -> None:
    spec = {"op": "pivot", "rows": ["店舗"], "columns": "カテゴリ", "value": "売上", "totals": True}
    found = done(spec, DATA)
    expected = NAMED.pivot_table(
        index="店舗", columns="カテゴリ", values="売上", aggfunc="sum", margins=True
    )
    for place, shop in enumerate(found.column("店舗")):
        key = "All" if shop == "合計" else shop
        for category in ("家電", "食品", "衣料品"):
            assert found.column(category)[place] == expected.loc[key, category]
        assert found.column("合計")[place] == expected.loc[key, "All"]
    assert found.column("店舗")[-2:] == ["（空欄）", "合計"]


def test_the_overall_mean_is_not_the_mean_of_means() -> None:
    spec = {"op": "pivot", "rows": ["店舗"], "columns": "カテゴリ", "value": "売上", "agg": "mean"}
    found = done({**spec, "totals": True}, DATA)
    assert found.column("全体")[-1] == pytest.approx(float(FRAME["売上"].mean()))


def test_shares_of_rows_add_up_to_one() -> None:
    spec = {"op": "pivot", "rows": ["店舗"], "columns": "カテゴリ", "share": "row"}
    found = done(spec, DATA)
    for row in found.table.rows:
        assert sum(float(cell or 0) for cell in row[1:]) == pytest.approx(1)
    assert {column.kind for column in found.table.columns[1:]} == {"share"}


def test_periods_stand_in_order_in_a_cross_table() -> None:
    spec = {
        "op": "pivot",
        "rows": ["日付"],
        "columns": "日付",
        "row_unit": "fiscal_year",
        "column_unit": "weekday",
    }
    found = done(spec, DATA)
    assert found.column("日付") == ["2023年度", "2024年度", "2025年度"]
    names = [column.label for column in found.table.columns[1:]]
    assert names == [f"{day}曜日" for day in "月火水木金土日"]
    cells = [cell for row in found.table.rows for cell in row[1:]]
    assert np.sum(np.array(cells, dtype="int64")) == len(FRAME)


def test_too_many_columns_are_refused() -> None:
    frame = pd.DataFrame({"a": ["x"] * 300, "b": [str(n) for n in range(300)]}, dtype="str")
    data = arrow_file(frame, {"a": "text", "b": "text"})
    with pytest.raises(LimitExceeded):
        done({"op": "pivot", "rows": ["a"], "columns": "b"}, data)


def test_a_value_named_like_the_row_column_does_not_replace_it() -> None:
    frame = pd.DataFrame({"店": ["a", "b"], "区": ["店", "合計"]}, dtype="str")
    data = arrow_file(frame, {"店": "text", "区": "text"})
    found = done({"op": "pivot", "rows": ["店"], "columns": "区", "totals": True}, data)
    names = [column.name for column in found.table.columns]
    assert len(set(names)) == 4
    assert found.column("店") == ["a", "b", "合計"]


# ---- by time ----


def test_sums_by_month_equal_plain_pandas() -> None:
    spec = {"op": "resample", "date_col": "日付", "unit": "month", "metrics": {"売上": ["sum"]}}
    expected = FRAME.groupby(FRAME["日付"].dt.strftime("%Y-%m"))["売上"].sum()
    found = done(spec, DATA)
    assert found.column("日付") == expected.index.tolist()
    assert found.column("売上_sum") == expected.tolist()
    assert found.table.title == "月別の売上（合計）"


def test_gaps_are_zero_for_sums_and_empty_for_means() -> None:
    frame = pd.DataFrame(
        {"日": pd.to_datetime(["2025-01-05", "2025-04-01", "NaT"]), "v": [1, 2, 3]}
    ).astype({"日": "datetime64[us]"})
    data = arrow_file(frame, {"日": "date", "v": "integer"})
    spec = {"op": "resample", "date_col": "日", "unit": "month", "metrics": {"v": ["sum", "mean"]}}
    found = done({**spec, "fill_gaps": True}, data)
    assert found.column("日") == ["2025-01", "2025-02", "2025-03", "2025-04"]
    assert found.column("v_sum") == [1, 0, 0, 2]
    assert found.column("v_mean") == [1, None, None, 2]
    assert "日の空欄1件" in found.conventions


def test_weekdays_stand_from_monday_and_can_be_reversed() -> None:
    spec = {"op": "resample", "date_col": "日付", "unit": "weekday"}
    assert done(spec, DATA).column("日付")[0] == "月曜日"
    backwards = done({**spec, "sort": {"by": "日付", "ascending": False}}, DATA)
    assert backwards.column("日付")[0] == "日曜日"
    counts = FRAME["日付"].dt.day_of_week.value_counts().sort_index()
    assert done(spec, DATA, "en").column("count") == counts.tolist()


def test_words_have_no_months() -> None:
    with pytest.raises(InvalidInput) as refused:
        done({"op": "resample", "date_col": "店舗", "unit": "month"}, DATA)
    assert "店舗" in refused.value.problem.message
    assert "cast" in refused.value.problem.hint


def test_a_result_of_a_result_keeps_natural_names() -> None:
    spec = {"op": "resample", "date_col": "日付", "unit": "month", "metrics": {"売上": ["sum"]}}
    monthly = done(spec, DATA)
    mean = {"op": "groupby_agg", "metrics": {"売上_sum": ["mean"]}}
    found = done(mean, monthly.output)
    assert found.table.title == "売上（合計）の平均"
    assert found.table.columns[0].name == "売上_sum_mean"
    assert done(mean, done(spec, DATA, "en").output, "en").table.title == "mean of 売上 (sum)"


def test_a_cell_that_says_blank_is_one_group_with_missing_cells_in_a_cross_table() -> None:
    frame = pd.DataFrame(
        {"g": pd.Series(["a", None, "（空欄）"], dtype="str"), "h": ["p", "p", "p"], "v": [1, 2, 4]}
    )
    data = arrow_file(frame, {"g": "text", "h": "text", "v": "integer"})
    made = done({"op": "pivot", "rows": ["h"], "columns": "g", "value": "v"}, data)
    assert made.row() == {"h": "p", "a": 1, "（空欄）": 6}


def test_those_alike_the_last_of_a_ranking_are_shown_and_a_sum_of_nothing_is_said() -> None:
    frame = pd.DataFrame({"g": ["a", "b", "c", "d"], "v": [5, 5, 5, np.nan]})
    data = arrow_file(frame, {"g": "text", "v": "number"})
    made = done(
        {"op": "groupby_agg", "group_cols": ["g"], "metrics": {"v": ["sum"]}, "top_k": 2}, data
    )
    assert made.column("g") == ["a", "b", "c"]
    assert "同じ値のものも含めて、3件" in made.conventions
    assert "1グループでは、合計を0" in made.cautions


def test_many_alike_at_the_cut_of_a_ranking_are_not_shown_but_told() -> None:
    frame = pd.DataFrame({"g": [f"g{n}" for n in range(40)], "v": [9, *[5] * 39]})
    data = arrow_file(frame, {"g": "text", "v": "integer"})
    made = done(
        {"op": "groupby_agg", "group_cols": ["g"], "metrics": {"v": ["sum"]}, "top_k": 2}, data
    )
    assert len(made.column("g")) == 2
    assert "同じ値" in made.cautions


@pytest.mark.parametrize(
    ("column", "title"),
    [("性別", "性別ごとの人数（合計）"), ("部署", "部署別の人数（合計）")],
)
def test_a_column_that_ends_in_betsu_is_not_doubled_in_a_title(column: str, title: str) -> None:
    frame = pd.DataFrame({column: pd.Series(["甲", "乙"], dtype="str"), "人数": [1, 2]})
    data = arrow_file(frame, {column: "text", "人数": "integer"})
    found = done({"op": "groupby_agg", "group_cols": [column], "metrics": {"人数": ["sum"]}}, data)
    assert found.table.title == title
