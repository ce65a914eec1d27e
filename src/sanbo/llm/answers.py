"""The HTTP answer behind an exception: its status, its words, when to come back."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import openai
from google.genai import errors as google_errors

from sanbo.kernel.secrets import redact
from sanbo.llm.retries import retry_after_seconds

WORDS_LIMIT = 500
"""Characters of a provider's message that are worth showing."""


@dataclass(frozen=True)
class Answer:
    status: int
    words: str
    everything: str
    """The whole body, to look for the codes that providers hide in various places."""
    headers: Mapping[str, str]

    def says(self, *signs: str) -> bool:
        return any(sign in self.everything for sign in signs)

    @property
    def retry_after(self) -> float | None:
        told = retry_after_seconds(self.headers)
        return told if told is not None else _retry_info(self.everything)


def answer_behind(error: Exception) -> Answer | None:
    """From either SDK; LangChain wraps the exceptions of both."""
    for link in chain(error):
        if isinstance(link, openai.APIStatusError):
            headers = dict(link.response.headers.items())
            return _answer(link.status_code, link.body, link.message, headers)
        if isinstance(link, google_errors.APIError):
            untyped = cast("Any", link)  # the SDK declares neither of these
            headers = {
                k.lower(): str(v) for k, v in getattr(untyped.response, "headers", {}).items()
            }
            return _answer(link.code, untyped.details, link.message or "", headers)
    return None


def chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__


def readable(words: str) -> str:
    # Redacted first: half a key that survives the cut would no longer be recognised.
    words = " ".join(redact(words).split())
    return words if len(words) <= WORDS_LIMIT else words[:WORDS_LIMIT] + "…"


def _answer(status: int, body: object, otherwise: str, headers: Mapping[str, str]) -> Answer:
    everything = body if isinstance(body, str) else json.dumps(body, default=str)
    return Answer(status, readable(_message(body) or otherwise), everything, headers)


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
