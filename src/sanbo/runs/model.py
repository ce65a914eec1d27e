"""The words of a run: events, interactions, artifacts, and the run they add up to."""

from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Annotated, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem
from sanbo.llm.engine import Call, Engine, Usage
from sanbo.runs.fields import (
    FILE_TYPES,
    Choice,
    FieldType,
    FileRef,
    Help,
    JsonObject,
    Option,
    Requirement,
    Validation,
    file_refs,
)

__all__ = ["FILE_TYPES", "Choice", "FieldType", "FileRef", "Option", "Validation", "file_refs"]
Path = tuple[str, ...]
"""Where in a run: block, then node, then loop item."""


def is_iteration(path: Path) -> bool:
    """Whether a path names one iteration of a loop: its last part is `#` and a number."""
    return bool(path) and path[-1][:1] == "#" and path[-1][1:].isdecimal()


def without_iterations(path: Path) -> Path:
    return tuple(name for depth, name in enumerate(path) if not is_iteration(path[: depth + 1]))


_put = object.__setattr__


class Recorded(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)

    @classmethod
    def trusted(cls, **values: object) -> Self:
        """Of values that were checked before: neither checked again nor copied, and quick."""
        made = cls.__new__(cls)
        inside = cast("dict[str, object]", made.__dict__)
        inside.update(_defaults(cls))
        inside.update(values)
        _put(made, "__pydantic_fields_set__", set(values))
        _put(made, "__pydantic_extra__", None)
        _put(made, "__pydantic_private__", None)
        return made


@cache
def _defaults(model: type[BaseModel]) -> dict[str, object]:
    """Those that can be shared by all: what is recorded is never changed."""
    return {
        name: field.default
        for name, field in model.model_fields.items()
        if not field.is_required() and field.default_factory is None
    }


class Status(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in (Status.SUCCEEDED, Status.FAILED, Status.CANCELLED)


# ---- interactions: a question to a person -------------------------------------------------

Mode = Literal["collect", "confirm", "inquire", "mixed"]

LOCAL_OWNER = "local"
"""The person at this machine."""
APPROVED, COMMENT, RESPONSE = "approved", "comment", "response"


Name = Annotated[str, Field(min_length=1, max_length=64)]
"""Of a person (a token's) or of a role."""


class ChatLine(Recorded):
    role: Literal["user", "assistant"]
    text: str


class Question(Recorded):
    """What a workflow asks; the engine makes it an interaction by giving it an id."""

    mode: Mode
    message: str
    requirements: tuple[Requirement, ...] = ()
    help: Help | None = None
    context: JsonObject = Field(default_factory=dict[str, JsonValue])
    """What the person should see beside the question: figures, excerpts, a proposed answer."""
    chat: tuple[ChatLine, ...] = ()
    """The conversation so far, for `chat` fields and `inquire`."""
    due_at: datetime | None = None
    remind_at: datetime | None = None
    """When its run says that it is due soon; that it is overdue is always said."""
    assignees: tuple[Name, ...] = ()
    roles: tuple[Name, ...] = ()
    """To whom it is put: any of these may answer; where there are none, whoever sees the run."""
    not_by: tuple[Name, ...] = ()
    """Who may not answer: those who have approved the same before."""
    state_key: str = ""
    """Under which a front end keeps what was typed; the engine fills in one per run and step."""

    @property
    def demands_response(self) -> bool:
        """Words are the point of `inquire`, unless it has fields of its own to fill in."""
        return self.mode == "inquire" and not self.requirements

    @property
    def pictures(self) -> tuple[FileRef, ...]:
        """That help to answer it."""
        helps = (self.help, *(field.help for field in self.requirements))
        shown = (each.picture for each in helps if each is not None)
        return tuple(each for each in shown if isinstance(each, FileRef))

    @property
    def addressees(self) -> tuple[str, ...]:
        """As the database has them."""
        people = ("user", self.assignees), ("role", self.roles), ("not", self.not_by)
        return tuple(f"{kind}:{name}" for kind, names in people for name in names)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "Question":
        ids = [requirement.id for requirement in self.requirements]
        if self.mode != "collect":
            ids += [APPROVED, COMMENT, RESPONSE]
        if repeated := {name for name in ids if ids.count(name) > 1}:
            raise ValueError(f"field ids are used twice or reserved: {sorted(repeated)}")
        return self


class Interaction(Question):
    interaction_id: str
    path: Path
    opened_at: datetime
    answer_schema: JsonObject
    """JSON Schema of the answer, derived from mode and requirements."""
    mark: Literal["soon", "overdue"] | None = None
    """What its run has said of its being due."""
    for_me: bool = True
    """Whether who looks may answer it."""


# ---- artifacts -----------------------------------------------------------------------------


class Artifact(Recorded):
    """A table, figure, document or text that a run made; front ends choose how by media type."""

    artifact_id: str
    """SHA-256 of the bytes; where they are made when asked for, of what they are made of."""
    name: str
    media_type: str
    size: int
    """0 where the bytes are made when asked for."""
    title: str = ""
    path: Path = ()
    made_of: tuple[str, ...] = ()
    """The artifacts of the same run that this one is made of when it is asked for; of one whose
    bytes are stored, none."""


# ---- events --------------------------------------------------------------------------------


class Payload(Recorded):
    calls: tuple[Call, ...] = ()
    """Calls to a model since the event before, so that usage is a fold like everything else."""


class ReplayOf(Recorded):
    run_id: str
    step: Path
    """Empty where it goes on by a corrected procedure, from wherever that differs."""


class Correction(Recorded):
    """What going on with another edition of its procedure would make of a run."""

    before: str
    """The edition that it began with: a plan's id, version and short hash."""
    after: str
    change: JsonObject
    """Of its input: what to send to go on so."""
    again: tuple[str, ...]
    """Steps that had ended and would be done again; paths, `/` between names."""
    kept: tuple[str, ...]


class RunStart(Payload):
    """Opens a run; a second one in the same journal says that a failed run was taken up again."""

    event: Literal["run_start"] = "run_start"
    workflow: str
    conversation_id: str
    title: str = ""
    """What the run is about: its question, or its plan's name. Empty in older journals."""
    input: JsonObject
    engine: Engine
    language: Language
    owner: str
    replay_of: ReplayOf | None = None
    resumed: bool = False
    edition: str = ""
    """Of the procedure that it follows, where there are several: see `Correction`."""


class NodeStart(Payload):
    event: Literal["node_start"] = "node_start"
    key: str
    """Idempotency key: the same when a step that was in flight runs again."""
    title: str = ""
    block: str = ""
    """Of a plan's node: the block's id and version."""
    attempt: int = 1
    checkpoint: str = ""
    """The graph's checkpoint that this step started from, for replaying from here."""
    edition: str = ""
    """Of a step that stands from an earlier run: by which edition it was done."""


class NodeComplete(Payload):
    event: Literal["node_complete"] = "node_complete"
    key: str
    outputs: JsonValue = None
    """`{"x-stored": {file_id, size}}` where they are too large for a journal."""
    masked: bool = False
    """Whether something in the outputs was masked: they are not what the step gave."""
    beside: str = ""
    """The run's file that has them as they are, where numbers of persons are masked in them."""
    warnings: tuple[Problem, ...] = ()
    """What a person should know of the outputs, though nothing failed."""
    duration_ms: int = 0


class NodeSkipped(Payload):
    event: Literal["node_skipped"] = "node_skipped"
    key: str
    reason: str
    condition: str = ""


class NodeError(Payload):
    event: Literal["node_error"] = "node_error"
    key: str
    error: Problem
    retry: int = 0
    retry_in_ms: int | None = None
    """The step is tried again after this time: it is still at work."""
    continued: bool = False
    """The run goes on without the step's outputs: all of them are null."""
    duration_ms: int = 0


class LoopIteration(Payload):
    """Begins one iteration of a loop; its path ends with the iteration: `#0`."""

    event: Literal["loop_iteration"] = "loop_iteration"
    iteration: int
    """From 0."""
    item: JsonValue = None
    """Shortened: enough to tell which it is."""
    of: int | None = None
    """How many there will be, where that is known."""


class InteractionOpen(Payload):
    event: Literal["interaction_open"] = "interaction_open"
    key: str
    """Of the step that asks."""
    interaction: Interaction


class InteractionAnswered(Payload):
    event: Literal["interaction_answered"] = "interaction_answered"
    interaction_id: str
    answer: JsonObject
    masked: tuple[str, ...] = ()
    """Fields of which the answer does not have what was typed: a secret was in it."""
    by: str
    sealed: str = ""
    """As which what was typed is kept, encrypted, for other servers."""


class InteractionDue(Payload):
    """By the server's clock, of an open question: once that it is due soon, once overdue."""

    event: Literal["interaction_due"] = "interaction_due"
    interaction_id: str
    due_at: datetime
    overdue: bool


class ArtifactMade(Payload):
    event: Literal["artifact"] = "artifact"
    artifact: Artifact


class TextDelta(Payload):
    """Streamed live and not stored."""

    event: Literal["text_delta"] = "text_delta"
    text: str
    so_far: bool = False
    """All that the step has said until now, for a reader that came later: it replaces the rest."""


class RunWaiting(Payload):
    """Only a person can help, although steps had begun: what those need is asked first."""

    event: Literal["run_waiting"] = "run_waiting"
    seen: int
    """The event up to which the workflow knew the run: an answer since then may help."""


class RunComplete(Payload):
    event: Literal["run_complete"] = "run_complete"
    status: Literal[Status.SUCCEEDED, Status.FAILED, Status.CANCELLED]
    result: JsonObject | None = None
    problem: Problem | None = None
    warnings: int = 0
    """How many a person should know of."""
    total_duration_ms: int = 0


AnyPayload = Annotated[
    RunStart
    | NodeStart
    | NodeComplete
    | NodeSkipped
    | NodeError
    | LoopIteration
    | InteractionOpen
    | InteractionAnswered
    | InteractionDue
    | ArtifactMade
    | TextDelta
    | RunWaiting
    | RunComplete,
    Field(discriminator="event"),
]


class _Place(Recorded):
    run_id: str
    seq: int | None
    """Position in the journal; None for what is only streamed."""
    time: datetime
    path: Path


class Event(_Place):
    payload: AnyPayload

    def json_text(self) -> str:
        """As `model_dump_json`, which would try every kind of payload: that of a large result takes
        half a second, in which nobody else has a turn."""
        place = _Place.trusted(run_id=self.run_id, seq=self.seq, time=self.time, path=self.path)
        return f'{place.model_dump_json()[:-1]},"payload":{self.payload.model_dump_json()}}}'


# ---- the run -------------------------------------------------------------------------------

StepStatus = Literal["running", "waiting", "succeeded", "failed", "skipped"]


class Step(Recorded):
    path: Path
    key: str
    title: str
    status: StepStatus
    attempt: int
    started_at: datetime
    ended_at: datetime | None = None
    duration_ms: int | None = None
    reason: str = ""
    """Why it was skipped."""
    problem: Problem | None = None
    warnings: tuple[Problem, ...] = ()
    """What a person should know of its outputs; of a loop, also those of its iterations."""
    block: str = ""
    """Of a plan's node: the block's id and version."""
    edition: str = ""
    """Of the procedure by which it was done."""
    iterations: int = 0
    """Of a loop: how many have ended; those are no steps of the run any more."""
    of: int | None = None
    """Of a loop: how many there will be, where that is known."""


class RunWarning(Recorded):
    """What a person should know of a run that went on: a part failed, or was not filled."""

    code: str
    node: str
    """Path of its step, `/` between names."""
    message: str
    hint: str


class Run(Recorded):
    """One execution of a workflow, as all front ends see it."""

    run_id: str
    workflow: str
    conversation_id: str
    title: str = ""
    """What it is about: its question, or its plan's name; empty where there is neither."""
    status: Status
    input: JsonObject
    result: JsonObject | None
    artifacts: tuple[Artifact, ...]
    open_interactions: tuple[Interaction, ...]
    problem: Problem | None
    engine: Engine
    usage: Usage
    steps: tuple[Step, ...]
    warnings: tuple[RunWarning, ...] = ()
    """Of its steps, also of those inside loops that are no steps of the run any more."""
    language: Language
    owner: str
    replay_of: ReplayOf | None
    edition: str = ""
    """Of the procedure that it follows, where there are several: a plan's id, version and hash."""
    last_seq: int
    created_at: datetime
    updated_at: datetime


class RunSummary(Recorded):
    """A line in the list of runs."""

    run_id: str
    workflow: str
    conversation_id: str
    title: str
    """As in the run."""
    status: Status
    warnings: int = 0
    """How many, of one that has ended."""
    due_at: datetime | None = None
    """When the first of its open questions is due."""
    waits_for: tuple[str, ...] = ()
    """People and roles to whom its open questions are put."""
    for_me: bool = True
    """Whether who looks may answer one of them."""
    owner: str
    created_at: datetime
    updated_at: datetime
