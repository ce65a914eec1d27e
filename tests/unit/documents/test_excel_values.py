"""Values reach the cell as what they are: text as text, numbers as numbers, dates as dates."""

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sanbo.documents.excel.book import Change, ClearCells, Update, UpdateCells
from sanbo.documents.excel.values import Scalar
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from tests.examples import examples
from tests.unit.documents.excel_files import (
    edited,
    opened,
    parts,
    replacing,
    saved,
    seen_by_calamine,
    workbook,
)

DANGEROUS = ["=1+1", "+1", "-5", "@SUM(A1)", "\t=1", "\n=1", "=cmd|' /C calc'!A0", "＝１＋１"]

EMPTY = workbook({"表": {}})


def _written(value: Scalar, data: bytes | None = None) -> tuple[Any, bytes, Change]:
    """The cell after writing the value to A1, as openpyxl sees it."""
    book = Workbook(data or workbook({"表": {"A1": "前"}}))
    change = book.apply(UpdateCells(sheet="表", cells={"A1": value}))
    after = book.save()
    return opened(after)["表"]["A1"], after, change


@pytest.mark.parametrize("text", DANGEROUS)
def test_text_that_looks_like_a_formula_is_written_as_text(text: str) -> None:
    cell, data, _ = _written(text)
    assert (cell.data_type, cell.value) == ("s", text)
    assert cell.quotePrefix  # editing the cell in Excel doesn't make it a formula either
    assert b"<f" not in parts(data)["xl/worksheets/sheet1.xml"]
    assert seen_by_calamine(data, "表") == [[text]]


def test_a_leading_carriage_return_is_a_line_break_in_a_text() -> None:
    cell, _, _ = _written("\r=1+1")
    assert (cell.data_type, cell.value, cell.quotePrefix) == ("s", "\n=1+1", True)


def test_the_guard_of_a_text_keeps_the_format_and_goes_with_the_text() -> None:
    data = edited(
        workbook({"表": {"A1": 1.5}}),
        {"xl/worksheets/sheet1.xml": replacing('<c r="A1"', '<c r="A1" s="1"')}
        | {
            "xl/styles.xml": replacing(
                "</cellXfs>",
                '<xf numFmtId="10" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>',
            )
        },
    )
    cell, guarded, _ = _written("=1", data)
    assert (cell.quotePrefix, cell.number_format) == (True, "0.00%")
    cell, _, _ = _written(0.5, guarded)
    assert (cell.value, cell.number_format, bool(cell.quotePrefix)) == (0.5, "0.00%", False)


@settings(max_examples=examples(25))
@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=20))
def test_any_text_comes_back_as_text(texts: list[str]) -> None:
    cells = {f"A{row}": f"「{text}" for row, text in enumerate(texts, start=1)}
    book = Workbook(EMPTY)
    change = book.apply(UpdateCells(sheet="表", cells=cells))
    data = book.save()
    assert b"<f" not in parts(data)["xl/worksheets/sheet1.xml"]
    sheet = opened(data)["表"]
    assert all(sheet[address].data_type == "s" for address in cells)
    again = Workbook(data).apply(ClearCells(sheet="表", range=f"A1:A{len(texts)}"))
    seen = {changed.cell: changed.before.value for changed in again.cells}
    if not change.warnings:  # no character had to be removed
        assert seen == {
            address: text.replace("\r\n", "\n").replace("\r", "\n")
            for address, text in cells.items()
        }


@pytest.mark.parametrize("text", ["_x000D_", "a_x0041_b", "__x0041__"])
def test_text_that_looks_like_an_escape_stays_as_it_is(text: str) -> None:
    _, data, _ = _written(text)
    again = Workbook(data).apply(UpdateCells(sheet="表", cells={"A1": 1}))
    assert again.cells[0].before.value == text
    assert b"_x005F_x00" in parts(data)["xl/worksheets/sheet1.xml"]


def test_spaces_at_the_ends_of_a_text_are_kept() -> None:
    cell, data, _ = _written("  字下げ ")
    assert cell.value == "  字下げ "
    assert seen_by_calamine(data, "表") == [["  字下げ "]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-5, -5),
        (0, 0),
        (0.1, 0.1),
        (1e21, 1e21),
        (Decimal("1234.5678"), 1234.5678),
        (True, True),
        (False, False),
    ],
)
def test_numbers_and_truth_values_stay_what_they_are(value: Scalar, expected: object) -> None:
    cell, _, _ = _written(value)
    assert cell.value == expected
    assert cell.data_type == ("b" if isinstance(expected, bool) else "n")


@pytest.mark.parametrize("text", ["-5", "00123", "1,000", "2025-04-01", "TRUE"])
def test_text_that_reads_as_something_else_stays_text(text: str) -> None:
    cell, _, _ = _written(text)
    assert (cell.data_type, cell.value) == ("s", text)


@pytest.mark.parametrize("value", [None, ""])
def test_nothing_empties_the_cell_and_keeps_its_format(value: str | None) -> None:
    data = workbook({"表": {"A1": date(2025, 4, 1)}})
    cell, _, _ = _written(value, data)
    assert (cell.value, cell.number_format) == (None, "yyyy-mm-dd")


@pytest.mark.parametrize(
    ("value", "number_format"),
    [
        (date(2025, 4, 1), "mm-dd-yy"),  # the short date, which Excel shows in the reader's way
        (datetime(2025, 4, 1, 9, 30), "m/d/yy h:mm"),
        (time(9, 30), "h:mm:ss"),
    ],
)
def test_a_date_in_a_plain_cell_gets_a_date_format(value: date | time, number_format: str) -> None:
    cell, _, _ = _written(value)
    expected = datetime(2025, 4, 1) if type(value) is date else value
    assert (cell.value, cell.number_format) == (expected, number_format)


@pytest.mark.parametrize("code", ['[$-411]ggge"年"m"月"d"日"', "yyyy/mm/dd", "m月d日(aaa)"])
def test_a_date_keeps_the_date_format_of_its_cell(code: str) -> None:
    book = opened(workbook({"表": {"A1": 45000}}))
    book["表"]["A1"].number_format = code
    from_book = saved(book)
    cell, _, _ = _written(date(2025, 4, 1), from_book)
    assert (cell.value, cell.number_format) == (datetime(2025, 4, 1), code)


def test_japanese_formats_that_excel_keeps_by_number_count_as_dates() -> None:
    data = edited(
        workbook({"表": {"A1": 45000}}),
        {
            "xl/worksheets/sheet1.xml": replacing('<c r="A1"', '<c r="A1" s="1"'),
            "xl/styles.xml": replacing(
                "</cellXfs>",
                '<xf numFmtId="31" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>',
            ),
        },
    )
    book = Workbook(data)
    change = book.apply(UpdateCells(sheet="表", cells={"A1": date(2025, 4, 1)}))
    assert change.cells[0].before.value == date(2023, 3, 15)
    assert parts(book.save())["xl/styles.xml"] == parts(data)["xl/styles.xml"]


@pytest.mark.parametrize(
    ("day", "serial"),
    [
        (date(1900, 1, 1), 1),
        (date(1900, 2, 28), 59),
        (date(1900, 3, 1), 61),
        (date(2025, 4, 1), 45748),
    ],
)
def test_days_are_counted_as_excel_counts_them(day: date, serial: int) -> None:
    _, data, _ = _written(day)
    assert f"<v>{serial}</v>".encode() in parts(data)["xl/worksheets/sheet1.xml"]
    again = Workbook(data).apply(UpdateCells(sheet="表", cells={"A1": "x"}))
    assert again.cells[0].before.value == day


def test_a_workbook_that_counts_from_1904_gets_its_own_numbers() -> None:
    data = edited(
        workbook({"表": {"A1": "前"}}),
        {"xl/workbook.xml": replacing("<workbookPr", '<workbookPr date1904="1"')},
    )
    cell, after, _ = _written(date(2025, 4, 1), data)
    assert cell.value == datetime(2025, 4, 1)
    assert b"<v>44286</v>" in parts(after)["xl/worksheets/sheet1.xml"]


@pytest.mark.parametrize("value", [date(1899, 12, 31), datetime(1868, 1, 25)])
def test_a_date_before_excel_begins_to_count_is_refused(value: date) -> None:
    with pytest.raises(InvalidInput) as refused:
        _written(value)
    assert refused.value.problem.text_id == "excel_date_too_early"
    assert "表!A1" in refused.value.problem.message


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400])
def test_what_is_no_number_to_excel_is_refused(value: Scalar) -> None:
    with pytest.raises(InvalidInput) as refused:
        _written(value)
    assert refused.value.problem.text_id == "excel_number_invalid"


def test_an_endless_number_is_refused() -> None:
    """Python itself refuses to write so many digits as text."""
    with pytest.raises(InvalidInput) as refused:
        _written(10**5000)
    assert refused.value.problem.text_id == "excel_number_invalid"


def test_long_numbers_are_written_with_a_warning() -> None:
    _, _, change = _written(1234567890123456789)
    assert [warning.text_id for warning in change.warnings] == ["excel_digits_lost"]
    assert _written(123456789012345)[2].warnings == ()
    assert _written(12 * 10**20)[2].warnings == ()  # zeros are not lost


def test_a_text_may_fill_a_cell_and_no_more() -> None:
    assert _written("あ" * 32_767)[0].value == "あ" * 32_767
    with pytest.raises(LimitExceeded) as refused:
        _written("あ" * 32_768)
    assert refused.value.problem.text_id == "excel_text_too_long"
    with pytest.raises(LimitExceeded):
        _written("𠮷" * 16_384)  # counted as Excel counts


def test_control_characters_are_removed_with_a_warning() -> None:
    cell, _, change = _written("改ページ\x0cまで\x00")
    assert cell.value == "改ページまで"
    assert [warning.text_id for warning in change.warnings] == ["excel_characters_removed"]


def test_a_refused_value_leaves_the_other_cells_unchanged() -> None:
    data = workbook({"表": {"A1": "前", "A2": "前"}})
    book = Workbook(data)
    with pytest.raises(InvalidInput):
        book.apply(UpdateCells(sheet="表", cells={"A1": "後", "A2": float("nan")}))
    assert book.save() == data


def test_updates_from_json_keep_text_as_text_and_refuse_formulas_as_values() -> None:
    updates: TypeAdapter[Update] = TypeAdapter(Update)
    update = updates.validate_json(
        '{"kind": "update_cells", "sheet": "表", '
        '"cells": {"A1": "-5", "A2": -5, "A3": "2025-04-01"}}'
    )
    assert isinstance(update, UpdateCells)
    assert dict(update.cells) == {"A1": "-5", "A2": -5, "A3": "2025-04-01"}
    with pytest.raises(ValidationError):
        updates.validate_python(
            {"kind": "update_cells", "sheet": "表", "cells": {"A1": {"formula": "=1"}}}
        )
