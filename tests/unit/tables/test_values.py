"""Values as offices write them, read as what they are and never guessed."""

from datetime import date, datetime, time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from sanbo.tables.values import (
    as_boolean,
    as_day,
    as_moment,
    as_month,
    as_number,
    as_time,
    key_of,
    order,
    same,
)
from tests.examples import examples

JSON = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(
        ["1,000", "１，０００円", "△5", "令和6年5月1日", "2024-05-01", "0012", "○", " "]
    ),
)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("１，０００円", 1000),
        ("￥1,000-", 1000),
        ("△1,000", -1000),
        ("▲1,000円", -1000),
        ("(1,000)", -1000),
        ("1,234千円", 1_234_000),
        ("12.5%", 0.125),
        ("金1,000円也", 1000),
        ("1,100円（税込）", 1100),
        ("1億2,000万円", 120_000_000),
        (5, 5),
    ],
)
def test_amounts_are_read(written: JsonValue, number: float) -> None:
    assert as_number(written) == number


@pytest.mark.parametrize(
    "written", ["未定", "0012", "", True, None, "03-1234-5678", ["1"], "1" * 500]
)
def test_what_is_no_amount_is_none(written: JsonValue) -> None:
    assert as_number(written) is None


def test_a_code_is_a_number_only_where_one_is_asked_for() -> None:
    assert as_number("0012", codes=True) == 12


@pytest.mark.parametrize(
    "written",
    [
        "令和6年5月1日",
        "R6.5.1",
        "2024/5/1",
        "２０２４年５月１日",
        "20240501",
        20240501,
        45413,
        "2024-05-01T09:30:00",
    ],
)
def test_days_are_read(written: JsonValue) -> None:
    assert as_day(written) == date(2024, 5, 1)


def test_months_moments_and_times_are_read() -> None:
    for written in (
        "2024年5月",
        "令和6年5月分",
        "2024-05",
        "2024/5",
        "202405",
        202405,
        "R6.5",
        "2024-05-20",
    ):
        assert as_month(written) == date(2024, 5, 1), written
    assert as_moment("2024-05-01 9:30") == datetime(2024, 5, 1, 9, 30)
    assert as_moment(45413.5) == datetime(2024, 5, 1, 12)
    assert as_time("午後1時5分") == time(13, 5)
    assert as_month("5月") is None
    assert as_day(12) is None


@pytest.mark.parametrize("word", ["はい", "○", "有", "TRUE", 1, "１", True])
def test_yes_is_yes(word: JsonValue) -> None:
    assert as_boolean(word) is True


@pytest.mark.parametrize("word", ["いいえ", "×", "無", "false", 0, "0", False])
def test_no_is_no(word: JsonValue) -> None:
    assert as_boolean(word) is False


def test_what_means_the_same_is_the_same() -> None:
    assert same("１，０００円", 1000)
    assert same("令和6年5月1日", "2024-05-01T00:00:00")
    assert same("ＡＢＣ　商事", "abc 商事")
    assert same("はい", True)
    assert same(None, " ")
    assert not same("0012", 12)
    assert not same("0012", "12")
    assert not same(True, 1)
    assert not same("ＡＢＣ", "ABC", "exact")
    assert same("㈱青葉", "青葉株式会社", "company")


def test_only_like_can_be_put_in_order() -> None:
    assert order("2,000円", 1000) == 1
    assert order("令和6年4月1日", "2024/5/1") == -1
    assert order("未定", 1000) is None
    assert order(None, 1000) is None
    assert order(True, 1) is None


@settings(max_examples=examples(200))
@given(JSON, JSON)
def test_sameness_and_order_agree_with_each_other(left: JsonValue, right: JsonValue) -> None:
    assert same(left, right) == same(right, left)
    assert same(left, left)
    one, other = order(left, right), order(right, left)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one == -other
        assert (one == 0) == (key_of(left) == key_of(right))
