"""Runs any LangGraph graph as a workflow: its stream becomes events, `interrupt()` a question.

The order of writing makes a killed process harmless. A node's end goes into the journal only
once the checkpoint that holds its result is on disk; so what the journal calls finished never
runs again, and what was in flight is settled from the checkpoint before anything goes on.
"""

import asyncio
import copy
import time
from abc import abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, cast
from urllib.parse import quote

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphRecursionError
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Interrupt, PregelTask, StateSnapshot, interrupt
from pydantic import JsonValue
from pydantic_core import to_jsonable_python
from typing_extensions import override

from sanbo.kernel.messages import Language
from sanbo.kernel.problems import LimitExceeded, MissingDependency, StorageUnavailable
from sanbo.runs.checkpoints import (
    Checkpoints,
    LeasedSaver,
    Saver,
    copy_checkpoint,
    pack_checkpoint,
    unpack_checkpoint,
)
from sanbo.runs.fold import StepId
from sanbo.runs.journal import LeaseLost
from sanbo.runs.model import (
    Event,
    JsonObject,
    NodeComplete,
    NodeError,
    NodeStart,
    Path,
    Question,
    Run,
)
from sanbo.runs.workflow import (
    Finished,
    I,
    R,
    RunContext,
    Waiting,
    Workflow,
    Workplace,
    as_sanbo_error,
    first_start,
    only_finished,
)
from sanbo.settings import Settings

Graph = CompiledStateGraph[Any, Any, Any, Any]
State = dict[str, Any]

INPUT = "__input__"
RESUME = "__resume__"
RUN = "sanbo_run"
STATE = "state"
"""As which the state of a run that has ended is sealed."""


def ask(question: Question) -> JsonObject:
    """Asks a person from inside a node. Stands alone in it: the node runs again on the answer."""
    return interrupt(question.model_dump(mode="json"))


class GraphWorkflow(Workflow[I, R]):
    """A workflow whose thinking is a graph; a subclass gives the graph and both its ends."""

    in_memory: ClassVar[bool] = False
    """For data that must not touch the disk: such a run can't be taken up after a crash."""
    continues_conversation: ClassVar[bool] = False
    """A run starts from the state in which the conversation's last successful run ended; inside
    a plan's block every run starts anew."""
    node_titles: ClassVar[Mapping[str, str]] = {}
    recursion_limit: ClassVar[int] = 100

    def node_title(self, node: str, language: Language) -> str:
        _ = language
        return self.node_titles.get(node, "")

    def task_title(self, node: str, given: object, language: Language) -> str:
        """Of a node that is sent off several times, each with what is `given` to it."""
        _ = given
        return self.node_title(node, language)

    @abstractmethod
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Nodes and edges, not compiled. Nodes reach the run through `Runtime[RunContext]`."""

    @abstractmethod
    def initial_state(self, context: RunContext[I]) -> State: ...

    @abstractmethod
    def result(self, state: State, context: RunContext[I]) -> R: ...

    @override
    def keeps_in_memory(self, settings: Settings) -> bool:
        return self.in_memory

    def recall(self, earlier: Sequence[Run], state: State) -> State:
        """The initial state, with what is known of earlier turns whose own state is gone.

        It was in memory, and of another process: `sanbo analyze … --thread ID`.
        """
        _ = earlier
        return state

    def outputs(self, node: str, update: object, place: Workplace) -> JsonValue:
        """What of a node's update goes into the journal; a workflow may leave out bulk."""
        _ = node
        if self.keeps_in_memory(place.settings):
            return None
        return to_jsonable_python(update, fallback=repr, bytes_mode="base64")

    @override
    async def advance(self, context: RunContext[I]) -> Finished[R] | Waiting:
        walk = await self._walk(context)
        if not await walk.has_begun():
            if walk.was_begun:
                raise MissingDependency("state_gone")
            state = self.initial_state(context)
            if self.continues_conversation and not context.path:
                state = await self._continue(walk, context, state)
            await walk.enter(state)
        snapshot = await walk.settle()
        answers = await walk.answers(snapshot)
        if answers or _goes_on(snapshot.tasks):
            await walk.go(Command(resume=answers) if answers else None)
            snapshot = await walk.settle()
        if snapshot.next:
            return Waiting()
        await self._share(walk, context)
        return Finished(self.result(snapshot.values, context))

    @cached_property
    def _compiled(self) -> Graph:
        """Once, not for each run: LangGraph reads the nodes' own code for it, some 20 ms long."""
        return self.graph().compile()

    async def _walk(self, context: RunContext[I]) -> "_Walk":
        place = await context.place.threads.opened()
        thread_id = _thread_id(context.run_id, context.path)
        await asyncio.to_thread(place.use, context.run_id, thread_id)
        saver = LeasedSaver(self._saver(place, context.place), context.check_lease)
        graph = copy.copy(self._compiled)
        graph.checkpointer = saver
        return _Walk(graph, thread_id, context, self)

    async def _continue(self, walk: "_Walk", context: RunContext[I], state: State) -> State:
        place = await context.place.threads.opened()
        earlier = await asyncio.to_thread(place.run_before, context.run_id)
        if earlier is not None:
            source = _config(_thread_id(earlier, context.path))
            saver = self._saver(place, context.place)
            is_there = await copy_checkpoint(saver, source, walk.thread_id, {})
            if not is_there and not await self._open_shared(earlier, saver, walk, context):
                return self.recall(await context.earlier_turns(), state)
        return state

    async def _share(self, walk: "_Walk", context: RunContext[I]) -> None:
        """What is in memory alone: so that the conversation can go on at another server."""
        place = context.place
        is_wanted = self.continues_conversation and not context.path
        if place.sealed is not None and is_wanted and self.keeps_in_memory(place.settings):
            saver = self._saver(await place.threads.opened(), place)
            pieces = {STATE: await pack_checkpoint(saver, walk.config)}
            await asyncio.to_thread(place.sealed.put, context.run_id, pieces)

    async def _open_shared(
        self, earlier: str, saver: Saver, walk: "_Walk", context: RunContext[I]
    ) -> bool:
        sealed = context.place.sealed
        if sealed is None or not self.keeps_in_memory(context.place.settings):
            return False
        found = await asyncio.to_thread(sealed.get, earlier, [STATE])
        if STATE not in found:
            return False
        await unpack_checkpoint(saver, found[STATE], walk.thread_id)
        return True

    def _saver(self, threads: Checkpoints, place: Workplace) -> Saver:
        return threads.in_memory if self.keeps_in_memory(place.settings) else threads.on_disk

    @override
    async def seed_replay(
        self, history: Sequence[Event], step: Path, target_run_id: str, place: Workplace
    ) -> None:
        """Copies the checkpoint from which the step started onto the new run's thread."""
        threads = await place.threads.opened()
        start = first_start(history, step)
        assert isinstance(start.payload, NodeStart)
        source_thread, _, checkpoint_id = start.payload.checkpoint.rpartition("@")
        thread_id = _thread_id(target_run_id, ())
        await asyncio.to_thread(threads.use, target_run_id, thread_id)
        source = _config(source_thread, checkpoint_id=checkpoint_id)
        mark = {RUN: target_run_id}
        if not await copy_checkpoint(self._saver(threads, place), source, thread_id, mark):
            raise MissingDependency("state_gone")

    @override
    def kept_in_replay(
        self, history: Sequence[Event], step: Path, given: JsonObject
    ) -> list[Event]:
        """Steps that ran beside this one start from the same checkpoint and run again with it."""
        _ = given
        start = first_start(history, step)
        assert isinstance(start.payload, NodeStart)
        end = min(
            event.seq or 0
            for event in history
            if isinstance(event.payload, NodeStart)
            and event.payload.checkpoint == start.payload.checkpoint
        )
        return only_finished([event for event in history if (event.seq or 0) < end])


def _goes_on(tasks: Sequence[PregelTask]) -> bool:
    """Also where all have ended and nobody has taken the next step: a process died in between."""
    return any(_can_work(task) for task in tasks) or (
        bool(tasks) and all(task.result is not None for task in tasks)
    )


def _can_work(task: PregelTask) -> bool:
    """Not ended, and not merely waiting for a person: also one that failed after its answer."""
    return task.result is None and (task.error is not None or not task.interrupts)


class _InFlight(NamedTuple):
    namespace: tuple[str, ...]
    names: Path
    key: str
    began: float


class _Walk:
    """One pass of a run through its graph."""

    def __init__(
        self,
        graph: Graph,
        thread_id: str,
        context: RunContext[Any],
        workflow: GraphWorkflow[Any, Any],
    ) -> None:
        self.graph = graph
        self.thread_id = thread_id
        self.context = context
        self.workflow = workflow
        self.mark = "/".join((context.run_id, *context.path))
        self.config = _config(thread_id)
        self.config["metadata"] = {RUN: self.mark}
        self.config["recursion_limit"] = workflow.recursion_limit
        self.in_flight: dict[str, _InFlight] = {}
        self.results: dict[str, object] = {}
        self.checkpoint = ""

    async def has_begun(self) -> bool:
        """Whether this thread already holds this run, not only an earlier turn."""
        snapshot = await self.graph.aget_state(self.config)
        metadata = cast("dict[str, object]", snapshot.metadata or {})
        return metadata.get(RUN) == self.mark

    @property
    def was_begun(self) -> bool:
        """Whether the journal knows steps of this graph."""
        depth = len(self.context.path)
        return any(
            len(path) > depth and path[:depth] == self.context.path
            for path, _ in self.context.fold.steps
        )

    async def enter(self, state: State) -> None:
        """Puts the input on disk before any node starts: `astream` would not wait for that."""
        await self.graph.aupdate_state(self.config, state, as_node=INPUT)

    async def go(self, given: Command[Any] | None) -> None:
        """Follows the graph's stream until it ends, waits for a person, or fails."""
        stream = cast(
            "AsyncGenerator[tuple[tuple[str, ...], str, Any]]",
            self.graph.astream(
                cast("Any", given),
                self.config,
                context=cast("Any", self.context),
                stream_mode=["tasks", "checkpoints"],
                subgraphs=True,
                durability="sync",
            ),
        )
        try:
            async with aclosing(stream):
                async for namespace, mode, data in stream:
                    if mode == "checkpoints":
                        await self._reach(namespace, data)
                    elif "triggers" in data:
                        await self._begin(namespace, data)
                    elif data["error"] is None and not data["interrupts"]:
                        self.results[data["id"]] = data["result"]
        except GraphRecursionError:
            raise LimitExceeded(
                "graph_too_long", limit=self.workflow.recursion_limit, run_id=self.context.run_id
            ) from None
        except (LeaseLost, StorageUnavailable):
            raise
        except Exception as error:
            await self._fail(error)
            raise

    async def _reach(self, namespace: tuple[str, ...], data: Mapping[str, Any]) -> None:
        """A checkpoint is on disk: what ran before it has ended for good."""
        for task_id, task in list(self.in_flight.items()):
            if task.namespace == namespace:
                await self._end(task_id)
        if not namespace:
            self.checkpoint = data["config"]["configurable"]["checkpoint_id"]

    async def _begin(self, namespace: tuple[str, ...], data: Mapping[str, Any]) -> None:
        names = (*_names(namespace), str(data["name"]))
        key = str(data["id"])
        self.in_flight[key] = _InFlight(namespace, names, key, time.perf_counter())
        earlier = self.context.fold.steps.get(self._step_id(names, key))
        if earlier is not None and earlier.status != "failed":
            # Was in flight when the process died, or asked and has its answer now; or has ended,
            # and LangGraph tells of it once more before it takes the next step.
            return
        await self.context.record(
            NodeStart(
                key=key,
                title=self.workflow.task_title(names[-1], data.get("input"), self.context.language),
                attempt=earlier.attempt + 1 if earlier else 1,
                checkpoint=f"{self.thread_id}@{self.checkpoint}",
            ),
            *names,
        )

    async def _end(self, task_id: str) -> None:
        task = self.in_flight.pop(task_id)
        step = self.context.fold.steps[self._step_id(task.names, task.key)]
        if step.status in ("succeeded", "skipped"):
            return
        await self.context.record(
            NodeComplete(
                key=task.key,
                outputs=self.workflow.outputs(
                    task.names[-1], self.results.pop(task_id, None), self.context.place
                ),
                duration_ms=int((time.perf_counter() - task.began) * 1000),
            ),
            *task.names,
        )

    async def _fail(self, error: Exception) -> None:
        """Gives the step that raised its problem; steps beside it are settled as usual."""
        snapshot = await self.settle()
        failure = as_sanbo_error(error, self.context.run_id)
        for task in snapshot.tasks:
            flying = self.in_flight.pop(task.id, None)
            if flying is None or task.error is None:
                continue
            step = self.context.fold.steps[self._step_id(flying.names, flying.key)]
            await self.context.record(
                NodeError(
                    key=flying.key,
                    error=failure.problem,
                    retry=step.attempt,
                    duration_ms=int((time.perf_counter() - flying.began) * 1000),
                ),
                *flying.names,
            )

    async def settle(self) -> StateSnapshot:
        """Brings the journal up to what the checkpoint holds: ends and questions it has missed."""
        snapshot = await self.graph.aget_state(self.config)
        pending = {task.id: task for task in snapshot.tasks}
        prefix = len(self.context.path)
        for (path, key), step in list(self.context.fold.steps.items()):
            if step.status not in ("running", "waiting") or path[:prefix] != self.context.path:
                continue
            names = path[prefix:]
            if not names or (key in pending and pending[key].result is None):
                continue
            if len(names) > 1 and any(task.name == names[0] for task in snapshot.tasks):
                continue  # inside a subgraph that has not ended
            if key not in self.results and len(names) == 1:
                found = await self._result_of(key, snapshot)
                if found is None:
                    continue  # not known to have ended: it is not for us to say so
                self.results[key] = found
            self.in_flight.setdefault(key, _InFlight((), names, key, time.perf_counter()))
            await self._end(key)
        await self._open_questions(snapshot)
        return snapshot

    async def _result_of(self, key: str, snapshot: StateSnapshot) -> object:
        """The update of a task that ended just before the process died; None: it did not."""
        snapshots = [snapshot]
        if snapshot.parent_config is not None:
            snapshots.append(await self.graph.aget_state(snapshot.parent_config))
        for candidate in snapshots:
            for task in candidate.tasks:
                if task.id == key:
                    is_past = candidate is not snapshot
                    return {} if task.result is None and is_past else task.result
        return None

    async def _open_questions(self, snapshot: StateSnapshot) -> None:
        for _, interaction_id, asked, step_id in await self._interrupts(snapshot):
            names = step_id[0][len(self.context.path) :]
            question = Question.model_validate(asked.value)
            await self.context.open(interaction_id, step_id[1], question, *names)

    async def answers(self, snapshot: StateSnapshot) -> dict[str, JsonObject]:
        """Answers that the journal has and the graph has not yet taken, by interrupt id."""
        return {
            interrupt_id: self.context.fold.answers[interaction_id].answer
            for interrupt_id, interaction_id, _, _ in await self._interrupts(snapshot)
            if interaction_id in self.context.fold.answers
        }

    async def _interrupts(
        self, snapshot: StateSnapshot
    ) -> list[tuple[str, str, Interrupt, StepId]]:
        """Interrupts that wait now, with the interaction and the step each belongs to.

        LangGraph names an interrupt after its task, so a second question of one node has the
        id of the first, and an answer to the first would be taken for the second. The number
        of answers that the task has already taken tells them apart.
        """
        if not snapshot.interrupts:
            return []
        waiting = {pending.id for pending in snapshot.interrupts}
        saver = cast("Saver", self.graph.checkpointer)
        stored = await saver.aget_tuple(self.config)
        assert stored is not None
        taken = {
            task_id: len(cast("list[object]", values))
            for task_id, channel, values in stored.pending_writes or []
            if channel == RESUME and isinstance(values, list)
        }
        return [
            (
                asked.id,
                f"{asked.id}-{taken.get(task.id, 0)}",
                asked,
                self._step_id((task.name,), task.id),
            )
            for task in snapshot.tasks
            for asked in task.interrupts
            # A task that failed after its answer still shows the question it has had answered.
            if asked.id in waiting and task.error is None
        ]

    def _step_id(self, names: Path, key: str) -> StepId:
        return self.context.path + names, key


def _thread_id(run_id: str, path: Path) -> str:
    return "/".join((run_id, *(quote(name, safe="") for name in path)))


def _config(thread_id: str, **more: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, **more}}


def _names(namespace: tuple[str, ...]) -> Path:
    """Node names of a subgraph's place; LangGraph writes `node:task`."""
    return tuple(part.partition(":")[0] for part in namespace)
