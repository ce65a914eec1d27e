"""A graph on its way: whatever has all it needs starts, and nothing waits for the rest."""

from sanbo.plans.running.activity import Team
from sanbo.plans.running.nodes import NodeRun
from sanbo.plans.running.outputs import Ended
from sanbo.plans.running.restoring import finished_nodes
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.surroundings import Slots, Surroundings
from sanbo.runs.model import Path


class GraphRun:
    def __init__(self, here: Surroundings, scope: Scope, path: Path, slots: Slots) -> None:
        self.ended: dict[str, Ended] = {}
        self._here = here
        self._scope = scope
        self._path = path
        self._slots = slots
        self._nodes = scope.prepared.nodes
        self._missing = {name: len(node.needs) for name, node in self._nodes.items()}
        self._team = Team(here.activity)

    async def run(self, *, is_new: bool) -> None:
        """Raises what the first node raised that ends the run; the others are stopped then."""
        if not is_new:
            await self._restore()
        ready = [name for name, missing in self._missing.items() if not missing]
        for name in ready:
            if name not in self.ended:
                self._start(name)
        await self._team.finish()

    async def _restore(self) -> None:
        for name, ended in (
            await finished_nodes(self._here.context, self._scope, self._path, self._here.unwritten)
        ).items():
            self._take(name, ended)
            for reader in self._scope.prepared.readers[name]:
                self._missing[reader] -= 1

    def _start(self, name: str) -> None:
        self._team.start(self._run_nodes(name))

    async def _run_nodes(self, name: str) -> None:
        """The node, and whatever can begin when it has ended: one here, the others beside it."""
        waiting = [name]
        while waiting and not self._team.is_over:
            here, *beside = waiting
            for other in beside:
                self._start(other)
            path = (*self._path, here)
            run = NodeRun(self._here, self._nodes[here], self._scope, path, self._slots)
            self._take(here, await run.run())
            waiting = self._ready_after(here)

    def _ready_after(self, name: str) -> list[str]:
        ready: list[str] = []
        for reader in self._scope.prepared.readers[name]:
            self._missing[reader] -= 1
            if not self._missing[reader] and reader not in self.ended:
                ready.append(reader)
        return ready

    def _take(self, name: str, ended: Ended) -> None:
        self.ended[name] = ended
        self._scope.outputs[name] = ended.outputs
