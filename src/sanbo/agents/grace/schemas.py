"""The words of GRACE: plans and their steps, results with their confidence, what people said."""

from typing import Literal

from pydantic import Field

from sanbo.evidence.model import Citation, Frozen, SearchedQuery
from sanbo.kernel.problems import Problem

Action = Literal["rag_search", "reasoning", "ask_user", "web_search", "run_legacy_agent", "compute"]
Level = Literal["silent", "notify", "confirm", "escalate"]
"""What a score asks for: nothing, a note, a person's yes, a person's help."""
PlanMaker = Literal["rules", "model", "template"]
"""`template`: search, then answer; for simple questions, and where a generated plan is no use."""
Trigger = Literal["step_failed", "low_confidence", "user_feedback", "timeout"]
Strategy = Literal["partial", "full", "fallback"]
Phase = Literal["planning", "executing", "waiting", "replanning", "finished"]
Status = Literal["pending", "running", "success", "failed", "skipped"]


# ---- the plan ------------------------------------------------------------------------------


class PlanStep(Frozen):
    step_id: int = Field(ge=1)
    action: Action
    description: str
    """One line for a person, in the language of the run."""
    query: str = ""
    """What is searched for, answered, asked or computed; its meaning goes with the action."""
    collection: str | None = None
    depends_on: tuple[int, ...] = ()
    """Earlier steps whose outputs this one works with."""
    fallback: Action | None = None
    """What to do instead where this step fails."""


class ExecutionPlan(Frozen):
    plan_id: str
    original_query: str
    complexity: float = Field(ge=0, le=1)
    steps: tuple[PlanStep, ...]
    """In an order in which no step stands before what it depends on."""
    requires_confirmation: bool = False
    made_by: PlanMaker
    problem: str = ""
    """Why the template was taken instead of a generated plan; empty where nothing went wrong."""
    revision: int = 0
    """How often it was replanned."""


# ---- how sure ------------------------------------------------------------------------------


class Factor(Frozen):
    """One thing that a score rests on."""

    name: str
    value: float = Field(ge=0, le=1)
    """Normalised; 1 speaks for the answer."""
    effect: float
    """How far it moved the score up or down: log odds (calibrated) or share (weighted)."""
    told: str
    """For a person: 質問の語の9割が1つの文にそろっています。"""


class Penalty(Frozen):
    name: Literal["no_hits", "tool_failure", "unsupported", "contradiction", "self_evaluation"]
    amount: float
    """What it took off the score."""
    told: str


class Confidence(Frozen):
    score: float = Field(ge=0, le=1)
    level: Level
    method: Literal["calibrated", "weighted"]
    version: str
    """Of the fitted numbers, or of the weights."""
    factors: tuple[Factor, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    explanation: tuple[str, ...] = ()
    """Why this score, in a few sentences: the strongest reasons first."""
    features: dict[str, float] = Field(default_factory=dict[str, float])
    """What a later fit learns from."""


class SearchStatistics(Frozen):
    """What the score of a search needs; of the passages' relevance, not the engine's own scores."""

    hits: int = 0
    best: float = 0.0
    mean: float = 0.0
    variance: float = 0.0
    margin: float = 0.0
    """Between the best and the second best."""
    coverage: float = 0.0
    """The share of the question's words that the best passages have."""
    agreement: float = 0.0
    """The share of the good passages that say the same, of documents that differ."""


# ---- what came of it -----------------------------------------------------------------------


class Source(Citation):
    """A place that an answer rests on."""

    kind: Literal["collection", "web", "person"] = "collection"
    collection: str = ""
    url: str = ""
    """Of a page of the web: shown, never opened by code."""


class AnswerSentence(Frozen):
    text: str
    sources: tuple[int, ...]
    """Numbers into the result's sources."""
    span: tuple[int, int] | None = None
    """The very words of the text that answer, where that is sure: 1泊12,000円."""
    problem: str = ""
    """Why it is marked."""


class StepResult(Frozen):
    step_id: int
    action: Action
    status: Status
    output: str = ""
    """What it found or says, in plain words."""
    confidence: Confidence | None = None
    sources: tuple[Source, ...] = ()
    sentences: tuple[AnswerSentence, ...] = ()
    """Of a reasoning step."""
    nearest: tuple[AnswerSentence, ...] = ()
    """What comes near where nothing answers: hints."""
    contradictions: tuple[AnswerSentence, ...] = ()
    answered: bool = False
    """A reasoning step whose sources support what it says."""
    wanted: tuple[str, ...] | None = None
    """What to search for where it does not answer, as a model says that has read the passages; none
    where it answers, None where no model was asked."""
    statistics: SearchStatistics | None = None
    searched: tuple[SearchedQuery, ...] = ()
    value: float | None = None
    """Of a computation."""
    problem: Problem | None = None
    reason: str = ""
    """Why it was skipped, or what was done instead."""
    duration_ms: int = 0


class Replan(Frozen):
    number: int
    trigger: Trigger
    strategy: Strategy
    reason: str
    """For a person."""
    step_id: int | None
    """The step that caused it."""
    kept: tuple[int, ...]
    """Finished steps that were not run again."""
    added: tuple[int, ...]


class Intervention(Frozen):
    number: int
    level: Literal["confirm", "escalate"]
    about: Literal["plan", "answer", "question"]
    """`question`: an `ask_user` step of the plan."""
    step_id: int | None
    confidence: float | None
    message: str
    action: Literal["proceed", "use", "modify", "inform", "cancel"] | None = None
    """None as long as nobody has answered."""
    text: str = ""


class ThresholdsUsed(Frozen):
    silent: float
    notify: float
    confirm: float
    told: str = ""
    """Where they come from: the settings, a risk, feedback."""


class ExecutionState(Frozen):
    """A question at any moment of its run, as front ends draw it."""

    question: str
    phase: Phase
    plan: ExecutionPlan | None = None
    statuses: dict[int, Status] = Field(default_factory=dict[int, Status])
    results: tuple[StepResult, ...] = ()
    replans: tuple[Replan, ...] = ()
    interventions: tuple[Intervention, ...] = ()
    thresholds: ThresholdsUsed | None = None


class ExecutionResult(Frozen):
    question: str
    understood: str = ""
    """As it was read after the questions before it; empty where it stands alone."""
    collections: tuple[str, ...]
    answer_md: str
    answered: bool
    """False where the sources do not support an answer: `answer_md` says so."""
    sentences: tuple[AnswerSentence, ...]
    """The answer; the first is what answers best."""
    nearest: tuple[AnswerSentence, ...] = ()
    contradictions: tuple[AnswerSentence, ...] = ()
    """What other places say otherwise."""
    confidence: float
    decision: Level
    factors: tuple[Factor, ...]
    penalties: tuple[Penalty, ...] = ()
    explanation: tuple[str, ...] = ()
    features: dict[str, float] = Field(default_factory=dict[str, float])
    method: Literal["calibrated", "weighted"]
    calibration: str
    """The version of the fitted numbers."""
    thresholds: ThresholdsUsed
    plan: ExecutionPlan
    steps: tuple[StepResult, ...]
    sources: tuple[Source, ...]
    replans: tuple[Replan, ...]
    interventions: tuple[Intervention, ...]
    partial: bool = False
    partial_reason: str = ""
    cancelled: bool = False
    """A person did not want the answer."""
