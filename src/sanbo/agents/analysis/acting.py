"""One act: specs are bound, executed in the sandbox, and what they give becomes artifacts."""

from typing import Any, cast

from sanbo.agents.analysis.datasets import Datasets, Spec
from sanbo.agents.analysis.export.csv_files import csv_bytes
from sanbo.agents.analysis.export.figures import keep_figure
from sanbo.agents.analysis.jobs import Executed
from sanbo.agents.analysis.outcome import Outcome, ResultTable
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.report.content import ReportFigure, ReportResult, ReportTable
from sanbo.agents.analysis.spec.binding import bind
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.state import (
    AnalysisState,
    ArtifactEntry,
    ResultEntry,
    next_result_id,
    same_result,
    steps_of,
    tables_of,
    with_result,
)
from sanbo.kernel.messages import tell
from sanbo.reports.names import FileNames
from sanbo.runs.model import JsonObject
from sanbo.runs.workflow import RunContext

LARGEST_CSV = 100_000
"""Rows. Of a longer table the first ones are written, which its words say."""


class Act:
    """Collects what its specs give; `results` and `artifacts` go into the state."""

    def __init__(
        self,
        datasets: Datasets,
        dataset: DatasetProfile,
        state: AnalysisState,
        context: RunContext[Any],
    ) -> None:
        self.results = list(state.get("results", []))
        self.artifacts = list(state.get("artifacts", []))
        self.logs: list[str] = []
        self._turn = state.get("turn", 1)
        self._datasets = datasets
        self._dataset = dataset
        self._context = context
        self._in_memory = not context.place.settings.analysis.persist
        self._names = FileNames(("report.md", "specs.json", *_names_in(self.results, self._turn)))

    def log(self, line: str) -> None:
        self.logs.append(line)

    @property
    def _own(self) -> list[ResultEntry]:
        dataset_id = self._dataset.dataset_id
        return [entry for entry in self.results if entry["dataset_id"] == dataset_id]

    async def execute(self, spec: Spec) -> str:
        """The id of its result. An identical spec is not executed twice in a turn."""
        bound = bind(spec, tables_of(self._dataset, self._own))
        before = same_result(self._own, bound)
        if before is not None and before["turn"] == self._turn:
            return before["result_id"]
        result_id = before["result_id"] if before else next_result_id(self.results)
        await self._execute(result_id, bound)
        return result_id

    async def renew(self, wanted: set[str]) -> None:
        """Results of earlier turns that this one stands on: their files belong to its run too."""
        for entry in self._own:
            if entry["result_id"] in wanted and entry["turn"] != self._turn:
                await self._execute(entry["result_id"], read_spec(entry["spec"]))

    async def _execute(self, result_id: str, bound: Spec) -> None:
        steps = steps_of(self._own)
        executed = await self._datasets.apart(
            lambda: self._datasets.execute(self._dataset.dataset_id, steps, bound)
        )
        made = await self._keep(result_id, bound, executed.outcome)
        new = _entry(made, executed, self._dataset.dataset_id, self._turn)
        self.results = with_result(self.results, new)
        self.log(f"act: {result_id} {_word(bound)} {executed.outcome.used_rows} rows")
        for part in (*executed.outcome.tables, *executed.outcome.figures):
            self._context.say(f"{part.title}\n", "act")

    # ---- artifacts ----

    async def _keep(self, result_id: str, spec: Spec, outcome: Outcome) -> ReportResult:
        tables = [
            await self._keep_table(result_id, spec, table, is_first=number == 0)
            for number, table in enumerate(outcome.tables)
        ]
        figures: list[ReportFigure] = []
        for figure in outcome.figures:
            kept, report = await keep_figure(
                self._context, self._names, result_id, figure, in_memory=self._in_memory
            )
            self._catalogue(kept.artifact_id, "figure", figure.title, figure.alt, report.name)
            figures.append(report)
        return ReportResult(
            result_id=result_id,
            spec=spec,
            tables=tuple(tables),
            figures=tuple(figures),
            notes=outcome.notes,
            input_rows=outcome.input_rows,
            used_rows=outcome.used_rows,
        )

    async def _keep_table(
        self, result_id: str, spec: Spec, table: ResultTable, *, is_first: bool
    ) -> ReportTable:
        name = self._names.give(f"{result_id}_{table.title}", "csv")
        data = csv_bytes(table)
        # The first table alone is known to the registry as a whole.
        if is_first and table.is_cut:
            steps = steps_of(self._own)
            labels = [column.label for column in table.columns]
            data = await self._datasets.apart(
                lambda: self._datasets.csv(
                    self._dataset.dataset_id, steps, spec, labels=labels, rows=LARGEST_CSV
                )
            )
        artifact_id = await self._store(name, "text/csv", data, table.title)
        words = tell("analysis.table_of", rows=table.row_count, columns=len(table.columns))
        if table.row_count > LARGEST_CSV:
            words += tell("analysis.first_rows", rows=LARGEST_CSV)
        payload = cast("JsonObject", table.model_dump(mode="json"))
        self._catalogue(artifact_id, "table", table.title, words, payload)
        return ReportTable(name=name, table=table)

    async def _store(self, name: str, media_type: str, data: bytes, title: str) -> str:
        artifact = await self._context.keep(
            name, media_type, data, title=title, at=("act",), in_memory=self._in_memory
        )
        return artifact.artifact_id

    def _catalogue(
        self, artifact_id: str, kind: Any, title: str, description: str, payload: Any
    ) -> None:
        self.artifacts.append(
            ArtifactEntry(
                artifact_id=artifact_id,
                kind=kind,
                title=title,
                description=description,
                payload=payload,
            )
        )


def _entry(made: ReportResult, executed: Executed, dataset_id: str, turn: int) -> ResultEntry:
    return ResultEntry(
        result_id=made.result_id,
        dataset_id=dataset_id,
        spec=cast("JsonObject", made.spec.model_dump(mode="json")),
        report=cast("JsonObject", made.model_dump(mode="json")),
        profile=cast("JsonObject", executed.profile.model_dump(mode="json")),
        turn=turn,
    )


def _names_in(results: list[ResultEntry], turn: int) -> list[str]:
    """Of this turn's files: a turn is a run, with files of its own."""
    reports = [
        ReportResult.model_validate(entry["report"]) for entry in results if entry["turn"] == turn
    ]
    return [part.name for report in reports for part in (*report.tables, *report.figures)]


def _word(spec: Spec) -> str:
    return spec.op if spec.type == "analysis" else spec.kind
