"""What the journal says is finished stands; what it can only show masked is run again if needed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.kernel.secrets import MASK
from sanbo.kernel.summaries import SUMMARY
from sanbo.plans.references import Reference, Unreachable
from sanbo.plans.running.outputs import NOTHING, Ended, Outputs
from sanbo.plans.running.plan import PreparedGraph
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.storage import STORED, restored
from sanbo.plans.running.surroundings import Unwritten
from sanbo.runs.fold import RunFold, StepId
from sanbo.runs.model import Path
from sanbo.runs.workflow import RunContext


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
