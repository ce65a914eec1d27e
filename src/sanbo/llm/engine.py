"""Which engine thinks in a run, chosen once: a provider and its model, or the rules; and what a run
spent on it: one `Call` for each request sent, what it cost, and their sum.

Prompts go to it and nowhere else. LangChain sends every prompt and reply to LangSmith as soon as
`LANGSMITH_TRACING` stands in the environment, which a person may have set for another project.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, SecretStr

from sanbo.kernel.problems import InvalidSettings, MissingDependency
from sanbo.kernel.secrets import protect
from sanbo.llm.settings import LlmSettings
from sanbo.llm.vendor import Place, Price, Vendor
from sanbo.llm.vendors import VENDORS

# LangSmith takes half a second to load, and is in the process by the time that it matters.


def forbid_tracing() -> None:
    """For the whole process, also for graphs that run without a model."""
    import langsmith  # noqa: PLC0415

    langsmith.configure(enabled=False)


def untraced() -> AbstractContextManager[None]:
    """For one request, whatever the surrounding code has switched on."""
    from langsmith.run_helpers import (  # noqa: PLC0415
        tracing_context,
    )

    return tracing_context(enabled=False)


NO_KEY = SecretStr("none")
"""Local servers want no key, but the SDK wants to send one."""

if TYPE_CHECKING:
    Provider = str
else:
    Provider = Literal[(*VENDORS, "rules")]


class Engine(BaseModel):
    """Recorded in the run and shown in every front end."""

    model_config = ConfigDict(frozen=True)

    provider: Provider
    model: str | None = None
    base_url_host: str | None = None
    """Host and port of a server that is not the provider's own; never a path or credentials."""

    @property
    def vendor(self) -> Vendor:
        """Not of the rules, which have none."""
        return VENDORS[self.provider]

    @property
    def title(self) -> str:
        """As people know the vendor; empty for the rules."""
        return self.vendor.title if self != RULES else ""

    @property
    def openai_compatible(self) -> bool:
        """A server that only speaks a vendor's protocol (Ollama, vLLM, llama.cpp …)."""
        return self != RULES and self.vendor.has_lookalikes and self.base_url_host is not None


RULES = Engine(provider="rules")


def choose_engine(settings: LlmSettings) -> Engine:
    """The provider that was asked for; with `auto` the first that has credentials, else rules."""
    if settings.provider == "rules":
        return RULES
    if settings.provider == "auto":
        ready = (each for each in VENDORS.values() if not _missing(each, settings))
        return next((_engine(each, settings) for each in ready), RULES)
    vendor = VENDORS[settings.provider]
    if missing := _missing(vendor, settings):
        raise MissingDependency("llm_no_credentials", provider=vendor.name, **missing._asdict())
    return _engine(vendor, settings)


def model_and_key(engine: Engine, settings: LlmSettings) -> tuple[str, SecretStr]:
    """What a vendor connects with; the key is masked in everything that is written."""
    if engine == RULES or engine.model is None:
        raise MissingDependency("llm_rules_have_no_model")
    key = engine.vendor.key_of(settings) or NO_KEY
    protect(key.get_secret_value())
    return engine.model, key


def _missing(vendor: Vendor, settings: LlmSettings) -> Place | None:
    address = vendor.address_of(settings)
    # A local server needs no key: its address is enough.
    keyless = vendor.has_lookalikes and address is not None
    if not keyless and vendor.key_of(settings) is None:
        return vendor.key_place
    return vendor.address_place if vendor.needs_address and not address else None


def _engine(vendor: Vendor, settings: LlmSettings) -> Engine:
    address = vendor.address_of(settings)
    host = _host(address, vendor) if address else None
    default = None if vendor.has_lookalikes and address else vendor.default_model
    model = settings.model or default
    if model is None:  # nobody but the user knows the deployment's or the local server's name
        raise InvalidSettings("llm_no_model", provider=vendor.name, host=host)
    return Engine(provider=vendor.name, model=model, base_url_host=host)


def _host(address: str, vendor: Vendor) -> str:
    setting = vendor.address_place.setting
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InvalidSettings("llm_address_invalid", setting=setting) from None
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidSettings("llm_address_invalid", setting=setting)
    if parts.username or parts.password:  # HTTP clients write addresses into their logs
        raise InvalidSettings(
            "llm_address_with_password", setting=setting, variable=vendor.key_place.variable
        )
    return f"{host}:{port}" if port else host


# Dated or numbered versions of one model: gpt-4o-2024-08-06, gemini-2.5-flash-001.
_VERSION = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{3})$")
_LISTED: Mapping[str, Price] = {
    name: Price(input=read, output=written)
    for vendor in VENDORS.values()
    for name, (read, written) in vendor.prices.items()
}


class Call(BaseModel):
    """One HTTP request that was sent to a provider, whatever came of it."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    purpose: str
    outcome: str
    """`ok`, the code of a problem, or `rate_limited`, `server_error`, `connection_failed` …"""
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None: not known, for want of a price or of the number of tokens."""
    duration_ms: int


class Usage(BaseModel):
    """Sums; a run's total is a fold over the calls in its journal."""

    model_config = ConfigDict(frozen=True)

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """None as soon as the cost of one call is not known."""

    def plus(self, other: "Usage") -> "Usage":
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=(self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
        )

    @classmethod
    def of(cls, calls: Iterable[Call]) -> Self:
        counted = list(calls)
        costs = [call.cost_usd for call in counted]
        known = [cost for cost in costs if cost is not None]
        return cls(
            calls=len(counted),
            input_tokens=sum(call.input_tokens for call in counted),
            output_tokens=sum(call.output_tokens for call in counted),
            cost_usd=sum(known) if len(known) == len(costs) else None,
        )


class Tariff:
    """The prices that hold for one engine: from the settings first, then listed, else not known."""

    def __init__(self, engine: Engine, own: Mapping[str, Price]) -> None:
        self._model = engine.model or ""
        self._own = own
        # What a compatible server calls `gpt-4o` need not be OpenAI's, nor cost the same.
        self._listed: Mapping[str, Price] = {} if engine.openai_compatible else _LISTED

    def cost(self, served_model: str | None, input_tokens: int, output_tokens: int) -> float | None:
        """`served_model` is the name in the reply: Azure's deployments have names of their own."""
        price = self._price(served_model or "")
        if price is None:
            return None
        return (input_tokens * price.input + output_tokens * price.output) / 1_000_000

    def _price(self, served_model: str) -> Price | None:
        for prices in (self._own, self._listed):
            for name in (self._model, served_model):
                plain = name.removeprefix("models/")
                for spelling in (name, plain, _VERSION.sub("", plain)):
                    if spelling in prices:
                        return prices[spelling]
        return None
