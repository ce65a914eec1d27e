"""`excel.read_data`: rows by their headings, wherever the table stands."""

import os
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import MissingDependency, PermissionDenied, ProviderFailed, SanboError
from tests.unit.blocks.computing import Computed, compute
from tests.unit.blocks.excel.books import file_of, ledger, report
from tests.unit.documents.excel_files import workbook


def read(book: Any, **given: Any) -> Computed:
    return compute("excel.read_data", {"workbook": book, **given})


def test_a_table_is_found_below_its_title() -> None:
    result = read(report(), read_config={"sheets": ["売上"], "header_row": "auto"})
    assert result["rows"][0] == {
        "品番": "A-001",
        "品名": "りんご",
        "単価": 120,
        "数量": 10,
        "金額": 1200,
    }
    assert result["summary"]["rows"] == {"売上": 3}


def test_all_sheets_come_by_their_names() -> None:
    result = read(ledger(), mode="multi")
    assert list(result["data"]) == ["台帳", "設定"]
    assert result["rows"] == []
    assert result["data"]["設定"] == [{"ID": "x", "値": 1}]


def test_a_header_row_and_a_range_are_taken_as_given() -> None:
    cells = {
        "B2": "題",
        "B4": "氏名\n（漢字）",
        "D4": "額",
        "B5": "青木",
        "C5": "？",
        "D5": 1,
        "B7": "石井",
    }
    book = file_of(workbook({"表": cells}))
    config = {"name": "表", "header_row": 4}
    assert read(book, read_config={"sheets": [config]})["rows"] == [
        {"氏名（漢字）": "青木", "col3": "？", "額": 1},
        {"氏名（漢字）": "石井", "col3": None, "額": None},
    ]
    ranged = {"name": "表", "header_row": 1, "range": "B4:D5"}
    assert read(book, read_config={"sheets": [ranged]})["rows"] == [
        {"氏名（漢字）": "青木", "col2": "？", "額": 1}
    ]
    kept = read(book, read_config={"header_row": 4, "skip_empty_rows": False})
    assert len(kept["rows"]) == 3


def test_dates_are_iso_or_as_offices_write_them() -> None:
    cells = {"A1": "日", "B1": "時", "A2": date(2026, 5, 31), "B2": datetime(2026, 5, 31, 9, 30)}
    book = file_of(workbook({"表": cells}))
    assert read(book, read_config={"header_row": 1})["rows"] == [
        {"日": "2026-05-31", "時": "2026-05-31T09:30:00"}
    ]
    plain = read(book, read_config={"header_row": 1, "date_as_iso": False})
    assert plain["rows"][0]["日"] == "2026/05/31"


FORMULAS = {"A1": "額", "A2": 3, "B1": "倍", "B2": "=A2*2"}


def test_formulas_without_results_are_told_and_calculated_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = file_of(workbook({"表": FORMULAS}))
    plain = read(book, read_config={"header_row": 1})
    assert plain["rows"] == [{"額": 3, "倍": None}]
    assert "recalc" in plain["summary"]["warnings"][0]

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependency):
        read(book, recalc=True)
    assert read(ledger(), recalc=True)["summary"]["recalc"]["status"] == "not_needed"

    done = tmp_path / "done.xlsx"
    done.write_bytes(workbook({"表": {**FORMULAS, "B2": 6}}))
    _program(tmp_path, f'mkdir -p "$7" && cp "{done}" "$7/workbook.xlsx"')
    result = read(book, recalc={"enabled": True, "engine": "libreoffice", "timeout_sec": 30})
    assert result["rows"] == [{"額": 3, "倍": 6}]
    assert result["summary"]["recalc"] == {"enabled": True, "status": "recalculated"}

    _program(tmp_path, "exit 3")
    with pytest.raises(ProviderFailed):
        read(book, recalc=True)
    _program(tmp_path, "sleep 60")
    with pytest.raises(SanboError) as slow:
        read(book, recalc={"timeout_sec": 1})
    assert slow.value.problem.text_id == "excel_recalculation_slow"


def test_what_reaches_out_of_the_workbook_is_not_calculated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    _program(tmp_path, "exit 0")
    book = file_of(workbook({"表": {"A1": '=WEBSERVICE("http://localhost/?"&A2)', "A2": 1}}))
    with pytest.raises(PermissionDenied):
        read(book, recalc=True)


def _program(folder: Path, work: str) -> None:
    program = folder / "soffice"
    program.write_text(f"#!/bin/sh\n{work}\n")
    os.chmod(program, 0o755)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"read_config": {"sheets": ["台張"]}}, "台帳"),
        ({"read_config": {"header": 1}}, "header_row"),
        ({"read_config": {"header_row": "上"}}, "header_row"),
        ({"recalc": {"engin": "x"}}, "engine"),
    ],
)
def test_what_can_not_be_meant_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SanboError) as refused:
        read(ledger(), **given)
    problem = refused.value.problem
    assert said in f"{problem.message}{problem.hint}"


def test_nothing_to_read_is_told() -> None:
    with pytest.raises(SanboError):
        read({"name": "空.xlsx"})


@pytest.mark.parametrize("config", [{"header_row": 3}, {"header_row": "auto"}])
def test_totals_that_a_person_typed_are_told_or_left_out(config: dict[str, Any]) -> None:
    cells = {"A3": "支店", "B3": "金額", "A4": "東京", "B4": 100, "A5": "大阪", "B5": 300}
    book = file_of(workbook({"売上": {**cells, "A6": "合計", "B6": 400}}))
    made = read(book, read_config=config)
    assert len(made["rows"]) == 3
    (warning,) = made.warnings
    assert "シート「売上」" in warning.message
    assert "6行目「合計」" in warning.message
    without = read(book, read_config=config, totals="drop")
    assert without["rows"] == made["rows"][:2]
    assert without["summary"]["total_rows"] == {"売上": [6]}
    assert not without.warnings


@pytest.mark.parametrize("has_rows", [True, False])
def test_headings_that_are_required_are_told_where_they_are_missing(*, has_rows: bool) -> None:
    cells: dict[str, Any] = {"A1": "台帳", "A3": "番号", "B3": "金額"}
    if has_rows:
        cells |= {"A4": "A-1", "B4": 100}
    book = file_of(workbook({"表": cells}))

    def reading(*required: str) -> Computed:
        sheet = {"name": "表", "header_row": "auto", "required": list(required)}
        return read(book, read_config={"sheets": [sheet]})

    assert reading("金額", "番号")["summary"]["sheets"] == 1
    with pytest.raises(SanboError) as refused:
        reading("番号", "説明", "備考")
    assert "シート「表」に、見出し「説明、備考」" in refused.value.problem.message
