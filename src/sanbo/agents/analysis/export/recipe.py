"""The specs of a report as JSON, with what they gave: enough to execute them again and compare."""

import json
import sys
from typing import Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sanbo.agents.analysis.outcome import JsonCell, ResultTable
from sanbo.agents.analysis.report.content import ReportContent, Version
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.spec.words import DATASET
from sanbo.kernel.messages import Language
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
