"""What a run spent: one `Call` for each request sent, what it cost, and their sum."""

import re
from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict

from sanbo.llm.engine import Engine
from sanbo.llm.vendor import Price
from sanbo.llm.vendors import VENDORS

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
