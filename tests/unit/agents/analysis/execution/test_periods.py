"""Dates by period: the same as pandas' own calendar, and names that sort in order of time."""

from datetime import date, datetime
from typing import Any, cast, get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.analysis.execution.periods import CYCLES, Span, periods, read_span
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import LimitExceeded
from tests.unit.agents.analysis.execution.performing import arrow_file, done

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


MONTHS_WITH_GAPS = pd.DataFrame(
    {
        "月": ["2024-01", "2024-03", "2024-04", "2025-01", "2025-02", "2025-04"],
        "v": [1, 3, 4, 10, 20, 40],
    }
)


@pytest.mark.parametrize("order", [{"order_by": "月"}, {}])
def test_a_lag_over_missing_months_compares_periods_and_not_rows(order: dict[str, str]) -> None:
    data = arrow_file(MONTHS_WITH_GAPS, {"月": "text", "v": "integer"})
    year = done({"op": "lag", "column": "v", "periods": 12, **order}, data)
    assert year.column("v_previous") == [None, None, None, 1, None, 4]
    month = done({"op": "lag", "column": "v", **order}, data)
    assert month.column("v_difference") == [None, None, 1, None, 10, None]
    assert "1期間前" in month.cautions


def test_each_group_is_compared_with_its_own_periods() -> None:
    frame = pd.concat(
        [MONTHS_WITH_GAPS.assign(g="a"), MONTHS_WITH_GAPS.iloc[[0, 3]].assign(g="b", v=7)]
    )
    data = arrow_file(frame.reset_index(drop=True), {"月": "text", "v": "integer", "g": "text"})
    made = done({"op": "lag", "column": "v", "order_by": "月", "by": ["g"], "periods": 12}, data)
    found = dict(
        zip(
            zip(made.column("月"), made.column("g"), strict=True),
            made.column("v_previous"),
            strict=True,
        )
    )
    assert found["2025-01", "a"] == 1
    assert found["2025-01", "b"] == 7
    assert found["2025-02", "a"] is None


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([2000, 2005, 2010], "integer"),
        (["2024-W52", "2025-W01", "2025-W02"], "text"),
        (["2024年度Q3", "2024年度Q4", "2025年度Q1"], "text"),
        (["FY2023", "FY2024", "FY2025"], "text"),
    ],
)
def test_periods_without_gaps_are_the_rows_as_they_stand(labels: list[Any], kind: Any) -> None:
    data = arrow_file(pd.DataFrame({"年": labels, "v": [1, 2, 4]}), {"年": kind, "v": "integer"})
    made = done({"op": "lag", "column": "v", "order_by": "年"}, data)
    assert made.column("v_difference") == [None, 1, 2]
    assert not made.cautions


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2025年度上期", "2025-04-01", "2025-10-01"),
        ("2025年度下半期", "2025-10-01", "2026-04-01"),
        ("FY2025-H2", "2025-10-01", "2026-04-01"),
        ("2025年上期", "2025-01-01", "2025-07-01"),
    ],
)
def test_halves_of_a_fiscal_year_are_not_those_of_a_calendar_year(
    text: str, first: str, after: str
) -> None:
    assert read_span(text) == Span(np.datetime64(first, "us"), np.datetime64(after, "us"))
