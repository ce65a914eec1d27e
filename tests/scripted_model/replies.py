"""What the model says, or what goes wrong instead. Independent of the protocol it is said in."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal


class Reply:
    """One answer to one request."""


@dataclass(frozen=True)
class Said(Reply):
    """A well-formed answer of the protocol; `Text`, `Json` and the others make these."""

    text: str = ""
    calls: tuple["Tool", ...] = ()
    finish: Literal["stop", "length", "content_filter"] = "stop"
    refusal: str | None = None
    input_tokens: int = 11
    output_tokens: int = 7
    counts_tokens: bool = True
    """False: a server that does not say how many tokens there were."""
    piece_length: int | None = None
    """Characters in one piece of a stream; a dozen pieces where a test does not say."""
    piece_seconds: float = 0
    """Between two pieces of a stream."""
    cut: Literal["no", "before_end", "connection"] = "no"
    """A stream that ends without its last piece, or with the connection."""
    hang: bool = False
    """After the text, nothing more comes."""


@dataclass(frozen=True)
class Vectors(Reply):
    """An embedding model's answer: a vector for each text."""

    vectors: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Tool:
    """A call of a tool; arguments as a string are sent as they are, valid or not."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict[str, Any])
    id: str = "call_scripted"

    @property
    def arguments_text(self) -> str:
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Status(Reply):
    """An error of the service."""

    status: int
    message: str = "The service could not answer."
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    details: Sequence[Mapping[str, Any]] = ()
    """Gemini puts further objects here, such as when to try again."""


@dataclass(frozen=True)
class Raw(Reply):
    """A body that is sent with status 200 as it is."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hang(Reply):
    """The request is read and never answered; with `after`, the answer stops after this text."""

    after: str = ""


def Text(text: str, **how: Any) -> Said:
    return Said(text=text, **how)


def Json(value: object, **how: Any) -> Said:
    return Said(text=json.dumps(value, ensure_ascii=False), **how)


def MalformedJson(text: str = '{"unfinished": ', **how: Any) -> Said:
    """The protocol is kept, but the model's own words are no JSON."""
    return Said(text=text, **how)


def ToolCalls(*calls: Tool, text: str = "", **how: Any) -> Said:
    numbered = tuple(
        Tool(call.name, call.arguments, f"{call.id}_{number}")
        if call.id == "call_scripted"
        else call
        for number, call in enumerate(calls, 1)
    )
    return Said(text=text, calls=numbered, **how)


def Refused(words: str = "I can't help with that.") -> Said:
    return Said(refusal=words)


def Filtered(text: str = "") -> Said:
    return Said(text=text, finish="content_filter")


def Truncated(text: str, cut: Literal["before_end", "connection"] = "before_end") -> Said:
    return Said(text=text, cut=cut)


def MalformedBody(body: bytes = b'{"choices": [{"mess') -> Raw:
    """Not even the protocol's JSON is whole."""
    return Raw(body)


def WrongShape(value: object = None) -> Raw:
    """JSON, but not what the protocol promises."""
    return Raw(json.dumps({"unexpected": True} if value is None else value).encode())


def RateLimited(retry_after: float | str | None = None) -> Status:
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return Status(429, "Rate limit reached.", "rate_limit_exceeded", headers)


def ServerError(status: int = 500) -> Status:
    return Status(status, "The server had an error.", "server_error")


def WrongKey() -> Status:
    return Status(401, "Incorrect API key provided.", "invalid_api_key")


def Forbidden() -> Status:
    return Status(403, "This project may not use the model.", "permission_denied")


def UnknownModel() -> Status:
    return Status(404, "The model does not exist.", "model_not_found")


def BadRequest(message: str, code: str | None = None) -> Status:
    return Status(400, message, code)
