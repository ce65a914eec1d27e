"""What a model is told of a table: columns, never rows; and always as data."""

import json
from typing import Any

from sanbo.agents.analysis.decision import ResultView, View
from sanbo.agents.analysis.model_thinking.draft import Draft
from sanbo.agents.analysis.model_thinking.notation import Json, written
from sanbo.agents.analysis.outcome import JsonCell, ResultTable
from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile, TableProfile
from sanbo.agents.analysis.spec.operations import (
    Cast,
    Cohort,
    Dedup,
    Derive,
    Impute,
    Normalize,
    Pivot,
    TopRows,
)
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.words import DATASET
from sanbo.kernel.problems import Problem
from sanbo.kernel.text import matching_form
from sanbo.llm.shown_data import between_marks, cut

MOST_EXAMPLES = 5
FEW = 20
"""Distinct values up to which a column of words is one of categories."""
LONGEST_VALUE = 40
LONGEST_NAME = 200
_ROOM = 480
"""Tokens for the columns that are described; of the others the names are told, while they fit."""
_ROOM_FOR_NAMES = 120
_MOST_RESULTS = 4
_MOST_TURNS = 6
_LONGEST_TURN = 200
_MOST_COLUMNS_OF_RESULT = 12
MOST_NEW = 6
_MOST_DRAFTS = 2
_MOST_ROWS = 20
_NAMED_BY_CELLS = (Pivot, Cohort)
"""Cells become names of columns in their results."""
_ROWS_OF_TABLE = (TopRows, Derive, Cast, Impute, Dedup, Normalize)
"""Their results are rows of the table."""


class Refused:
    """A draft that could not be taken, and why."""

    def __init__(self, problem: Problem, reply: str = "", spec: AnySpec | None = None) -> None:
        self.problem = problem
        self.reply = reply
        self.spec = spec


class Brief:
    """On one question about one table."""

    def __init__(self, view: View, dataset: DatasetProfile, draft: Draft) -> None:
        self._view = view
        self._draft = draft
        self._asked = [matching_form(question) for question in view.questions]
        self._hidden = {
            value
            for column in dataset.columns
            if not is_category(column, dataset)
            for value in column.values
        }
        self._results = view.results[-_MOST_RESULTS:]
        described, named, left_out = self._chosen_columns(dataset)
        self._table: Json = {"rows": dataset.rows, "columns": described}
        if named:
            self._table["further_columns"] = named
        if left_out:
            self._table["columns_left_out"] = left_out
        own = [str(each["name"]) for each in described]
        of_results = [name for each in self._results for name in _columns_of(each)]
        self.columns = tuple(dict.fromkeys([*own, *named, *of_results]))
        """That can be named."""
        self.values = tuple(value for _, value in draft.values)
        first = int(view.next_result_id[1:])
        self.new = tuple(f"r{first + number}" for number in range(MOST_NEW))
        self.inputs = (DATASET, *(each.result_id for each in view.results), *self.new[:-1])

    def say(self, value: str) -> bool:
        """Whether this cell may be told: one of few categories, or the person's own word."""
        return value not in self._hidden or any(
            matching_form(value) in question for question in self._asked
        )

    def text(self, refused: Refused | None) -> str:
        """One JSON document between its marks. Nothing inside can close them."""
        told: Json = {"table": self._table}
        if self._results:
            told["results"] = [self._result(each) for each in self._results]
        if earlier := self._earlier():
            told["earlier"] = earlier
        if drafts := self._drafts():
            told["drafts"] = drafts
        if refused is not None:
            told["refused"] = self._refused(refused)
        lines = [f"{_json(key)}: {_lines(value)}" for key, value in told.items()]
        return between_marks("{" + ",\n".join(lines) + "}")

    # ---- columns ----

    def _chosen_columns(self, dataset: DatasetProfile) -> tuple[list[Json], list[str], int]:
        """Described, named alone, and how many are left out: the question's own come first."""
        first = set(self._draft.columns)
        ranked = sorted(dataset.columns, key=lambda column: column.name not in first)
        described: list[str] = []
        named: list[str] = []
        room, room_for_names = float(_ROOM), float(_ROOM_FOR_NAMES)
        forms = {column.name: self._column(column, dataset) for column in dataset.columns}
        for column in ranked:
            room -= _weight(_json(forms[column.name]))
            if room >= 0 or not described:
                described.append(column.name)
                continue
            room_for_names -= _weight(column.name) + 1
            if room_for_names >= 0:
                named.append(column.name)
        in_order = [forms[each.name] for each in dataset.columns if each.name in described]
        return in_order, named, len(dataset.columns) - len(described) - len(named)

    def _column(self, column: ColumnProfile, dataset: DatasetProfile) -> Json:
        told: Json = {"name": column.name, "type": column.type}
        if column.is_identifier:
            told["id"] = True
        if column.unit:
            told["unit"] = cut(column.unit, LONGEST_VALUE)
        is_measured = column.is_numeric or column.is_temporal
        if is_measured and column.minimum is not None and not column.is_identifier:
            told["from"], told["to"] = column.minimum, column.maximum
        asked = [value for name, value in self._draft.values if name == column.name]
        examples = column.values[:MOST_EXAMPLES] if is_category(column, dataset) else ()
        if values := [cut(value, LONGEST_VALUE) for value in dict.fromkeys([*asked, *examples])]:
            told["values"] = values
        if not is_measured and column.distinct > len(values):
            told["distinct"] = column.distinct
        return told

    # ---- what was done and drafted ----

    def _spec(self, spec: AnySpec) -> Json:
        return written(spec, self.columns, self.say)

    def _result(self, result: ResultView) -> Json:
        told: Json = {"id": result.result_id, "spec": self._spec(result.spec)}
        if columns := _columns_of(result):
            told["columns"] = columns
        return told

    def _earlier(self) -> list[Json]:
        """Questions, ours too; never an answer, which holds cells."""
        return [
            {"question" if turn.role == "user" else "asked_back": cut(turn.text, _LONGEST_TURN)}
            for turn in self._view.turns[:-1]
            if turn.role == "user" or turn.is_question
        ][-_MOST_TURNS:]

    def _drafts(self) -> list[Json]:
        drafts: list[Json] = []
        for number, one in enumerate(self._draft.readings[:_MOST_DRAFTS], start=1):
            told: Json = {"draft": number, "specs": [self._spec(spec) for spec in one.specs]}
            if one.unread:
                told["unread_words"] = list(one.unread)
            drafts.append(told)
        return drafts

    def _refused(self, refused: Refused) -> Json:
        """Of a problem's words only those that stand in the draft, and names of columns."""
        said = _json(self._spec(refused.spec)) if refused.spec is not None else refused.reply
        problem = refused.problem
        told: Json = {"problem": problem.text_id}
        told |= {
            name: value
            for name, value in problem.params.items()
            if isinstance(value, str) and value and (value in self.columns or value in said)
        }
        if isinstance(errors := problem.details.get("errors"), str):
            told["errors"] = cut(errors, 600)
        candidates = problem.details.get("candidates")
        if isinstance(candidates, list):
            told["candidates"] = [each for each in candidates if self.say(str(each))]
        return {"draft": cut(said, 1500), **told} if said else told


def is_category(column: ColumnProfile, table: TableProfile) -> bool:
    """Few words that come again and again; not names, notes or numbers of somebody."""
    return (
        column.type in ("text", "boolean")
        and not column.is_identifier
        and column.distinct <= FEW
        and column.distinct * 2 <= table.rows - column.missing
        and all(len(value) <= LONGEST_VALUE for value in column.values)
    )


def _columns_of(result: ResultView) -> list[str]:
    if result.spec.type == "plot" or isinstance(result.spec, _NAMED_BY_CELLS):
        return []
    names = [column.name for column in result.profile.columns]
    return [name for name in names if len(name) <= LONGEST_NAME][:_MOST_COLUMNS_OF_RESULT]


# ---- results, for who words a conclusion ----


def result_block(view: View) -> str:
    """Aggregates at full precision. Of rows of the table only that there are some."""
    told = [
        {
            "tables": [
                _preview(table)
                for table in result.tables[:3]
                if not isinstance(result.spec, _ROWS_OF_TABLE)
            ],
            "findings": [*result.findings],
        }
        for result in view.done[-_MOST_RESULTS:]
    ]
    return between_marks(_json({"results": told}))


def _preview(table: ResultTable) -> Json:
    told: Json = {
        "title": cut(table.title, LONGEST_NAME),
        "columns": [f"{each.label} ({each.kind} {each.unit})".strip() for each in table.columns],
        "rows": [[_cell(cell) for cell in row] for row in table.rows[:_MOST_ROWS]],
    }
    return told | ({"row_count": table.row_count} if table.row_count > _MOST_ROWS else {})


def _cell(cell: JsonCell) -> JsonCell:
    return cut(cell, LONGEST_VALUE) if isinstance(cell, str) else cell


def _lines(value: Any) -> str:
    """One line for one column, result or draft: easier to read."""
    if isinstance(value, dict) and "columns" in value:
        inner = (f"{_json(name)}: {_lines(each)}" for name, each in value.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(_json(each) for each in value) + "]"
    return _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _weight(text: str) -> float:
    """Tokens, about: a Japanese character is more than half of one, a Latin one a quarter."""
    wide = sum(not letter.isascii() for letter in text)
    return wide / 1.5 + (len(text) - wide) / 4
