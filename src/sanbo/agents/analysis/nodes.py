"""The four nodes: reason decides, act executes, out_of_scope declines, report tells."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from sanbo.agents.analysis.acting import Act
from sanbo.agents.analysis.datasets import Datasets, Wanted
from sanbo.agents.analysis.decision import Decision, Thinker, View
from sanbo.agents.analysis.model_thinking import ModelThinker
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.report.content import sentences
from sanbo.agents.analysis.reporting import used_ids, write_report
from sanbo.agents.analysis.rules.deciding import RulesThinker, is_choice, quoted
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.state import ASKED, MOST_ACTS, AnalysisState, view_of
from sanbo.kernel.markdown import plain
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, MissingDependency, SanboError
from sanbo.runs.model import FileRef, JsonObject
from sanbo.runs.workflow import RunContext

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
    return await _decide(thinker, view)


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
