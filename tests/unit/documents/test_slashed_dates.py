from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from sanbo.documents.file_table import day_order, slashed_column

DAYS = st.dates(date(1970, 1, 1), date(2068, 12, 31))


@given(st.lists(DAYS, min_size=3), st.booleans(), st.sampled_from("/-."))
def test_a_column_with_a_day_above_twelve_is_read_in_its_own_order(
    days: list[date], month_first: bool, mark: str
) -> None:
    days = [*days, date(2017, 12, 30)]
    parts = [(day.month, day.day) if month_first else (day.day, day.month) for day in days]
    cells = [
        f"{first}{mark}{second}{mark}{day.year % 100:02d}"
        for (first, second), day in zip(parts, days, strict=True)
    ]
    assert slashed_column(cells) == days


def test_where_nothing_tells_days_from_months_nothing_is_guessed() -> None:
    assert day_order(["1/2/2025", "3/4/2025", "5/6/2025"]) is None
    assert slashed_column(["1/2/2025", "3/4/2025", "5/6/2025"]) is None


def test_days_in_both_places_are_no_dates() -> None:
    assert slashed_column(["30/12/17", "12/30/17", "1/1/17"]) is None


def test_empty_cells_stay_empty() -> None:
    assert slashed_column(["12/30/17", "", "1/5/18", "2/6/18"]) == [
        date(2017, 12, 30),
        None,
        date(2018, 1, 5),
        date(2018, 2, 6),
    ]


def test_one_other_text_makes_the_column_text() -> None:
    assert slashed_column(["12/30/17", "1/5/18", "2/6/18", "未定"]) is None


def test_a_day_that_never_was_makes_the_column_text() -> None:
    assert slashed_column(["12/30/17", "2/30/18", "2/6/18"]) is None
