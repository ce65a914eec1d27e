"""A table before it is asked about, and a recipe executed again: what runs do not cover."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, JsonValue

from sanbo.agents.analysis.datasets import Datasets, Step, Wanted
from sanbo.agents.analysis.deciding import suggestions
from sanbo.agents.analysis.export.recipe import Recipe, compare
from sanbo.agents.analysis.outcome import JsonCell, Outcome
from sanbo.agents.analysis.profile import (
    ColumnProfile,
    DatasetProfile,
    Preparation,
    PreparationKind,
    TableProfile,
)
from sanbo.agents.analysis.spec.binding import bind
from sanbo.agents.analysis.spec.reading_form import changed_spec, reading_form
from sanbo.agents.analysis.spec.words import DATASET
from sanbo.agents.analysis.workflow import Analysis
from sanbo.kernel.messages import current_language, use_language
from sanbo.kernel.problems import Problem, SanboError
from sanbo.runs.files import RunFiles
from sanbo.runs.model import FileRef, JsonObject, Requirement
from sanbo.runs.parts import Column, Parts, Table
from sanbo.service.access import Caller
from sanbo.settings import Settings


class Shown(BaseModel):
    model_config = ConfigDict(frozen=True)


class ColumnPreview(Shown):
    name: str
    type: str
    unit: str
    missing: int
    distinct: int
    examples: tuple[str, ...]
    minimum: JsonValue = None
    maximum: JsonValue = None


class TablePreview(Shown):
    dataset_id: str
    name: str
    sheet: str
    sheets: tuple[str, ...]
    rows: int
    columns: tuple[ColumnPreview, ...]
    sample: tuple[tuple[JsonCell, ...], ...]
    """The first rows."""
    warnings: tuple[str, ...]
    preparations: tuple[Preparation, ...]
    """What was done to make the table ready, and what was left as it is written."""
    suggestions: tuple[str, ...]
    """Questions that this table can answer."""


class ReadingForm(Shown):
    """A part of a reading, to be changed."""

    fields: tuple[Requirement, ...]
    """None where only other words can change it."""
    specs: tuple[JsonObject, ...]
    """All of the reading, with what was filled in."""


class ReplayedTable(Shown):
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    row_count: int
    result_id: str


class Replayed(Shown):
    """A recipe executed again on a table."""

    is_same_file: bool
    tables: tuple[ReplayedTable, ...]
    differences: tuple[str, ...]
    """In words; none where every number is what it was."""
    problem: Problem | None = None
    """Why a step could not be executed."""

    @property
    def parts(self) -> Parts:
        """Its tables as people see them."""
        return tuple(
            Table(
                id=f"table/{number}",
                title=table.title,
                columns=tuple(Column(name=name) for name in table.columns),
                rows=table.rows,
                total_rows=table.row_count,
            )
            for number, table in enumerate(self.tables, start=1)
        )


class AnalysisDesk:
    def __init__(self, workflow: Analysis, files: RunFiles, settings: Settings) -> None:
        self._workflow = workflow
        self._files = files
        self._settings = settings
        self._is_prepared = False

    def prepare(self) -> None:
        """Starts the sandbox beside the caller, once: the first table then waits less for it."""
        if self._is_prepared:
            return
        self._is_prepared = True
        datasets = self._datasets

        def begin() -> None:
            with suppress(SanboError):  # whoever uses it is told
                _ = datasets.sandbox.level

        threading.Thread(target=begin, name="analysis-sandbox", daemon=True).start()

    async def preview(
        self,
        caller: Caller,
        file: FileRef,
        sheet: str = "",
        as_written: tuple[PreparationKind, ...] = (),
    ) -> TablePreview:
        """What is in a file of this caller's."""
        profile = await self._datasets.apart(lambda: self._load(caller, file, sheet, as_written))
        return TablePreview(
            dataset_id=profile.dataset_id,
            name=profile.name,
            sheet=profile.sheet,
            sheets=profile.sheets,
            rows=profile.rows,
            columns=tuple(_preview(column) for column in profile.columns),
            sample=profile.sample,
            warnings=profile.warnings,
            preparations=profile.preparations,
            suggestions=suggestions(profile, current_language()),
        )

    async def reading(
        self,
        columns: Sequence[str],
        specs: Sequence[JsonObject],
        step: int,
        path: Sequence[str],
        values: Mapping[str, JsonValue] | None,
    ) -> ReadingForm:
        """The form of one part of a reading; with `values`, the reading with that changed."""
        changed = list(specs)
        if values is not None:
            changed[step] = changed_spec(specs[step], path, values)
            return ReadingForm(fields=(), specs=tuple(changed))
        # The columns of a result before are named by its specs alone.
        known = columns if specs[step].get("input") == DATASET else ()
        return ReadingForm(fields=reading_form(specs[step], path, known), specs=tuple(changed))

    async def replay(self, caller: Caller, file: FileRef, recipe: bytes) -> Replayed:
        """Executes the specs of an export on this file, and compares the numbers."""
        return await self._datasets.apart(lambda: self._replay(caller, file, recipe))

    def _replay(self, caller: Caller, file: FileRef, text: bytes) -> Replayed:
        recipe = Recipe.from_json(text)
        data = recipe.dataset
        profile = self._load(caller, file, data.sheet, data.as_written)
        outcomes, problem = self._executed(profile, recipe)
        tables = [
            ReplayedTable(
                title=table.title,
                columns=tuple(column.label for column in table.columns),
                rows=table.rows,
                row_count=table.row_count,
                result_id=step.result_id,
            )
            for step, outcome in zip(recipe.steps, outcomes, strict=False)
            for table in (*outcome.tables, *(figure.table for figure in outcome.figures))
        ]
        return Replayed(
            is_same_file=profile.sha256 == recipe.dataset.sha256,
            tables=tuple(tables),
            differences=tuple(one.describe() for one in compare(recipe, outcomes)),
            problem=problem,
        )

    def _executed(
        self, profile: DatasetProfile, recipe: Recipe
    ) -> tuple[list[Outcome], Problem | None]:
        steps: list[Step] = []
        outcomes: list[Outcome] = []
        known: dict[str, TableProfile] = {DATASET: profile}
        for step in recipe.steps:
            try:
                spec = bind(step.spec, known)
                with use_language(recipe.language):
                    done = self._datasets.execute(profile.dataset_id, steps, spec)
            except SanboError as error:
                return outcomes, error.problem
            steps.append(Step(step.result_id, spec))
            known[step.result_id] = done.profile
            outcomes.append(done.outcome)
        return outcomes, None

    @property
    def _datasets(self) -> Datasets:
        return self._workflow.datasets(self._settings.analysis)

    def _load(
        self,
        caller: Caller,
        file: FileRef,
        sheet: str,
        as_written: tuple[PreparationKind, ...] = (),
    ) -> DatasetProfile:
        self._files.check(caller.owner, [file])
        wanted = Wanted(file.file_id, file.name, sheet, as_written)
        return self._datasets.load(wanted, lambda: self._files.read(file.file_id))


def _preview(column: ColumnProfile) -> ColumnPreview:
    return ColumnPreview(
        name=column.name,
        type=column.type,
        unit=column.unit,
        missing=column.missing,
        distinct=column.distinct,
        examples=column.values[:5],
        minimum=column.minimum,
        maximum=column.maximum,
    )
