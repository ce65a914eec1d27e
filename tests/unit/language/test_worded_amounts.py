"""Amounts without a numeral."""

from fractions import Fraction

import pytest

from sanbo.language.worded_amounts import worded_amounts


@pytest.mark.parametrize(
    ("text", "told", "value", "unit"),
    [
        ("customers seen only once", "once", 1, "回"),
        ("seen more than once", "more than once", 1, "回"),
        ("at least twice", "twice", 2, "回"),
        ("women in their forties", "forties", 40, ""),
        ("waited half an hour or longer", "half an hour", Fraction(1, 2), "時間"),
        ("within a quarter of an hour", "quarter of an hour", Fraction(1, 4), "時間"),
        ("over an hour and a half", "an hour and a half", Fraction(3, 2), "時間"),
        ("two and a half hours", "two and a half hours", Fraction(5, 2), "時間"),
        ("more than a week late", "a week", 1, "週"),
        ("an hour or more", "an hour", 1, "時間"),
        ("under a fortnight", "a fortnight", 14, "日"),
        ("owes us two grand", "two grand", 2000, ""),
        ("a couple of fivers", "couple of fivers", 10, ""),
        ("一度しか来ていない人", "一度", 1, "回"),
        ("多い店ふたつ", "ふたつ", 2, ""),
        ("半時間以上", "半時間", Fraction(1, 2), "時間"),
        ("半年以内", "半年", Fraction(1, 2), "年間"),
    ],
)
def test_what_is_said_is_an_amount(text: str, told: str, value: Fraction, unit: str) -> None:
    (found,) = worded_amounts(text)
    assert text[found.start : found.end] == told
    assert (found.value, found.unit) == (value, unit)


@pytest.mark.parametrize(
    "text", ["jobs an hour", "how many a day", "half the price", "半額", "もう一度"]
)
def test_what_is_no_amount_is_none(text: str) -> None:
    assert not worded_amounts(text)
