"""The fold: a run's state is what its events add up to, and nothing else."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from sanbo.kernel.problems import Problem
from sanbo.llm.engine import Usage
from sanbo.runs.model import (
    Artifact,
    ArtifactMade,
    Event,
    Interaction,
    InteractionAnswered,
    InteractionDue,
    InteractionOpen,
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
    RunWaiting,
    RunWarning,
    Status,
    Step,
    StepStatus,
    TextDelta,
    is_iteration,
)

StepId = tuple[Path, str]
MOST_WARNINGS = 20
"""Of a loop, that are kept of its iterations."""
MOST_OUTPUTS_SHOWN = 60
"""The newest, of a run that nothing goes on from."""


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment: what is presented to people, wherever and as long as that takes."""

    run: Run
    outputs: Mapping[StepId, JsonValue]
    """Of steps, in the order in which they ended."""


@dataclass(slots=True)
class StepState:
    """A step while events still change it; `shown` makes it what front ends see."""

    path: Path
    key: str
    title: str
    block: str
    status: StepStatus
    attempt: int
    started_at: datetime
    ended_at: datetime | None = None
    duration_ms: int | None = None
    reason: str = ""
    problem: Problem | None = None
    warnings: tuple[Problem, ...] = ()
    edition: str = ""
    iterations: int = 0
    of: int | None = None
    _shown: Step | None = None

    def changed(self) -> None:
        self._shown = None

    def warn(self, warnings: Iterable[Problem]) -> None:
        """Each once: the iterations of a loop mostly say the same."""
        new = [each for each in warnings if each not in self.warnings]
        if new:
            self.warnings = (*self.warnings, *new)[:MOST_WARNINGS]
            self.changed()

    @property
    def shown(self) -> Step:
        if self._shown is None:
            parts = {name: getattr(self, name) for name in Step.model_fields}
            self._shown = Step.trusted(**parts)
        return self._shown


class RunFold:
    """Takes events one by one; at any moment `run` is the state they add up to.

    What was inside an iteration that has ended is forgotten, and when its loop has ended, its
    iterations are: a loop over 10,000 items is no larger than what comes out of it. Not where that
    was masked: it may have to be made again, out of what was inside.
    """

    def __init__(self, *, for_viewing: bool = False) -> None:
        """`for_viewing`: nothing goes on from it. Of outputs only what a graph's steps tell of
        themselves is kept: those of a plan's nodes may be large, and are in its result."""
        self.for_viewing = for_viewing
        self.is_as_stored = True
        """Whether all that it has taken is in the journal, where some things may not be written."""
        self.start: RunStart | None = None
        self.completion: RunComplete | None = None
        self.steps: dict[StepId, StepState] = {}
        self.outputs: dict[StepId, JsonValue] = {}
        self.masked: set[StepId] = set()
        """Steps whose outputs are not what they gave: something in them was masked."""
        self.beside: dict[StepId, str] = {}
        """The files with the outputs of steps, where those are shown masked."""
        self.failed: dict[Path, NodeError] = {}
        """Steps that have failed for good since they, or what holds them, last began."""
        self.answered: set[str] = set()
        """All questions that were answered, also where the answers are forgotten."""
        self.interactions: dict[str, Interaction] = {}
        self.askers: dict[str, StepId] = {}
        self.answers: dict[str, InteractionAnswered] = {}
        self.artifacts: dict[tuple[Path, str, str], Artifact] = {}
        self.usage = Usage()
        self.last_seq: int = 0
        self._run_id = ""
        self._created_at: datetime | None = None
        self._updated_at: datetime | None = None
        self._has_worked = False
        self._rests = False
        # Kept beside `steps` and `interactions` so that the status of a run of 10,000 steps
        # costs no more than that of a run of ten.
        self._running: set[StepId] = set()
        self._waiting: Counter[Path] = Counter()
        self._above_waiting: Counter[Path] = Counter()
        self._placed: dict[StepId, StepStatus] = {}
        self._open: dict[str, Interaction] = {}
        # What stands below each iteration and loop, to be forgotten with it.
        self._below: dict[Path, dict[StepId | str, None]] = {}
        self._went_on: set[StepId] = set()

    @classmethod
    def of(cls, events: Iterable[Event], *, for_viewing: bool = False) -> "RunFold":
        folded = cls(for_viewing=for_viewing)
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
        if isinstance(event.payload, InteractionDue):  # of a run that rests as before
            self._mark_due(event.payload)
        else:
            self._take(event.path, event.payload, event.time)

    def _take(self, path: Path, payload: Payload, time: datetime) -> None:
        self._rests = isinstance(payload, RunWaiting) and payload.seen == self.last_seq - 1
        match payload:
            case RunStart():
                self._begin(payload)
            case NodeStart():
                self._start_step(path, payload, time)
            case NodeComplete():
                self._complete_step(path, payload, time)
            case NodeSkipped():
                self._skip_step(path, payload, time)
            case NodeError():
                self._fail_step(path, payload, time)
            case InteractionOpen():
                opened = payload.interaction
                self._remember(path, opened.interaction_id)
                self.interactions[opened.interaction_id] = opened
                self._open[opened.interaction_id] = opened
                self.askers[opened.interaction_id] = (path, payload.key)
                self._mark((path, payload.key), "waiting")
            case InteractionAnswered():
                self._take_answer(payload)
            case ArtifactMade():
                made = payload.artifact
                self.artifacts[made.path, made.name, made.artifact_id] = made
            case RunComplete():
                self.completion = payload
            case LoopIteration():
                self._start_iteration(path, payload, time)
            case RunWaiting() | TextDelta():
                pass
            case _:
                raise TypeError(f"no fold for {payload!r}")

    def _take_answer(self, payload: InteractionAnswered) -> None:
        self.answered.add(payload.interaction_id)
        if self._open.pop(payload.interaction_id, None) is not None:  # else it came too late
            self.answers[payload.interaction_id] = payload
            self._mark(self.askers[payload.interaction_id], "running")

    def _mark_due(self, payload: InteractionDue) -> None:
        if (asked := self._open.get(payload.interaction_id)) is not None:
            marked = asked.model_copy(update={"mark": "overdue" if payload.overdue else "soon"})
            self._open[asked.interaction_id] = self.interactions[asked.interaction_id] = marked

    def _begin(self, payload: RunStart) -> None:
        if self.start is None:
            self.start = payload
        self.completion = None
        self.failed.clear()
        self._has_worked = False

    def _start_step(self, path: Path, payload: NodeStart, time: datetime) -> None:
        self._has_worked = True
        step_id = (path, payload.key)
        self._let_fail_again(path)
        self.outputs.pop(step_id, None)  # it is run again, because its outputs were masked
        self.masked.discard(step_id)
        self.beside.pop(step_id, None)
        self._remember(path, step_id)
        self.steps[step_id] = StepState(
            path, payload.key, payload.title, payload.block, "running", payload.attempt, time
        )
        self.steps[step_id].edition = payload.edition or (self.start.edition if self.start else "")
        self._place(step_id, "running")

    def _let_fail_again(self, path: Path) -> None:
        for each in [each for each in self.failed if each[: len(path)] == path]:
            del self.failed[each]

    def _start_iteration(self, path: Path, payload: LoopIteration, time: datetime) -> None:
        """It is a step of its own, as long as it lasts."""
        key = "/".join(path)
        earlier = self.steps.get((path, key))
        attempt = earlier.attempt + 1 if earlier else 1
        self._start_step(path, NodeStart(key=key, attempt=attempt), time)
        loop = self._loop_of(path)
        if loop is not None and payload.of is not None:
            self.steps[loop].of = payload.of
            self.steps[loop].changed()

    def _loop_of(self, iteration: Path) -> StepId | None:
        loop = iteration[:-1]
        step_id = (loop, "/".join(loop))
        return step_id if step_id in self.steps else None

    def _complete_step(self, path: Path, payload: NodeComplete, time: datetime) -> None:
        step_id = (path, payload.key)
        if not self.for_viewing:
            self.outputs[step_id] = payload.outputs
        elif self.is_shown(step_id, payload.outputs):
            self.outputs[step_id] = payload.outputs
            if len(self.outputs) > MOST_OUTPUTS_SHOWN:
                del self.outputs[next(iter(self.outputs))]
        if payload.masked:
            self.masked.add(step_id)
        if payload.beside:
            self.beside[step_id] = payload.beside
        self._end_step(step_id, "succeeded", time, payload.duration_ms)
        self.steps[step_id].warn((*payload.warnings, *self._warnings_below(path)))
        if not payload.masked or self.for_viewing:
            self._forget_below(path)
        if is_iteration(path):
            self._end_iteration(step_id)

    def is_shown(self, step_id: StepId, outputs: JsonValue) -> bool:
        return len(step_id[0]) == 1 and bool(outputs) and not self.steps[step_id].block

    def _end_iteration(self, step_id: StepId) -> None:
        ended = self.steps.pop(step_id)
        del self._placed[step_id]
        if self.for_viewing and step_id not in self.masked and step_id not in self.beside:
            self._below.get(step_id[0][:-1], {}).pop(step_id, None)  # nothing is left of it
        loop = self._loop_of(step_id[0])
        if loop is not None:
            self.steps[loop].warn(ended.warnings)
            self.steps[loop].iterations += 1
            self.steps[loop].changed()

    def _fail_step(self, path: Path, payload: NodeError, time: datetime) -> None:
        step_id = (path, payload.key)
        if payload.retry_in_ms is not None:
            self.steps[step_id].problem = payload.error
            self.steps[step_id].changed()
            return
        self._went_on.discard(step_id)
        if payload.continued:
            self._went_on.add(step_id)
            self._give_up_inside(path, payload.error)
            if not self.for_viewing:
                self.outputs[step_id] = None
        else:
            self.failed[path] = payload
        self._end_step(step_id, "failed", time, payload.duration_ms, payload.error)

    def _give_up_inside(self, path: Path, problem: Problem) -> None:
        """The run goes on without this step: nothing inside it works or asks any more."""
        depth = len(path)
        for interaction_id in list(self._open):
            asker = self.askers[interaction_id]
            if asker[0][:depth] == path:
                del self._open[interaction_id]
                self.steps[asker].problem = problem
                self._mark(asker, "failed")
        for step_id in list(self._running):
            if step_id[0][:depth] == path and step_id[0] != path:
                self.steps[step_id].problem = problem
                self._mark(step_id, "failed")

    def _remember(self, path: Path, what: StepId | str) -> None:
        """Below the innermost iteration that it is in; an iteration itself, below its loop."""
        if is_iteration(path):
            self._below.setdefault(path[:-1], {})[what] = None
            return
        for depth in range(len(path) - 1, 0, -1):
            if is_iteration(path[:depth]):
                self._below.setdefault(path[:depth], {})[what] = None
                return

    def _warnings_below(self, path: Path) -> Iterator[Problem]:
        """Of what is forgotten next."""
        for what in self._below.get(path, ()):
            if not isinstance(what, str) and what in self.steps:
                step = self.steps[what]
                yield from step.warnings
                if step.status == "failed" and step.problem is not None:
                    yield step.problem

    def _forget_below(self, path: Path) -> None:
        for what in self._below.pop(path, ()):
            if isinstance(what, str):
                self.interactions.pop(what, None)
                self.askers.pop(what, None)
                self.answers.pop(what, None)
                continue
            self._forget_below(what[0])
            self.steps.pop(what, None)
            self.outputs.pop(what, None)
            self.masked.discard(what)
            self.beside.pop(what, None)
            before = self._placed.pop(what, None)
            if before == "running":
                self._running.discard(what)

    def _skip_step(self, path: Path, payload: NodeSkipped, time: datetime) -> None:
        self._has_worked = True
        self._remember(path, (path, payload.key))
        self.steps[path, payload.key] = StepState(
            path,
            payload.key,
            title="",
            block="",
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
        problem: Problem | None = None,
    ) -> None:
        step = self.steps[step_id]
        step.status, step.ended_at, step.duration_ms = status, time, duration_ms
        step.problem = problem
        step.changed()
        self._place(step_id, status)

    def _mark(self, step_id: StepId, status: StepStatus) -> None:
        self._has_worked = True
        self.steps[step_id].status = status
        self.steps[step_id].changed()
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
            _count(self._waiting, path, change)
            for depth in range(1, len(path)):
                _count(self._above_waiting, path[:depth], change)

    @property
    def run_id(self) -> str:
        return self._run_id

    @property
    def created_at(self) -> datetime:
        assert self._created_at is not None
        return self._created_at

    @property
    def updated_at(self) -> datetime:
        assert self._updated_at is not None
        return self._updated_at

    def warnings(self) -> Iterator[RunWarning]:
        """Of steps that gave some, and of those without which the run went on."""
        for step in self.steps.values():
            is_lost = step.status == "failed" and step.problem is not None
            went_on = is_lost and (step.path, step.key) in self._went_on
            told = (*step.warnings, *((step.problem,) if went_on and step.problem else ()))
            for problem in told:
                yield RunWarning(
                    code=str(problem.code),
                    node="/".join(step.path),
                    message=problem.message,
                    hint=problem.hint,
                )

    @property
    def open_interactions(self) -> tuple[Interaction, ...]:
        if self.completion is not None:
            return ()
        return tuple(self._open.values())

    def is_open(self, interaction_id: str) -> bool:
        return interaction_id in self._open

    @property
    def status(self) -> Status:
        if self.completion is not None:
            return self.completion.status
        if self._open and self._rests:
            return Status.WAITING
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

    def snapshot(self) -> Snapshot:
        return Snapshot(self.run, dict(self.outputs))

    @property
    def run(self) -> Run:
        start, created_at, updated_at = self.start, self._created_at, self._updated_at
        if start is None or created_at is None or updated_at is None:
            raise ValueError("a run begins with run_start")
        completion = self.completion
        return Run.trusted(  # a result may be large: it was checked when it was made
            run_id=self._run_id,
            workflow=start.workflow,
            conversation_id=start.conversation_id,
            title=start.title,
            status=self.status,
            input=start.input,
            result=completion.result if completion else None,
            artifacts=tuple(self.artifacts.values()),
            open_interactions=self.open_interactions,
            problem=completion.problem if completion else None,
            engine=start.engine,
            usage=self.usage,
            steps=tuple(step.shown for step in self.steps.values()),
            warnings=tuple(self.warnings()),
            language=start.language,
            owner=start.owner,
            replay_of=start.replay_of,
            edition=start.edition,
            last_seq=self.last_seq,
            created_at=created_at,
            updated_at=updated_at,
        )


def _count(counted: Counter[Path], path: Path, change: int) -> None:
    counted[path] += change
    if not counted[path]:
        del counted[path]
