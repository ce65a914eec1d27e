"""What the journal says is finished stands; what it can only show masked is run again if needed."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from pydantic import JsonValue

from sanbo.plans.running.outputs import NOTHING, Ended, Outputs
from sanbo.plans.running.prepared import PreparedGraph
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.storing import restored
from sanbo.plans.running.unwritten import Unwritten
from sanbo.runs.fold import RunFold, StepId
from sanbo.runs.model import Path
from sanbo.runs.workflow import RunContext


async def finished_nodes(
    context: RunContext[Any], scope: Scope, path: Path, unwritten: Unwritten
) -> dict[str, Ended]:
    """By node id. Values are there for those that something unfinished reads."""
    prepared, fold = scope.prepared, context.fold
    steps = {name: ((*path, name), "/".join((*path, name))) for name in prepared.nodes}
    finished = {name for name, step_id in steps.items() if _is_over(fold, step_id)}
    kept = unwritten.outputs
    masked = {n for n in finished if steps[n] in fold.masked and steps[n][1] not in kept}
    needed = _needed(prepared, finished, masked, path)
    found: dict[str, Ended] = {}
    for name in prepared.nodes:  # in the order of the plan
        if name in finished:
            ended = await _ended(context, steps[name], prepared, name, is_needed=name in needed)
            if ended.status == "succeeded" and steps[name][1] in kept:
                ended = replace(ended, outputs=kept[steps[name][1]])
            found[name] = ended
    return found


def _is_over(fold: RunFold, step_id: StepId) -> bool:
    step = fold.steps.get(step_id)
    return step_id in fold.outputs or (step is not None and step.status == "skipped")


def _needed(prepared: PreparedGraph, finished: set[str], masked: set[str], path: Path) -> set[str]:
    """Also takes those out of `finished` that are needed and whose values were not written."""
    needed: set[str] = set()
    waiting = [name for name in prepared.nodes if name not in finished]
    if path:  # what comes out of it goes on to nodes around; of the plan itself it is only shown
        needed.update(_leaving(prepared) & finished)
    for name in needed & masked:
        finished.discard(name)
        waiting.append(name)
    while waiting:
        for dependency in prepared.nodes[waiting.pop()].needs & finished:
            needed.add(dependency)
            if dependency in masked:
                finished.discard(dependency)
                waiting.append(dependency)
    if not path:
        needed.update(_leaving(prepared) & finished)
    return needed


def _leaving(prepared: PreparedGraph) -> set[str]:
    """Nodes whose outputs are exported; without exports, all of them."""
    if not prepared.exports:
        return set(prepared.nodes)
    return _known((each.root for each in prepared.exports.values()), prepared)


def _known(names: Iterable[str], prepared: PreparedGraph) -> set[str]:
    return {name for name in names if name in prepared.nodes}


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
    return Ended(
        "succeeded", Outputs(known, known, prepared.nodes[name].ports), recorded, duration_ms
    )
