"""What GRACE knows while it runs, as plain JSON: checkpoints hold no classes of ours.

Which steps can run now and which never will; a step as a task, with what it works with and what
comes out of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, TypedDict, TypeVar, cast

from pydantic import BaseModel

from sanbo.agents.grace.citations import FoundPassage, numbered, of_steps, said_once, told_passage
from sanbo.agents.grace.confidence import Fitted, Scorer
from sanbo.agents.grace.draft import Draft
from sanbo.agents.grace.schemas import (
    ExecutionPlan,
    ExecutionState,
    Intervention,
    Phase,
    PlanStep,
    Replan,
    Status,
    StepResult,
    ThresholdsUsed,
)
from sanbo.agents.grace.thinking import KnownCollection, Surroundings
from sanbo.evidence.model import Frozen
from sanbo.kernel.messages import Language, tell
from sanbo.runs.model import JsonObject

ENDED: frozenset[Status] = frozenset({"success", "failed", "skipped"})


def unfinished(plan: ExecutionPlan, results: Mapping[int, StepResult]) -> tuple[PlanStep, ...]:
    return tuple(step for step in plan.steps if step.step_id not in results)


def ready(plan: ExecutionPlan, results: Mapping[int, StepResult]) -> tuple[PlanStep, ...]:
    """All that they depend on has succeeded."""
    succeeded = {number for number, each in results.items() if each.status == "success"}
    return tuple(step for step in unfinished(plan, results) if set(step.depends_on) <= succeeded)


def skipped(
    plan: ExecutionPlan, results: Mapping[int, StepResult], language: Language
) -> tuple[StepResult, ...]:
    """Steps that can't run any more because something that they depend on did not succeed."""
    lost: dict[int, StepResult] = {}
    for step in plan.steps:
        if step.step_id in results:
            continue
        for number in step.depends_on:
            before = lost.get(number) or results.get(number)
            if before is not None and before.status in ("failed", "skipped"):
                lost[step.step_id] = _skipped(step, before, language)
                break
    return tuple(lost.values())


def statuses(
    plan: ExecutionPlan, results: Mapping[int, StepResult], running: tuple[int, ...] = ()
) -> dict[int, Status]:
    known: dict[int, Status] = {step.step_id: "pending" for step in plan.steps}
    for number in known:
        if number in running:
            known[number] = "running"
        if number in results:
            known[number] = results[number].status
    return known


def failures(
    plan: ExecutionPlan, results: Mapping[int, StepResult], repaired: frozenset[int]
) -> tuple[StepResult, ...]:
    """Failed steps of the plan that no new plan has taken up yet."""
    return tuple(
        result
        for step in plan.steps
        if step.step_id not in repaired
        and (result := results.get(step.step_id)) is not None
        and result.status == "failed"
    )


def _skipped(step: PlanStep, before: StepResult, language: Language) -> StepResult:
    return StepResult(
        step_id=step.step_id,
        action=step.action,
        status="skipped",
        reason=tell(f"grace.skipped.{before.status}", language, step=before.step_id),
    )


class Said(Frozen):
    kind: Literal["instruction", "information"]
    """What to do differently, or a fact that may be cited."""
    text: str


PERSON_STEP = 0
"""No step's number: what people said belongs to all steps."""


@dataclass(frozen=True)
class Task:
    step: PlanStep
    question: str
    """Of the run."""
    collections: Sequence[str]
    """Those that a step without one of its own looks into."""
    results: Mapping[int, StepResult]
    """Of the steps that it depends on."""
    steps: Mapping[int, PlanStep]
    """The same steps themselves."""
    passages: Mapping[int, Sequence[FoundPassage]]
    """That the same steps found or cited."""
    said: Sequence[Said]
    scorer: Scorer

    @property
    def asks(self) -> str:
        """What this step is about."""
        return self.step.query.strip() or self.question

    @property
    def earlier(self) -> tuple[StepResult, ...]:
        depends_on = self.step.depends_on
        return tuple(self.results[each] for each in depends_on if each in self.results)

    @property
    def parts(self) -> tuple[StepResult, ...]:
        """Answers that this one is made of; not those that others of them are made of already."""
        answers = [
            each
            for each in self.earlier
            if each.action in ("reasoning", "compute") and each.confidence is not None
        ]
        used = {
            number
            for each in answers
            if (step := self.steps.get(each.step_id)) is not None
            for number in step.depends_on
        }
        return tuple(each for each in answers if each.step_id not in used)

    @property
    def rests_on_people(self) -> bool:
        """Whether an answer that this one is made of has taken a person's word, or the web's."""
        return any(source.kind != "collection" for each in self.parts for source in each.sources)

    @property
    def told(self) -> tuple[str, ...]:
        return tuple(each.text for each in self.said)

    def found(self, language: Language) -> tuple[FoundPassage, ...]:
        """All that it may cite: of earlier steps, and of what people know."""
        information = [each.text for each in self.said if each.kind == "information"]
        of_people = (
            person_passage(text, f"information-{place}", language)
            for place, text in enumerate(information, 1)
        )
        found = of_steps(self.step.depends_on, self.passages)
        # What parts have cited stays, also where another part has cited the same words.
        kept = found if self.parts else said_once(found)
        return (*kept, *numbered(of_people, PERSON_STEP))


class Outcome(NamedTuple):
    result: StepResult
    passages: tuple[FoundPassage, ...] = ()
    """What later steps may cite."""


def person_passage(text: str, document_id: str, language: Language) -> FoundPassage:
    return told_passage(
        document=tell("grace.person_document", language),
        document_id=document_id,
        text=text,
        kind="person",
    )


def answered(step: PlanStep, text: str, language: Language) -> Outcome:
    result = StepResult(step_id=step.step_id, action="ask_user", status="success", output=text)
    passage = person_passage(text, f"answer-{step.step_id}", language)
    return Outcome(result, numbered((passage,), step.step_id))


T = TypeVar("T")

Next = Literal["confirm_plan", "schedule", "send", "review", "ask", "replan", "finish"]
"""`send`: the steps that are ready, side by side."""


def merged(known: dict[str, T], new: dict[str, T]) -> dict[str, T]:
    """Steps that ran side by side each add their own."""
    return {**known, **new}


def last(_: JsonObject, new: JsonObject) -> JsonObject:
    """Steps that end together all write it; each is told from its own update."""
    return new


class GraceState(TypedDict, total=False):
    asked: str
    question: str
    """As it was understood after the questions before it."""
    collections: list[JsonObject]
    """`KnownCollection`s that a plan may search in."""
    fitted: JsonObject
    """The `Fitted` that scores in this run, also where feedback changes it meanwhile."""
    thresholds: JsonObject
    """The `ThresholdsUsed`."""
    plan: JsonObject
    """The `ExecutionPlan` that is followed now."""
    results: Annotated[dict[str, JsonObject], merged]
    """A `StepResult` by step, also of steps of earlier plans."""
    passages: Annotated[dict[str, list[JsonObject]], merged]
    """`FoundPassage`s by the step that found or cited them."""
    running: list[int]
    """Steps that are sent off next."""
    repaired: list[int]
    """Failed steps that a new plan has taken up."""
    confirmed: list[int]
    """Steps that a person has agreed to."""
    said: list[JsonObject]
    """What people `Said`, oldest first."""
    replans: list[JsonObject]
    interventions: list[JsonObject]
    draft: JsonObject
    """The best `Draft` up to now; empty where there is none that still counts."""
    pending: JsonObject
    """The `Pending` question to a person."""
    heard: JsonObject
    """A person's answer to it, as it was given."""
    cause: JsonObject
    """The `Cause` of the next replan."""
    ending: JsonObject
    """The `Ending`: how it ends."""
    next: Next
    result: JsonObject
    """An `ExecutionResult`."""
    shown: Annotated[JsonObject, last]
    """What the last node tells the journal."""


class StepTask(TypedDict):
    """What one step is sent off with."""

    step: JsonObject
    question: str
    collections: list[JsonObject]
    fitted: JsonObject
    thresholds: JsonObject
    steps: list[JsonObject]
    results: dict[str, JsonObject]
    passages: dict[str, list[JsonObject]]
    said: list[JsonObject]


@dataclass(frozen=True)
class Known:
    """All that a node may need to know."""

    state: GraceState

    @property
    def asked(self) -> str:
        return self.state.get("asked", self.question)

    @property
    def question(self) -> str:
        return self.state.get("question", "")

    @property
    def plan(self) -> ExecutionPlan:
        assert "plan" in self.state
        return ExecutionPlan.model_validate(self.state["plan"])

    @property
    def results(self) -> dict[int, StepResult]:
        return {
            int(number): StepResult.model_validate(each)
            for number, each in sorted(
                self.state.get("results", {}).items(), key=lambda pair: int(pair[0])
            )
        }

    @property
    def thresholds(self) -> ThresholdsUsed:
        assert "thresholds" in self.state
        return ThresholdsUsed.model_validate(self.state["thresholds"])

    @property
    def collections(self) -> tuple[KnownCollection, ...]:
        return tuple(
            KnownCollection.model_validate(each) for each in self.state.get("collections", [])
        )

    @property
    def replans(self) -> tuple[Replan, ...]:
        return tuple(Replan.model_validate(each) for each in self.state.get("replans", []))

    @property
    def interventions(self) -> tuple[Intervention, ...]:
        return tuple(
            Intervention.model_validate(each) for each in self.state.get("interventions", [])
        )

    @property
    def said(self) -> tuple[Said, ...]:
        return tuple(Said.model_validate(each) for each in self.state.get("said", []))

    @property
    def draft(self) -> Draft | None:
        draft = self.state.get("draft")
        return Draft.model_validate(draft) if draft else None

    def scorer(self, around: Surroundings) -> Scorer:
        return scorer_of(self.state, around)


def scorer_of(state: GraceState | StepTask, around: Surroundings) -> Scorer:
    assert "fitted" in state
    assert "thresholds" in state
    return Scorer(
        around.settings,
        ThresholdsUsed.model_validate(state["thresholds"]),
        Fitted.model_validate(state["fitted"]),
        around.language,
    )


# ---- what is shown -------------------------------------------------------------------------


def after(state: GraceState, update: GraceState) -> GraceState:
    """The state as it is once a node's update has come to it."""
    results = merged(state.get("results", {}), update.get("results", {}))
    return cast("GraceState", {**state, **update, "results": results})


def shown(state: GraceState, phase: Phase, running: Sequence[int] = ()) -> JsonObject:
    """The `ExecutionState` that front ends draw."""
    known = Known(state)
    plan, results = known.plan, known.results
    execution = ExecutionState(
        question=known.question,
        phase=phase,
        plan=plan,
        statuses=statuses(plan, results, tuple(running)),
        results=tuple(results.values()),
        replans=known.replans,
        interventions=known.interventions,
        thresholds=known.thresholds,
    )
    return json_of(execution)


# ---- what a step is given ------------------------------------------------------------------


def step_task(step: PlanStep, state: GraceState) -> StepTask:
    """Only what this step needs: it is kept in the checkpoint once more for every step."""
    plan = Known(state).plan
    needed = {str(number) for number in step.depends_on}
    return {
        "step": json_of(step),
        "question": state.get("question", ""),
        "collections": state.get("collections", []),
        "fitted": state.get("fitted", {}),
        "thresholds": state.get("thresholds", {}),
        "steps": [json_of(each) for each in plan.steps if str(each.step_id) in needed],
        "results": _only(state.get("results", {}), needed),
        "passages": {
            number: each for number, each in state.get("passages", {}).items() if number in needed
        },
        "said": state.get("said", []),
    }


def task_of(given: StepTask, around: Surroundings) -> Task:
    return Task(
        step=PlanStep.model_validate(given["step"]),
        question=given["question"],
        collections=[KnownCollection.model_validate(each).name for each in given["collections"]],
        results={
            int(number): StepResult.model_validate(each)
            for number, each in given["results"].items()
        },
        steps={step.step_id: step for step in map(PlanStep.model_validate, given["steps"])},
        passages={
            int(number): tuple(FoundPassage.model_validate(each) for each in found)
            for number, found in given["passages"].items()
        },
        said=[Said.model_validate(each) for each in given["said"]],
        scorer=scorer_of(given, around),
    )


def _only(results: Mapping[str, JsonObject], needed: set[str]) -> dict[str, JsonObject]:
    return {number: each for number, each in results.items() if number in needed}


def json_of(model: BaseModel) -> JsonObject:
    return cast("JsonObject", model.model_dump(mode="json"))
