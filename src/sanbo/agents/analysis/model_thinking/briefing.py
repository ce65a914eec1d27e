"""What a model is told of a table and its results: never rows of the table, always as data."""

import json
from collections.abc import Sequence
from typing import Any, cast

from sanbo.agents.analysis.decision import ResultView, Turn, View
from sanbo.agents.analysis.outcome import JsonCell, ResultTable, TableColumn
from sanbo.agents.analysis.profile import ColumnProfile, TableProfile
from sanbo.agents.analysis.spec.operations import AnalysisSpec, Cast, Dedup, Derive, Impute
from sanbo.agents.analysis.spec.plots import Plot, PlotSpec
from sanbo.kernel.problems import Problem
from sanbo.kernel.text import matching_form
from sanbo.llm.shown_data import between_marks

MOST_VALUES = 20
LONGEST_CELL = 40
MOST_ROWS = 20
_MOST_COLUMNS = 60
"""Described in full; of those after them only name and type are told."""
_MOST_NAMES = 500
_MOST_RESULTS = 8
_MOST_TURNS = 10
_LONGEST_TURN = 600
_LONGEST_NAME = 300
_FEW_COLUMNS = 20
_FEW_VALUES = 8
"""Of each column of a table that has many."""
_ROOM_FOR_NAMES = 20_000
"""Characters, for the columns of which only the name is told."""
_COPIES = (Derive, Cast, Impute, Dedup)
"""Their results are the table itself with other cells: rows, so that only columns are told."""


def data_block(view: View, chosen_because: str = "") -> str:
    """One JSON document between its marks. Nothing inside can close them."""
    told: dict[str, Any] = {}
    question = question_of(view)
    if view.dataset is not None:
        told["dataset"] = _table(view.dataset, question)
    if view.results:
        told["results"] = [_result(result) for result in view.results[-_MOST_RESULTS:]]
    if earlier := view.turns[:-1][-_MOST_TURNS:]:
        told["conversation"] = [_turn(turn) for turn in earlier]
    if view.last_error is not None:
        told["last_error"] = _problem(view.last_error)
    if view.failed_spec is not None:
        told["failed_spec"] = view.failed_spec.model_dump(mode="json", exclude_defaults=True)
    if chosen_because:  # the model's own words, which may repeat what a cell told it
        told["chosen_because"] = _cut(chosen_because, _LONGEST_TURN)
    parts = ",\n".join(f"{_json(key)}: {_lines(value)}" for key, value in told.items())
    return between_marks(f"{{{parts}}}")


def _lines(value: object) -> str:
    """One line for one column or result: easier to read for a model."""
    if isinstance(value, list):
        return "[\n" + ",\n".join(_json(item) for item in cast("list[object]", value)) + "]"
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return "{" + ", ".join(f"{_json(key)}: {_lines(item)}" for key, item in pairs) + "}"
    return _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def question_of(view: View) -> str:
    return next((turn.text for turn in reversed(view.turns) if turn.role == "user"), "")


def _table(table: TableProfile, question: str) -> dict[str, Any]:
    most = MOST_VALUES if len(table.columns) <= _FEW_COLUMNS else _FEW_VALUES
    described = [
        _column(column, _values(column, table.rows, question)[:most])
        for column in table.columns[:_MOST_COLUMNS]
    ]
    told: dict[str, Any] = {"rows": table.rows, "columns": described}
    if rest := table.columns[_MOST_COLUMNS:_MOST_NAMES]:
        told["further_columns"] = _names_in_room(rest)
    return told


def _names_in_room(columns: Sequence[ColumnProfile]) -> dict[str, str]:
    told: dict[str, str] = {}
    room = _ROOM_FOR_NAMES
    for column in columns:
        name = _name(column.name)
        room -= len(name)
        if room < 0:
            break
        told[name] = column.type
    return told


def _column(column: ColumnProfile, values: Sequence[str]) -> dict[str, Any]:
    told: dict[str, Any] = {"name": _name(column.name), "type": column.type}
    if column.unit:
        told["unit"] = _cut(column.unit)
    if column.missing:
        told["missing"] = column.missing
    if column.minimum is not None and (column.is_numeric or column.is_temporal):
        told["from"], told["to"] = column.minimum, column.maximum
    if values:
        told["values"] = values
    if column.distinct > len(values):
        told["distinct"] = column.distinct
    return told


def _values(column: ColumnProfile, rows: int, question: str) -> list[str]:
    """Those that the question names first, then the commonest."""
    if column.type not in ("text", "boolean"):
        return []
    asked = matching_form(question)
    named = [value for value in column.values if value and matching_form(value) in asked]
    named.sort(key=len, reverse=True)  # 新宿三丁目 rather than 新宿
    # Where nearly every row has its own value it is a name, an address, a number of somebody.
    is_category = column.distinct <= MOST_VALUES or column.distinct * 2 <= rows - column.missing
    shown = [*named, *column.values] if is_category else named
    return [_cut(value) for value in dict.fromkeys(shown)][:MOST_VALUES]


def _result(result: ResultView) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": result.result_id,
        "of_this_question": result.is_of_this_turn,
        "spec": result.spec.model_dump(mode="json", exclude_defaults=True)
        | {"operation": operation_of(result.spec)},
    }
    if isinstance(result.spec, _COPIES):
        told["columns"] = [_name(column.name) for column in result.profile.columns[:_MOST_NAMES]]
        told["rows"] = result.profile.rows
    else:
        told["tables"] = [_preview(table) for table in result.tables[:3]]
    if result.figure_titles:
        told["charts"] = [_cut(title, _LONGEST_NAME) for title in result.figure_titles]
    if result.notes:
        told["notes"] = [_cut(note, _LONGEST_TURN) for note in result.notes[:10]]
    return told


def _preview(table: ResultTable) -> dict[str, Any]:
    columns = table.columns[:_MOST_COLUMNS]
    told: dict[str, Any] = {
        "title": _cut(table.title, _LONGEST_NAME),
        "columns": [_name(column.name) for column in columns],
        "labels": [_name(column.label) for column in columns],
        "rows": [
            [_cut(written(cell, column)) for cell, column in zip(row, columns, strict=False)]
            for row in table.rows[:MOST_ROWS]
        ],
    }
    if table.row_count > MOST_ROWS:
        told["row_count"] = table.row_count
    return told


def _turn(turn: Turn) -> dict[str, str]:
    return {"role": turn.role, "text": _cut(turn.text, _LONGEST_TURN)}


def _problem(problem: Problem) -> dict[str, Any]:
    told: dict[str, Any] = {"message": problem.message, "hint": problem.hint}
    if candidates := problem.details.get("candidates"):
        told["candidates"] = candidates
    return told


def _name(text: str) -> str:
    """Names are given whole as far as can be: the model must repeat them letter by letter."""
    return _cut(text, _LONGEST_NAME)


def _cut(text: str, length: int = LONGEST_CELL) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def executed(results: Sequence[ResultView]) -> str:
    """Result ids and operations alone: words of our own, none of the table's."""
    return ", ".join(f"{result.result_id} = {operation_of(result.spec)}" for result in results)


def operation_of(spec: AnalysisSpec | PlotSpec) -> str:
    return spec.kind if isinstance(spec, Plot) else spec.op


_MOST_DECIMALS = 4


def written(cell: JsonCell, column: TableColumn) -> str:
    """33,210,000円, 12.3%, 2025-04."""
    if cell is None:
        return ""
    if isinstance(cell, bool | str):
        return str(cell)
    if column.kind == "share":
        return f"{_plain(cell * 100, 1)}%"
    unit = column.unit if column.kind in ("integer", "number") else ""
    return f"{_plain(cell, _decimals(cell))}{unit}"


def _decimals(value: float) -> int:
    """Small numbers keep what matters of them: 0.00012 is not 0."""
    if value == 0 or abs(value) >= 1:
        return 2
    digits = f"{value:.3e}"
    return max(_MOST_DECIMALS, 2 - int(digits.split("e")[1]))


def _plain(value: float, decimals: int) -> str:
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    text = f"{value:,.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
