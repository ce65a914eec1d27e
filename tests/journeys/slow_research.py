"""Research by the rules that takes its time in collections of certain names: to be watched."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from typing_extensions import override

from sanbo.agents.research.model import Decision
from sanbo.agents.research.thinking import Surroundings, Thinking
from sanbo.agents.research.workflow import Research
from sanbo.evidence.model import Expansion, Part, View

SLOW = "ゆっくり読む規程"
"""Answered from sentence by sentence, with pauses."""
ENDLESS = "終わらない規程"
"""The same, and after the last sentence nothing more comes: somebody has to stop it."""
PAUSE = 0.7


class SlowThinking:
    def __init__(self, thinking: Thinking, *, ends: bool) -> None:
        self._thinking = thinking
        self._ends = ends

    async def expand(self, question: str) -> Expansion:
        return await self._thinking.expand(question)

    async def decide(self, view: View) -> Decision:
        await asyncio.sleep(PAUSE)
        return await self._thinking.decide(view)

    async def answer(self, view: View) -> AsyncIterator[Part]:
        async for part in self._thinking.answer(view):
            yield part
            await asyncio.sleep(PAUSE)
        if not self._ends:
            await asyncio.Event().wait()


class SlowResearch(Research):
    @override
    async def _surroundings(self, context: Any) -> Surroundings:
        around = await super()._surroundings(context)
        name = context.input.collection
        if name not in (SLOW, ENDLESS):
            return around
        return replace(around, thinking=SlowThinking(around.thinking, ends=name == SLOW))
