"""What is exported opens safely in a spreadsheet, and can be executed again and compared."""

import csv
import io
import json
from datetime import datetime
from typing import Any, cast

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.analysis.export.csv_files import csv_bytes
from sanbo.agents.analysis.export.recipe import Recipe, compare
from sanbo.agents.analysis.outcome import Figure, Outcome, ResultTable
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import (
    InvalidInput,
    LimitExceeded,
    SanboError,
    UnsupportedFormat,
)
from sanbo.reports.names import FileNames
from tests.unit.agents.analysis.report_content import STORES, content, table

RECIPE = Recipe.of(content())


def _read(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize(
    "formula",
    ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", "＝１", " =1", "　@x"],
)
def test_a_text_never_becomes_a_formula(formula: str) -> None:
    rows = _read(csv_bytes(table((formula, 1), labels=(formula, "売上"))))
    assert rows[0][0] == rows[1][0] == f"'{formula}"


def test_negative_numbers_stay_numbers_and_a_lone_dash_a_dash() -> None:
    rows = _read(csv_bytes(table(("-", -5), ("x", -1))))
    assert rows[1:] == [["-", "-5"], ["x", "-1"]]


def test_a_csv_begins_with_the_mark_that_excel_needs_and_keeps_every_value() -> None:
    whole = pa.table(
        {
            "日付": [datetime(2025, 4, 1), datetime(2025, 4, 1, 10, 30), None],
            "値": [0.1, float("nan"), 1e-9],
            "可否": [True, False, None],
        }
    )
    data = csv_bytes(whole)
    assert data.startswith(b"\xef\xbb\xbf")
    assert _read(data)[1:] == [
        ["2025-04-01", "0.1", "TRUE"],
        ["2025-04-01 10:30:00", "", "FALSE"],
        ["", "1e-09", ""],
    ]


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=20), min_size=1))
def test_a_csv_has_the_cells_that_went_in(cells: list[str]) -> None:
    rows = _read(csv_bytes(table(*((cell, 1) for cell in cells))))
    read = [row[0].removeprefix("'") for row in rows[1:]]
    assert read == [cell.replace("\0", "").removeprefix("'") for cell in cells]


# ---- names of files ----


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("店舗別の売上（合計）", "店舗別の売上（合計）.csv"),
        ("../../etc/passwd", "etc_passwd.csv"),
        ("a/b\\c:d*e?f", "a_b_c_d_e_f.csv"),
        ("CON", "_CON.csv"),
        ("com1", "_com1.csv"),
        ("-rf", "rf.csv"),
        (".hidden", "hidden.csv"),
        ("", "untitled.csv"),
        ("\x00\n", "untitled.csv"),
        ("a\u202eb", "ab.csv"),
    ],
)
def test_a_title_becomes_a_safe_name(title: str, name: str) -> None:
    assert FileNames().give(title, "csv") == name


@given(st.lists(st.text(max_size=200), max_size=20))
def test_names_are_safe_short_and_unique_on_any_system(titles: list[str]) -> None:
    names = FileNames()
    given_names = [names.give(title, "csv") for title in titles]
    assert len({name.casefold() for name in given_names}) == len(titles)
    for name in given_names:
        assert not set(name) & set('/\\:*?"<>|\0\n\r\t ')
        assert not name.startswith((".", "-"))
        assert len(name.encode()) <= 140


def test_a_title_can_not_take_the_place_of_the_report() -> None:
    assert FileNames().give("Report", "md") == "Report_2.md"
    names = FileNames()
    assert [names.give("売上", "csv"), names.give("売上", "csv")] == ["売上.csv", "売上_2.csv"]


# ---- the recipe ----


def test_a_recipe_survives_its_file() -> None:
    assert Recipe.from_json(RECIPE.to_json()) == RECIPE
    assert Recipe.from_json(RECIPE.to_json().encode()).to_json() == RECIPE.to_json()


def _changed(**changes: object) -> str:
    return json.dumps({**json.loads(RECIPE.to_json()), **changes})


def _steps(**changes: object) -> list[dict[str, object]]:
    steps = json.loads(RECIPE.to_json())["steps"]
    steps[0].update(changes)
    return steps


def _rows(row: list[object]) -> list[dict[str, object]]:
    steps = _steps()
    cast("Any", steps[0])["tables"][0]["rows"][0] = row
    return steps


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("{", InvalidInput, "JSON"),
        ("[" * 100_000, InvalidInput, "JSON"),
        (b"\xff\xfe\x00", InvalidInput, "JSON"),
        ("NaN", InvalidInput, "JSON"),
        ("[]", UnsupportedFormat, "specs.json"),
        ('{"format": "other"}', UnsupportedFormat, "specs.json"),
        (_changed(version=99), UnsupportedFormat, "99"),
        (_changed(language="fr"), InvalidInput, "language"),
        (_changed(surprise=1), InvalidInput, "surprise"),
        (_changed(steps=7), InvalidInput, "steps"),
        (_changed(steps=_steps(spec={"op": "groupby_ag"})), InvalidInput, "groupby_ag"),
        (_changed(steps=_steps(spec="import os")), InvalidInput, "INPUT"),
        (_changed(steps=_steps(result_id="../x")), InvalidInput, "result_id"),
        (_changed(steps=_steps(result_id="r2")), InvalidInput, "r2"),
        (_changed(steps=_steps(spec={"op": "missingness", "input": "r9"})), InvalidInput, "r9"),
        (_changed(steps=_rows([])), InvalidInput, "tables"),
        (_changed(steps=_rows(["a", 1, 2])), InvalidInput, "tables"),
        (_changed(steps=_rows(["a", 10**400])), InvalidInput, "tables"),
        (_changed(steps=_rows(["\ud800", 1])), InvalidInput, "JSON"),
    ],
)
def test_a_recipe_that_does_not_fit_is_a_problem_that_says_where(
    text: str | bytes, error: type[SanboError], says: str
) -> None:
    with use_language("ja"), pytest.raises(error, match=says):
        Recipe.from_json(text)


def test_a_recipe_of_enormous_size_is_not_even_read() -> None:
    with pytest.raises(LimitExceeded):
        Recipe.from_json(b" " * 50_000_001)


# ---- replay ----


def _outcomes(*tables: ResultTable) -> list[Outcome | None]:
    figure = Figure(title="", alt="", table=tables[0], vega={})
    return [
        Outcome(tables=tables, input_rows=1, used_rows=1),
        Outcome(figures=(figure,), input_rows=1, used_rows=1),
    ]


def test_the_same_numbers_differ_in_nothing_whatever_their_titles_say() -> None:
    again = STORES.model_copy(update={"title": "Sales by store"})
    assert compare(RECIPE, _outcomes(again)) == []


def test_a_number_that_differs_is_named_with_its_place() -> None:
    again = table(("新宿店", 33_210_000), ("渋谷店", 24_567_891))
    found = compare(RECIPE, _outcomes(again))
    assert [(one.kind, one.result_id, one.row, one.column) for one in found] == [
        ("value", "r1", 2, "売上_sum"),
        ("value", "r2", 2, "売上_sum"),
    ]
    assert "24567890" in found[0].describe()


def test_noise_in_the_last_digits_is_no_difference_and_more_than_it_is_one() -> None:
    kinds = ("text", "number")
    recipe = Recipe.of(content(table(("a", 0.1 + 0.2), ("b", 0.0), kinds=kinds)))
    same = table(("a", 0.3), ("b", 1e-17), kinds=kinds)
    other = table(("a", 0.3 * (1 + 1e-8)), ("b", 0.0), kinds=kinds)
    assert compare(recipe, _outcomes(same)) == []
    assert [one.row for one in compare(recipe, _outcomes(other))] == [1, 1]


@pytest.mark.parametrize(
    ("outcomes", "kind"),
    [
        ([], "result"),
        ([None, None], "result"),
        (_outcomes(STORES, STORES), "table"),
        (_outcomes(table(("新宿店", 1))), "rows"),
        (_outcomes(table(("新宿店", 1), ("渋谷店", 2), names=("店", "売上_sum"))), "columns"),
        (_outcomes(table(("新宿店", None), ("渋谷店", 24_567_890))), "value"),
        (_outcomes(table(("新宿", 33_210_000), ("渋谷店", 24_567_890))), "value"),
    ],
)
def test_everything_else_that_differs_is_told(outcomes: list[Outcome | None], kind: str) -> None:
    first = compare(RECIPE, outcomes)[0]
    assert first.kind == kind
    for language in ("ja", "en"):
        with use_language(language):
            assert first.describe().startswith("r1")
