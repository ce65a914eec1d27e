"""Questions in both languages become the specs that answer them."""

from typing import Any

import pytest

from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample
from sanbo.agents.analysis.spec.plots import Line
from sanbo.kernel.messages import Language
from tests.unit.agents.analysis.rules.tables import (
    ORDERS,
    SALES,
    SHOP,
    STAFF,
    answer,
    day,
    number,
    table,
    words,
)


def _first(question: str, profile: Any = SALES, language: Language = "ja") -> dict[str, Any]:
    found = answer(profile, question, language=language)
    assert found.specs, found.last.clarifying_questions
    return found.specs[0].model_dump()


@pytest.mark.parametrize(
    ("question", "language"),
    [("店舗別の売上合計を多い順に", "ja"), ("Total sales by store, highest first", "en")],
)
def test_totals_by_group_stand_in_the_order_asked_for(question: str, language: Language) -> None:
    spec = _first(question, language=language)
    assert spec["op"] == "groupby_agg"
    assert spec["group_cols"] == ("店舗",)
    assert spec["metrics"] == {"売上": ("sum",)}
    assert spec["sort"] == {"by": "売上_sum", "ascending": False}


@pytest.mark.parametrize(
    ("question", "language"),
    [("月別の売上推移を折れ線で", "ja"), ("Monthly sales trend as a line chart", "en")],
)
def test_a_monthly_trend_has_its_table_and_its_line(question: str, language: Language) -> None:
    table, line = answer(SALES, question, language=language).specs
    assert isinstance(table, Resample)
    assert (table.date_col, table.unit, table.metrics) == ("日付", "month", {"売上": ("sum",)})
    assert isinstance(line, Line)
    assert (line.x, line.x_unit, line.y, line.agg) == ("日付", "month", "売上", "sum")


@pytest.mark.parametrize(
    ("question", "language"), [("カテゴリ別の構成比", "ja"), ("Share by category", "en")]
)
def test_a_share_is_of_the_only_amount_there_is(question: str, language: Language) -> None:
    found = answer(SALES, question, language=language)
    spec = found.specs[0].model_dump()
    assert (spec["op"], spec["group_col"], spec["value_col"]) == ("share_ratio", "カテゴリ", "売上")
    assert any("売上" in text for text in found.assumptions)


@pytest.mark.parametrize(
    ("question", "language"),
    [("新宿店だけの月平均", "ja"), ("Monthly average for the Shinjuku store only", "en")],
)
def test_a_monthly_average_is_the_mean_of_the_months(question: str, language: Language) -> None:
    months, mean = answer(SALES, question, language=language).analyses
    assert isinstance(months, Resample)
    assert months.unit == "month"
    assert [one.model_dump() for one in months.filters] == [
        {"col": "店舗", "op": "==", "value": "新宿店"}
    ]
    assert isinstance(mean, GroupbyAgg)
    assert (mean.input, mean.metrics) == ("r1", {"売上_sum": ("mean",)})


@pytest.mark.parametrize(
    ("question", "language"), [("売上の外れ値はある？", "ja"), ("Any outliers in sales?", "en")]
)
def test_outliers_are_looked_for_in_the_column_named(question: str, language: Language) -> None:
    spec = _first(question, language=language)
    assert (spec["op"], spec["column"]) == ("outliers", "売上")


@pytest.mark.parametrize(
    ("question", "op"),
    [
        ("データの概要", "dataset_overview"),
        ("欠損値はどの列に多い？", "missingness"),
        ("重複した行はありますか", "duplicate_check"),
        ("売上の基本統計量", "column_summary"),
        ("売上の分布", "distribution"),
        ("店舗とカテゴリのクロス集計", "pivot"),
        ("売上の大きい順に5件教えて", "top_rows"),
        ("店舗間で売上に有意差はある？", "compare_groups"),
        ("カテゴリのパレート分析", "share_ratio"),
    ],
)
def test_each_kind_of_question_has_its_operation(question: str, op: str) -> None:
    assert _first(question)["op"] == op


def test_growth_compares_each_month_with_the_same_month_a_year_before() -> None:
    months, change = answer(SHOP, "売上金額の前年同月比").analyses
    assert months.model_dump()["unit"] == "month"
    assert (change.op, change.model_dump()["periods"]) == ("lag", 12)


def test_growth_by_month_against_the_year_before_goes_back_twelve_months() -> None:
    months, change = answer(SHOP, "売上金額の月別の前年比").analyses
    assert months.model_dump()["unit"] == "month"
    assert change.model_dump()["periods"] == 12


def test_a_running_total_follows_the_periods() -> None:
    months, total = answer(SHOP, "売上金額の累計を月ごとに").analyses
    assert (total.op, total.input) == ("cumulative", "r1")
    assert months.model_dump()["unit"] == "month"


def test_a_margin_is_a_ratio_of_sums() -> None:
    sums, ratio = answer(SHOP, "店舗別の粗利率").analyses
    assert sums.model_dump()["metrics"] == {"売上金額": ("sum",), "原価": ("sum",)}
    expression = ratio.model_dump()["expression"]
    assert expression["fn"] == "divide"
    assert expression["right"]["name"] == "売上金額_sum"


def test_ages_are_averaged_and_ids_are_counted() -> None:
    assert _first("部署別の年齢", STAFF)["metrics"] == {"年齢": ("mean",)}
    assert _first("How many customers are there?", ORDERS, "en")["metrics"] == {
        "Customer ID": ("nunique",)
    }


def test_how_many_rows_needs_no_column() -> None:
    spec = _first("30代の女性は何人？", STAFF)
    assert spec["metrics"] == {}
    assert len(spec["filters"]) == 3


def test_decades_are_classes_of_ten_years() -> None:
    classes, means = answer(STAFF, "年代別の平均年収").analyses
    assert classes.op == "derive"
    assert means.model_dump()["group_cols"] == (classes.model_dump()["name"],)


def test_who_has_the_most_is_a_row_where_each_has_one() -> None:
    spec = _first("一番年収の高い人は誰ですか", STAFF)
    assert (spec["op"], spec["by"], spec["ascending"]) == ("top_rows", ("年収（千円）",), False)


def test_a_rate_of_yes_is_a_share_within_each_group() -> None:
    spec = _first("What is the return rate in each country?", ORDERS, "en")
    assert (spec["op"], spec["rows"], spec["columns"]) == ("pivot", ("Country",), "Returned")
    assert spec["share"] == "row"


def test_english_words_find_japanese_columns_and_the_other_way_round() -> None:
    assert _first("average salary by department", STAFF, "en")["group_cols"] == ("部署",)
    spec = _first("国別の数量の合計", ORDERS)
    assert (spec["group_cols"], spec["metrics"]) == (("Country",), {"Quantity": ("sum",)})


def test_a_date_is_never_summed() -> None:
    found = answer(STAFF, "入社日の合計")
    assert all("入社日" not in spec.model_dump().get("metrics", {}) for spec in found.specs)


def test_what_is_done_ends_in_finalize() -> None:
    assert answer(SALES, "店舗別の売上").last.next_action == "finalize"


def test_shares_within_each_group_are_told_from_shares_of_all() -> None:
    spec = _first("部署ごとの男女比", STAFF)
    assert (spec["op"], spec["group_col"], spec["within"]) == ("share_ratio", "性別", "部署")


def test_the_thing_asked_for_is_grouped_and_not_where_it_happened() -> None:
    spec = _first("新宿の店舗で一番売れているカテゴリは？")
    assert spec["group_cols"] == ("カテゴリ",)
    assert spec["filters"] == ({"col": "店舗", "op": "==", "value": "新宿店"},)


def test_a_year_against_the_one_before_takes_both_in() -> None:
    found = answer(SHOP, "2024年の売上金額は前年比でどう？")
    assert found.analyses[0].filters[0].model_dump()["value"] == ("2023", "2024")
    assert any("2023" in text for text in found.assumptions)


SHIPMENTS = table(
    words("Lead ID", "L-1", distinct=1000),
    day("出荷日"),
    day("配達日"),
    words("channel", "Email", "Webinar", "Referral"),
    words("status", "won", "lost", "open"),
    number("ad_spend", 1, 900),
    number("目標数", 1, 900),
    number("生産数", 1, 900),
    ColumnProfile(name="conversion_rate", type="percent", minimum=0, maximum=1, distinct=90),
)


@pytest.mark.parametrize(
    ("question", "left", "right"),
    [
        ("目標数に対する生産数の割合をchannel別に", "生産数", "目標数"),
        ("channel別の生産数と目標数の比率", "生産数", "目標数"),
        ("ratio of ad spend to 生産数 by channel", "ad_spend", "生産数"),
        ("ad spend as a percentage of 生産数 by channel", "ad_spend", "生産数"),
    ],
)
def test_a_ratio_of_two_columns_is_one_of_their_sums(question: str, left: str, right: str) -> None:
    summed, divided = answer(SHIPMENTS, question).analyses
    assert summed.model_dump()["group_cols"] == ("channel",)
    expression = divided.model_dump()["expression"]
    assert (expression["left"]["name"], expression["right"]["name"]) == (
        f"{left}_sum",
        f"{right}_sum",
    )


@pytest.mark.parametrize(
    "question", ["出荷から配達までの平均日数", "average days from 出荷日 to 配達日"]
)
def test_the_time_between_two_dates_is_computed(question: str) -> None:
    made, mean = answer(SHIPMENTS, question).analyses
    expression = made.model_dump()["expression"]
    assert (expression["start"]["name"], expression["end"]["name"]) == ("出荷日", "配達日")
    assert list(mean.model_dump()["metrics"].values()) == [("mean",)]


@pytest.mark.parametrize("question", ["win rate by channel", "channel別の成約率"])
def test_a_rate_of_a_value_is_its_share_and_no_other_rate(question: str) -> None:
    (found,) = answer(SHIPMENTS, question).analyses
    assert found.op == "pivot"
    assert (found.rows, found.columns, found.share) == (("channel",), "status", "row")


def test_a_share_of_two_values_together_is_one_share() -> None:
    question = "what percentage of leads come from Webinar or Referral"
    made, share = answer(SHIPMENTS, question, language="en").analyses
    assert made.op == "derive"
    assert share.op == "share_ratio"
    assert share.group_col == made.name


def test_a_mean_per_row_keeps_the_groups() -> None:
    *_, last = answer(SHIPMENTS, "ad spend per lead for each channel", language="en").analyses
    assert last.model_dump()["group_cols"] == ("channel",)


def test_a_running_total_goes_down_a_ranking() -> None:
    ranked, running = answer(SHIPMENTS, "channel別の生産数が多い順に並べて、累計も出して").analyses
    assert ranked.op == "groupby_agg"
    assert running.op == "cumulative"
    assert (running.by, running.column) == ((), "生産数_sum")


def test_a_count_is_added_to_what_was_computed_before() -> None:
    (found,) = answer(SHIPMENTS, "channel別の生産数の平均", "件数も見たい").analyses
    assert found.model_dump()["metrics"] == {"生産数": ("mean", "count")}
    assert found.model_dump()["group_cols"] == ("channel",)
