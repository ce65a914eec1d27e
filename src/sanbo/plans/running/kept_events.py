"""What the journal keeps of a plan's run whose values may be written in part, or not at all.

`masked`: a summary with everything private masked; where a node's outputs are more than that, they
are a file of the run. `none`: that a node gave something, never what; whoever needs it after the
process has ended makes it again, or is asked for it again.
"""

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from sanbo.kernel.personal_data import masked_private
from sanbo.kernel.problems import Problem
from sanbo.kernel.secrets import MASK
from sanbo.kernel.summaries import summary
from sanbo.plans.settings import Persist
from sanbo.runs.model import (
    Interaction,
    InteractionOpen,
    JsonObject,
    LoopIteration,
    NodeComplete,
    NodeError,
    Payload,
    RunComplete,
)

_Shown = Callable[[JsonValue], JsonValue]


def kept_payload(payload: Payload, persist: Persist) -> Payload:
    """Itself, where all of it may be written."""
    if persist == "full":
        return payload
    part = _part(payload, summary if persist == "masked" else hidden)
    return payload if part == payload else part


def kept_answer(answer: JsonObject, persist: Persist) -> JsonObject:
    """What a person has entered, by field; what is masked in it is asked again after a restart."""
    if persist == "full":
        return answer
    return {
        name: masked_private(value, name) if persist == "masked" else hidden(value)
        for name, value in answer.items()
    }


def hidden(value: JsonValue) -> JsonValue:
    """Of an object the names of its entries, and that they were something; yes and no stay."""
    match value:
        case dict():
            return {name: _hidden(each) for name, each in value.items()}
        case _:
            return _hidden(value)


def _hidden(value: JsonValue) -> JsonValue:
    return value if value is None or isinstance(value, bool) else MASK


def _part(payload: Payload, shown: _Shown) -> Payload:
    match payload:
        case NodeComplete():
            outputs = shown(payload.outputs)
            is_masked = payload.masked or (outputs != payload.outputs and not payload.beside)
            told = tuple(_untold(each, shown) for each in payload.warnings)
            update = {"outputs": outputs, "masked": is_masked, "warnings": told}
        case NodeError():
            update = {"error": _untold(payload.error, shown)}
        case LoopIteration():
            update = {"item": shown(payload.item)}
        case InteractionOpen():
            update = {"interaction": _asked(payload.interaction, shown)}
        case RunComplete():
            problem = payload.problem and _untold(payload.problem, shown)
            update = {"result": _result(payload.result, shown), "problem": problem}
        case _:
            return payload
    return payload.model_copy(update=update)


def _untold(problem: Problem, shown: _Shown) -> Problem:
    """Its words may quote what it was about."""
    update = {
        "message": masked_private(problem.message),
        "input_snapshot": shown(dict(problem.input_snapshot)),
    }
    return problem.model_copy(update=update)


def _asked(interaction: Interaction, shown: _Shown) -> Interaction:
    """What a person needs to answer stays, with what is private masked."""
    update = {
        "message": masked_private(interaction.message),
        "context": shown(interaction.context),
        "chat": (),
    }
    return interaction.model_copy(update=update)


def _result(result: JsonObject | None, shown: _Shown) -> JsonObject | None:
    if result is None:
        return None
    nodes = result.get("nodes")
    exports = result.get("exports")
    return {
        **result,
        "exports": shown(exports),
        "nodes": {
            name: {**node, "outputs": shown(node.get("outputs"))}
            for name, node in (nodes if isinstance(nodes, Mapping) else {}).items()
            if isinstance(node, dict)
        },
    }
