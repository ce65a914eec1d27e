"""A model's turn, made fit to be kept: few calls, of sound letters, neither long nor deep.

Every turn is written into the checkpoint and the journal and sent back with the next request. What
a model can say in JSON (half a surrogate pair, a thousand brackets) they can't always hold.
"""

from typing import Any, TypeVar, cast

from sanbo.llm.model import InvalidToolCall, ToolCall, ToolTurn
from sanbo.llm.shown_data import cut

MOST_CALLS = 16
"""Kept of a turn; more than are ever carried out, so that the model is told of some."""
LONGEST_TEXT = 4_000
LONGEST_NAME = 100
_MOST_ITEMS = 50
_DEEPEST = 8


def bounded(turn: ToolTurn, deciding: str) -> ToolTurn:
    """The call that decides is kept in any case: `deciding` is its name."""
    calls = _first([_call(call) for call in turn.calls], deciding)
    invalid = _first([_invalid(call) for call in turn.invalid], deciding)
    return ToolTurn(
        text=_sound_text(turn.text),
        calls=tuple(calls),
        invalid=tuple(invalid),
        message=turn.message.model_copy(
            update={
                "content": _content(turn.message.content),
                # A provider's own (Gemini's signatures): as long as it is.
                "additional_kwargs": sound(turn.message.additional_kwargs, most=None),
                "response_metadata": {},
                # What was wrong with the arguments of the others stands in their feedback.
                "tool_calls": [
                    *(_as_called(call.id, call.name, call.arguments) for call in calls),
                    *(_as_called(call.id, call.name, {}) for call in invalid),
                ],
                "invalid_tool_calls": [],
            }
        ),
    )


def sound(value: Any, *, most: int | None = LONGEST_TEXT, depth: int = 0) -> Any:
    """JSON of bounded depth, its texts of bounded length, in letters that UTF-8 can write."""
    if isinstance(value, str):
        text = _sound_text(value)
        return text if most is None else cut(text, most)
    if not isinstance(value, dict | list):
        return value
    if depth >= _DEEPEST:
        return "…"
    if isinstance(value, list):
        items = cast("list[Any]", value)[:_MOST_ITEMS]
        return [sound(each, most=most, depth=depth + 1) for each in items]
    fields = list(cast("dict[str, Any]", value).items())[:_MOST_ITEMS]
    return {_name(name): sound(each, most=most, depth=depth + 1) for name, each in fields}


def _content(content: Any) -> Any:
    """Words are cut; parts that a provider wants back as they were are not."""
    return sound(content, most=LONGEST_TEXT if isinstance(content, str) else None)


AnyCall = TypeVar("AnyCall", ToolCall, InvalidToolCall)


def _first(calls: list[AnyCall], deciding: str) -> list[AnyCall]:
    kept = calls[:MOST_CALLS]
    return kept + [call for call in calls[MOST_CALLS:] if call.name == deciding][:1]


def _call(call: ToolCall) -> ToolCall:
    return ToolCall(id=_name(call.id), name=call.name, arguments=sound(call.arguments))


def _invalid(call: InvalidToolCall) -> InvalidToolCall:
    return InvalidToolCall(
        id=_name(call.id),
        name=_name(call.name),
        arguments=cut(_sound_text(call.arguments), LONGEST_TEXT),
        error=cut(_sound_text(call.error), LONGEST_TEXT),
    )


def _as_called(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_call", "id": call_id, "name": name, "args": arguments}


def _name(text: str) -> str:
    return cut(_sound_text(text), LONGEST_NAME)


def _sound_text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
