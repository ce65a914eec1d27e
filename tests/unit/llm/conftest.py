"""A scripted model, and what a test needs to ask it without waiting."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from sanbo.llm.engine import Call, choose_engine
from sanbo.llm.model import HumanMessage, Message, Model, connect
from sanbo.llm.vendor import Pace
from tests.scripted_model import ScriptedModel
from tests.scripted_model.requests import Protocol

R = TypeVar("R")
ASK: list[Message] = [HumanMessage("売上はいくらですか。")]


@dataclass
class Bench:
    """A client connected to the scripted model; waits are noted instead of taken."""

    script: ScriptedModel
    calls: list[Call] = field(default_factory=list[Call])
    waits: list[float] = field(default_factory=list[float])

    def connect(self, provider: Protocol = "openai", **overrides: Any) -> Model:
        settings = self.script.settings(provider, **overrides)

        async def note(seconds: float) -> None:
            self.waits.append(seconds)

        pace = Pace(sleep=note, chance=lambda: 0.0)
        return connect(choose_engine(settings), settings, self.calls.append, pace=pace)

    def ask(self, question: Callable[[Model], Awaitable[R]], model: Model | None = None) -> R:
        async def run() -> R:
            return await question(model or self.connect())

        return asyncio.run(run())

    @property
    def outcomes(self) -> list[str]:
        return [call.outcome for call in self.calls]


@pytest.fixture
def bench() -> Iterator[Bench]:
    with ScriptedModel() as script:
        yield Bench(script)


async def read(model: Model) -> list[str]:
    return [piece async for piece in model.stream(ASK)]
