"""What analysts chain: top of each group, periods, windows, cohorts; against plain pandas."""

from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sanbo.kernel.problems import InvalidInput
from tests.examples import examples
from tests.unit.agents.analysis.execution.performing import (
    Done,
    arrow_file,
    done,
    sales,
    sales_file,
)

FILE = sales_file()
ROWS = sales()[0]


def month(values: pd.Series) -> pd.Series:
    return values.dt.strftime("%Y-%m")


# ---- the first of each group ----


@pytest.mark.parametrize("n", [1, 3])
def test_the_first_rows_of_each_group_are_those_of_pandas(n: int) -> None:
    spec = {"op": "top_rows", "by": ["売上"], "n": n, "per": "店舗", "columns": ["店舗", "売上"]}
    made = done(spec, FILE).frame.pandas()
    for shop, part in ROWS.groupby("店舗"):
        expected = part["売上"].sort_values(ascending=False, na_position="last").head(n)
        assert made[made["店舗"] == shop]["売上"].tolist() == expected.tolist()
    assert made["店舗"].dropna().is_monotonic_increasing


def test_the_best_of_each_group_of_an_earlier_result_and_its_ties_are_told() -> None:
    totals = done(
        {"op": "groupby_agg", "group_cols": ["店舗", "カテゴリ"], "metrics": {"数量": ["sum"]}},
        FILE,
    )
    best = done({"op": "top_rows", "by": ["数量_sum"], "n": 1, "per": "店舗"}, totals.output)
    expected = ROWS.fillna({"店舗": "（空欄）"}).groupby(["店舗", "カテゴリ"])["数量"].sum()
    assert dict(zip(best.column("店舗"), best.column("数量_sum"), strict=True)) == dict(
        expected.groupby("店舗").max()
    )
    tied = pd.DataFrame({"g": ["a", "a", "b", "b"], "v": [1, 1, 2, 3]}).astype({"g": "str"})
    data = arrow_file(tied, {"g": "text", "v": "integer"})
    told = done({"op": "top_rows", "by": ["v"], "n": 1, "per": "g"}, data).cautions
    assert told.endswith("：a")


# ---- periods beside each other ----


def compared(**fields: object) -> Done:
    spec = {"op": "compare_periods", "date_col": "日付", "unit": "month", **fields}
    return done(spec, FILE)


@pytest.mark.parametrize(
    ("against", "before"), [("previous", "2025-03"), ("year_before", "2024-04")]
)
@pytest.mark.parametrize(("column", "agg"), [("売上", "sum"), ("売上", "mean"), (None, "sum")])
def test_a_period_is_set_beside_the_other_in_each_group(
    against: str, before: str, column: str | None, agg: str
) -> None:
    made = compared(by=["店舗"], column=column, agg=agg, against=against, period="2025年4月")
    named = ROWS.fillna({"店舗": "（空欄）"})
    for row in range(made.table.row_count):
        got = made.row(row)
        shop = named[named["店舗"] == got["店舗"]]
        figures = [shop[month(shop["日付"]) == one] for one in (before, "2025-04")]
        old, new = (
            len(part) if column is None else getattr(part[column], agg)() for part in figures
        )
        assert (got["before"], got["now"]) == pytest.approx((float(old), float(new)))
        assert got["difference"] == pytest.approx(float(new) - float(old))
        assert got["rate"] == pytest.approx(float(new) / float(old) - 1)
    assert before in made.conventions


def test_only_those_that_decreased_stand_there_the_largest_loss_first() -> None:
    every = compared(by=["店舗"], column="売上", period="2025-04")
    made = compared(by=["店舗"], column="売上", period="2025-04", only="decreased")
    losses = sorted(change for change in every.column("difference") if change < 0)
    assert made.column("difference") == losses
    assert 0 < len(losses) < every.table.row_count
    first = compared(by=["店舗"], column="売上", period="2025-04", sort="rate_desc", top_k=1)
    assert first.column("rate") == [max(every.column("rate"))]


def test_the_latest_period_is_said_to_be_incomplete_where_it_is() -> None:
    last = ROWS["日付"].max()
    assert last.day < 20
    assert f"{last:%Y-%m-%d}まで" in compared(column="売上").cautions
    assert (
        "途中"
        not in compared(column="売上", period=f"{last - pd.DateOffset(months=1):%Y-%m}").cautions
    )
    for day in ("MS", "ME"):  # months named by their first or last day are whole
        days = pd.date_range("2024-01-01", periods=14, freq=day, unit="us")
        data = arrow_file(pd.DataFrame({"d": days}), {"d": "date"})
        spec = {"op": "compare_periods", "date_col": "d", "unit": "month"}
        assert done(spec, data).cautions == ""


def test_a_group_in_one_period_only_counts_as_zero_and_a_period_without_rows_is_refused() -> None:
    days = pd.to_datetime(["2025-03-01", "2025-04-01", "2025-04-02"]).astype("datetime64[us]")
    frame = pd.DataFrame({"d": days, "before": ["a", "a", "b"], "v": [5, 7, 9]})
    data = arrow_file(
        frame.astype({"before": "str"}), {"d": "date", "before": "text", "v": "integer"}
    )
    spec = {"op": "compare_periods", "date_col": "d", "unit": "month", "column": "v"}
    made = done({**spec, "by": ["before"]}, data)
    names = [column.name for column in made.table.columns]
    assert names == ["before", "before_2", "now", "difference", "rate"]
    assert made.table.rows == (("a", 5, 7, 2, pytest.approx(0.4)), ("b", 0, 9, 9, None))
    assert "1グループ" in made.cautions
    for wrong in ({"against": "year_before"}, {"period": "2025-03"}, {"period": "2025"}):
        with pytest.raises(InvalidInput):
            done({**spec, **wrong}, data)


@settings(max_examples=examples(40))
@given(st.integers(0, 800), st.sampled_from(["day", "week", "month", "quarter", "half", "year"]))
def test_the_two_periods_lie_side_by_side_in_the_calendar(days: int, unit: str) -> None:
    start = date(2023, 1, 1)
    moments = pd.Series([start + timedelta(days=number) for number in range(days + 800)])
    frame = pd.DataFrame({"d": moments.astype("datetime64[us]")})
    made = done(
        {"op": "compare_periods", "date_col": "d", "unit": unit}, arrow_file(frame, {"d": "date"})
    )
    code = {"day": "D", "week": "W", "month": "M", "quarter": "Q", "half": "", "year": "Y"}[unit]
    if not code:
        return
    counts = frame["d"].dt.to_period(code).value_counts()
    latest = counts.index.max()
    assert (made.row()["before"], made.row()["now"]) == (counts[latest - 1], counts[latest])


# ---- windows, scales, cohorts ----


@pytest.mark.parametrize("agg", ["mean", "sum", "min", "max", "std", "median"])
def test_a_window_moves_along_the_order_within_each_group(agg: str) -> None:
    spec = {"op": "rolling", "column": "数量", "window": 4, "agg": agg, "order_by": "日付"}
    made = done({**spec, "by": ["店舗"]}, FILE).frame.pandas()
    expected = (
        ROWS.groupby("店舗", dropna=False)["数量"]
        .rolling(4)
        .agg(agg)
        .droplevel(0)
        .sort_index()
        .to_numpy()
    )
    found = made.sort_values("日付", kind="stable")[f"数量_{agg}_4"].astype("float64").to_numpy()
    assert found == pytest.approx(expected, nan_ok=True)


def test_sums_in_a_window_are_exact() -> None:
    frame = pd.DataFrame({"v": [1e9, 0.1, 0.2, 0.3, -0.6]})
    made = done(
        {"op": "rolling", "column": "v", "window": 2, "agg": "sum"},
        arrow_file(frame, {"v": "number"}),
    )
    assert made.column("v_sum_2") == [None, 1000000000.1, 0.3, 0.5, -0.3]


@pytest.mark.parametrize("by", [None, "店舗"])
def test_columns_are_normalized_as_by_hand(by: str | None) -> None:
    values = ROWS["売上"].astype("float64")
    keys = ROWS["店舗"].fillna("–") if by else pd.Series(0, index=ROWS.index)
    grouped = values.groupby(keys)
    mean, least, most = (grouped.transform(name) for name in ("mean", "min", "max"))
    spread = grouped.transform(lambda part: part.std(ddof=0))
    expected = {
        "zscore": (values - mean) / spread,
        "minmax": (values - least) / (most - least),
        "share": values / grouped.transform("sum"),
    }
    for method, numbers in expected.items():
        spec = {
            "op": "normalize",
            "columns": ["売上", "数量"],
            "method": method,
            "by": by,
            "ddof": 0,
        }
        made = done(spec, FILE)
        found = made.frame.pandas()[f"売上_{method}"].astype("float64")
        assert found.to_numpy() == pytest.approx(numbers.to_numpy(), nan_ok=True)
        assert f"数量_{method}" in made.conventions


@settings(max_examples=examples(30))
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.integers(0, 200), st.integers(-5, 50)),
        min_size=1,
        max_size=40,
    ),
    st.booleans(),
    st.booleans(),
)
def test_cohorts_count_who_came_again(
    visits: list[tuple[str, int, int]], sums: bool, share: bool
) -> None:
    start = date(2025, 1, 1)
    frame = pd.DataFrame(visits, columns=["id", "day", "v"])
    frame["d"] = pd.Series([start + timedelta(days=day) for day in frame["day"]]).astype(
        "datetime64[us]"
    )
    frame = frame[["id", "d", "v"]].astype({"id": "str"})
    data = arrow_file(frame, {"id": "text", "d": "date", "v": "integer"})
    spec: dict[str, Any] = {"op": "cohort", "id_col": "id", "date_col": "d", "as_share": share}
    made = done({**spec, "value_col": "v" if sums else None}, data)
    months = frame["d"].dt.year * 12 + frame["d"].dt.month
    first = months.groupby(frame["id"]).transform("min")
    latest = int(months.max())
    for row, begun in enumerate(sorted(first.unique())):
        cells = list(made.row(row).values())[1:]
        own = frame[first == begun].assign(since=(months - first)[first == begun])
        figures = [
            int(part["v"].sum()) if sums else part["id"].nunique()
            for since in range(len(cells))
            for part in [own[own["since"] == since]]
        ]
        for since, cell in enumerate(cells):
            if begun + since > latest or (share and figures[0] == 0):
                assert cell is None
            else:
                assert cell == pytest.approx(figures[since] / (figures[0] if share else 1))


# ---- conditions ----


SHOP, KIND, PIECES = ROWS["店舗"], ROWS["カテゴリ"], ROWS["数量"]
SALES = ROWS["売上"].astype("float64")
CONDITIONS: list[tuple[dict[str, Any], pd.Series]] = [
    (
        {"col": "店舗", "op": "not_in", "value": ["新宿店", "横浜店"]},
        SHOP.isin(["渋谷店", "池袋店"]),
    ),
    (
        {"col": "店舗", "op": "not_contains", "value": "宿"},
        SHOP.isin(["渋谷店", "池袋店", "横浜店"]),
    ),
    ({"col": "店舗", "op": "starts_with", "value": "新"}, SHOP == "新宿店"),
    ({"col": "カテゴリ", "op": "ends_with", "value": "品"}, KIND != "家電"),
    ({"col": "数量", "op": ">", "stat": "mean"}, PIECES.mean() < PIECES),
    ({"col": "数量", "op": "<=", "stat": "q25"}, PIECES.le(PIECES.quantile(0.25))),
    (
        {"col": "数量", "op": "==", "stat": "max", "by": "カテゴリ"},
        PIECES.groupby(KIND).transform("max") == PIECES,
    ),
    (
        {"col": "売上", "op": "<", "stat": "median", "by": "店舗"},
        SALES.groupby(SHOP.fillna("–")).transform("median") > SALES,
    ),
]


@pytest.mark.parametrize(("condition", "holds"), CONDITIONS)
def test_a_condition_keeps_the_rows_that_pandas_does(
    condition: dict[str, Any], holds: pd.Series
) -> None:
    assert 0 < holds.sum() < len(ROWS)
    made = done({"op": "groupby_agg", "filters": [condition]}, FILE)
    assert made.row()["count"] == holds.sum()
    either = {"any_of": [condition, {"col": "数量", "op": "==", "value": 1}]}
    both = done({"op": "groupby_agg", "filters": [either]}, FILE).row()["count"]
    assert both == (holds | (PIECES == 1)).sum()


def test_shops_above_the_average_are_judged_among_the_rows_that_are_left() -> None:
    totals = done({"op": "groupby_agg", "group_cols": ["店舗"], "metrics": {"数量": ["sum"]}}, FILE)
    above = done(
        {
            "op": "top_rows",
            "by": ["数量_sum"],
            "filters": [
                {"col": "数量_sum", "op": ">", "stat": "mean"},
                {"col": "店舗", "op": "!=", "value": "新宿店"},
            ],
        },
        totals.output,
    )
    sums = ROWS.fillna({"店舗": "（空欄）"}).groupby("店舗")["数量"].sum().drop("新宿店")
    expected = sums[sums > sums.mean()].sort_values(ascending=False)
    assert above.column("数量_sum") == expected.tolist()


# ---- statistics by group, missing values by column, samples ----


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_correlations_in_each_group_have_their_p_and_n(method: str) -> None:
    spec = {"op": "correlation_matrix", "columns": ["売上", "数量"], "only_named": True}
    filters = [{"col": "カテゴリ", "op": "!=", "value": "家電"}]
    made = done({**spec, "by": "店舗", "method": method, "filters": filters}, FILE)
    run = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    rows = ROWS[ROWS["カテゴリ"] != "家電"].dropna(subset=["売上"])
    for number in range(made.table.row_count):
        got = made.row(number)
        part = rows[rows["店舗"].fillna("（空欄）") == got["店舗"]]
        found = run[method](part["売上"].astype("float64"), part["数量"])
        assert (got["r"], got["p"], got["n"]) == pytest.approx((found[0], found[1], len(part)))


def test_shapes_by_two_columns_and_the_kolmogorov_smirnov_test() -> None:
    spec = {
        "op": "distribution",
        "columns": ["数量"],
        "by": ["店舗", "カテゴリ"],
        "normality": "ks",
    }
    made = done(spec, FILE)
    groups = ROWS.fillna({"店舗": "（空欄）"}).groupby(["店舗", "カテゴリ"])["数量"]
    assert made.table.row_count == groups.ngroups
    for row in (0, 7):
        got = made.row(row)
        part = groups.get_group((got["店舗"], got["カテゴリ"]))
        found = stats.kstest((part - part.mean()) / part.std(), "norm")
        assert got["normality_p"] == pytest.approx(found.pvalue)
        assert got["mean"] == pytest.approx(part.mean())
    assert "p値は大きめ" in made.cautions


def test_each_column_has_its_own_way_with_missing_values() -> None:
    methods = {"売上": "median", "利益率": "mean", "店舗": "mode", "会員": "drop_rows"}
    made = done({"op": "impute", "methods": methods}, FILE).frame.pandas()
    kept = ROWS[ROWS["会員"].notna()]
    assert len(made) == len(kept)
    assert made["売上"].sum() == pytest.approx(
        kept["売上"].astype("float64").fillna(kept["売上"].median()).sum()
    )
    assert made["利益率"].mean() == pytest.approx(kept["利益率"].mean())
    assert made["店舗"].tolist() == kept["店舗"].fillna(kept["店舗"].mode()[0]).tolist()


def test_bins_of_equal_size_hold_as_many_and_bins_of_a_width_begin_at_its_multiples() -> None:
    by_size = {"fn": "bin", "of": {"fn": "column", "name": "利益率"}, "quantiles": 4}
    made = done({"op": "derive", "name": "区分", "expression": by_size}, FILE).frame.pandas()
    expected = pd.qcut(ROWS["利益率"], 4).value_counts(sort=False)
    assert made["区分"].value_counts().sort_index().tolist() == expected.tolist()
    by_width = {"fn": "bin", "of": {"fn": "column", "name": "数量"}, "width": 5}
    made = done({"op": "derive", "name": "区分", "expression": by_width}, FILE).frame.pandas()
    places = (ROWS["数量"] // 5).to_numpy()
    assert made["区分"].str[0].astype(int).sub(1).tolist() == places.tolist()
    assert made["区分"].min() == "1: 0以上5未満"


def test_a_sample_is_the_same_each_time_and_is_told() -> None:
    spec = {"op": "groupby_agg", "metrics": {"数量": ["sum"]}, "sample": 100}
    one, other = done(spec, FILE), done(spec, FILE)
    assert one.table == other.table
    assert one.row()["数量_sum"] < ROWS["数量"].sum()
    assert "400行から無作為に選んだ100行" in one.cautions
    assert done({**spec, "sample": 1000}, FILE).row()["数量_sum"] == ROWS["数量"].sum()


def test_outliers_are_taken_out_before_figures_are_made() -> None:
    far = {"col": "売上", "op": "not_outlier", "method": "zscore", "threshold": 2, "by": "店舗"}
    made = done({"op": "distribution", "columns": ["売上"], "filters": [far]}, FILE)
    values = ROWS["売上"].astype("float64")
    grouped = values.groupby(ROWS["店舗"].fillna("–"))
    z = (values - grouped.transform("mean")) / grouped.transform("std")
    assert made.row()["mean"] == pytest.approx(values[z.abs() <= 2].mean())
    assert np.isfinite(made.row()["std"])


# ---- several numbers in one chart ----


def test_numbers_under_each_other_are_the_same_numbers() -> None:
    totals = done(
        {
            "op": "groupby_agg",
            "group_cols": ["店舗"],
            "metrics": {"売上": ["sum"], "数量": ["sum"]},
        },
        FILE,
    )
    spec = {
        "op": "unpivot",
        "columns": ["売上_sum", "数量_sum"],
        "name": "項目",
        "value_name": "数",
    }
    made = done(spec, totals.output)
    wide, long = totals.frame.pandas(), made.frame.pandas()
    assert list(made.frame.names) == ["店舗", "項目", "数"]
    assert long["数"].tolist() == wide[["売上_sum", "数量_sum"]].to_numpy().reshape(-1).tolist()
    assert long["店舗"].tolist() == wide["店舗"].repeat(2).tolist()
    drawn = done({"kind": "bar", "x": "店舗", "y": "数", "color": "項目"}, made.output, kind="plot")
    assert drawn.frame.rows == len(long)


def test_a_part_that_a_group_has_none_of_is_told_as_zero() -> None:
    rows = pd.DataFrame({"team": ["a", "a", "b"], "ended": ["won", "lost", "lost"]}).astype("str")
    data = arrow_file(rows, {"team": "text", "ended": "text"})
    spec = {"op": "share_ratio", "group_col": "ended", "within": "team"}
    plain, whole = done(spec, data), done({**spec, "zeros": True}, data)
    assert plain.frame.rows == 3
    found = whole.frame.pandas().set_index(["team", "ended"])["share"]
    assert found.to_dict() == {
        ("a", "won"): 0.5, ("a", "lost"): 0.5, ("b", "won"): 0.0, ("b", "lost"): 1.0
    }  # fmt: skip
