"""Years by era: every way of writing one, and only those that can be meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.language.eras import ERAS, era_of, known_year, western


@pytest.mark.parametrize(
    ("era", "count", "year"),
    [
        ("明治", 45, 1912),
        ("大正", 1, 1912),
        ("昭和", 64, 1989),
        ("平成", 31, 2019),
        ("令和", 7, 2025),
    ],
)
def test_a_year_of_an_era(era: str, count: int, year: int) -> None:
    assert western(era, count) == year


@given(st.sampled_from(ERAS), st.integers(1, 60))
def test_name_first_character_letter_and_sign_are_one_era(era: object, count: int) -> None:
    each = ERAS[ERAS.index(era)]
    writings = (each.name, each.name[0], each.letter, each.letter.lower(), each.sign)
    assert {western(written, count) for written in writings} == {each.before + count}
    assert {era_of(written) for written in writings} == {each}


def test_years_that_never_came_are_known_for_a_while() -> None:
    assert known_year("平成", 32) == 2020
    assert known_year("平成", 60) is None
    assert known_year("平成", 0) is None
