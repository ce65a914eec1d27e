"""The fold: a run's state is what its events add up to, and nothing else."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from pydantic import JsonValue

from sanbo.llm.usage import Usage
from sanbo.runs.model import (
    Artifact,
    ArtifactMade,
    Event,
    Interaction,
    InteractionAnswered,
    InteractionOpen,
    JsonObject,
    LoopIteration,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    Payload,
    Run,
    RunComplete,
    RunStart,
    Status,
    Step,
    StepStatus,
    TextDelta,
)

StepId = tuple[Path, str]


class RunFold:
    """Takes events one by one; at any moment `run` is the state they add up to."""

    def __init__(self) -> None:
        self.start: RunStart | None = None
        self.completion: RunComplete | None = None
        self.steps: dict[StepId, Step] = {}
        self.outputs: dict[StepId, JsonValue] = {}
        self.interactions: dict[str, Interaction] = {}
        self.askers: dict[str, StepId] = {}
        self.answers: dict[str, JsonObject] = {}
        self.artifacts: dict[tuple[Path, str, str], Artifact] = {}
        self.usage = Usage()
        self.last_seq: int = 0
        self._run_id = ""
        self._created_at: datetime | None = None
        self._updated_at: datetime | None = None
        self._has_worked = False
        # Kept beside `steps` and `interactions` so that the status of a run of 10,000 steps
        # costs no more than that of a run of ten.
        self._running: set[StepId] = set()
        self._waiting: Counter[Path] = Counter()
        self._above_waiting: Counter[Path] = Counter()
        self._placed: dict[StepId, StepStatus] = {}
        self._open: dict[str, Interaction] = {}

    @classmethod
    def of(cls, events: Iterable[Event]) -> "RunFold":
        folded = cls()
        for event in events:
            folded.apply(event)
        return folded

    def apply(self, event: Event) -> None:
        if event.seq is None:
            return
        if event.seq != self.last_seq + 1:
            raise ValueError(f"{event.run_id}: event {event.seq} follows {self.last_seq}")
        self.last_seq = event.seq
        self._run_id = event.run_id
        self._created_at = self._created_at or event.time
        self._updated_at = event.time
        if event.payload.calls:
            self.usage = self.usage.plus(Usage.of(event.payload.calls))
        self._take(event.path, event.payload, event.time)

    def _take(self, path: Path, payload: Payload, time: datetime) -> None:
        match payload:
            case RunStart():
                self._begin(payload)
            case NodeStart():
                self._start_step(path, payload, time)
            case NodeComplete():
                self.outputs[path, payload.key] = payload.outputs
                self._end_step((path, payload.key), "succeeded", time, payload.duration_ms)
            case NodeSkipped():
                self._skip_step(path, payload, time)
            case NodeError():
                self._end_step(
                    (path, payload.key), "failed", time, payload.duration_ms, payload.error
                )
            case InteractionOpen():
                opened = payload.interaction
                self.interactions[opened.interaction_id] = opened
                self._open[opened.interaction_id] = opened
                self.askers[opened.interaction_id] = (path, payload.key)
                self._mark((path, payload.key), "waiting")
            case InteractionAnswered():
                self.answers[payload.interaction_id] = payload.answer
                del self._open[payload.interaction_id]
                self._mark(self.askers[payload.interaction_id], "running")
            case ArtifactMade():
                made = payload.artifact
                self.artifacts[made.path, made.name, made.artifact_id] = made
            case RunComplete():
                self.completion = payload
            case LoopIteration() | TextDelta():
                pass
            case _:
                raise TypeError(f"no fold for {payload!r}")

    def _begin(self, payload: RunStart) -> None:
        if self.start is None:
            self.start = payload
        self.completion = None
        self._has_worked = False

    def _start_step(self, path: Path, payload: NodeStart, time: datetime) -> None:
        self._has_worked = True
        self.steps[path, payload.key] = Step(
            path=path,
            key=payload.key,
            title=payload.title,
            status="running",
            attempt=payload.attempt,
            started_at=time,
        )
        self._place((path, payload.key), "running")

    def _skip_step(self, path: Path, payload: NodeSkipped, time: datetime) -> None:
        self._has_worked = True
        self.steps[path, payload.key] = Step(
            path=path,
            key=payload.key,
            title="",
            status="skipped",
            attempt=0,
            started_at=time,
            ended_at=time,
            duration_ms=0,
            reason=payload.reason,
        )
        self._place((path, payload.key), "skipped")

    def _end_step(
        self,
        step_id: StepId,
        status: StepStatus,
        time: datetime,
        duration_ms: int,
        problem: object = None,
    ) -> None:
        step = self.steps[step_id]
        self.steps[step_id] = step.model_copy(
            update={
                "status": status,
                "ended_at": time,
                "duration_ms": duration_ms,
                "problem": problem,
            }
        )
        self._place(step_id, status)

    def _mark(self, step_id: StepId, status: StepStatus) -> None:
        self._has_worked = True
        self.steps[step_id] = self.steps[step_id].model_copy(update={"status": status})
        self._place(step_id, status)

    def _place(self, step_id: StepId, status: StepStatus) -> None:
        before = self._placed.get(step_id)
        if before == status:
            return
        self._placed[step_id] = status
        if before == "running":
            self._running.discard(step_id)
        if status == "running":
            self._running.add(step_id)
        change = (status == "waiting") - (before == "waiting")
        if change:
            path = step_id[0]
            self._waiting[path] += change
            for depth in range(1, len(path)):
                self._above_waiting[path[:depth]] += change

    @property
    def open_interactions(self) -> tuple[Interaction, ...]:
        if self.completion is not None:
            return ()
        return tuple(self._open.values())

    @property
    def status(self) -> Status:
        if self.completion is not None:
            return self.completion.status
        if not self._has_worked:
            return Status.QUEUED
        if self._open and not self._works_elsewhere():
            return Status.WAITING
        return Status.RUNNING

    def _works_elsewhere(self) -> bool:
        """Whether a step is at work that neither holds one that waits nor is held by one."""
        return any(
            not self._above_waiting[path]
            and not any(self._waiting[path[:depth]] for depth in range(1, len(path) + 1))
            for path, _ in self._running
        )

    @property
    def run(self) -> Run:
        start, created_at, updated_at = self.start, self._created_at, self._updated_at
        if start is None or created_at is None or updated_at is None:
            raise ValueError("a run begins with run_start")
        completion = self.completion
        return Run(
            run_id=self._run_id,
            workflow=start.workflow,
            conversation_id=start.conversation_id,
            status=self.status,
            input=start.input,
            result=completion.result if completion else None,
            artifacts=tuple(self.artifacts.values()),
            open_interactions=self.open_interactions,
            problem=completion.problem if completion else None,
            engine=start.engine,
            usage=self.usage,
            steps=tuple(self.steps.values()),
            language=start.language,
            owner=start.owner,
            replay_of=start.replay_of,
            last_seq=self.last_seq,
            created_at=created_at,
            updated_at=updated_at,
        )
