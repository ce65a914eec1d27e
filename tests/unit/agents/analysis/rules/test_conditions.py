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
