"""The forms of a model's reply: JSON held to a schema, by the server where it can, else by words;
or calls of tools.

Some OpenAI-compatible servers know only `json_object`, some no `response_format` at all. A server
that refuses one form is asked in the next weaker one. It is the same model, and pydantic checks
the reply in any case; only the help that the server gives with it differs.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, cast
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from pydantic import BaseModel, ConfigDict, ValidationError

from sanbo.llm.engine import Engine
from sanbo.llm.failures import Failure
from sanbo.llm.prompts import BAD_ARGUMENTS, JSON_ONLY

Schema = dict[str, Any]

ERRORS_LIMIT = 2000
_NAMED = ("properties", "$defs")  # keywords whose keys are names, not keywords
_UNSAID = frozenset({"title", "default"})
_REFERENCE = re.compile(r'"\$ref": "#/\$defs/([^"]+)"')
_FENCES = ("```", "```json")
_REFUSAL_OF_FORMAT = re.compile(r"response_?format|json_object|schema|grammar", re.IGNORECASE)
_REFUSAL_OF_LIMITS = re.compile(r"temperature|max_?(?:completion_?|output_?)?tokens", re.IGNORECASE)


class Form(IntEnum):
    """From the strongest to the weakest."""

    SCHEMA = 1
    OBJECT = 2
    WORDS = 3

    def weaker(self) -> "Form | None":
        return None if self is Form.WORDS else Form(self + 1)


def refuses_limits(failure: Failure) -> bool:
    return bool(_REFUSAL_OF_LIMITS.search(failure.refused_words))


def refuses_form(failure: Failure) -> bool:
    return bool(_REFUSAL_OF_FORMAT.search(failure.refused_words))


def request_options(form: Form, schema: type[BaseModel], engine: Engine) -> dict[str, Any]:
    if form is Form.WORDS:
        return {}
    asked = schema if form is Form.SCHEMA else None
    return engine.vendor.reply_format(asked, engine.openai_compatible)


def with_schema_in_words(
    messages: Sequence[BaseMessage], form: Form, schema: type[BaseModel], engine: Engine
) -> list[BaseMessage]:
    """The messages, with the schema in the system message where the model would not see it."""
    # Compatible servers turn the schema into a grammar: it binds the model, which never reads it.
    if form is Form.SCHEMA and not engine.openai_compatible:
        return list(messages)
    brief = brief_schema(schema.model_json_schema())
    text = JSON_ONLY.format(schema=json.dumps(brief, ensure_ascii=False))
    # Into the first message: many chat templates refuse a second system message, or a later one.
    if messages and isinstance(messages[0], SystemMessage):
        return [SystemMessage(f"{messages[0].text}\n\n{text}"), *messages[1:]]
    return [SystemMessage(text), *messages]


def brief_schema(schema: Schema) -> Schema:
    """The same in few words: small models read a prompt slowly, and lose their way in long ones.

    Without titles and defaults; a definition that is used once stands where it is used.
    """
    uses = Counter(_REFERENCE.findall(json.dumps(schema, ensure_ascii=False)))
    definitions = cast("dict[str, Schema]", schema.get("$defs", {}))
    once = {name: each for name, each in definitions.items() if uses[name] == 1}
    kept = {name: each for name, each in definitions.items() if name not in once}
    rest = {name: each for name, each in schema.items() if name != "$defs"}
    return _brief(rest | ({"$defs": kept} if kept else {}), once)


def _brief(node: Any, once: dict[str, Schema]) -> Any:
    if isinstance(node, list):
        return [_brief(each, once) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    said: Schema = {}
    for key, value in cast("Schema", node).items():
        if key in _NAMED:
            said[key] = {name: _brief(child, once) for name, child in value.items()}
        elif key == "$ref" and (found := once.get(str(value).removeprefix("#/$defs/"))):
            said = _brief(found, once) | said
        elif key not in _UNSAID:
            said[key] = value if key in ("enum", "const") else _brief(value, once)
    return _or_null(said)


def _or_null(said: Schema) -> Schema:
    """`anyOf` of something and null as `type: [something, null]`, where nothing else is said."""
    match said.get("anyOf"):
        case [{"type": str(kind), **more}, {"type": "null"}] if "enum" not in more:
            rest = {key: value for key, value in said.items() if key != "anyOf"}
            return {"type": [kind, "null"], **more, **rest}
        case _:
            return said


def without_fence(text: str) -> str:
    """Models that were told not to still like to wrap JSON in a Markdown fence."""
    opening, _, rest = text.strip().partition("\n")
    body, fence, after = rest.rpartition("\n")
    is_fenced = opening.rstrip() in _FENCES and fence and after.strip() == "```"
    return body if is_fenced else text


def describe_errors(error: ValidationError) -> str:
    """What is wrong, in lines that both a model and a person can use."""
    lines = [
        f"- {'.'.join(str(part) for part in each['loc']) or 'JSON'}: {each['msg']}"
        for each in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return "\n".join(lines)[:ERRORS_LIMIT]


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
