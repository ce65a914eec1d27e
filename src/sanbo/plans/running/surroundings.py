"""What all nodes of one run share: what they may read, and what was masked, in memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, Protocol

from pydantic import JsonValue

from sanbo.plans.executors.call import RunBytes
from sanbo.plans.executors.executors import Executors
from sanbo.plans.model import Concurrency
from sanbo.plans.running.activity import Activity, Answers
from sanbo.plans.running.environment import Environment
from sanbo.plans.running.outputs import Outputs
from sanbo.plans.running.scope import Scope
from sanbo.runs.model import NodeError, Path
from sanbo.runs.workflow import RunContext, Workflow


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
