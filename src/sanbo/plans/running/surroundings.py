"""What all nodes of one run share while it is advanced."""

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Protocol

from sanbo.plans.executors.executors import Executors
from sanbo.plans.executors.run_bytes import RunBytes
from sanbo.plans.model import Concurrency
from sanbo.plans.running.activity import Activity
from sanbo.plans.running.answers import Answers
from sanbo.plans.running.environment import Environment
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.unwritten import Unwritten
from sanbo.runs.model import Path
from sanbo.runs.workflow import RunContext, Workflow


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
    environment: Environment
    agents: Mapping[str, Workflow[Any, Any]]
    workspace: FilePath
    files: RunBytes
    activity: Activity
    answers: Answers
    unwritten: Unwritten
    run_graph: RunGraph
