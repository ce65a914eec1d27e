"""Advances a plan's run: until it is done, has failed, or only a person can help."""

import asyncio
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from pydantic import JsonValue

from sanbo.plans.executors.executors import Executors
from sanbo.plans.executors.run_bytes import RunBytes
from sanbo.plans.running.activity import Activity
from sanbo.plans.running.answers import Answers
from sanbo.plans.running.environment import Environment
from sanbo.plans.running.graph_run import GraphRun
from sanbo.plans.running.outputs import Ended
from sanbo.plans.running.prepared import PreparedGraph
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.surroundings import Slots, Surroundings
from sanbo.plans.running.unwritten import Unwritten
from sanbo.runs.model import Path
from sanbo.runs.workflow import RunContext, Waiting, Workflow


class Engine:
    def __init__(
        self,
        context: RunContext[Any],
        plan: PreparedGraph,
        given: Mapping[str, JsonValue],
        *,
        executors: Executors,
        executor: str,
        environment: Environment,
        agents: Mapping[str, Workflow[Any, Any]],
        unwritten: Unwritten,
    ) -> None:
        workspace: FilePath = context.place.settings.workspace
        self._here = Surroundings(
            context=context,
            executors=executors,
            executor=executor,
            environment=environment,
            agents=agents,
            workspace=workspace,
            files=RunBytes(context.place.files, context.run_id),
            activity=Activity(),
            answers=Answers(),
            unwritten=unwritten,
            run_graph=_run_graph,
        )
        self.scope = Scope(plan, environment, given=given)
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


async def _run_graph(
    here: Surroundings, scope: Scope, path: Path, slots: Slots, *, is_new: bool
) -> None:
    await GraphRun(here, scope, path, slots).run(is_new=is_new)
