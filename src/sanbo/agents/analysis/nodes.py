"""The four nodes: reason decides, act executes, out_of_scope declines, report tells.

One act: specs are bound, executed in the sandbox, and what they give becomes artifacts.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from sanbo.agents.analysis.datasets import Datasets, Spec, Wanted
from sanbo.agents.analysis.deciding import RulesThinker, is_choice, no_such_choice, quoted
from sanbo.agents.analysis.decision import Decision, Thinker, View
from sanbo.agents.analysis.export.csv_files import csv_bytes
from sanbo.agents.analysis.export.figures import keep_figure
from sanbo.agents.analysis.jobs import Executed
from sanbo.agents.analysis.model_thinking import ModelThinker
from sanbo.agents.analysis.outcome import Outcome, ResultTable
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.report.content import ReportFigure, ReportResult, ReportTable, sentences
from sanbo.agents.analysis.reporting import used_ids, write_report
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.agents.analysis.spec.binding import bind
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.state import (
    ASKED,
    MOST_ACTS,
    AnalysisState,
    ArtifactEntry,
    ResultEntry,
    next_result_id,
    same_result,
    steps_of,
    tables_of,
    view_of,
    with_result,
)
from sanbo.kernel.markdown import plain
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, MissingDependency, SanboError
from sanbo.reports.names import FileNames
from sanbo.runs.model import FileRef, JsonObject
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


Run = Runtime[Any]  # holds RunContext[AnalysisInput]; LangGraph types it for dataclasses only

SPEC_ATTEMPTS = 3
"""How often a thinker may say what can't be read before the person is asked."""


class Nodes:
    def __init__(self, datasets: Callable[[AnalysisSettings], Datasets]) -> None:
        self._registry = datasets

    async def reason(self, state: AnalysisState, runtime: Run) -> AnalysisState:
        context: RunContext[Any] = runtime.context
        if state.get("refused"):
            return {"next_action": "ask", "logs": ["reason: out of scope, the turn ends"]}
        dataset = await self._dataset(state, context)
        view = view_of(state, dataset, context.language)
        decision = await _next(view, state, context)
        specs = [cast("JsonObject", spec.model_dump(mode="json")) for spec in decision.specs]
        update: AnalysisState = {
            "next_action": decision.next_action,
            "rationale": decision.rationale,
            "clarifying_questions": list(decision.clarifying_questions),
            "assumptions": _joined(state.get("assumptions", []), decision.assumptions),
            "pipeline": specs,
            "chosen": [],
            "analysis_spec": next(
                (one for one in reversed(specs) if one["type"] == "analysis"), None
            ),
            "plot_spec": next((one for one in reversed(specs) if one["type"] == "plot"), None),
            "scope": decision.scope,
            "suggestions": list(decision.suggestions),
            "readings": [
                cast("JsonObject", one.model_dump(mode="json")) for one in decision.readings
            ],
            "unread": list(decision.unread),
            "calls": view.calls + decision.calls,
            "limit_reached": not view.acts_left,
            "logs": [f"reason: {decision.next_action} {decision.rationale}".strip()],
        }
        if dataset is not None:
            update["dataset_id"] = dataset.dataset_id
            update["dataset_summary"] = dataset.model_dump(mode="json", exclude={"sample"})
        if decision.next_action == "ask":
            update["messages"] = [AIMessage(sentences(asked(decision)), name=ASKED)]
        return update

    async def act(self, state: AnalysisState, runtime: Run) -> AnalysisState:
        context: RunContext[Any] = runtime.context
        dataset = await self._dataset(state, context)
        assert dataset is not None
        work = Act(self._datasets(context), dataset, state, context)
        update: AnalysisState = {
            "acts": state.get("acts", 0) + 1,
            "last_error": None,
            "failed_spec": None,
        }
        found: dict[str, str] = {}
        first = len(work.results) + 1
        for place, data in enumerate(state.get("pipeline", [])):
            try:
                spec = read_spec(data)
                spec = spec.model_copy(update={"input": found.get(spec.input, spec.input)})
                found[f"r{first + place}"] = await work.execute(spec)
            except MissingDependency:
                raise  # no sandbox: no other spec would do better
            except SanboError as error:
                update["last_error"] = cast("JsonObject", error.problem.model_dump(mode="json"))
                update["failed_spec"] = data
                work.log(f"act: {error.problem.code} {error.problem.message}")
                break
        update |= {"results": work.results, "artifacts": work.artifacts, "logs": work.logs}
        return update

    async def out_of_scope(self, state: AnalysisState) -> AnalysisState:
        scope = state.get("scope") or "other"
        with_alternatives = [tell(f"analysis.scope.{scope}")]
        if absent := state.get("unread", []):
            with_alternatives.insert(0, tell("analysis_rules.absent", words=quoted(absent)))
        if suggestions := state.get("suggestions", []):
            with_alternatives += [tell("analysis.scope.instead"), *_bullets(suggestions)]
        return {
            "messages": [AIMessage(sentences("\n".join(with_alternatives)))],
            "refused": True,
            "logs": [f"out_of_scope: {scope}"],
        }

    async def report(self, state: AnalysisState, runtime: Run) -> AnalysisState:
        context: RunContext[Any] = runtime.context
        dataset = await self._dataset(state, context)
        assert dataset is not None
        work = Act(self._datasets(context), dataset, state, context)
        await work.renew(used_ids(state))
        thinker = await _thinker(context)
        datasets = self._datasets(context)
        level = await datasets.apart(lambda: datasets.sandbox.level)
        whole: AnalysisState = {**state, "results": work.results}
        told = await write_report(whole, dataset, thinker, context, level.text(context.language))
        return {**told, "results": work.results, "artifacts": work.artifacts}

    async def _dataset(
        self, state: AnalysisState, context: RunContext[Any]
    ) -> DatasetProfile | None:
        given = state.get("file")
        if given is None:
            return None
        file = FileRef.model_validate(given)
        wanted = Wanted(
            file.file_id, file.name, state.get("sheet", ""), tuple(state.get("as_written", ()))
        )
        return await self._datasets(context).load_apart(wanted, lambda: context.read(file))

    def _datasets(self, context: RunContext[Any]) -> Datasets:
        return self._registry(context.place.settings.analysis)


async def _thinker(context: RunContext[Any]) -> Thinker:
    if context.engine.provider == "rules":
        return RulesThinker()
    wording = context.place.settings.analysis.model_wording
    return ModelThinker(await context.model(), words_conclusions=wording)


async def _next(view: View, state: AnalysisState, context: RunContext[Any]) -> Decision:
    """What the person has chosen, what is done already, else what the thinker says."""
    if not view.acts_left:
        return _at_the_limit(view)
    if view.done and view.last_error is None:
        return Decision(next_action="finalize", rationale="executed")
    if (chosen := state.get("chosen")) and view.dataset is not None and view.last_error is None:
        return Decision(
            next_action="act",
            specs=_given(chosen, int(view.next_result_id[1:])),
            rationale="given by the person",
        )
    thinker = await _thinker(context)
    if _chooses_what_is_gone(view):
        before = view.model_copy(update={"turns": view.turns[:-2]})
        again = await _decide(thinker, before)
        if not thinker.checks_itself:  # a model may number them otherwise: the person chooses anew
            return again
        view = view.model_copy(update={"offered": again.readings})
    return no_such_choice(view) or await _decide(thinker, view)


def _chooses_what_is_gone(view: View) -> bool:
    """A number that answers a question of a process whose memory is gone."""
    if view.offered or view.last_error or len(view.turns) < 3:
        return False
    *_, asked_back, answer = view.turns
    return asked_back.is_question and not asked_back.text and is_choice(answer.text)


def _given(chosen: Sequence[JsonObject], first: int) -> tuple[AnySpec, ...]:
    """Specs of an earlier answer come with its ids: what one of them gives has a new one now."""
    new: dict[str, str] = {}
    specs: list[AnySpec] = []
    for place, data in enumerate(chosen):
        spec = read_spec({name: value for name, value in data.items() if name != "result_id"})
        specs.append(spec.model_copy(update={"input": new.get(spec.input, spec.input)}))
        if data["result_id"]:
            new[str(data["result_id"])] = f"r{first + place}"
    return tuple(specs)


async def _decide(thinker: Thinker, view: View) -> Decision:
    """A spec that can't be read goes back to the thinker with the reason, a few times."""
    for _ in range(SPEC_ATTEMPTS):
        try:
            return await thinker.decide(view)
        except InvalidInput as refused:
            view = view.model_copy(update={"last_error": refused.problem})
    assert view.last_error is not None
    return Decision(
        next_action="ask",
        rationale="no readable spec",
        clarifying_questions=(tell("analysis.not_understood", reason=view.last_error.message),),
    )


def _at_the_limit(view: View) -> Decision:
    if view.done:
        return Decision(next_action="finalize", rationale=f"{MOST_ACTS} acts are the limit")
    reason = view.last_error.message if view.last_error else ""
    question = tell("analysis.limit_without_result", limit=MOST_ACTS, reason=reason)
    return Decision(next_action="ask", rationale="limit", clarifying_questions=(question,))


def asked(decision: Decision) -> str:
    questions = list(decision.clarifying_questions)
    if decision.readings:
        numbered = [f"{n}. {plain(one.text)}" for n, one in enumerate(decision.readings, start=1)]
        return "\n\n".join([*map(plain, questions), "\n".join(numbered)])
    lines = questions if len(questions) == 1 else _bullets(questions)
    if decision.assumptions:
        lines += ["", tell("analysis.assumed"), *_bullets(decision.assumptions)]
    if decision.suggestions:
        lines += ["", tell("analysis.can_ask"), *_bullets(decision.suggestions)]
    return "\n".join(lines)


def _bullets(texts: Sequence[str]) -> list[str]:
    return [f"- {text}" for text in texts]


def _joined(before: Sequence[str], new: Sequence[str]) -> list[str]:
    return list(dict.fromkeys((*before, *new)))
