"""The specs of a report as JSON with what they gave, executed again and compared."""

import json
import math
import sys
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sanbo.agents.analysis.outcome import JsonCell, Made, Outcome, ResultTable
from sanbo.agents.analysis.profile import PreparationKind
from sanbo.agents.analysis.report.content import ReportContent, Version
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.spec.words import DATASET
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidInput, LimitExceeded, UnsupportedFormat

FORMAT = "sanbo-analysis"
FORMAT_VERSION = 1
LARGEST = 50_000_000
"""Bytes of a recipe that is read."""
MOST_STEPS = 200
_LARGEST_NUMBER = sys.float_info.max


class Recorded(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RecipeDataset(Recorded):
    name: str = Field(max_length=1000)
    sheet: str = Field(default="", max_length=200)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    rows: int = Field(ge=0)
    columns: tuple[str, ...]
    as_written: tuple[PreparationKind, ...] = Field(default=(), max_length=20)
    """What was not made ready when it was read."""


class RecipeStep(Recorded):
    result_id: str = Field(pattern="^[A-Za-z][A-Za-z0-9_]{0,31}$")
    spec: AnalysisSpec | PlotSpec
    tables: tuple[ResultTable, ...] = ()
    """What it gave, as far as the report has it."""
    figures: tuple[ResultTable, ...] = ()
    """The numbers behind each figure."""


class Recipe(Recorded):
    format: Literal["sanbo-analysis"] = FORMAT
    version: Literal[1] = FORMAT_VERSION
    language: Language
    question: str
    dataset: RecipeDataset
    steps: tuple[RecipeStep, ...] = Field(max_length=MOST_STEPS)
    engine: str = ""
    versions: tuple[Version, ...] = ()

    @classmethod
    def of(cls, content: ReportContent) -> Self:
        data = content.dataset
        return cls(
            language=content.language,
            question=content.question,
            dataset=RecipeDataset(
                name=data.name,
                sheet=data.sheet,
                sha256=data.sha256,
                rows=data.rows,
                columns=tuple(column.name for column in data.columns),
                as_written=data.as_written,
            ),
            steps=tuple(
                RecipeStep(
                    result_id=result.result_id,
                    spec=result.spec,
                    tables=tuple(one.table for one in result.tables),
                    figures=tuple(one.table for one in result.figures),
                )
                for result in content.results
            ),
            engine=content.engine,
            versions=content.versions,
        )

    def to_json(self) -> str:
        """Sorted keys: the same recipe is the same text."""
        value = self.model_dump(mode="json")
        return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """What anybody may have edited. What does not fit is a problem that says where."""
        if len(text) > LARGEST:
            raise LimitExceeded("analysis_export.recipe_too_large", limit=LARGEST // 1_000_000)
        try:
            value: object = json.loads(text, parse_constant=_refuse)
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate can't be shown
        except (ValueError, RecursionError) as error:
            raise InvalidInput("analysis_export.recipe_no_json") from error
        if not isinstance(value, dict) or cast("dict[str, object]", value).get("format") != FORMAT:
            raise UnsupportedFormat("analysis_export.recipe_foreign")
        fields = cast("dict[str, object]", value)
        if fields.get("version") != FORMAT_VERSION:
            raise UnsupportedFormat(
                "analysis_export.recipe_version", version=str(fields.get("version"))[:20]
            )
        _read_specs(fields.get("steps"))
        try:
            recipe = cls.model_validate(fields)
        except (ValidationError, RecursionError) as error:
            place = _place(error) if isinstance(error, ValidationError) else "steps"
            raise InvalidInput("analysis_export.recipe_damaged", place=place) from error
        _check_tables(recipe)
        _check_order(recipe)
        return recipe


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _read_specs(steps: object) -> None:
    """First of all, because its problems name the word that is wrong and the nearest right one."""
    for step in cast("list[object]", steps) if isinstance(steps, list) else []:
        if isinstance(step, dict):
            read_spec(cast("dict[str, object]", step).get("spec"))


def _place(error: ValidationError) -> str:
    return ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"][:6])[:100]


def _check_tables(recipe: Recipe) -> None:
    """Rows as wide as their table, numbers that a table can hold."""
    for number, step in enumerate(recipe.steps):
        for table in (*step.tables, *step.figures):
            width = len(table.columns)
            if not all(len(row) == width and all(map(_fits, row)) for row in table.rows):
                place = f"steps.{number}.tables"
                raise InvalidInput("analysis_export.recipe_damaged", place=place)


def _fits(cell: JsonCell) -> bool:
    return not isinstance(cell, int | float) or abs(cell) <= _LARGEST_NUMBER


def _check_order(recipe: Recipe) -> None:
    known = {DATASET}
    for step in recipe.steps:
        if step.result_id in known:
            raise InvalidInput("analysis_export.recipe_id_twice", result_id=step.result_id)
        if step.spec.input not in known:
            raise InvalidInput(
                "analysis_export.recipe_input_unknown",
                result_id=step.result_id,
                input=step.spec.input[:100],
            )
        known.add(step.result_id)


TOLERANCE = 1e-9
"""Relative. Sums differ in their last digits between machines."""
MOST_DIFFERENCES = 100
_NOISE = 1e-12
"""Beside the largest number of its column this is zero."""


_Kind = Literal["result", "table", "columns", "rows", "value"]


class Difference(Made):
    kind: _Kind
    result_id: str
    title: str = ""
    """Of the table."""
    column: str = ""
    row: int = 0
    """Counted from 1."""
    expected: JsonCell = None
    actual: JsonCell = None

    def describe(self) -> str:
        told = self.model_dump(exclude={"kind", "expected", "actual"})
        cells = {"expected": _said(self.expected), "actual": _said(self.actual)}
        return tell(f"analysis_export.difference.{self.kind}", None, **told, **cells)


def _said(cell: JsonCell) -> str:
    return tell("analysis_export.difference_nothing") if cell is None else str(cell)[:200]


def compare(recipe: Recipe, outcomes: Sequence[Outcome | None]) -> list[Difference]:
    """`outcomes` in the order of the steps; None where a step failed. The first 100 differences."""
    pairs = zip_longest(recipe.steps, outcomes[: len(recipe.steps)])
    found = (one for step, outcome in pairs for one in _step(step, outcome))
    return list(islice(found, MOST_DIFFERENCES))


def _step(step: RecipeStep, outcome: Outcome | None) -> Iterator[Difference]:
    if outcome is None:
        yield Difference(kind="result", result_id=step.result_id)
        return
    expected = [*step.tables, *step.figures]
    actual = [*outcome.tables, *(figure.table for figure in outcome.figures)]
    if (len(step.tables), len(step.figures)) != (len(outcome.tables), len(outcome.figures)):
        yield Difference(
            kind="table", result_id=step.result_id, expected=len(expected), actual=len(actual)
        )
        return
    for before, after in zip(expected, actual, strict=True):
        yield from _table(step.result_id, before, after)


def _table(result_id: str, before: ResultTable, after: ResultTable) -> Iterator[Difference]:
    def differ(kind: _Kind, expected: JsonCell, actual: JsonCell, **where: Any) -> Difference:
        told: dict[str, Any] = {"result_id": result_id, "title": before.title, **where}
        return Difference(kind=kind, expected=expected, actual=actual, **told)

    names = [column.name for column in before.columns]
    new_names = [column.name for column in after.columns]
    if names != new_names:
        yield differ("columns", ", ".join(names), ", ".join(new_names))
        return
    if (before.row_count, len(before.rows)) != (after.row_count, len(after.rows)):
        yield differ("rows", before.row_count, after.row_count)
        return
    for at, name in enumerate(names):
        noise = _NOISE * _largest([row[at] for row in before.rows])
        for number, (row, new_row) in enumerate(zip(before.rows, after.rows, strict=True), 1):
            if not _is_same(row[at], new_row[at], noise):
                yield differ("value", row[at], new_row[at], column=name, row=number)


def _largest(cells: Sequence[JsonCell]) -> float:
    return max((abs(cell) for cell in cells if isinstance(cell, int | float)), default=0.0)


def _is_same(before: JsonCell, after: JsonCell, noise: float) -> bool:
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if isinstance(before, int | float) and isinstance(after, int | float):
        return before == after or math.isclose(before, after, rel_tol=TOLERANCE, abs_tol=noise)
    return before == after
