"""Dates by period: the same as pandas' own calendar, and names that sort in order of time."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from datetime import date, datetime
from typing import cast, get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.analysis.execution.periods import CYCLES, periods
from sanbo.agents.analysis.execution.spans import read_span
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import LimitExceeded

UNITS = cast("tuple[TimeUnit, ...]", get_args(TimeUnit))
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 12, 31))


def column(*moments: datetime | None) -> pd.Series:
    return pd.Series(moments, dtype="datetime64[us]")


@pytest.mark.parametrize(
    ("unit", "label", "japanese", "english"),
    [
        ("year", "2025", "2025", "2025"),
        ("half", "2025-H1", "2025-H1", "2025-H1"),
        ("quarter", "2025-Q1", "2025-Q1", "2025-Q1"),
        ("month", "2025-03", "2025-03", "2025-03"),
        ("week", "2025-W14", "2025-W14", "2025-W14"),
        ("day", "2025-03-31", "2025-03-31", "2025-03-31"),
        ("hour", "2025-03-31 09:00", "2025-03-31 09:00", "2025-03-31 09:00"),
        ("fiscal_year", "FY2024", "2024年度", "FY2024"),
        ("fiscal_quarter", "FY2024-Q4", "2024年度Q4", "FY2024-Q4"),
        ("month_of_year", "3", "3月", "March"),
        ("day_of_month", "31", "31日", "31"),
        ("weekday", "1", "月曜日", "Monday"),
        ("hour_of_day", "9", "9時", "9:00"),
    ],
)
def test_a_date_has_a_stable_label_and_a_name_for_people(
    unit: TimeUnit, label: str, japanese: str, english: str
) -> None:
    time = periods(column(datetime(2025, 3, 31, 9, 5)), unit)
    ordinal = int(time.of_rows.iloc[0])
    assert time.label(ordinal) == label
    with use_language("ja"):
        assert time.display(ordinal) == japanese
    with use_language("en"):
        assert time.display(ordinal) == english


@given(st.lists(MOMENTS, min_size=1, max_size=20))
def test_ordinals_agree_with_the_calendar_of_the_language(moments: list[datetime]) -> None:
    values = column(*moments)
    months = periods(values, "month")
    weeks = periods(values, "week")
    days = periods(values, "weekday")
    for place, moment in enumerate(moments):
        assert months.label(months.of_rows.iloc[place]) == f"{moment:%Y-%m}"
        year, week, weekday = moment.isocalendar()
        assert weeks.label(weeks.of_rows.iloc[place]) == f"{year:04}-W{week:02}"
        assert days.of_rows.iloc[place] == weekday


@given(MOMENTS, st.sampled_from([unit for unit in UNITS if unit not in CYCLES]))
def test_the_label_of_a_period_reads_as_the_span_that_holds_the_date(
    moment: datetime, unit: TimeUnit
) -> None:
    time = periods(column(moment), unit)
    ordinal = int(time.of_rows.iloc[0])
    assert time.start(ordinal) <= np.datetime64(moment, "us") < time.start(ordinal + 1)
    if unit != "hour":
        span = read_span(time.label(ordinal))
        assert span is not None
        assert span.start == time.start(ordinal)
        assert span.end == time.start(ordinal + 1)


def test_a_fiscal_year_may_begin_in_another_month() -> None:
    time = periods(column(datetime(2025, 9, 30), datetime(2025, 10, 1)), "fiscal_year", 10)
    assert [time.label(ordinal) for ordinal in time.of_rows] == ["FY2024", "FY2025"]


def test_a_missing_date_has_no_period() -> None:
    time = periods(column(datetime(2025, 1, 1), None), "month")
    assert time.of_rows.isna().tolist() == [False, True]
    assert time.shown(time.of_rows).isna().tolist() == [False, True]
    assert periods(column(None, None), "weekday").of_rows.isna().all()


def test_gaps_are_filled_in_order_and_a_cycle_is_whole() -> None:
    time = periods(column(datetime(2025, 11, 3), datetime(2026, 2, 1)), "month")
    names = [time.label(ordinal) for ordinal in time.between([*time.of_rows])]
    assert names == ["2025-11", "2025-12", "2026-01", "2026-02"]
    assert list(periods(column(datetime(2025, 1, 1)), "weekday").between([3])) == [*range(1, 8)]


def test_too_many_gaps_are_refused() -> None:
    time = periods(column(datetime(1900, 1, 1), datetime(2100, 1, 1)), "hour")
    with pytest.raises(LimitExceeded):
        time.between([int(ordinal) for ordinal in time.of_rows])


def test_days_stay_dates() -> None:
    time = periods(column(datetime(2025, 3, 31, 9, 5)), "day")
    assert time.kind == "date"
    assert time.shown(time.of_rows).dt.date.tolist() == [date(2025, 3, 31)]
