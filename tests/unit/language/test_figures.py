"""Figures of a text: what is written is found, with its value, unit, precision and kind."""

from datetime import date
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.language.eras import ERAS
from sanbo.language.figures import Kind, find, written
from sanbo.language.moments import Moment, find_moments
from sanbo.language.numerals import narrow

_UNITS = [
    "円",
    "人",
    "日",
    "営業日",
    "週",
    "か月",
    "年間",
    "時間",
    "分",
    "回",
    "泊",
    "%",
    "$",
    "€",
    "£",
]


@given(
    st.integers(11, 10**13),
    st.integers(0, 3),
    st.sampled_from(_UNITS),
    st.sampled_from(("ja", "en")),
)
def test_what_is_written_is_found(number: int, decimals: int, unit: str, language: str) -> None:
    value = Fraction(number, 10**decimals)
    digits = f"{number // 10**decimals:,}"
    if decimals:
        digits += f".{number % 10**decimals:0{decimals}}"
    text = written(digits, unit, "ja" if language == "ja" else "en")
    found = find(f"約{text}です。" if language == "ja" else f"about {text} of it.")
    assert [(one.value, one.unit, one.step) for one in found] == [
        (value, unit, Fraction(1, 10**decimals))
    ]


@given(st.dates(date(1868, 10, 23), date(2099, 12, 31)))
def test_a_day_in_any_writing_is_found(day: date) -> None:
    era = [each for each in ERAS if each.before < day.year][-1]
    count = day.year - era.before
    for text in (
        day.isoformat(),
        f"{day.year}年{day.month}月{day.day}日",
        f"{era.name}{'元' if count == 1 else count}年{day.month}月{day.day}日",
        f"{era.letter}{count}.{day.month}.{day.day}" if count < 100 else day.isoformat(),
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
    ):
        (found,) = find(f"「{text}」")
        assert found.moment == Moment(day.year, day.month, day.day), text
        assert (found.kind, found.start, found.end) == ("date", 1, 1 + len(text))


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit", "step"),
    [
        ("1億2,000万円", "money", 120_000_000, "円", 10_000),
        ("1億二千万円", "money", 120_000_000, "円", 10_000_000),
        ("$1.5 million", "money", 1_500_000, "$", 100_000),
        ("twenty-five days", "count", 25, "日", 1),
        ("two hundred and forty-five thousand yen", "money", 245_000, "円", 1000),
        ("３割５分", "share", 35, "%", 1),
        ("一割四分六厘", "share", Fraction("14.6"), "%", Fraction(1, 10)),
        ("三百五十名", "count", 350, "人", 10),
        ("10日", "date", 10, "日", 1),
        ("10日間", "count", 10, "日", 1),
        ("0万円", "money", 0, "円", 10_000),
        ("壱", "number", None, "", 1),
    ],
)
def test_value_unit_precision_and_kind(
    text: str, kind: Kind, value: int | Fraction | None, unit: str, step: int | Fraction
) -> None:
    found = find(narrow(text))
    if value is None:
        assert not found
    else:
        assert [(one.kind, one.value, one.unit, one.step) for one in found] == [
            (kind, value, unit, step)
        ]


@pytest.mark.parametrize("text", ["十分に", "万一", "六日町", "三分の二", "3分の2"])
def test_words_that_contain_a_numeral_count_no_time(text: str) -> None:
    assert not any(one.unit for one in find(text))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("令和7年度第1四半期", Moment(2025, quarter=1)),
        ("2025-W03", Moment(2025, week=3)),
        ("FY2025-Q1", Moment(2025, quarter=1)),
        ("2024年後半", Moment(2024, half=2)),
        ("午後5時半", Moment(hour=17, minute=30)),
        ("二〇二五年四月一日", Moment(2025, 4, 1)),
        ("大正12年9月1日", Moment(1923, 9, 1)),
        ("M45.7.30", Moment(1912, 7, 30)),
        ("24年4月", Moment(24, 4)),
    ],
)
def test_moments(text: str, moment: Moment) -> None:
    assert [one.moment for one in find_moments(text)] == [moment]


@pytest.mark.parametrize(
    "text", ["3年間", "5日連続", "1000年以上", "2025-13-01", "一時的", "25:61"]
)
def test_lengths_and_what_no_calendar_has_are_no_moments(text: str) -> None:
    assert find_moments(text) == []


@given(
    st.text(alphabet="0123456789,.年月日円万億千百十一二三元令和平成:/-¥$第分割時 ", max_size=80)
)
def test_figures_are_in_order_and_disjoint(text: str) -> None:
    found = find(text)
    for one, other in pairwise(found):
        assert one.start < one.end <= other.start
