"""What a loop gives after one time, and what it gives when there was nothing to do."""

from pydantic import JsonValue

from sanbo.plans.dry_running.stage import Outputs, Stage
from sanbo.plans.model import LoopNode
from sanbo.plans.validating.outputs import COMPLETED, ITERATIONS, RESULTS


def of_foreach(loop: LoopNode, exports: Outputs, inside: Stage) -> Outputs:
    each: JsonValue = dict(exports or _by_node(inside))
    return {RESULTS: [each], ITERATIONS: 1, **_collected(loop, exports)}


def of_while(loop: LoopNode, exports: Outputs, inside: Stage) -> Outputs:
    last = exports or _by_node(inside)
    return {**last, **_collected(loop, exports), ITERATIONS: 1, COMPLETED: True}


def of_nothing(loop: LoopNode, sampled: Outputs) -> Outputs:
    """No entry to go over, or a condition that does not hold at once."""
    collected: Outputs = {name: [] for name in loop.out.collect}
    if loop.foreach is not None:
        return {RESULTS: [], ITERATIONS: 0, **collected}
    last: Outputs = dict.fromkeys(sampled)
    return {**last, ITERATIONS: 0, COMPLETED: True, **collected}


def _collected(loop: LoopNode, exports: Outputs) -> Outputs:
    return {name: [exports[name]] for name in loop.out.collect if name in exports}


def _by_node(inside: Stage) -> Outputs:
    return {name: dict(outputs) if outputs else None for name, outputs in inside.outputs.items()}
