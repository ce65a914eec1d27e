"""Numbers as people write them: what is written is read again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.language.numerals import amount_of, number_of, numerals, reading

_DIGITS = "〇一二三四五六七八九"
_FORMAL = str.maketrans("一二三十百千万", "壱弐参拾佰阡萬")


def kanji(value: int) -> str:
    """By units, as people say it."""
    if value == 0:
        return "〇"
    written = ""
    for size, large in ((10**12, "兆"), (10**8, "億"), (10**4, "万"), (1, "")):
        part, value = divmod(value, size)
        if part:
            written += _below_myriad(part) + large
    return written


def _below_myriad(value: int) -> str:
    written = ""
    for size, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, size)
        if digit:
            written += ("" if digit == 1 and unit else _DIGITS[digit]) + unit
    return written


@given(st.integers(0, 10**16 - 1))
def test_what_is_written_by_units_is_read(value: int) -> None:
    assert number_of(kanji(value)) == value
    assert amount_of(kanji(value).translate(_FORMAL)) == value


@given(st.integers(0, 10**9))
def test_what_is_written_in_digits_is_read(value: int) -> None:
    digits = str(value)
    assert number_of(digits) == value
    assert number_of(digits.translate(str.maketrans("0123456789", "０１２３４５６７８９"))) == value
    assert number_of("".join(_DIGITS[int(digit)] for digit in digits)) == value
    assert amount_of(f"{value:,}") == value


@pytest.mark.parametrize(
    ("written", "value"),
    [("1.5億", 150_000_000), ("1億2,000万", 120_000_000), ("壱百萬", 1_000_000), ("1千億", 10**11)],
)
def test_mixed_writings(written: str, value: int) -> None:
    assert amount_of(written) == value


@pytest.mark.parametrize("text", ["", "円", "12円", "十x", "1.2.3", "9" * 10_000, "九" * 20_000])
def test_what_is_no_number_is_none(text: str) -> None:
    assert number_of(text) is None


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def english(value: int) -> str:
    for size, word in ((10**9, "billion"), (10**6, "million"), (1000, "thousand")):
        if value >= size:
            rest = f" {english(value % size)}" if value % size else ""
            return f"{english(value // size)} {word}{rest}"
    if value >= 100:
        rest = f" and {english(value % 100)}" if value % 100 else ""
        return f"{_ONES.split()[value // 100]} hundred{rest}"
    if value >= 20:
        return _TENS.split()[value // 10 - 2] + (
            f"-{_ONES.split()[value % 10]}" if value % 10 else ""
        )
    return _ONES.split()[value]


@given(st.integers(0, 10**12 - 1))
def test_what_is_written_in_english_words_is_read(value: int) -> None:
    assert amount_of(english(value)) == value


@pytest.mark.parametrize(
    ("written", "value", "step"),
    [
        ("1.2億", 120_000_000, 10_000_000),
        ("123万4,567", 1_234_567, 1),
        ("3万5千", 35_000, 1000),
        ("33.2M", 33_200_000, 100_000),
        ("0万", 0, 10_000),
    ],
)
def test_a_numeral_tells_how_precise_it_is(written: str, value: int, step: int) -> None:
    assert reading(written) == (value, step)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("half a dozen eggs", [6]),
        ("over half a million", [500_000]),
        ("half an hour", []),
        ("a dozen", [12]),
    ],
)
def test_half_of_a_round_number(text: str, values: list[int]) -> None:
    assert [found.value for found in numerals(text)] == values


@pytest.mark.parametrize("written", ["1万2億", "m", "1.2.3", "and", "k"])
def test_what_nobody_would_write_is_no_number(written: str) -> None:
    assert reading(written) is None
