"""Statistics against scipy, with conventions said and nothing causal claimed."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sanbo.kernel.problems import InvalidInput
from tests.unit.agents.analysis.execution.performing import arrow_file, done, sales, sales_file

FRAME, _ = sales()
DATA = sales_file()
SALES = FRAME["売上"].dropna().to_numpy(dtype="float64")


def test_a_distribution_is_that_of_scipy() -> None:
    found = done({"op": "distribution", "columns": ["売上"], "quantiles": [0.1, 0.5]}, DATA).row()
    assert found["count"] == len(SALES)
    assert found["missing"] == int(FRAME["売上"].isna().sum())
    assert found["std"] == pytest.approx(SALES.std(ddof=1))
    assert found["q10"] == pytest.approx(np.quantile(SALES, 0.1))
    assert found["skewness"] == pytest.approx(stats.skew(SALES))
    assert found["kurtosis"] == pytest.approx(stats.kurtosis(SALES))
    assert found["normality_p"] == pytest.approx(stats.shapiro(SALES).pvalue)


def test_ddof_and_bias_are_as_asked_and_said() -> None:
    spec = {"op": "distribution", "columns": ["売上"], "ddof": 0, "bias": False}
    found = done({**spec, "normality": "jarque_bera"}, DATA)
    assert found.row()["var"] == pytest.approx(SALES.var())
    assert found.row()["kurtosis"] == pytest.approx(stats.kurtosis(SALES, bias=False))
    assert found.row()["normality_p"] == pytest.approx(stats.jarque_bera(SALES).pvalue)
    assert "ddof=0" in found.conventions
    assert "bias=False" in found.conventions


def test_a_constant_or_single_value_has_no_shape() -> None:
    frame = pd.DataFrame({"g": ["a", "b", "b", "b"], "v": [1.0, 2.0, 2.0, 2.0]})
    data = arrow_file(frame.astype({"g": "str"}), {"g": "text", "v": "number"})
    found = done({"op": "distribution", "columns": ["v"], "by": ["g"]}, data)
    assert found.column("std") == [None, 0.0]
    assert found.column("skewness") == [None, None]
    assert found.column("normality_p") == [None, None]


def test_outliers_are_counted_between_their_bounds_and_shown_most_extreme_first() -> None:
    found = done({"op": "outliers", "column": "売上"}, DATA)
    low, high = np.quantile(SALES, [0.25, 0.75])
    reach = 1.5 * (high - low)
    outside = SALES[(low - reach > SALES) | (high + reach < SALES)]
    row = found.row()
    assert row["outliers"] == len(outside)
    assert (row["lower"], row["upper"]) == pytest.approx((low - reach, high + reach))
    assert found.column("売上", table=1)[0] == 900_000
    assert "線形補間" in found.conventions


def test_without_outliers_there_is_still_an_answer() -> None:
    data = arrow_file(pd.DataFrame({"v": [1, 2, 3, 4]}), {"v": "integer"})
    found = done({"op": "outliers", "column": "v", "method": "zscore"}, data)
    assert found.row()["outliers"] == 0
    assert len(found.outcome.tables) == 1


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_correlations_are_those_of_pandas_with_scipys_p(method: str) -> None:
    found = done({"op": "correlation_matrix", "method": method}, DATA)
    numbers = FRAME[["売上", "利益率", "数量"]].astype("float64")
    # pyrefly: ignore[bad-argument-type]
    expected = numbers.corr(method=method)
    for name in numbers:
        assert found.column(str(name)) == pytest.approx(expected[name].tolist())
    run = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    first = found.row(table=1)
    pair = numbers[[first["column_1"], first["column_2"]]].dropna()
    assert first["n"] == len(pair)
    assert first["p"] == pytest.approx(run[method](pair.iloc[:, 0], pair.iloc[:, 1]).pvalue)
    sizes = [abs(r) for r in found.column("r", table=1)]
    assert sizes == sorted(sizes, reverse=True)
    assert "原因" in found.cautions


def test_rank_correlation_of_whole_columns_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.integers(0, 9, 50), "b": rng.normal(size=50)})
    data = arrow_file(frame, {"a": "integer", "b": "number"})
    found = done({"op": "correlation_matrix", "method": "spearman"}, data).row(table=1)
    expected = stats.spearmanr(frame["a"], frame["b"])
    assert found["r"] == pytest.approx(expected.statistic)
    assert found["p"] == pytest.approx(expected.pvalue)


def test_named_columns_are_always_in_and_the_largest_variance_fills_up() -> None:
    frame = pd.DataFrame({f"c{n}": np.arange(9.0) * 10**n % 7 * 10**n for n in range(6)})
    frame["同"] = 1.0
    data = arrow_file(frame, dict.fromkeys(frame.columns, "number"))
    found = done({"op": "correlation_matrix", "columns": ["同"], "top_n": 3}, data)
    assert found.column("column") == ["同", "c4", "c5"]
    assert found.column("同") == [1.0, None, None]
    assert "同" in found.cautions


def test_welch_is_chosen_for_two_groups_and_says_so() -> None:
    spec = {"op": "compare_groups", "value_col": "売上", "group_col": "店舗"}
    found = done({**spec, "groups": ["新宿店", "池袋店"]}, DATA)
    one, other = (
        FRAME.loc[FRAME["店舗"] == shop, "売上"].dropna().to_numpy(dtype="float64")
        for shop in ("新宿店", "池袋店")
    )
    expected = stats.ttest_ind(one, other, equal_var=False)
    row = found.row()
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert row["p"] == pytest.approx(expected.pvalue)
    assert row["df"] == pytest.approx(expected.df)
    pooled = math.sqrt(
        ((len(one) - 1) * one.var(ddof=1) + (len(other) - 1) * other.var(ddof=1))
        / (len(one) + len(other) - 2)
    )
    assert row["effect_size"] == pytest.approx((one.mean() - other.mean()) / pooled)
    assert found.column("n", table=1) == [len(one), len(other)]
    assert "ウェルチ" in found.conventions
    assert "有意水準5%で" in found.conventions


def test_anova_is_chosen_for_more_groups() -> None:
    found = done({"op": "compare_groups", "value_col": "売上", "group_col": "店舗"}, DATA).row()
    present = FRAME[["店舗", "売上"]].dropna()
    groups = [part.to_numpy(dtype="float64") for _, part in present.groupby("店舗")["売上"]]
    expected = stats.f_oneway(*groups)
    assert found["statistic"] == pytest.approx(expected.statistic)
    assert found["p"] == pytest.approx(expected.pvalue)
    between, within = len(groups) - 1, sum(map(len, groups)) - len(groups)
    assert (found["df"], found["df_within"]) == (between, within)
    eta = expected.statistic * between / (expected.statistic * between + within)
    assert found["effect_size"] == pytest.approx(eta)


@pytest.mark.parametrize(
    ("test", "run"),
    [("mann_whitney", stats.mannwhitneyu), ("ks", stats.ks_2samp), ("kruskal", stats.kruskal)],
)
def test_other_tests_are_those_of_scipy(test: str, run: object) -> None:
    spec = {"op": "compare_groups", "value_col": "数量", "group_col": "会員", "test": test}
    found = done(spec, DATA).row()
    present = FRAME[["会員", "数量"]].dropna()
    groups = [part.to_numpy(dtype="float64") for _, part in present.groupby("会員")["数量"]]
    # pyrefly: ignore[not-callable]
    expected = run(*groups)
    assert found["statistic"] == pytest.approx(expected.statistic)
    assert found["p"] == pytest.approx(expected.pvalue)


def test_words_are_related_or_not_by_chi_squared() -> None:
    found = done({"op": "compare_groups", "value_col": "カテゴリ", "group_col": "店舗"}, DATA)
    counts = pd.crosstab(FRAME["店舗"], FRAME["カテゴリ"])
    expected = stats.chi2_contingency(counts)
    assert found.row()["p"] == pytest.approx(expected.pvalue)
    assert found.row()["df"] == expected.dof
    v = math.sqrt(expected.statistic / (counts.to_numpy().sum() * 2))
    assert found.row()["effect_size"] == pytest.approx(v)
    assert "関連があるとは言えません" in found.conventions


def test_one_group_is_nothing_to_compare_and_three_are_too_many_for_a_t_test() -> None:
    spec = {"op": "compare_groups", "value_col": "売上", "group_col": "店舗"}
    with pytest.raises(InvalidInput):
        done({**spec, "groups": ["新宿店"]}, DATA)
    with pytest.raises(InvalidInput) as refused:
        done({**spec, "test": "t"}, DATA)
    assert "2つのグループ" in refused.value.problem.message


def test_equal_values_have_no_test_but_an_answer() -> None:
    frame = pd.DataFrame({"g": ["a", "a", "b", "b"], "v": [1, 1, 1, 1]}).astype({"g": "str"})
    data = arrow_file(frame, {"g": "text", "v": "integer"})
    found = done({"op": "compare_groups", "value_col": "v", "group_col": "g"}, data)
    assert found.row()["p"] is None
    assert "検定できません" in found.cautions


def _of(frame: pd.DataFrame, **kinds: Any) -> bytes:
    return arrow_file(frame, kinds)


@pytest.mark.parametrize("test", ["t", "welch", "anova"])
def test_groups_without_spread_are_not_tested_by_their_rounding_errors(test: str) -> None:
    data = _of(
        pd.DataFrame({"g": ["x"] * 3 + ["y"] * 7, "v": [0.1] * 3 + [0.3] * 7}), g="text", v="number"
    )
    found = done({"op": "compare_groups", "value_col": "v", "group_col": "g", "test": test}, data)
    assert found.row()["p"] is None
    assert "検定できません" in found.cautions


def test_values_that_are_all_the_same_are_no_outliers_of_themselves() -> None:
    data = _of(
        pd.DataFrame({"g": ["x"] * 3 + ["y"] * 7, "v": [0.1] * 3 + [0.3] * 7}), g="text", v="number"
    )
    for by in ({"by": "g"}, {"filters": [{"col": "g", "op": "==", "value": "x"}]}):
        found = done({"op": "outliers", "column": "v", "method": "zscore", **by}, data)
        assert not any(found.column("outliers"))


def test_less_means_smaller_values_in_every_test_with_a_direction() -> None:
    values = [*range(20), *range(30, 50)]
    data = _of(pd.DataFrame({"g": ["a"] * 20 + ["b"] * 20, "v": values}), g="text", v="integer")
    for test in ("t", "welch", "mann_whitney", "ks"):
        spec = {"op": "compare_groups", "value_col": "v", "group_col": "g", "test": test}
        assert done({**spec, "alternative": "less"}, data).row()["p"] < 0.001, test
        assert done({**spec, "alternative": "greater"}, data).row()["p"] > 0.5, test


def test_figures_of_percentages_are_shares_and_never_ratios_under_a_percent_sign() -> None:
    frame = pd.DataFrame({"g": ["a", "a", "b", "b"], "率": [0.1, 0.2, 0.3, 0.6], "v": [1, 2, 3, 4]})
    data = arrow_file(frame, {"g": "text", "率": "percent", "v": "integer"}, {"率": "%"})
    alone = done({"op": "column_summary", "columns": ["率"]}, data).table
    kinds = {column.name: column.kind for column in alone.columns}
    assert kinds["mean"] == "share"
    mixed = done({"op": "column_summary", "columns": ["率", "v"]}, data)
    assert mixed.row()["mean"] == pytest.approx(0.3)
    assert mixed.row()["unit"] == ""
    bounds = {
        one.name: one.kind for one in done({"op": "outliers", "column": "率"}, data).table.columns
    }
    assert bounds["lower"] == bounds["upper"] == "share"
    groups = done({"op": "compare_groups", "value_col": "率", "group_col": "g"}, data)
    assert {one.name: one.kind for one in groups.outcome.tables[1].columns}["mean"] == "share"


def test_yes_and_no_are_groups_by_their_names() -> None:
    groups = done({"op": "compare_groups", "value_col": "売上", "group_col": "会員"}, sales_file())
    assert groups.column("会員", table=1) == ["いいえ", "はい"]
