"""What a thinker sees, and what it decides: the same for a model and for rules."""

from collections.abc import Sequence
from typing import Literal, Protocol

from pydantic import Field

from sanbo.agents.analysis.outcome import Made, ResultTable
from sanbo.agents.analysis.profile import DatasetProfile, TableProfile
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem

NextAction = Literal["ask", "act", "out_of_scope", "finalize"]
OutOfScope = Literal[
    "prediction", "training", "causal", "outside_data", "instruction", "change_data", "other"
]


class Turn(Made):
    role: Literal["user", "assistant"]
    text: str
    is_question: bool = False
    """Asked back, and no answer."""


class ResultView(Made):
    """A spec that was executed in this conversation, and what came of it."""

    result_id: str
    spec: AnalysisSpec | PlotSpec
    tables: tuple[ResultTable, ...]
    figure_titles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    """What a test comes to, in words."""
    profile: TableProfile
    """Of the first table, which later specs may use as their input."""
    is_of_this_turn: bool


class Offered(Made):
    """One way to take a question, as a person can choose it."""

    text: str
    specs: tuple[AnySpec, ...]
    unread: tuple[str, ...] = ()
    """Words of the question that it leaves out."""


class View(Made):
    language: Language
    turns: tuple[Turn, ...]
    """The conversation; the newest question of the person is the last."""
    dataset: DatasetProfile | None
    results: tuple[ResultView, ...] = ()
    """Oldest first."""
    last_error: Problem | None = None
    """Why the act before this one gave nothing; None after one that did."""
    failed_spec: AnalysisSpec | PlotSpec | None = None
    acts_left: int
    calls: int = 0
    """Of a model, that this turn has made so far."""
    refused: bool = False
    """The person has just been told that this is out of scope: the turn must end."""
    next_result_id: str = "r1"
    """What the next operation will be found under: a later one of the same act may name it."""
    offered: tuple[Offered, ...] = ()
    """Readings that the turn before has offered: the person may answer with their number."""

    @property
    def questions(self) -> tuple[str, ...]:
        """The person's, oldest first."""
        return tuple(turn.text for turn in self.turns if turn.role == "user")

    @property
    def done(self) -> tuple[ResultView, ...]:
        return tuple(result for result in self.results if result.is_of_this_turn)


class Decision(Made):
    next_action: NextAction
    rationale: str = ""
    clarifying_questions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    specs: tuple[AnySpec, ...] = ()
    """To execute one after the other; each may take the result of one before it."""
    readings: tuple[Offered, ...] = ()
    """Among which the person chooses."""
    unread: tuple[str, ...] = ()
    scope: OutOfScope | None = None
    calls: int = 0
    """Of a model, that it took."""
    suggestions: tuple[str, ...] = Field(default=())
    """Questions that this table can answer, in the person's language."""


class Thinker(Protocol):
    checks_itself: bool
    """Whether its conclusions were held against the results' figures while they were written."""

    async def decide(self, view: View) -> Decision: ...

    async def conclude(self, view: View, refused: Sequence[str] = ()) -> str:
        """The conclusion in Markdown, a few sentences; every figure from the results' tables.

        `refused`: figures of the last attempt that stand in no table.
        """
        ...
