"""How a model is held to a JSON Schema: by the server where it can, else by words.

Some OpenAI-compatible servers know only `json_object`, some no `response_format` at all. A server
that refuses one form is asked in the next weaker one. It is the same model, and pydantic checks
the reply in any case; only the help that the server gives with it differs.
"""

import json
import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage
from pydantic import BaseModel, ValidationError

from sanbo.llm.engine import Engine
from sanbo.llm.failures import Failure
from sanbo.llm.prompts import JSON_ONLY
from sanbo.llm.schemas import brief_schema

ERRORS_LIMIT = 2000
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
