"""Numbers, dates, times and yes/no are read as offices write them, and nothing is guessed."""

from datetime import date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.language.cells import (
    Number,
    parse_boolean,
    parse_date,
    parse_number,
    parse_time,
    read_number,
)
from tests.cpu_time import timed

NUMBERS: dict[str, float] = {
    "0": 0,
    "-5": -5,
    "+5": 5,
    "1,234": 1234,
    "１，２３４": 1234,
    "１２．５": 12.5,
    " 1,234 ": 1234,
    "　５００　": 500,
    "▲1,234": -1234,
    "△ 500": -500,
    "−500": -500,
    "－５００": -500,
    "(1,234)": -1234,
    "（１，２３４）": -1234,
    "1,234-": -1234,
    "１，２３４－": -1234,
    "¥1,000-": 1000,
    "￥1,000－": 1000,
    "1,000円-": 1000,
    "1,000円ー": 1000,
    "▲¥1,000-": -1000,
    "¥1,000": 1000,
    "￥1,000": 1000,
    "\\1,000": 1000,
    "-¥1,000": -1000,
    "¥-1,000": -1000,
    "▲￥1,000": -1000,
    "1,000円": 1000,
    "$3.50": 3.5,
    "12.5%": 0.125,
    "１００％": 1.0,
    "-3%": -0.03,
    "1億2,000万円": 120_000_000,
    "1.5千円": 1500,
    "3百万円": 3_000_000,
    "5千万": 50_000_000,
    "2億5千万円": 250_000_000,
    "1万2345": 12_345,
    "1兆": 10**12,
    "1.2E+05": 120_000.0,
    "1.5e-3": 0.0015,
    ".5": 0.5,
    "0.50": 0.5,
    "123456789012345": 123456789012345,
}


@pytest.mark.parametrize(("text", "value"), NUMBERS.items())
def test_numbers_of_the_office_are_read(text: str, value: float) -> None:
    assert parse_number(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["1", "1,000", "▲5", "1億2,000万円", "1.5千円", "3百万円"])
def test_whole_numbers_are_whole(text: str) -> None:
    assert isinstance(parse_number(text), int)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "0012",
        "００１２",
        "00",
        "03-1234-5678",
        "090-1234-5678",
        "09012345678",
        "+819012345678",
        "100-0001",
        "〒100-0001",
        "1234567890123456",
        "1,23",
        "1,234,56",
        "12,34円",
        "5²",
        "①",
        "½",
        "1E5",
        "1e+999",
        "nan",
        "inf",
        "千円",
        "1.5億2000万",
        "2千1億",
        "¥5%",
        "(-5)",
        "--5",
        "1 234",
        "12個",
        "令和7年",
        "2025/4/1",
        "1.2.3",
        "٣",
        "1円2円",
        "1,234ー",
        "1" * 65,
    ],
)
def test_what_is_not_surely_a_number_is_none(text: str) -> None:
    assert parse_number(text) is None


def test_what_stands_around_a_number_is_told() -> None:
    assert read_number("1,000円") == Number(1000, is_currency=True)
    assert read_number("12.5％") == Number(0.125, is_percent=True)
    assert read_number("1,000") == Number(1000)


@given(st.integers(-(10**14), 10**14))
def test_every_whole_number_is_read_in_every_spelling(value: int) -> None:
    plain, grouped = str(value), f"{value:,}"
    wide = str.maketrans("0123456789-,", "０１２３４５６７８９－，")
    for text in (plain, grouped, plain.translate(wide), grouped.translate(wide), f"{grouped}円"):
        assert parse_number(text) == value
    if value < 0:
        assert parse_number(f"▲{-value:,}") == parse_number(f"({-value:,})") == value


@given(st.text(max_size=20))
def test_any_text_is_a_value_or_none(text: str) -> None:
    parse_number(text)
    parse_date(text, compact=True)
    parse_time(text)
    parse_boolean(text)


@pytest.mark.parametrize("begin", ["2025/4/1", "2025", "1", "1万", "午後", "R", "はい"])
def test_a_long_cell_is_no_value_and_costs_no_time(begin: str) -> None:
    def read() -> None:
        for filler in (" ", "1", "1,111", "1万"):
            text = begin + filler * 20_000 + "x"
            assert parse_number(text) is None
            assert parse_date(text, compact=True) is None
            assert parse_time(text) is None
            assert parse_boolean(text) is None

    assert timed(read)[1] < 5


def test_white_space_around_a_value_may_be_long() -> None:
    assert parse_number(" " * 100 + "1,000" + " " * 100) == 1000


DATES: dict[str, date] = {
    "2025/4/1": date(2025, 4, 1),
    "2025-04-01": date(2025, 4, 1),
    "2025.4.1": date(2025, 4, 1),
    "2025年4月1日": date(2025, 4, 1),
    "２０２５年４月１日": date(2025, 4, 1),
    "２０２５／４／１": date(2025, 4, 1),
    "2025年 4月 1日": date(2025, 4, 1),
    "2025年4月1日(火)": date(2025, 4, 1),
    "2025年4月1日（火）": date(2025, 4, 1),
    "2025/04/01(火曜日)": date(2025, 4, 1),
    "2024-02-29": date(2024, 2, 29),
    "令和7年4月1日": date(2025, 4, 1),
    "令和 7 年 4 月 1 日": date(2025, 4, 1),
    "令和元年5月1日": date(2019, 5, 1),
    "R7.4.1": date(2025, 4, 1),
    "R07/04/01": date(2025, 4, 1),
    "Ｒ７．４．１": date(2025, 4, 1),
    "H31.4.30": date(2019, 4, 30),
    "S64.1.7": date(1989, 1, 7),
    "昭和64年1月7日": date(1989, 1, 7),
    "平成元年1月8日": date(1989, 1, 8),
    "大正15年12月25日": date(1926, 12, 25),
    "明治45年7月29日": date(1912, 7, 29),
    "㋿7年4月1日": date(2025, 4, 1),
    "㍻31年4月30日": date(2019, 4, 30),
    "2025/4/1 13:05": datetime(2025, 4, 1, 13, 5),
    "2025/4/1 9:05:07": datetime(2025, 4, 1, 9, 5, 7),
    "2025-04-01T13:05:00": datetime(2025, 4, 1, 13, 5),
    "2025年4月1日 午後1時5分": datetime(2025, 4, 1, 13, 5),
    "2025年4月1日13時": datetime(2025, 4, 1, 13),
    "令和7年4月1日（火）10時30分": datetime(2025, 4, 1, 10, 30),
    "2025-04-01T13:05:00.123456": datetime(2025, 4, 1, 13, 5, 0, 123456),
}


@pytest.mark.parametrize(("text", "value"), DATES.items())
def test_dates_of_the_office_are_read(text: str, value: date) -> None:
    found = parse_date(text)
    assert found == value
    assert type(found) is type(value)


def test_a_time_zone_is_kept() -> None:
    japan = timezone(timedelta(hours=9))
    assert parse_date("2025-04-01T13:05:00+09:00") == datetime(2025, 4, 1, 13, 5, tzinfo=japan)
    assert parse_date("2025-04-01T04:05:00Z") == datetime(2025, 4, 1, 13, 5, tzinfo=japan)


@pytest.mark.parametrize(("text", "year"), [("平成32年4月1日", 2020), ("令和元年4月1日", 2019)])
def test_years_that_an_era_never_had_are_meant_all_the_same(text: str, year: int) -> None:
    assert parse_date(text) == date(year, 4, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2025/2/30",
        "2025/13/1",
        "2025年4月",
        "4/1",
        "4月1日",
        "25/4/1",
        "4/1/2025",
        "令和0年1月1日",
        "平成99年1月1日",
        "20250401",
        "2025/4/1 24:00",
        "2025/4/1 13:60",
        "2025-04-01T13:05:00+99:99",
        "R7-4-1",
        "V1.2.3",
        "1.2.3",
    ],
)
def test_what_is_not_surely_a_date_is_none(text: str) -> None:
    assert parse_date(text) is None


def test_eight_digits_are_a_date_only_where_the_column_says_so() -> None:
    assert parse_date("20250401", compact=True) == date(2025, 4, 1)
    assert parse_date("20251301", compact=True) is None


ERAS = {
    ("令和", "R"): date(2019, 5, 1),
    ("平成", "H"): date(1989, 1, 8),
    ("昭和", "S"): date(1926, 12, 25),
    ("大正", "T"): date(1912, 7, 30),
    ("明治", "M"): date(1868, 1, 25),
}


@given(st.dates(date(1868, 10, 23), date(2060, 12, 31)))
def test_every_day_of_every_era_is_read(day: date) -> None:
    (era, letter), begin = next(item for item in ERAS.items() if item[1] <= day)
    year = day.year - begin.year + 1
    written = "元" if year == 1 else str(year)
    assert parse_date(f"{era}{written}年{day.month}月{day.day}日") == day
    assert parse_date(f"{letter}{year}.{day.month}.{day.day}") == day


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9:05", time(9, 5)),
        ("13:05:30", time(13, 5, 30)),
        ("１３：０５", time(13, 5)),
        ("午後1時5分", time(13, 5)),
        ("午前9時", time(9)),
        ("午前12時30分", time(0, 30)),
        ("1:05 PM", time(13, 5)),
        ("25:00", None),
        ("9:5", None),
        ("9", None),
        ("", None),
    ],
)
def test_times_are_read(text: str, value: time | None) -> None:
    assert parse_time(text) == value


@pytest.mark.parametrize(
    "text", ["はい", "有", "あり", "○", "◯", "〇", "TRUE", "Ｔｒｕｅ", "済", "Yes"]
)
def test_yes_is_yes(text: str) -> None:
    assert parse_boolean(text) is True


@pytest.mark.parametrize("text", ["いいえ", "無", "なし", "×", "✕", "FALSE", "未", "No", "否"])
def test_no_is_no(text: str) -> None:
    assert parse_boolean(text) is False


@pytest.mark.parametrize("text", ["", "1", "0", "△", "不明", "有効期限"])
def test_anything_else_is_neither(text: str) -> None:
    assert parse_boolean(text) is None
