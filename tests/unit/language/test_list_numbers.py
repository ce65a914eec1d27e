"""Numbers of items: what is written by Word's styles is read again."""

from hypothesis import given
from hypothesis import strategies as st

from sanbo.language.numerals import amount_of, letter_number, number_of, numeral, roman_number


@given(st.integers(0, 999_999))
def test_what_a_style_writes_is_read(number: int) -> None:
    for style in ("decimal", "decimalFullWidth", "ideographDigital", "japaneseCounting"):
        assert number_of(numeral(number, style)) == number
    assert amount_of(numeral(number, "japaneseLegal")) == number


@given(st.integers(1, 3999))
def test_a_roman_number_is_read(number: int) -> None:
    assert roman_number(numeral(number, "upperRoman")) == number
    assert roman_number(numeral(number, "lowerRoman")) == number


def test_circles_and_letters_are_read() -> None:
    assert [number_of(numeral(n, "decimalEnclosedCircle")) for n in range(51)] == [*range(51)]
    assert [letter_number(numeral(n, "lowerLetter")) for n in range(1, 27)] == [*range(1, 27)]
    assert [letter_number(numeral(n, "irohaFullWidth")) for n in range(1, 24)] == [*range(1, 24)]


def test_what_is_no_number_of_an_item_is_none() -> None:
    assert (roman_number("XIV"), roman_number("iiii"), roman_number("")) == (14, None, None)
    assert (letter_number("ロ"), letter_number("b"), letter_number("ab")) == (2, 2, None)
    assert letter_number("ウ") == 3
