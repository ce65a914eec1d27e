"""One node on its way: asked whether it is wanted, begun, tried, and ended or given up."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar, cast

from pydantic import JsonValue

from sanbo.blocks.spec import text_of
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Problem, StorageUnavailable, TimedOut
from sanbo.plans.model import LoopNode, SubflowNode
from sanbo.plans.references import Reference, Unreachable, reference_of, walk
from sanbo.plans.running.calls import CalledBlock
from sanbo.plans.running.loops import run_loop
from sanbo.plans.running.outcomes import (
    NOTHING,
    BlockFailed,
    Ended,
    NodeFailed,
    Outputs,
    failed_node,
    stored,
)
from sanbo.plans.running.plan import PreparedNode
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.surroundings import LimitedActivity, Slots, Surroundings
from sanbo.runs.journal import LeaseLost
from sanbo.runs.model import (
    APPROVED,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    Question,
)
from sanbo.runs.workflow import Waiting, as_sanbo_error
from sanbo.runs.writer import RunEnded

T = TypeVar("T")


async def within(
    limit_ms: int | None,
    here: Surroundings,
    node: str,
    work: Callable[[Surroundings], Awaitable[T]],
) -> T:
    """`TimedOut` when it takes longer; what was at work inside is stopped then."""
    if limit_ms is None:
        return await work(here)
    seconds = limit_ms / 1000
    try:
        async with asyncio.timeout(None) as limit:
            activity = LimitedActivity(here.activity, limit, seconds)
            return await work(replace(here, activity=activity, executor=_stoppable(here.executor)))
    except TimeoutError:
        raise TimedOut("plan_node_slow", node=node, seconds=seconds) from None


def _stoppable(executor: str) -> str:
    """A thread can't be stopped: what has a limit around it computes in processes."""
    return "processes" if executor == "threads" else executor


async def run_subflow(here: Surroundings, node: PreparedNode, scope: Scope, path: Path) -> Outputs:
    inner = called_scope(here, node, scope)
    is_new = (path, "/".join(path)) not in here.context.fold.steps
    slots = Slots(inner.prepared.policy.concurrency)
    await here.run_graph(here, inner, path, slots, is_new=is_new)
    assert isinstance(node.node, SubflowNode)
    exported = inner.exports()
    values = _renamed(node.node, exported)
    shown = _renamed(node.node, inner.shown_exports()) if inner.has_masked else values
    return Outputs(values, values if shown == values else shown, {})


def called_scope(here: Surroundings, node: PreparedNode, scope: Scope) -> Scope:
    """Of a plan that is called: nothing of the caller's is seen but what it is given."""
    assert node.inner is not None
    assert node.calls is not None
    given = {name: scope.resolve(value) for name, value in node.calls.inputs.items()}
    leaving = node.inner.leaving if scope.is_read(node.node.id) else ()
    return Scope(node.inner, here.environment, given=given, leaving=leaving, about=scope.about)


def _renamed(node: SubflowNode, exported: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    found = dict(exported)  # what it calls them itself can be read, too
    for export in node.out.exports:
        if export.from_ in exported:
            found[export.as_] = exported[export.from_]
            continue
        reference = reference_of(export.from_)
        try:
            found[export.as_] = walk(dict(exported), (reference.root, *reference.keys))
        except Unreachable:  # as everywhere: what is not there is null
            found[export.as_] = None
    return found


NOT_WANTED = "when_condition_false"
RESTS_ON_SKIPPED = "input_of_skipped_node"
"""What it needs was to come from a skipped node: a rejected confirmation writes nothing."""
WARNING = "warning"
"""The step below a node at which a person is asked whether to go on."""
LONG_MS = 5
"""What took longer is stored at once; shorter ones together, a moment later."""


class NodeRun:
    def __init__(
        self, here: Surroundings, node: PreparedNode, scope: Scope, path: Path, slots: Slots
    ) -> None:
        self._here = here
        self._node = node
        self._scope = scope
        self._path = path
        self._slots = slots
        self._key = "/".join(path)
        self._attempt = 0
        self._began = time.perf_counter()
        self._since: datetime | None = None
        self._inputs: Mapping[str, JsonValue] | None = None
        self._missing: list[Problem] = []
        """What its references stand for is not there."""

    async def run(self) -> Ended:
        """Raises `NodeFailed` where the policy says that the run ends with it."""
        try:
            if self._node.when is not None and not self._node.when.holds(self._lookup):
                return self._skip(NOT_WANTED, self._node.when.text)
            if lost := self._scope.lost_input(self._node.required):
                return self._skip(RESTS_ON_SKIPPED, lost)
        except Exception as error:  # noqa: BLE001 - told as the node's problem
            self._begin()
            return await self._give_up(self._failure(error), 0)
        retry = 0
        while True:
            self._begin()
            self._missing.clear()
            try:
                outputs = await self._work()
                await self._weigh((*self._missing, *outputs.warnings))
                return await self._complete(outputs)
            except (LeaseLost, StorageUnavailable, RunEnded):
                raise  # the engine's, not the node's
            except Exception as error:  # noqa: BLE001 - told as the node's problem
                failure = self._failure(error)
            if retry >= self._node.policy.retries or not failure.may_go_better:
                return await self._give_up(failure, retry)
            retry += 1
            await self._pause(failure, retry)

    def _lookup(self, reference: Reference) -> JsonValue:
        return self._scope.lookup(reference, self._missing)

    def _skip(self, reason: str, condition: str) -> Ended:
        skipped = NodeSkipped(key=self._key, reason=reason, condition=condition)
        self._here.context.record_soon(skipped, *self._path)
        return Ended("skipped", NOTHING, None, 0)

    def _begin(self) -> None:
        self._began = time.perf_counter()
        step = self._here.context.fold.steps.get((self._path, self._key))
        if self._attempt == 0 and step is not None:
            self._attempt = step.attempt
            if step.status in ("running", "waiting") and self._goes_on:
                self._since = step.started_at
                return
        self._since = None
        self._attempt += 1
        block = self._node.block
        self._here.context.record_soon(
            NodeStart.trusted(
                key=self._key,
                title=text_of(self._node.node.title, self._here.context.language),
                block=block.reference if block else "",
                attempt=self._attempt,
            ),
            *self._path,
        )

    @property
    def _goes_on(self) -> bool:
        """Whether, taken up again, it continues what it had begun instead of beginning anew."""
        return self._node.block is None or self._node.block.needs_engine

    async def _weigh(self, warnings: Sequence[Problem]) -> None:
        """Raises where the policy, or the person that it asks, does not want to go on with them."""
        if not warnings or self._node.policy.on_warning == "continue":
            return
        if self._node.policy.on_warning == "ask" and await self._is_accepted(warnings):
            return
        raise BlockFailed(warnings[0])

    async def _is_accepted(self, warnings: Sequence[Problem]) -> bool:
        told = [each.in_language(self._here.context.language) for each in warnings]
        name = text_of(self._node.node.title, self._here.context.language) or self._node.node.id
        question = Question(
            mode="confirm",
            message=tell("plan_warning_accepted", self._here.context.language, node=name),
            context={
                str(number): f"{each.message} {each.hint}"
                for number, each in enumerate(told, start=1)
            },
        )
        await self._here.context.catch_up()
        answered = self._here.answers.listen(self._path)
        try:
            while True:
                answered.clear()
                answer = await self._here.context.at(*self._path).ask(WARNING, question)
                if answer is not None:
                    return answer.get(APPROVED) is True
                await self._here.activity.away(answered.wait())
        finally:
            self._here.answers.stop_listening(self._path)

    async def _work(self) -> Outputs:
        if self._node.block is not None:
            return await self._call_block()
        limit_ms = self._node.node.policy.timeout_ms  # the plan's own is for each node inside
        return await within(limit_ms, self._here, self._key, self._run_inside)

    async def _run_inside(self, here: Surroundings) -> Outputs:
        if isinstance(self._node.node, LoopNode):
            return await run_loop(here, self._node, self._scope, self._path, self._slots)
        return await run_subflow(here, self._node, self._scope, self._path)

    async def _call_block(self) -> Outputs:
        self._inputs = {
            name: self._scope.resolve(value, self._missing)
            for name, value in self._node.inputs.items()
        }
        plan_id = self._scope.prepared.plan_id
        called = CalledBlock(self._here, self._node, self._path, plan_id, self._inputs)
        if not self._goes_on:
            outcome = await self._in_slot(called)
            assert not isinstance(outcome, Waiting)
            return outcome
        await self._here.context.catch_up()
        return await self._call_with_people(called)

    async def _call_with_people(self, called: CalledBlock) -> Outputs:
        answered = self._here.answers.listen(self._path)
        try:
            while True:
                answered.clear()
                outcome = await self._in_slot(called)
                if not isinstance(outcome, Waiting):
                    return outcome
                await self._here.activity.away(answered.wait())
        finally:
            self._here.answers.stop_listening(self._path)

    async def _in_slot(self, called: CalledBlock) -> Outputs | Waiting:
        own = self._slots.of_node(self._node.node.id)
        if own is None:
            async with self._slots.nodes:
                return await called.call()
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(own)
            await stack.enter_async_context(self._slots.nodes)
            return await called.call()

    async def _complete(self, outputs: Outputs) -> Ended:
        context = self._here.context
        shown = None if outputs.shown is None else dict(outputs.shown)
        written = await stored(context, shown, is_masked=outputs.is_masked)
        duration_ms = self._duration_ms()
        completion = NodeComplete.trusted(
            key=self._key,
            outputs=written.value,
            masked=written.is_masked,
            beside=written.beside,
            warnings=(*self._missing, *outputs.warnings),
            duration_ms=duration_ms,
        )
        if (await self._record_end(completion)).masked:
            self._here.unwritten.outputs[self._key] = outputs
        return Ended("succeeded", outputs, written.value, duration_ms)

    async def _record_end(self, completion: NodeComplete) -> NodeComplete:
        """The event as it is written."""
        context = self._here.context
        if self._goes_on:
            written = (await context.record(completion, *self._path)).payload
        # What follows may begin while this is being stored: a block that only computes gives the
        # same again. What asks people or models waits until all before it is stored.
        elif completion.duration_ms >= LONG_MS:
            written = context.record_behind(completion, *self._path)
        else:
            written = context.record_soon(completion, *self._path)
        return cast("NodeComplete", written)

    def _failure(self, error: Exception) -> NodeFailed:
        if isinstance(error, NodeFailed):  # of a node inside this one
            return error
        context = self._here.context
        problem = as_sanbo_error(error, context.run_id).problem
        return failed_node(problem, self._node, self._path, self._inputs, context.language)

    async def _pause(self, failure: NodeFailed, retry: int) -> None:
        pause_ms = self._node.policy.pause_ms(retry)
        error = NodeError(
            key=self._key,
            error=failure.problem,
            retry=retry,
            retry_in_ms=pause_ms,
            duration_ms=self._duration_ms(),
        )
        await self._here.context.record(error, *self._path)
        await asyncio.sleep(pause_ms / 1000)

    async def _give_up(self, failure: NodeFailed, retry: int) -> Ended:
        goes_on, duration_ms = self._node.policy.goes_on, self._duration_ms()
        error = NodeError(
            key=self._key,
            error=failure.problem,
            retry=retry,
            continued=goes_on,
            duration_ms=duration_ms,
        )
        await self._here.context.record(error, *self._path)
        if not goes_on:
            failure.was_retried |= retry > 0
            raise failure
        return Ended("failed", NOTHING, None, duration_ms, failure.problem)

    def _duration_ms(self) -> int:
        if self._since is not None:
            return max(0, int((datetime.now(UTC) - self._since).total_seconds() * 1000))
        return int((time.perf_counter() - self._began) * 1000)
