"""Advances a plan's run: whatever has all it needs starts, until only a person can help.

What the journal says is finished stands; what it can only show masked is run again if needed.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, cast

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.kernel.personal_data import SUMMARY
from sanbo.kernel.secrets import MASK
from sanbo.plans.executors.call import RunBytes
from sanbo.plans.executors.executors import Executors
from sanbo.plans.references import Reference, Unreachable
from sanbo.plans.running.nodes import NodeRun
from sanbo.plans.running.outcomes import (
    NOTHING,
    STORED,
    Ended,
    NodeFailed,
    Outputs,
    restored,
    with_another,
)
from sanbo.plans.running.plan import PreparedGraph
from sanbo.plans.running.scope import Environment, Scope
from sanbo.plans.running.surroundings import (
    Activity,
    Answers,
    FailedBefore,
    Slots,
    Surroundings,
    Team,
    Unwritten,
)
from sanbo.runs.fold import RunFold, StepId
from sanbo.runs.model import NodeError, Path
from sanbo.runs.workflow import RunContext, Waiting, Workflow


async def finished_nodes(
    context: RunContext[Any], scope: Scope, path: Path, unwritten: Unwritten
) -> dict[str, Ended]:
    """By node id. Values are there for those that something unfinished reads."""
    prepared, fold = scope.prepared, context.fold
    steps = {name: ((*path, name), "/".join((*path, name))) for name in prepared.nodes}
    kept = unwritten.outputs
    finished = _Finished(
        scope,
        {name for name, step_id in steps.items() if _is_over(fold, step_id)},
        {
            name: fold.outputs[step_id]
            for name, step_id in steps.items()
            if step_id in fold.masked and step_id[1] not in kept
        },
    )
    finished.settle()
    found: dict[str, Ended] = {}
    for name in prepared.nodes:  # in the order of the plan
        if name in finished.names:
            is_needed = name in finished.needed
            ended = await _ended(context, steps[name], prepared, name, is_needed=is_needed)
            if ended.status == "succeeded" and steps[name][1] in kept:
                ended = replace(ended, outputs=kept[steps[name][1]])
            found[name] = ended
    return found


def _is_over(fold: RunFold, step_id: StepId) -> bool:
    step = fold.steps.get(step_id)
    return step_id in fold.outputs or (step is not None and step.status == "skipped")


class _Finished:
    """Which nodes stay finished: not those of which something is read that was masked."""

    def __init__(self, scope: Scope, names: set[str], masked: Mapping[str, JsonValue]) -> None:
        self.names = names
        self.needed: set[str] = set()
        self._scope = scope
        self._nodes = scope.prepared.nodes
        self._masked = masked
        self._waiting = [name for name in self._nodes if name not in names]

    def settle(self) -> None:
        self._read(self._scope.leaving)
        while self._waiting:
            self._read(self._nodes[self._waiting.pop()].reads)
        self.needed.update(each.root for each in self._scope.prepared.leaving)

    def _read(self, references: Iterable[Reference]) -> None:
        for reference in references:
            name = reference.root
            if name not in self.names:
                continue
            self.needed.add(name)
            if name in self._masked and self._is_lost(reference):
                self.names.discard(name)
                self._waiting.append(name)

    def _is_lost(self, reference: Reference) -> bool:
        recorded = cast("dict[str, JsonValue]", self._masked[reference.root])
        if recorded.keys() == {STORED}:
            return True
        outputs = Outputs(recorded, recorded, self._nodes[reference.root].ports)
        keys = reference.keys
        try:
            values = [outputs.read(replace(reference, keys=keys[:n])) for n in range(len(keys) + 1)]
        except Unreachable:  # inside what was masked
            return True
        # Not in all of the value that a key is looked up in, but in what it is looked up in itself.
        masked = (isinstance(value, str) and MASK in value for value in values)
        summaries = (isinstance(value, dict) and SUMMARY in value for value in values)
        text = to_json(values[-1]).decode()
        return any(masked) or any(summaries) or MASK in text or SUMMARY in text


async def _ended(
    context: RunContext[Any],
    step_id: StepId,
    prepared: PreparedGraph,
    name: str,
    *,
    is_needed: bool,
) -> Ended:
    fold = context.fold
    step = fold.steps[step_id]
    duration_ms = step.duration_ms or 0
    if step.status == "skipped":
        return Ended("skipped", NOTHING, None, 0)
    recorded = fold.outputs[step_id]
    if recorded is None or step.status == "failed":
        return Ended("failed", NOTHING, None, duration_ms, step.problem)
    values = await restored(context, step_id) if is_needed else recorded
    known = cast("dict[str, JsonValue]", values)
    shown = {**known} if step_id in fold.masked else known
    return Ended(
        "succeeded", Outputs(known, shown, prepared.nodes[name].ports), recorded, duration_ms
    )


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
