"""What a vendor of models is: one record in one file of `vendors/` says all of it; and what became
of a request that raised, in words that do not depend on the vendor's SDK, and when to send again.
"""

import asyncio
import json
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from pydantic import BaseModel, Field, SecretStr

from sanbo.kernel.secrets import redact
from sanbo.kernel.settings import Section

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel


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


_NONE = dict[str, tuple[float, float]]


class Price(Section):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class ModelSettings(Section):
    """What can be set of every vendor's models."""

    model: str | None = None
    """The model's name; with Azure the deployment's. Without it, the provider's default."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Without it, the model's own default: some models accept no other."""
    timeout_seconds: float = Field(default=120, gt=0)
    """The limit of one call, with all its attempts."""
    idle_seconds: float = Field(default=60, gt=0)
    """How long a reply that is streamed may stand still, its beginning included."""
    max_attempts: int = Field(default=4, ge=1, le=20)
    """How often one request is sent, when the service is busy or fails."""
    prices: dict[str, Price] = Field(default_factory=dict[str, Price])
    """Prices by model name, for models that Sanbo does not know or contracts with other prices."""


class Place(NamedTuple):
    """Where a person sets something: in `sanbo.yaml`, and in the environment."""

    setting: str
    variable: str


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """The functions load the vendor's SDK when they are called: that takes seconds."""

    name: str
    """As `llm.provider` names it."""
    title: str
    """As people know it, in every language."""
    order: int
    """`auto` takes the vendor of the lowest order that has credentials."""
    settings: type[ModelSettings]
    """Its own keys in `llm`, and the variables in which people already have them."""
    key: str
    address: str
    needs_address: bool = False
    has_lookalikes: bool = False
    """Others' servers speak its protocol: with their address, no key is needed; which models they
    have, at what price, and what more than the protocol they can do, nobody knows."""
    default_model: str | None = None
    prices: Mapping[str, tuple[float, float]] = field(
        default_factory=dict[str, tuple[float, float]]
    )
    """US dollars per million tokens read and written, by model."""
    reply_format: Callable[[type[BaseModel] | None, bool], dict[str, Any]]
    """The options of a request that ask for JSON: of this schema, or any; of a lookalike?"""
    length_limit: Callable[[int, bool], dict[str, Any]]
    """The options of a request whose reply has at most so many tokens; of a lookalike?"""
    chat_model: Callable[[str, SecretStr, Any], "BaseChatModel"]
    """By the model's name, the key and the settings."""
    embedding_model: Callable[[str, SecretStr, Any], "Embeddings"]
    find: Callable[[BaseException], Finding | None]
    """What one exception of the SDK says; None for one that it does not know."""

    def key_of(self, settings: ModelSettings) -> SecretStr | None:
        key: SecretStr | None = getattr(settings, self.key)
        return key if key is not None and key.get_secret_value() else None

    def address_of(self, settings: ModelSettings) -> str | None:
        return getattr(settings, self.address)

    @property
    def key_place(self) -> Place:
        return self._place(self.key)

    @property
    def address_place(self) -> Place:
        return self._place(self.address)

    def _place(self, name: str) -> Place:
        usual = (each for each, key in self.settings.usual_variables.items() if key == name)
        return Place(f"llm.{name}", next(usual, f"SANBO_LLM__{name.upper()}"))


@dataclass(frozen=True)
class Pace:
    """How long to wait between attempts: longer each time, by chance, never before `Retry-After`.

    Time and chance can be replaced in a test.
    """

    first_seconds: float = 0.5
    longest_seconds: float = 20.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def delay(self, attempt: int, retry_after: float | None) -> float:
        """Seconds to wait after the failed attempt of this number, counted from 1."""
        if retry_after is not None:
            # Not all clients that were told the same moment should return in it.
            return retry_after * (1 + 0.1 * self.chance())
        # A capped exponent: 2 ** 1000 would be no float.
        full = min(self.longest_seconds, self.first_seconds * 2 ** min(attempt - 1, 30))
        return full * (0.5 + 0.5 * self.chance())


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """`retry-after-ms` (OpenAI, Azure) or `retry-after` in seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
