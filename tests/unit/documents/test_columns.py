"""A column is typed by all its cells; cells that do not fit are reported, codes stay text."""

from datetime import date, datetime, time

import pytest

from sanbo.documents.columns import Cell, ColumnType, Unreadable, infer_columns, typed
from tests.cpu_time import timed


def _type_of(*cells: Cell) -> ColumnType:
    return infer_columns([[cell] for cell in cells])[0]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "２", "▲3", "1,000"], "integer"),
        (["1", "2.5"], "number"),
        (["1,000円", "¥2,000", "3,000"], "currency"),
        (["12.5%", "３％", "0"], "percent"),
        (["2025/4/1", "令和7年4月2日", "2025-04-03"], "date"),
        (["2025/4/1 13:05", "2025/4/2"], "datetime"),
        (["9:05", "13:00"], "time"),
        (["○", "×", ""], "boolean"),
        (["はい", "いいえ"], "boolean"),
        (["", " ", ""], "empty"),
        (["東京", "大阪"], "text"),
        (["03-1234-5678", "06-1234-5678"], "text"),
        (["100-0001", "530-0001"], "text"),
        (["1", "東京"], "text"),
        (["-", "－", "N/A"], "text"),
        (["20250401", "20250402", "20250403"], "date"),
        (["20250401", "20250402", "20259999"], "integer"),
        (["10%", "20", "30"], "text"),
        (["(1)", "(2)", "(3)"], "text"),
        (["（1）", "（2）", "（1）", "（2）", "（3）"], "text"),
        (["(1)", "(5)", "(3)"], "integer"),
        (["(1,200)", "300"], "integer"),
        (["¥1,000-", "¥2,500-"], "currency"),
    ],
)
def test_a_column_is_what_its_cells_are(cells: list[str], kind: ColumnType) -> None:
    assert _type_of(*cells) == kind


def test_one_code_with_a_leading_zero_keeps_the_column_text() -> None:
    assert _type_of(*(str(code) for code in range(1000, 1500)), "0012") == "text"


def test_cells_of_a_workbook_are_values_already() -> None:
    assert _type_of(1, 2, 3) == "integer"
    assert _type_of(1, 2.5) == "number"
    assert _type_of(date(2025, 4, 1), None) == "date"
    assert _type_of(datetime(2025, 4, 1, 9), date(2025, 4, 2)) == "datetime"
    assert _type_of(time(9), time(10)) == "time"
    assert _type_of(True, False) == "boolean"
    assert _type_of(20250401, 20250402, 20250403) == "date"


def test_an_odd_cell_among_twenty_is_reported_and_the_column_stays_typed() -> None:
    rows = [[str(number)] for number in range(1, 20)] + [["集計中"]]
    types = infer_columns(rows)
    result = typed(rows, types)
    assert types == ["integer"]
    assert [row[0] for row in result.rows] == [*range(1, 20), None]
    assert result.unreadable == [Unreadable(19, 0, "集計中")]


def test_an_odd_cell_among_ten_makes_the_column_text() -> None:
    rows = [[str(number)] for number in range(1, 10)] + [["集計中"]]
    result = typed(rows, infer_columns(rows))
    assert [row[0] for row in result.rows][-1] == "集計中"
    assert result.unreadable == []


def test_a_long_column_allows_only_few_odd_cells() -> None:
    numbers = [str(number) for number in range(1, 1001)]
    assert _type_of(*numbers, *["?"] * 5) == "integer"
    assert _type_of(*numbers, *["?"] * 20) == "text"


def test_dashes_stand_for_no_value_and_are_no_failure() -> None:
    rows = [["1,000"], ["-"], ["－"], ["N/A"], ["2,000"]]
    result = typed(rows, infer_columns(rows))
    assert [row[0] for row in result.rows] == [1000, None, None, None, 2000]
    assert result.unreadable == []


def test_values_come_out_typed() -> None:
    rows = [
        ["2025/4/1", "東京", "1,000円", "12.5%", "○", "9:05", "0012", "2025/4/1 9:00"],
        ["令和7年4月2日", "大阪", "▲500円", "３％", "×", "13:00", "0345", "2025/4/2"],
        ["", "", "", "", "", "", "", ""],
    ]
    result = typed(rows, infer_columns(rows))
    assert result.rows == [
        [date(2025, 4, 1), "東京", 1000, 0.125, True, time(9, 5), "0012", datetime(2025, 4, 1, 9)],
        [date(2025, 4, 2), "大阪", -500, 0.03, False, time(13), "0345", datetime(2025, 4, 2)],
        [None] * 8,
    ]
    assert result.unreadable == []


def test_short_rows_are_filled_up() -> None:
    rows = [["1", "2"], ["3"]]
    assert infer_columns(rows) == ["integer", "integer"]
    assert typed(rows, ["integer", "integer"]).rows == [[1, 2], [3, None]]


def test_a_percentage_among_prices_is_reported_not_taken_for_a_price() -> None:
    rows = [[str(price)] for price in range(100, 140)] + [["100%"]]
    result = typed(rows, infer_columns(rows))
    assert result.unreadable == [Unreadable(40, 0, "100%")]
    assert result.rows[40] == [None]


def test_the_numbers_of_items_stay_as_they_are_written() -> None:
    rows = [["(1)"], ["(2)"], ["(3)"]]
    assert typed(rows, infer_columns(rows)).rows == rows


def test_a_long_table_is_judged_in_time() -> None:
    rows = [
        [f"2025/{n % 12 + 1}/{n % 28 + 1}", f"{n * 37 % 100_000:,}", f"{n % 100}%", "○", "1.5"]
        for n in range(20_000)
    ]
    found, seconds = timed(lambda: infer_columns(rows))
    assert found == ["date", "integer", "percent", "boolean", "number"]
    assert seconds < 1.5
