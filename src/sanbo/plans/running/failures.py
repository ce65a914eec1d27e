"""A node's failure as a person is told of it: which node, which block, and what it was given."""

from collections.abc import Mapping

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from sanbo.blocks.spec import text_of
from sanbo.kernel.messages import Language
from sanbo.kernel.personal_data import masked_personal, might_hold
from sanbo.kernel.problems import Code, Problem, SanboError
from sanbo.kernel.secrets import redact_json
from sanbo.plans.running.masks import masked_ports
from sanbo.plans.running.plan import PreparedNode
from sanbo.runs.model import Path

MOST_CHARACTERS = 200
MOST_ITEMS = 20
MOST_DEPTH = 4
_DOTS = "…"


def shortened(value: JsonValue, depth: int = MOST_DEPTH) -> JsonValue:
    match value:
        case str() if len(value) > MOST_CHARACTERS:
            return value[:MOST_CHARACTERS] + _DOTS
        case list():
            if depth == 0 and value:
                return f"[{_DOTS} {len(value)}]"
            kept = [shortened(item, depth - 1) for item in value[:MOST_ITEMS]]
            return [*kept, f"{_DOTS} {len(value)}"] if len(value) > MOST_ITEMS else kept
        case dict():
            if depth == 0 and value:
                return f"{{{_DOTS} {len(value)}}}"
            pairs = list(value.items())[:MOST_ITEMS]
            made: dict[str, JsonValue] = {
                name[:MOST_CHARACTERS]: shortened(item, depth - 1) for name, item in pairs
            }
            if len(value) > MOST_ITEMS:
                made[_DOTS] = len(value)
            return made
        case _:
            return value


NODE_ID, NODE_TITLE = "node_id", "node_title"

SAME_AGAIN = frozenset(
    {
        Code.INPUT_VALIDATION_FAILED,
        Code.PERMISSION_DENIED,
        Code.RESOURCE_LIMIT,
        Code.SETTINGS_INVALID,
        Code.UNSUPPORTED_FORMAT,
    }
)
"""With the same inputs the same would come of it again."""


class BlockFailed(SanboError):
    """Carries a problem that was made in a block's process."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        Exception.__init__(self, f"{problem.code}: {problem.message}")


class NodeFailed(BlockFailed):
    """Names the node that failed; raised on by those around it, as it is."""

    was_retried = False

    @property
    def may_go_better(self) -> bool:
        """Whether to try again makes sense: it may pass, and was not tried again further inside."""
        return not self.was_retried and self.problem.code not in SAME_AGAIN


def with_another(first: Problem, other: Problem) -> Problem:
    """The same, with what failed after it in its details."""
    told = {"code": str(other.code), "message": other.message, "hint": other.hint}
    return first.model_copy(update={"details": {**first.details, "also_failed": told}})


def failed_node(
    problem: Problem,
    node: PreparedNode,
    path: Path,
    inputs: Mapping[str, JsonValue] | None,
    language: Language,
) -> NodeFailed:
    details: dict[str, JsonValue] = {
        **problem.details,
        NODE_ID: "/".join(path),
        NODE_TITLE: text_of(node.node.title, language) or node.node.id,
    }
    snapshot = problem.input_snapshot
    if node.block is not None:
        details["block"] = node.block.spec.reference
        if inputs is not None:
            snapshot = _snapshot(inputs, node)
    update = {"details": details, "input_snapshot": snapshot}
    told = problem.model_copy(update=update)
    text = told.model_dump_json()
    if might_hold(text):
        text = to_json(masked_personal(from_json(text))).decode()
        told = Problem.model_validate_json(text)
    if (safe := redact_json(text)) != text:
        told = Problem.model_validate_json(safe)
    return NodeFailed(told)


def _snapshot(inputs: Mapping[str, JsonValue], node: PreparedNode) -> dict[str, JsonValue]:
    assert node.block is not None
    shown = masked_ports(inputs, node.block.masks.inputs)
    return {name: shortened(value) for name, value in shown.items()}
