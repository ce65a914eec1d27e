"""Advances a plan's run: whatever has all it needs starts, until only a person can help."""

import asyncio
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from pydantic import JsonValue

from sanbo.plans.executors.call import RunBytes
from sanbo.plans.executors.executors import Executors
from sanbo.plans.running.activity import Activity, Answers, Team
from sanbo.plans.running.environment import Environment
from sanbo.plans.running.failures import NodeFailed, with_another
from sanbo.plans.running.nodes import NodeRun
from sanbo.plans.running.outputs import Ended
from sanbo.plans.running.plan import PreparedGraph
from sanbo.plans.running.restoration import finished_nodes
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.surroundings import FailedBefore, Slots, Surroundings, Unwritten
from sanbo.runs.model import NodeError, Path
from sanbo.runs.workflow import RunContext, Waiting, Workflow


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
            await self._fail_as_before()
        ready = [name for name, missing in self._missing.items() if not missing]
        for name in ready:
            if name not in self.ended:
                self._start(name)
        try:
            await self._team.finish()
        except NodeFailed as failure:
            await self._run_last(failure)
            raise

    async def _fail_as_before(self) -> None:
        """A node has failed for good, and those of `finally` were not over: only they go on."""
        for name in self._nodes:
            if (error := self._failure_before(name)) is not None:
                self._scope.problems[name] = error.error
                failure = NodeFailed(error.error)
                failure.was_retried = error.retry > 0
                await self._run_last(failure)
                self._here.failed_before.clear(self._path)  # whoever tries again may do so
                raise failure

    def _failure_before(self, name: str) -> NodeError | None:
        path = (*self._path, name)
        return self._here.failed_before.steps.get(path)

    async def _run_last(self, failure: NodeFailed) -> None:
        """Those of `finally`, one after the other; what others would have given them is null."""
        for name, node in self._nodes.items():
            if node.node.always and name not in self.ended and not self._failure_before(name):
                run = NodeRun(self._here, node, self._scope, (*self._path, name), self._slots)
                try:
                    self._take(name, await run.run())
                except NodeFailed as again:  # the first failure is what the run is told to end by
                    failure.problem = with_another(failure.problem, again.problem)

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
            try:
                self._take(here, await run.run())
            except NodeFailed as failure:
                self._scope.problems[here] = failure.problem
                raise
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
        if ended.status == "skipped":
            self._scope.skipped.add(name)
        if ended.problem is not None:
            self._scope.problems[name] = ended.problem


class Engine:
    def __init__(
        self,
        context: RunContext[Any],
        plan: PreparedGraph,
        given: Mapping[str, JsonValue],
        *,
        executors: Executors,
        executor: str,
        loop_executor: str = "",
        environment: Environment,
        agents: Mapping[str, Workflow[Any, Any]],
        unwritten: Unwritten,
    ) -> None:
        workspace: FilePath = context.place.settings.workspace
        self._here = Surroundings(
            context=context,
            executors=executors,
            executor=executor,
            loop_executor=loop_executor,
            environment=environment,
            agents=agents,
            workspace=workspace,
            files=RunBytes(context.place.files, context.run_id),
            activity=Activity(),
            answers=Answers(),
            unwritten=unwritten,
            failed_before=FailedBefore(dict(context.fold.failed)),
            run_graph=_run_graph,
        )
        # What is exported is only shown, so that a mask will do; not where all of it is masked.
        leaving = plan.leaving if context.place.settings.plans.persist == "none" else ()
        self.scope = Scope(
            plan, environment, given=given, about=_about(context, plan), leaving=leaving
        )
        self._whole = GraphRun(self._here, self.scope, (), Slots(plan.policy.concurrency))

    @property
    def ended(self) -> Mapping[str, Ended]:
        return self._whole.ended

    async def run(self) -> Waiting | None:
        """None when every node has ended."""
        activity, context = self._here.activity, self._here.context
        context.listen(self._here.answers.hear)
        activity.enter()
        whole = asyncio.create_task(self._whole.run(is_new=False))
        try:
            await asyncio.wait((whole, activity.idle), return_when=asyncio.FIRST_COMPLETED)
            if whole.done():
                await whole
                return None
            return Waiting()
        finally:
            if not whole.done():
                whole.cancel()
                await asyncio.gather(whole, return_exceptions=True)


def _about(context: RunContext[Any], plan: PreparedGraph) -> Mapping[str, JsonValue]:
    """What a plan may read of its run: fixed when it began, so that a replay reads the same."""
    start, began = context.fold.start, context.fold.created_at
    day = began.astimezone()
    return {
        "run": {
            "id": context.run_id,
            "started_at": began.isoformat(),
            "user": start.owner if start else "",
            "plan_id": plan.plan_id,
            "plan_version": plan.graph.version,
        },
        "today": day.date().isoformat(),
        "now": day.isoformat(timespec="seconds"),
    }


async def _run_graph(
    here: Surroundings, scope: Scope, path: Path, slots: Slots, *, is_new: bool
) -> None:
    await GraphRun(here, scope, path, slots).run(is_new=is_new)
