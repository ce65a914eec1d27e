"""Which rows a question is about."""

from typing import Any

import pytest

from sanbo.agents.analysis.profile import DatasetProfile
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


def _filters(
    question: str, profile: DatasetProfile = SHOP, language: Language = "ja"
) -> list[dict[str, Any]]:
    found = answer(profile, question, language=language)
    assert found.analyses, found.last.clarifying_questions
    kept = [one for spec in found.analyses for one in spec.filters]
    return [one.model_dump(exclude_none=True) for one in kept]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("2024年以降の売上金額の合計", [(">=", "2024-01-01")]),
        ("2024年の売上金額の合計", [("==", "2024")]),
        ("2024年4月から6月の売上金額の合計", [(">=", "2024-04-01"), ("<", "2024-07-01")]),
        ("2024年度の売上金額の合計", [(">=", "2024-04-01"), ("<", "2025-04-01")]),
        ("令和6年4月の売上金額の合計", [("==", "2024-04")]),
        ("total 売上金額 in 2024", [("==", "2024")]),
        ("total 売上金額 since March 2024", [(">=", "2024-03-01")]),
        ("total 売上金額 before 2024", [("<", "2024-01-01")]),
        (
            "total 売上金額 between June and August 2024",
            [(">=", "2024-06-01"), ("<", "2024-09-01")],
        ),
        ("直近3か月の売上金額の合計", [(">=", "2025-01-01"), ("<", "2025-04-01")]),
    ],
)
def test_moments_become_conditions_on_the_date(
    question: str, expected: list[tuple[str, str]]
) -> None:
    assert [(one["op"], one["value"]) for one in _filters(question)] == expected


def test_a_month_without_a_year_is_that_month_of_every_year() -> None:
    (found,) = _filters("4月だけの売上金額の合計")
    assert found["value"] == ("2023-04", "2024-04", "2025-04")
    (only,) = _filters("4月だけの売上の合計", SALES)
    assert only["value"] == "2025-04"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("新宿店だけの売上金額の合計", ("==", "新宿店")),
        ("新宿の売上金額の合計", ("==", "新宿店")),
        ("新宿店以外の売上金額の合計", ("!=", "新宿店")),
        ("新宿店と渋谷店の売上金額の合計", ("in", ("新宿店", "渋谷店"))),
        ("total 売上金額 for the Shinjuku store", ("==", "新宿店")),
        ("total 売上金額 excluding Shinjuku", ("!=", "新宿店")),
    ],
)
def test_values_become_conditions_on_their_column(
    question: str, expected: tuple[str, object]
) -> None:
    (found,) = _filters(question)
    assert (found["col"], found["op"], found["value"]) == ("店舗名", *expected)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("売上金額が10万円以上の件数", (">=", 100_000)),
        ("売上金額が1万円未満の件数", ("<", 10_000)),
        ("売上金額が5万円を超える件数", (">", 50_000)),
        ("how many rows have 売上金額 over 1,000", (">", 1000)),
        ("how many rows have 売上金額 of at least 20k", (">=", 20_000)),
    ],
)
def test_bounds_become_conditions_on_the_number_beside_them(
    question: str, expected: tuple[str, int]
) -> None:
    (found,) = _filters(question)
    assert (found["col"], found["op"], found["value"]) == ("売上金額", *expected)


def test_a_bound_in_yen_is_scaled_to_the_unit_of_its_column() -> None:
    found = answer(STAFF, "年収が1000万円以上の人数")
    (condition,) = found.analyses[0].filters
    assert condition.model_dump()["value"] == 10_000
    assert any("千円" in text for text in found.assumptions)


def test_a_unit_finds_its_column() -> None:
    (found,) = _filters("30歳未満は何人？", STAFF)
    assert (found["col"], found["op"], found["value"]) == ("年齢", "<", 30)


def test_a_common_word_is_a_value_beside_its_column_only() -> None:
    (found,) = _filters("How many orders excluding low priority?", ORDERS, "en")
    assert (found["col"], found["op"], found["value"]) == ("Priority", "!=", "Low")
    spec = answer(ORDERS, "Which country has the low quantity?", language="en").specs[0]
    assert spec.filters == ()


def test_alternatives_of_two_columns_are_any_of() -> None:
    (found,) = _filters("売上数量が10以上または原価が100以下の件数")
    assert [one["col"] for one in found["any_of"]] == ["売上数量", "原価"]


def test_a_bound_on_a_total_is_kept_for_the_groups() -> None:
    groups, kept = answer(SHOP, "売上金額の合計が100万円以上の店舗").analyses
    assert groups.filters == ()
    assert kept.op == "top_rows"
    assert kept.filters[0].model_dump()["col"] == "売上金額_sum"


def test_missing_cells_and_outliers_are_left_out_when_asked() -> None:
    assert _filters("欠損を除いて売上金額の平均")[0]["op"] == "not_null"
    assert _filters("外れ値を除いた売上金額の平均")[0]["op"] == "not_outlier"


def test_rows_with_an_empty_cell_are_counted() -> None:
    (found,) = _filters("原価が未入力の行は何件？")
    assert (found["col"], found["op"]) == ("原価", "is_null")


def test_one_column_is_compared_with_another() -> None:
    stock = table(words("品名", "A", "B"), number("在庫数"), number("発注点"))
    derived, counted = answer(stock, "在庫数が発注点を下回っている品名はいくつ？").analyses
    assert derived.op == "derive"
    assert counted.filters[0].model_dump()["value"] is True


def test_weekends_only_is_a_condition_on_the_weekday() -> None:
    derived, total = answer(SHOP, "土日だけの売上金額の合計").analyses
    assert derived.op == "derive"
    assert total.filters[0].model_dump()["value"] == (6, 7)


def test_a_condition_that_the_table_can_not_meet_is_asked_not_dropped() -> None:
    for question in (
        "札幌店の売上金額は？",
        "仙台だけの売上金額の合計",
        "駐車場付きの売上金額の合計",
    ):
        found = answer(SHOP, question)
        assert found.last.next_action == "ask", question
        assert not found.specs


def test_years_in_a_column_of_numbers_are_found_too() -> None:
    yearly = table(
        number("年", 2019, 2024, distinct=6), words("地域", "関東", "関西"), number("件数")
    )
    (found,) = _filters("2023年の地域別の件数の合計", yearly)
    assert (found["col"], found["value"]) == ("年", 2023)


def test_another_date_column_is_used_when_it_is_named() -> None:
    two = table(day("受注日"), day("出荷日"), number("売上金額"))
    (found,) = _filters("出荷日が2024年の売上金額の合計", two)
    assert found["col"] == "出荷日"


DELIVERIES = table(
    words("伝票番号", "D-1", distinct=1000),
    day("出荷日"),
    day("配達日"),
    words("荷主", "A商事", "B物産", "C工業"),
    number("運賃（円）", 800, 60_000, "円"),
    number("重量(kg)", 1, 400, "kg"),
    number("料金(税抜)", 100, 9000),
    number("料金(税込)", 110, 9900),
    words("遅延", "あり", "なし"),
)


@pytest.mark.parametrize(
    ("question", "profile", "language", "expected"),
    [
        ("30歳未満を除いた平均年齢", STAFF, "ja", [("年齢", ">=", 30)]),
        ("年齢が60以上の人を除く部署別の件数", STAFF, "ja", [("年齢", "<", 60)]),
        ("average age excluding those under 30", STAFF, "en", [("年齢", ">=", 30)]),
        ("average Quantity excluding zero", ORDERS, "en", [("Quantity", "!=", 0)]),
        ("0円を除いた運賃の平均", DELIVERIES, "ja", [("運賃（円）", "!=", 0)]),
    ],
)
def test_a_bound_that_is_left_out_keeps_the_other_rows(
    question: str, profile: DatasetProfile, language: Language, expected: list[tuple[str, str, int]]
) -> None:
    found = _filters(question, profile, language)
    assert [(one["col"], one["op"], one["value"]) for one in found] == expected


def test_a_stretch_that_is_left_out_keeps_both_sides_of_it() -> None:
    (found,) = _filters("30歳から39歳までを除いた件数", STAFF)
    assert [(one["op"], one["value"]) for one in found["any_of"]] == [("<", 30), (">", 39)]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("遅延ありの件数", "あり"),
        ("荷主別の遅延件数", "あり"),
        ("遅延していない件数", "なし"),
        ("遅延した件数が最も多い月は？", "あり"),
    ],
)
def test_a_column_of_yes_and_no_is_a_condition(question: str, value: str) -> None:
    (found,) = _filters(question, DELIVERIES)
    assert (found["col"], found["op"], found["value"]) == ("遅延", "==", value)


def test_a_value_that_begins_with_a_capital_is_found_before_kanji() -> None:
    (found,) = _filters("A商事の運賃の合計", DELIVERIES)
    assert (found["col"], found["value"]) == ("荷主", "A商事")


def test_what_stands_in_a_columns_parentheses_may_stand_before_its_name() -> None:
    for question in ("税込の料金の合計", "税込料金の合計", "料金（税込）の合計"):
        (found,) = answer(DELIVERIES, question).analyses
        assert found.model_dump()["metrics"] == {"料金(税込)": ("sum",)}
    assert answer(DELIVERIES, "料金の合計").last.next_action == "ask"


def test_older_is_said_of_an_age() -> None:
    (found,) = _filters("How many are 60 or older?", STAFF, "en")
    assert (found["col"], found["op"], found["value"]) == ("年齢", ">=", 60)


def test_a_bound_on_things_that_rows_are_is_one_on_their_number() -> None:
    groups, kept = answer(
        ORDERS, "which countries have more than 100 orders?", language="en"
    ).analyses
    assert groups.filters == ()
    (condition,) = kept.filters
    assert condition.model_dump() == {"col": "count", "op": ">", "value": 100}


def test_rows_above_the_mean_are_counted() -> None:
    made, counted = answer(DELIVERIES, "運賃が平均より高い配送は何件？").analyses
    expression = made.model_dump()["expression"]
    assert (expression["left"]["fn"], expression["op"]) == ("zscore", ">")
    assert counted.input == "r1"
    assert counted.filters


@pytest.mark.parametrize(
    ("question", "profile", "language"),
    [
        ("労働組合に入っていない人は何人", STAFF, "ja"),
        ("解約した社員は何人？", STAFF, "ja"),
        ("運賃の上位10%", DELIVERIES, "ja"),
        ("荷主別の運賃の平均との差", DELIVERIES, "ja"),
        ("坪あたりの運賃", DELIVERIES, "ja"),
        ("how many customers complained?", ORDERS, "en"),
        ("total Quantity by region", ORDERS, "en"),
        ("which agent sold the most", ORDERS, "en"),
        ("win rate by Country", ORDERS, "en"),
    ],
)
def test_a_condition_that_is_not_understood_is_asked_and_never_left_out(
    question: str, profile: DatasetProfile, language: Language
) -> None:
    assert answer(profile, question, language=language).last.next_action == "ask"
