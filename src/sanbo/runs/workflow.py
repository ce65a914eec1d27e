"""What a workflow is, what it works with while it advances a run, and which events of an earlier
run stand when it is replayed from a step.
"""

import asyncio
import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from pydantic import BaseModel, JsonValue
from pydantic_core import to_jsonable_python

from sanbo.documents.reading import Readers
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import NotFound, SanboError, StorageUnavailable, Unexpected
from sanbo.llm.engine import Engine, Usage
from sanbo.llm.settings import LlmSettings
from sanbo.retrieval.library import Library
from sanbo.runs.files import RunFiles
from sanbo.runs.fold import RunFold, Snapshot
from sanbo.runs.interactions import answer_schema
from sanbo.runs.journal import LeaseLost
from sanbo.runs.model import (
    Artifact,
    ArtifactMade,
    Event,
    FileRef,
    Interaction,
    InteractionAnswered,
    InteractionDue,
    InteractionOpen,
    JsonObject,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    Payload,
    Question,
    Run,
    RunComplete,
    RunStart,
    RunWaiting,
)
from sanbo.runs.parts import Parts
from sanbo.runs.presentation import present_run
from sanbo.runs.secret_values import Given, SecretAnswers, asked_again
from sanbo.runs.threads import GraphThreads
from sanbo.runs.writer import RunWriter
from sanbo.settings import Settings
from sanbo.storage.database import Database
from sanbo.storage.sealed import Sealed

if TYPE_CHECKING:
    from sanbo.llm.model import Model


def first_start(history: Sequence[Event], step: Path) -> Event:
    for event in history:
        if isinstance(event.payload, NodeStart) and event.path == step:
            return event
    raise NotFound("step_not_found", step="/".join(step))


def finished_before(history: Sequence[Event], step: Path) -> list[Event]:
    """All that was finished when the step first started; what was in flight then starts anew."""
    end = first_start(history, step).seq or 0
    return only_finished([event for event in history if (event.seq or 0) < end])


def only_finished(history: Sequence[Event]) -> list[Event]:
    """Without steps that have not ended, their questions, and the frame of the run itself."""
    ended = {
        (event.path, event.payload.key)
        for event in history
        if isinstance(event.payload, NodeComplete | NodeSkipped)
    }
    asked = {
        event.payload.interaction.interaction_id
        for event in history
        if isinstance(event.payload, InteractionOpen) and (event.path, event.payload.key) in ended
    }

    def stands(event: Event) -> bool:
        payload = event.payload
        match payload:
            case RunStart() | RunWaiting() | RunComplete() | InteractionDue():
                return False
            case InteractionAnswered():
                return payload.interaction_id in asked
            case _:
                key = getattr(payload, "key", None)
                return key is None or (event.path, key) in ended

    return [event for event in history if stands(event)]


I = TypeVar("I", bound=BaseModel)  # noqa: E741
R = TypeVar("R", bound=BaseModel)
T = TypeVar("T")


@dataclass(frozen=True)
class Finished(Generic[R]):
    result: R


@dataclass(frozen=True)
class Waiting:
    """Only a person can help: at least one interaction is open."""


@dataclass
class Workplace:
    """What all runs of a process share; of the settings, who thinks may be chosen anew."""

    files: RunFiles
    threads: GraphThreads
    settings: Settings
    database: Database
    library: Library
    readers: Readers
    """Files are read in processes of their own, shared by all."""
    secret_answers: SecretAnswers = field(default_factory=SecretAnswers)
    sealed: Sealed | None = None
    """Where what is kept in memory is kept for other servers, too."""


class Workflow(ABC, Generic[I, R]):
    """One kind of work. The front ends know nothing else of it."""

    name: ClassVar[str]
    titles: ClassVar[Mapping[Language, str]]
    descriptions: ClassVar[Mapping[Language, str]]
    input_model: type[I]
    result_model: type[R]
    called_apart: ClassVar[tuple[str, ...]] = ()
    """Modules whose functions are called in guarded processes; a server loads them there early."""
    worked_apart: ClassVar[tuple[str, ...]] = ()
    """The same, of functions that take their time."""
    has_branches: ClassVar[bool] = False
    """Whether some of its steps may work on while others wait for a person."""

    @abstractmethod
    async def advance(self, context: "RunContext[I]") -> Finished[R] | Waiting:
        """Works until done, or until only a person can help; never waits for one."""

    def kept_in_replay(
        self, history: Sequence[Event], step: Path, given: JsonObject
    ) -> list[Event]:
        """The events of `history` that a replay from `step` keeps, its steps not run again; `given`
        is its input, which may be another. Without a step: what that leaves as it was."""
        _ = given
        return finished_before(history, step)

    def proposing(self, given: JsonObject, history: Sequence[Event]) -> JsonObject:
        """The input of a replay, whose questions propose what was answered to them before."""
        _ = history
        return given

    def edition_of(self, given: JsonObject) -> str:
        """Of the procedure in this input, where that can be corrected: its id, version and hash."""
        _ = given
        return ""

    def newest(self, given: JsonObject, place: Workplace) -> JsonObject:
        """What of this input has changed since where it came from; empty: nothing."""
        _ = given, place
        return {}

    async def seed_replay(
        self, history: Sequence[Event], step: Path, target_run_id: str, place: Workplace
    ) -> None:
        """Gives the new run what else it needs to start at `step`; it exists, and waits."""
        _ = history, step, target_run_id, place

    def complete_input(self, given: JsonObject, place: Workplace, owner: str) -> JsonObject:
        """What a run is started with, out of what was given; in a thread, before it exists."""
        _ = place, owner
        return given

    def title_of(self, given: JsonObject, language: Language) -> str:
        """What a run with this input is about, for lists of runs."""
        _ = language
        question = given.get("question")
        return question if isinstance(question, str) else ""

    def present(self, seen: Snapshot, language: Language) -> Parts:
        """What a person is shown of a run, at any moment of it; in a thread, and nothing else."""
        return present_run(seen.run, language)

    def report(self, seen: Snapshot, language: Language) -> Parts:
        """The same for a file that is handed on: without the limits of a screen."""
        return self.present(seen, language)

    async def make_file(self, run: Run, artifact: Artifact, sources: Sequence[bytes]) -> bytes:
        """A file that its runs offer, out of what it is made of."""
        raise NotImplementedError(f"{self.name} offers no files: {artifact.name}, {run.run_id}")

    async def forget(self, run: Run) -> None:
        """Removes what the workflow itself has kept of a run that is being deleted.

        The run is as it began: of a month that is deleted, the journals are not read.
        """
        _ = run

    async def remove_files(self, run: Run, place: Workplace) -> None:
        """Removes the files that the workflow has written for such a run."""
        _ = run, place

    def keeps_in_memory(self, settings: Settings) -> bool:
        """Whether its files and its state must not touch the disk."""
        _ = settings
        return False

    def kept(self, payload: Payload, settings: Settings) -> Payload:
        """What of an event may be written; the whole is held in memory. Itself: all of it."""
        _ = settings
        return payload

    def kept_answer(self, answer: JsonObject, settings: Settings) -> JsonObject:
        """What of an answer may be written; what is not is asked again after a restart."""
        _ = settings
        return answer

    def llm_settings(self, settings: Settings) -> LlmSettings:
        """Which model thinks in its runs, and how."""
        return settings.llm

    def close(self) -> None:
        """Ends what the workflow itself has started: processes, pools."""


class RunContext(Generic[I]):
    """A run as its workflow sees it: what it was asked, what is done, and ways to go on.

    Steps are remembered: a step whose end is in the journal is not run again, and its output
    is what it was then.
    """

    def __init__(self, writer: RunWriter, place: Workplace, given: I, path: Path = ()) -> None:
        self.input = given
        self.path = path
        self.place = place
        self._writer = writer

    @property
    def run(self) -> Run:
        return self._writer.fold.run

    @property
    def fold(self) -> RunFold:
        return self._writer.fold

    @property
    def run_id(self) -> str:
        return self._writer.lease.run_id

    @property
    def language(self) -> Language:
        start = self.fold.start
        assert start is not None
        return start.language

    @property
    def engine(self) -> Engine:
        start = self.fold.start
        assert start is not None
        return start.engine

    @property
    def usage(self) -> Usage:
        """What the run has spent up to this moment."""
        return self._writer.usage

    def at(self, *names: str, given: Any = None) -> "RunContext[Any]":
        """The same run, one level down: an agent inside a plan's block."""
        return RunContext(
            self._writer, self.place, self.input if given is None else given, self.path + names
        )

    def idempotency_key(self, *names: str) -> str:
        """For services outside: the same when a step runs again after a crash, and else unique."""
        return "/".join((self.run_id, *self.path, *names))

    async def check_lease(self) -> None:
        """Raises unless this process may still write for the run."""
        await self._writer.check_lease()

    async def record(self, payload: Payload, *names: str) -> Event:
        return await self._writer.append(self.path + names, payload)

    def record_soon(self, payload: Payload, *names: str) -> Payload:
        """Goes into the journal with the next event that is waited for, or a moment later."""
        return self._writer.append_soon(self.path + names, payload)

    def record_behind(self, payload: Payload, *names: str) -> Payload:
        """Goes into the journal at once, while the run goes on; `catch_up` waits for it."""
        return self._writer.append_behind(self.path + names, payload)

    async def catch_up(self) -> None:
        """Returns when what was recorded until now is stored."""
        await self._writer.catch_up()

    async def settle(self) -> None:
        """Returns when all that was recorded is stored."""
        await self._writer.settle()

    def listen(self, hears: Callable[[Event], None]) -> None:
        """Tells of every event that others append from now on: people's answers."""
        self._writer.hears = hears

    def copy_events(self, copies: Callable[[Sequence[Event]], None]) -> None:
        """Gives all events on, in order, once they are stored; in a thread."""
        self._writer.copies = copies

    def history(self, last: int | None) -> Iterator[Event]:
        """The events that are stored, all or up to `last`; not for the loop's thread."""
        return self._writer.history(last)

    def say(self, text: str, *names: str) -> None:
        """Streams text to whoever watches."""
        self._writer.stream(self.path + names, text)

    async def step(
        self,
        name: str,
        work: Callable[[], Awaitable[T]],
        *,
        returns: Callable[[JsonValue], T] | None = None,
        title: str = "",
    ) -> T:
        """Runs a step once; `returns` makes its result out of the recorded output again."""
        path = (*self.path, name)
        key = "/".join(path)
        restore = returns or _as_recorded
        if (path, key) in self.fold.outputs and (path, key) not in self.fold.masked:
            return cast("T", restore(self.fold.outputs[path, key]))
        earlier = self.fold.steps.get((path, key))
        attempt = earlier.attempt + 1 if earlier else 1
        await self.record(NodeStart(key=key, title=title, attempt=attempt), name)
        began = time.perf_counter()
        try:
            result = await work()
        except (LeaseLost, StorageUnavailable):
            raise  # the engine's, not the step's
        except Exception as error:
            failure = as_sanbo_error(error, self.run_id)
            await self.record(
                NodeError(
                    key=key, error=failure.problem, retry=attempt, duration_ms=_ms_since(began)
                ),
                name,
            )
            raise failure from error
        outputs = to_jsonable_python(result)
        await self.record(
            NodeComplete(key=key, outputs=outputs, duration_ms=_ms_since(began)), name
        )
        return cast("T", restore(outputs))

    async def ask(self, name: str, question: Question, *, title: str = "") -> JsonObject | None:
        """The person's answer, or None as long as there is none: then return `Waiting`."""
        path = (*self.path, name)
        key = "/".join(path)
        step_id = (path, key)
        if step_id in self.fold.outputs and step_id not in self.fold.masked:
            return cast("JsonObject", self.fold.outputs[step_id])
        answered = self._answered(path)
        await self.place.secret_answers.fetch(self.run_id, answered)
        given = self.place.secret_answers.given(self.run_id, question, answered)
        if answered and not given.lost:
            if step_id not in self.fold.outputs:
                await self._end_question(answered[-1].interaction_id, given, key, name)
            return given.answer
        step = self.fold.steps.get(step_id)
        if step is None or step.status not in ("running", "waiting"):
            attempt = step.attempt + 1 if step else 1
            await self.record(NodeStart(key=key, title=title, attempt=attempt), name)
        if given.lost:
            question = asked_again(question, given.lost, self.language)
        await self.open(self._question_id(path), key, question, name)
        return None

    def _asked(self, path: Path) -> Iterator[str]:
        """The questions asked here; there are several where a secret was asked for again."""
        ids = (_interaction_id(path, number) for number in count(1))
        return takewhile(self.fold.interactions.__contains__, ids)

    def _answered(self, path: Path) -> list[InteractionAnswered]:
        answers = self.fold.answers
        return [answers[each] for each in self._asked(path) if each in answers]

    def _question_id(self, path: Path) -> str:
        """Of the question that is open here, or of the next: one that was given up stays closed."""
        asked = list(self._asked(path))
        is_open = bool(asked) and self.fold.is_open(asked[-1])
        return asked[-1] if is_open else _interaction_id(path, len(asked) + 1)

    async def _end_question(self, interaction_id: str, given: Given, key: str, name: str) -> None:
        waited = datetime.now(UTC) - self.fold.interactions[interaction_id].opened_at
        completion = NodeComplete(
            key=key,
            outputs=given.written,
            masked=given.written != given.answer,
            duration_ms=max(0, int(waited.total_seconds() * 1000)),  # asked on another machine
        )
        await self.record(completion, name)

    async def open(self, interaction_id: str, key: str, question: Question, *names: str) -> None:
        """Puts a question to a person, once."""
        if interaction_id in self.fold.interactions:
            return
        path = self.path + names
        start = self.fold.start
        assert start is not None
        interaction = Interaction(
            **dict(question),
            interaction_id=interaction_id,
            path=path,
            opened_at=datetime.now(UTC),
            answer_schema=answer_schema(question),
        )
        if not interaction.state_key:
            state_key = f"{start.workflow}:{self.run_id}::node:{'/'.join(path)}::v1"
            interaction = interaction.model_copy(update={"state_key": state_key})
        await self.record(InteractionOpen(key=key, interaction=interaction), *names)

    async def keep(
        self,
        name: str,
        media_type: str,
        data: bytes,
        *,
        title: str = "",
        at: Path = (),
        in_memory: bool = False,
    ) -> Artifact:
        """Stores what the run has made; made twice by a step that ran twice, it is kept once."""
        sha256 = await asyncio.to_thread(
            self.place.files.keep, self.run_id, data, in_memory=in_memory
        )
        artifact = Artifact(
            artifact_id=sha256,
            name=name,
            media_type=media_type,
            size=len(data),
            title=title,
            path=self.path + at,
        )
        await self._record_artifact(artifact, *at)
        return artifact

    async def offer(
        self, name: str, media_type: str, made_of: tuple[str, ...], *, at: Path = ()
    ) -> Artifact:
        """A file that `Workflow.make_file` makes of these artifacts when somebody asks for it."""
        recipe = "\n".join((self.run_id, *self.path, *at, name, *made_of))
        artifact = Artifact(
            artifact_id=hashlib.sha256(recipe.encode()).hexdigest(),
            name=name,
            media_type=media_type,
            size=0,
            path=self.path + at,
            made_of=made_of,
        )
        await self._record_artifact(artifact, *at)
        return artifact

    async def _record_artifact(self, artifact: Artifact, *at: str) -> None:
        if (artifact.path, artifact.name, artifact.artifact_id) not in self.fold.artifacts:
            await self.record(ArtifactMade(artifact=artifact), *at)

    async def read(self, file: FileRef) -> bytes:
        """The bytes of a file that a person gave to this run; of no other."""
        if not await asyncio.to_thread(self.place.files.belongs, self.run_id, file.file_id):
            raise NotFound("file_not_found", name=file.name)
        return await asyncio.to_thread(self.place.files.read, file.file_id)

    async def earlier_turns(self) -> list[Run]:
        """The successful runs of this conversation before this one, oldest first."""
        return await self._writer.earlier_turns()

    async def model(self, settings: LlmSettings | None = None) -> "Model":
        """The model of this run's engine; its calls are counted in the journal."""
        # In a thread: the first connection of a process loads LangChain and the provider's SDK.
        return await asyncio.to_thread(self._connect, settings or self.place.settings.llm)

    def _connect(self, settings: LlmSettings) -> "Model":
        from sanbo.llm.model import connect  # noqa: PLC0415 - see above

        return connect(self.engine, settings, self._writer.record_call)


def _interaction_id(path: Path, number: int) -> str:
    """Readable, fit for an address, one for each path, and never too long for a column."""
    readable = ":".join(path) if number == 1 else f"{':'.join(path)}~{number}"
    if len(readable) <= 64 and not any(":" in name or "~" in name for name in path):
        return readable
    name = "/".join(path) if number == 1 else f"{'/'.join(path)}/~{number}"
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def _as_recorded(value: JsonValue) -> object:
    return value


def as_sanbo_error(error: Exception, reference: str) -> SanboError:
    """What a person is told of an exception; anything not foreseen is said to be our defect."""
    if isinstance(error, SanboError):
        return error
    return Unexpected("unexpected", kind=type(error).__name__, reference=reference)


def _ms_since(began: float) -> int:
    return int((time.perf_counter() - began) * 1000)
