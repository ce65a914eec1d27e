"""Periods that stand side by side become rows, and dates in three columns become one."""

from collections.abc import Sequence
from datetime import date

import pytest

from sanbo.agents.analysis.profile import PreparationKind
from tests.unit.agents.analysis.loading.messy_files import Read, Rows, read, workbook

MONTHS: Rows = [
    ["2025年度上期 支店別 売上実績表（単位：千円）"],
    ["支店", "4月", "5月", "6月", "合計"],
    ["東京", 10, 20, 30, 60],
    ["大阪", 1, 2, 3, 6],
]


def loaded(rows: Rows, as_written: Sequence[PreparationKind] = ()) -> Read:
    return read(workbook(rows), "表.xlsx", as_written=as_written)


def names(found: Read) -> list[str]:
    return [column.name for column in found.profile.columns]


def test_months_become_rows_with_the_year_of_the_title_and_no_total() -> None:
    found = loaded(MONTHS)
    assert names(found) == ["支店", "年月", "売上実績"]
    assert [tuple(row) for row in found.rows][:2] == [
        ("東京", date(2025, 4, 1).isoformat(), 10),
        ("東京", date(2025, 5, 1).isoformat(), 20),
    ]
    assert len(found.rows) == 6
    assert [row[2] for row in found.rows] == [10, 20, 30, 1, 2, 3]
    (said,) = [one for one in found.profile.preparations if one.kind == "periods"]
    assert "4月" in said.text
    assert "合計" in said.text
    assert found.profile.columns[2].unit == "千円"


def test_they_stay_columns_for_whoever_wants_so() -> None:
    assert names(loaded(MONTHS, ["periods"])) == ["支店", "4月", "5月", "6月", "合計"]


@pytest.mark.parametrize(
    ("heads", "columns", "first"),
    [
        (["4月", "5月", "6月"], ["月", "値"], ("4月", 1)),
        (["Jan", "Feb", "Mar"], ["月", "値"], ("Jan", 1)),
        (["Q1", "Q2", "Q3"], ["四半期", "値"], ("Q1", 1)),
        (["2023年", "2024年", "2025年"], ["年", "値"], (2023, 1)),
        (["2025年4月", "2025年5月", "2025年6月"], ["年月", "値"], ("2025-04-01", 1)),
        (["2023年度", "2024年度", "2025年度"], ["年度", "値"], ("2023年度", 1)),
    ],
)
def test_each_kind_of_period(
    heads: list[str], columns: list[str], first: tuple[object, ...]
) -> None:
    found = loaded([["店", *heads], ["甲", 1, 2, 3], ["乙", 4, 5, 6]])
    assert names(found) == ["店", *columns]
    assert tuple(found.rows[0][1:]) == first
    assert len(found.rows) == 6


def test_figures_of_each_period_stay_beside_each_other() -> None:
    rows: Rows = [
        ["ホテル", "2025年7月", None, "2025年8月", None],
        [None, "予算", "実績", "予算", "実績"],
        ["札幌", 18, 20, 43, 44],
        ["函館", 14, 15, 26, 21],
    ]
    found = loaded(rows)
    assert names(found) == ["ホテル", "年月", "予算", "実績"]
    assert tuple(found.rows[1]) == ("札幌", "2025-08-01", 43, 44)


@pytest.mark.parametrize(
    "rows",
    [
        # Base pay would count three times.
        [["氏名", "基本給", "7月", "8月", "9月"], ["佐藤", 300, 1, 2, 3], ["鈴木", 310, 4, 5, 6]],
        # What is called a total and is none belongs to nothing.
        [["店", "4月", "5月", "6月", "合計"], ["甲", 1, 2, 3, 99], ["乙", 4, 5, 6, 98]],
        # Words below months are no figures.
        [["係", "4月", "5月", "6月"], ["受付", "佐藤", "鈴木", "高橋"], ["案内", "林", "森", "原"]],
    ],
)
def test_other_tables_stay_as_they_are(rows: Rows) -> None:
    assert names(loaded(rows)) == [str(name) for name in rows[0]]


def test_year_month_and_day_make_a_date_beside_them() -> None:
    rows: Rows = [["年", "月", "日", "件数"], [2025, 4, 30, 5], [2025, 5, 1, 6]]
    found = loaded(rows)
    assert names(found) == ["年", "月", "日", "件数", "日付"]
    assert [row[-1] for row in found.rows] == ["2025-04-30", "2025-05-01"]
    assert names(loaded(rows, ["dates"])) == ["年", "月", "日", "件数"]


def test_days_that_no_calendar_has_make_none() -> None:
    rows: Rows = [["年", "月", "日", "件数"], [2025, 13, 30, 5], [2025, 5, 1, 6]]
    assert names(loaded(rows)) == ["年", "月", "日", "件数"]


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["31-Jan-2025", "28-Feb-2025"], ["2025-01-31", "2025-02-28"]),
        (["Jan 31, 2025", "March 1st, 2025"], ["2025-01-31", "2025-03-01"]),
        (["31/01/2025", "05/02/2025"], ["2025-01-31", "2025-02-05"]),
        (["01/31/2025", "05/02/2025"], ["2025-01-31", "2025-05-02"]),
        # Nothing tells which is the month; one of them is no date at all.
        (["01/02/2025", "05/02/2025"], ["01/02/2025", "05/02/2025"]),
        (["31/01/2025", "01/31/2025"], ["31/01/2025", "01/31/2025"]),
    ],
)
def test_dates_as_english_offices_write_them(cells: list[str], days: list[str]) -> None:
    rows: Rows = [["Day", "Amount"], *([cell, at] for at, cell in enumerate(cells, 1))]
    assert [row[0] for row in loaded(rows).rows] == days
