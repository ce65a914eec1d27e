"""What came of a node: its outputs for the nodes that read it, on their way into the journal and
back, or its failure as a person is told of it.

What the journal can't hold goes beside it, as a file.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any, Literal

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from sanbo.blocks.spec import text_of
from sanbo.kernel.messages import Language
from sanbo.kernel.personal_data import masked_personal, might_hold, summary
from sanbo.kernel.problems import Code, Problem, SanboError
from sanbo.kernel.secrets import MASK, redact_json, redact_value
from sanbo.plans.references import Reference, Unreachable, walk
from sanbo.plans.running.masks import masked_ports
from sanbo.plans.running.plan import PreparedNode
from sanbo.runs.fold import StepId
from sanbo.runs.model import Path
from sanbo.runs.workflow import RunContext

STORED = "x-stored"
MOST_BYTES = 256 * 1024
_SMALL = 32 * 1024


@dataclass(frozen=True, slots=True)
class Written:
    """A value as the journal has it."""

    value: JsonValue
    """The value, where it is kept, or the same with numbers of persons masked."""
    is_masked: bool
    """It is kept nowhere as it is: whoever needs it makes it again."""
    beside: str = ""
    """The file that has it as it is, where the journal shows it masked."""


async def stored(context: RunContext[Any], value: JsonValue, *, is_masked: bool = False) -> Written:
    if context.place.settings.plans.persist != "full":
        return await asyncio.to_thread(_stored_in_part, context, value, is_masked)
    if rough_size(value, _SMALL) < _SMALL and not might_hold(to_json(value).decode()):
        return Written(value, is_masked)
    return await asyncio.to_thread(_stored, context, value, is_masked)


async def stored_export(context: RunContext[Any], name: str, value: JsonValue) -> JsonValue:
    """What the run was for: of it, a check digit alone says too little to mask a number."""
    if rough_size(value, _SMALL) < _SMALL:
        return masked_personal(value, name, only_labelled=True)
    return await asyncio.to_thread(_stored_export, context, name, value)


def _stored_export(context: RunContext[Any], name: str, value: JsonValue) -> JsonValue:
    data = to_json(value)
    if might_hold(data.decode()):
        value = masked_personal(value, name, only_labelled=True)
        data = to_json(value)
    large = _stored_if_large(context, data)
    return large.value if large else value


def _stored_if_large(context: RunContext[Any], text: bytes) -> Written | None:
    if len(text) <= MOST_BYTES:
        return None
    kept = redact_json(text.decode()).encode()
    file_id = _keep(context, kept)
    return Written({STORED: {"file_id": file_id, "size": len(kept)}}, kept != text)


def _stored_in_part(context: RunContext[Any], value: JsonValue, is_masked: bool) -> Written:
    """The event has it whole, and `kept_payload` says what of it is written."""
    is_masked = is_masked or redact_value(value) != value
    is_told = is_masked or summary(value) == value
    if is_told or context.place.settings.plans.persist == "none":
        return Written(value, is_masked)
    return Written(value, False, _keep(context, to_json([token_hex(16), value])))


def _keep(context: RunContext[Any], data: bytes) -> str:
    in_memory = context.place.settings.plans.persist == "none"
    return context.place.files.keep(context.run_id, data, in_memory=in_memory)


def _stored(context: RunContext[Any], value: JsonValue, is_masked: bool) -> Written:
    data = to_json(value)
    if (large := _stored_if_large(context, data)) is not None:
        return replace(large, is_masked=is_masked or large.is_masked)
    text = data.decode()
    shown = masked_personal(value) if might_hold(text) else value
    is_masked = is_masked or redact_json(text) != text
    if is_masked or shown == value:
        return Written(shown, is_masked)
    # Not made again, as with secrets: a person would be asked twice, a model paid twice.
    # Salted: beside its digest, the journal shows all of it but a few digits.
    salted = to_json([token_hex(16), value])
    return Written(shown, False, _keep(context, salted))


async def restored(context: RunContext[Any], step_id: StepId) -> JsonValue:
    """What a step gave, read again where it is kept beside the journal."""
    if beside := context.fold.beside.get(step_id):
        _, value = await _read(context, beside)
        return value
    value = context.fold.outputs[step_id]
    if isinstance(value, dict) and value.keys() == {STORED}:
        kept = value[STORED]
        assert isinstance(kept, dict)
        return await _read(context, str(kept["file_id"]))
    return value


async def _read(context: RunContext[Any], file_id: str) -> Any:
    return from_json(await asyncio.to_thread(context.place.files.read, file_id))


def rough_size(value: JsonValue, limit: int) -> int:
    """About how many bytes it has as JSON; counted no further than `limit`."""
    size = 0
    waiting = [value]
    while waiting and size < limit:
        each = waiting.pop()
        if isinstance(each, str):
            size += len(each) + 2
        elif isinstance(each, list):
            size += len(each) + 2
            waiting.extend(each)
        elif isinstance(each, dict):
            # Not yet checked: a block may have given numbers as names.
            size += sum(map(len, map(str, each))) + 4 * len(each)
            waiting.extend(each.values())
        else:
            size += 8
    return size


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


Status = Literal["succeeded", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Outputs:
    values: Mapping[str, JsonValue] | None
    """By port; None where there are none: of a node that was skipped or failed."""
    shown: Mapping[str, JsonValue] | None
    """The same with everything masked that must not be written."""
    ports: Mapping[str, str]
    """The port behind each name in `out`."""
    warnings: tuple[Problem, ...] = ()
    """What a person should know of them."""

    @property
    def is_masked(self) -> bool:
        return self.shown is not self.values

    def read(self, reference: Reference) -> JsonValue:
        return self._read(self.values, reference)

    def read_shown(self, reference: Reference) -> JsonValue:
        try:
            return self._read(self.shown, reference)
        except Unreachable:
            if self.is_masked:  # inside what was masked
                return MASK
            raise

    def _read(self, values: Mapping[str, JsonValue] | None, reference: Reference) -> JsonValue:
        if values is None:
            return None
        if not reference.keys:
            return self.named(values)
        name = str(reference.keys[0])
        port = self.ports.get(name, name)
        if port not in values:
            port = name
        if port not in values:
            raise Unreachable(name, [*self.ports, *values])
        return walk(values[port], reference.keys[1:])

    def named(self, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """By port, and by the names given in `out`."""
        renamed = {name: values[port] for name, port in self.ports.items() if port in values}
        return {**values, **renamed}


NOTHING = Outputs(None, None, {})


@dataclass(frozen=True, slots=True)
class Ended:
    """A node that is over."""

    status: Status
    outputs: Outputs
    recorded: JsonValue
    """The outputs as the journal has them."""
    duration_ms: int
    problem: Problem | None = None
    """Of one that failed, and without which the run went on."""
