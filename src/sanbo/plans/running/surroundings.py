"""What all nodes of one run share: what they may read, what was masked, in memory, and who is at
work: when nobody is and somebody waits, only a person can help; answers wake.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, Protocol, TypeVar

from pydantic import JsonValue
from typing_extensions import override

from sanbo.plans.executors.call import RunBytes
from sanbo.plans.executors.executors import Executors
from sanbo.plans.model import Concurrency
from sanbo.plans.running.outcomes import Outputs
from sanbo.plans.running.scope import Environment, Scope
from sanbo.runs.model import Event, InteractionAnswered, NodeError, Path
from sanbo.runs.workflow import RunContext, Workflow

T = TypeVar("T")


class Activity:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._working = 0
        self.idle: asyncio.Future[None] = self._loop.create_future()
        """Done when nothing is at work any more."""

    def enter(self) -> None:
        self._working += 1

    def leave(self) -> None:
        self._working -= 1
        if self._working == 0:
            # Behind whoever was just woken: that one counts again before this looks.
            self._loop.call_soon(self._look)

    async def away(self, awaited: Awaitable[T]) -> T:
        """Waits without counting as at work; what is awaited wakes this task directly."""
        self.leave()
        try:
            return await awaited
        finally:
            self.enter()

    def _look(self) -> None:
        if self._working == 0 and not self.idle.done():
            self.idle.set_result(None)


class LimitedActivity(Activity):
    """Of all that is inside one node: its clock stands still while only people are waited for."""

    def __init__(self, around: Activity, limit: asyncio.Timeout, seconds: float) -> None:
        """Made by the task that works on the node: that one is at work in it, as it is around."""
        super().__init__()
        self._around = around
        self._limit = limit
        self._left = seconds
        self._since = self._loop.time()
        self._working = 1
        self._wind()

    @override
    def enter(self) -> None:
        self._around.enter()
        self._working += 1
        if self._working == 1:
            self._since = self._loop.time()
            self._wind()

    @override
    def leave(self) -> None:
        self._around.leave()
        self._working -= 1
        if self._working == 0:
            self._left -= self._loop.time() - self._since
            self._wind()

    def _wind(self) -> None:
        if not self._limit.expired():
            self._limit.reschedule(self._since + self._left if self._working else None)


class Team:
    """Tasks side by side: the first failure ends all of them."""

    def __init__(self, activity: Activity) -> None:
        self._activity = activity
        self._tasks: set[asyncio.Task[None]] = set()
        self._left = 0
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def is_over(self) -> bool:
        """Whether one has failed, or all have ended."""
        return self._done.done()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Also by a member, before it ends."""
        self._activity.enter()
        self._left += 1
        task = asyncio.create_task(self._do(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        """Returns when all have ended; raises what the first one raised."""
        if not self._left:
            return
        try:
            await self._activity.away(self._done)
        except BaseException:
            await self._stop()
            raise

    async def _do(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - raised by `finish`
            if not self._done.done():
                self._done.set_exception(error)
        finally:
            self._left -= 1
            if self._left == 0 and not self._done.done():
                self._done.set_result(None)
            self._activity.leave()

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class Answers:
    def __init__(self) -> None:
        self._listeners: dict[Path, asyncio.Event] = {}

    def listen(self, node: Path) -> asyncio.Event:
        """Set when a question at or below the node is answered."""
        return self._listeners.setdefault(node, asyncio.Event())

    def stop_listening(self, node: Path) -> None:
        self._listeners.pop(node, None)

    def hear(self, event: Event) -> None:
        if not isinstance(event.payload, InteractionAnswered):
            return
        for depth in range(1, len(event.path) + 1):
            listener = self._listeners.get(event.path[:depth])
            if listener is not None:
                listener.set()


@dataclass(frozen=True, slots=True)
class Iteration:
    """What an iteration leaves: its exports or, without any, the outputs of its nodes."""

    result: dict[str, JsonValue]
    shown: dict[str, JsonValue]
    """As it may be written; the same object where nothing is masked."""
    read: Mapping[str, Outputs] = field(default_factory=dict[str, Outputs])
    """Outputs of the nodes that the loop's condition asks about."""


MOST_RUNS = 256


@dataclass
class Unwritten:
    """Of one run, by step: so that a node is not run again in the process that has run it."""

    outputs: dict[str, Outputs] = field(default_factory=dict[str, Outputs])
    iterations: dict[str, Iteration] = field(default_factory=dict[str, Iteration])


class UnwrittenOfRuns:
    def __init__(self) -> None:
        self._runs: OrderedDict[str, Unwritten] = OrderedDict()

    def of(self, run_id: str) -> Unwritten:
        found = self._runs.setdefault(run_id, Unwritten())
        self._runs.move_to_end(run_id)
        while len(self._runs) > MOST_RUNS:
            self._runs.popitem(last=False)
        return found

    def forget(self, run_id: str) -> None:
        self._runs.pop(run_id, None)


@dataclass(frozen=True)
class FailedBefore:
    """Nodes that had failed for good when this process took the run up."""

    steps: dict[Path, NodeError]

    def clear(self, path: Path) -> None:
        for each in [each for each in self.steps if each[: len(path)] == path]:
            del self.steps[each]


class Slots:
    """How many nodes may be at work at the same time; one that waits for a person has none."""

    def __init__(self, concurrency: Concurrency) -> None:
        self.most = concurrency.default_max_workers
        self.nodes = asyncio.Semaphore(self.most)
        self._own = {name: asyncio.Semaphore(most) for name, most in concurrency.per_node.items()}

    def of_node(self, node_id: str) -> asyncio.Semaphore | None:
        """Of one node in all iterations of the loop around it."""
        return self._own.get(node_id)


class RunGraph(Protocol):
    """Runs a graph to its end; its nodes' outputs are in its scope then."""

    def __call__(
        self, here: "Surroundings", scope: Scope, path: Path, slots: Slots, *, is_new: bool
    ) -> Awaitable[None]: ...


@dataclass(frozen=True)
class Surroundings:
    context: RunContext[Any]
    executors: Executors
    executor: str
    loop_executor: str
    """Where the blocks of a loop's items compute when several are at work; empty: as the others."""
    environment: Environment
    agents: Mapping[str, Workflow[Any, Any]]
    workspace: FilePath
    files: RunBytes
    activity: Activity
    answers: Answers
    unwritten: Unwritten
    failed_before: FailedBefore
    run_graph: RunGraph
