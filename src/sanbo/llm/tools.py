"""Tools that a model may call, and the turn in which it does (or answers in words)."""

import json
from collections.abc import Sequence
from typing import Any, cast
from uuid import uuid4

from langchain_core.messages import AIMessage, ToolMessage
from pydantic import BaseModel, ConfigDict

from sanbo.llm.formats import without_fence
from sanbo.llm.prompts import BAD_ARGUMENTS

ARGUMENTS_LIMIT = 2000
"""Characters of bad arguments that are quoted back to the model."""


class ToolSpec(BaseModel):
    """A tool as the model sees it. Carrying it out is the caller's work."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the arguments, an object."""

    @classmethod
    def of(cls, arguments: type[BaseModel], *, name: str, description: str) -> "ToolSpec":
        return cls(name=name, description=description, parameters=arguments.model_json_schema())

    def as_function(self) -> dict[str, Any]:
        return {"type": "function", "function": self.model_dump()}


class ToolCall(BaseModel):
    """A call whose tool exists and whose arguments conform to its schema."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    arguments: dict[str, Any]

    def result(self, content: str) -> ToolMessage:
        """What the tool found, to be sent with the next request."""
        return ToolMessage(content=content, tool_call_id=self.id, name=self.name)


class InvalidToolCall(BaseModel):
    """A call that can't be carried out; its feedback tells the model why."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    arguments: str
    error: str

    def feedback(self) -> ToolMessage:
        text = BAD_ARGUMENTS.format(error=self.error, arguments=self.arguments[:ARGUMENTS_LIMIT])
        return ToolMessage(content=text, tool_call_id=self.id, name=self.name, status="error")


class ToolTurn(BaseModel):
    """What the model said and wants done.

    The next request holds `message` and then, for each of `calls` and `invalid`, its
    `result(…)` or `feedback()`.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    calls: tuple[ToolCall, ...] = ()
    invalid: tuple[InvalidToolCall, ...] = ()
    message: AIMessage


def read_turn(
    message: AIMessage, text: str, tools: Sequence[ToolSpec], *, also_in_words: bool = False
) -> ToolTurn:
    by_name = {tool.name: tool for tool in tools}
    said_nothing_else = not message.tool_calls and not message.invalid_tool_calls
    written = _call_in_words(text, by_name) if also_in_words and said_nothing_else else None
    if written:
        message, text = message.model_copy(update={"tool_calls": [written], "content": ""}), ""
    calls: list[ToolCall] = []
    invalid: list[InvalidToolCall] = []
    for raw in message.tool_calls:
        call = ToolCall(id=raw["id"] or _new_id(), name=raw["name"], arguments=raw["args"])
        if error := _reason_against(call, by_name):
            arguments = json.dumps(call.arguments, ensure_ascii=False)
            invalid.append(
                InvalidToolCall(id=call.id, name=call.name, arguments=arguments, error=error)
            )
        else:
            calls.append(call)
    for bad in message.invalid_tool_calls:
        invalid.append(
            InvalidToolCall(
                id=bad["id"] or _new_id(),
                name=bad["name"] or "",
                arguments=bad["args"] or "",
                error="the arguments are not valid JSON",
            )
        )
    return ToolTurn(
        text=text,
        calls=tuple(calls),
        invalid=tuple(invalid),
        message=_resendable(message, calls, invalid),
    )


def _call_in_words(text: str, by_name: dict[str, ToolSpec]) -> dict[str, Any] | None:
    """Small local models write the call as JSON, and their server takes it for an answer."""
    plain = without_fence(text).strip()
    if plain.startswith("{{") and plain.endswith("}}"):  # as Qwen's own template shows it
        plain = plain[1:-1]
    try:
        written: object = json.loads(plain)
    except ValueError:
        return None
    if not isinstance(written, dict):
        return None
    fields = cast("dict[str, object]", written)
    name, arguments = fields.get("name"), fields.get("arguments")
    if name not in by_name or not isinstance(arguments, dict):
        return None
    return {"type": "tool_call", "id": _new_id(), "name": name, "args": arguments}


def _reason_against(call: ToolCall, by_name: dict[str, ToolSpec]) -> str | None:
    tool = by_name.get(call.name)
    if tool is None:
        return f"there is no tool {call.name!r}; there are: {', '.join(sorted(by_name))}"
    # Here: most agents' commands call no tool, and wait for this as long as for Pydantic.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    validator = Draft202012Validator(tool.parameters)
    found = next(iter(cast("Any", validator).iter_errors(call.arguments)), None)
    return f"{found.json_path}: {found.message}" if found else None


def _new_id() -> str:
    """Some servers give their calls no id, but want one back, and no two alike."""
    return f"call_{uuid4().hex[:12]}"


def _resendable(
    message: AIMessage, calls: Sequence[ToolCall], invalid: Sequence[InvalidToolCall]
) -> AIMessage:
    """The model's message with only well-formed calls.

    Servers parse the arguments of earlier calls and fail on broken JSON, so the bad text stands in
    the feedback alone. The rest stays as it came: Gemini wants its thought signatures back.
    """
    if not message.invalid_tool_calls and all(call["id"] for call in message.tool_calls):
        return message
    known = {call.id: call.arguments for call in calls}
    wanted = [
        {"type": "tool_call", "id": call.id, "name": call.name, "args": known.get(call.id, {})}
        for call in (*calls, *invalid)
    ]
    return message.model_copy(update={"tool_calls": wanted, "invalid_tool_calls": []})
