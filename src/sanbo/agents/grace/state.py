"""What GRACE knows while it runs, as plain JSON: checkpoints hold no classes of ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict, TypeVar, cast

from pydantic import BaseModel

from sanbo.agents.grace.answers.citations import FoundPassage
from sanbo.agents.grace.answers.draft import Draft
from sanbo.agents.grace.confidence import Fitted, Scorer
from sanbo.agents.grace.schemas import (
    ExecutionPlan,
    ExecutionState,
    Intervention,
    Phase,
    PlanStep,
    Replan,
    StepResult,
    ThresholdsUsed,
)
from sanbo.agents.grace.steps.schedule import statuses
from sanbo.agents.grace.thinking import KnownCollection, Surroundings
from sanbo.agents.grace.tools.task import Said, Task
from sanbo.runs.model import JsonObject

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
