"""Values are read as what they mean, however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.evidence.rules.values import holds_what, values
from sanbo.language.numerals import narrow


def _meanings(text: str) -> list[tuple[str, str]]:
    return [(value.unit, value.meaning) for value in values(narrow(text))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("２，５００円", "2500円"),
        ("1億2,000万円", "120,000,000円"),
        ("三百五十人", "350名"),
        ("令和7年4月1日", "2025-04-01"),
        ("令和七年四月一日", "2025年4月1日"),
        ("April 1, 2025", "1 April 2025"),
        ("午後5時30分", "17:30"),
        ("午後5時半", "17時30分"),
        ("¥3,000", "3000円"),
        ("3割", "30%"),
        ("6ヶ月", "六か月"),
        ("thirty days", "30 days"),
        ("$1,200", "1200 dollars"),
    ],
)
def test_two_spellings_mean_the_same(one: str, other: str) -> None:
    assert _meanings(one) == _meanings(other) != []


def test_what_only_counts_a_place_is_no_value() -> None:
    assert _meanings("第12条") == []
    assert _meanings("第3回") == []


@given(st.text(alphabet="0123456789,.年月日円万億千百十一二三元令和平成:/-¥$第 ", max_size=80))
def test_any_mixture_of_figures_is_read(text: str) -> None:
    for value in values(narrow(text)):
        assert value.meaning


def test_business_days_are_days_where_days_are_asked_for() -> None:
    for question in ("納品まで何日かかりますか", "何日前までに申請しますか"):
        holds = holds_what(question)
        assert holds is not None
        assert holds("納品まで5営業日かかります。")
