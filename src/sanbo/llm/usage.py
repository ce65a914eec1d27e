"""What a run spent: one `Call` for each request sent, and their sum."""

from collections.abc import Iterable
from typing import Self

from pydantic import BaseModel, ConfigDict


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
