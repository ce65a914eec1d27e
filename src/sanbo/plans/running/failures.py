"""A node's failure as a person is told of it: which node, which block, and what it was given."""

from collections.abc import Mapping

from pydantic import JsonValue

from sanbo.kernel.problems import Problem, SanboError
from sanbo.kernel.secrets import redact_json
from sanbo.plans.running.masking import masked_ports
from sanbo.plans.running.prepared import PreparedNode
from sanbo.plans.running.shortened import shortened
from sanbo.runs.model import Path

NODE_ID = "node_id"


class NodeFailed(SanboError):
    """Carries a problem that was made elsewhere: in a block's process, in a node further inside."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        Exception.__init__(self, f"{problem.code}: {problem.message}")


def failed_node(
    problem: Problem, node: PreparedNode, path: Path, inputs: Mapping[str, JsonValue] | None
) -> NodeFailed:
    if NODE_ID in problem.details:  # told by a node inside this one
        return NodeFailed(problem)
    details: dict[str, JsonValue] = {**problem.details, NODE_ID: "/".join(path)}
    snapshot = problem.input_snapshot
    if node.block is not None:
        details["block"] = node.block.spec.reference
        if inputs is not None:
            snapshot = _snapshot(inputs, node)
    update = {"details": details, "input_snapshot": snapshot}
    told = problem.model_copy(update=update)
    text = told.model_dump_json()
    if (safe := redact_json(text)) != text:
        told = Problem.model_validate_json(safe)
    return NodeFailed(told)


def _snapshot(inputs: Mapping[str, JsonValue], node: PreparedNode) -> dict[str, JsonValue]:
    assert node.block is not None
    shown = masked_ports(inputs, node.block.masks.inputs)
    return {name: shortened(value) for name, value in shown.items()}
