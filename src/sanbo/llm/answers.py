"""What became of a request that raised, in words that do not depend on the provider's SDK."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from sanbo.kernel.secrets import redact
from sanbo.llm.retries import retry_after_seconds

WORDS_LIMIT = 500
"""Characters of a provider's message that are worth showing."""


@dataclass(frozen=True)
class Answer:
    """The service answered with an error status."""

    status: int
    words: str
    everything: str
    """The whole body, to look for the codes that providers hide in various places."""
    headers: Mapping[str, str]

    @classmethod
    def of(cls, status: int, body: object, otherwise: str, headers: Mapping[str, str]) -> "Answer":
        everything = body if isinstance(body, str) else json.dumps(body, default=str)
        return cls(status, readable(_message(body) or otherwise), everything, headers)

    def says(self, *signs: str) -> bool:
        return any(sign in self.everything for sign in signs)

    @property
    def retry_after(self) -> float | None:
        told = retry_after_seconds(self.headers)
        return told if told is not None else _retry_info(self.everything)


@dataclass(frozen=True)
class NoConnection:
    """Nothing was heard from the service, or the line went dead."""


@dataclass(frozen=True)
class ErrorInStream:
    """The service began to answer, and then sent an error."""

    words: str


@dataclass(frozen=True)
class Unfinished:
    """The SDK raised because the model stopped early."""

    reason: Literal["length", "content_filter"]
    input_tokens: int = 0
    output_tokens: int = 0


Finding = Answer | NoConnection | ErrorInStream | Unfinished


def readable(words: str) -> str:
    # Redacted first: half a key that survives the cut would no longer be recognised.
    words = " ".join(redact(words).split())
    return words if len(words) <= WORDS_LIMIT else words[:WORDS_LIMIT] + "…"


def _message(body: object) -> str | None:
    if not isinstance(body, dict):
        return None
    fields = cast("dict[str, object]", body)
    inner = fields.get("error", fields)
    message = cast("dict[str, object]", inner).get("message") if isinstance(inner, dict) else inner
    return message if isinstance(message, str) else None


def _retry_info(body: str) -> float | None:
    """Gemini says when to return in the body: `"retryDelay": "13s"`."""
    _, found, rest = body.partition('"retryDelay": "')
    try:
        return float(rest.partition('s"')[0]) if found else None
    except ValueError:
        return None
