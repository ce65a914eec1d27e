"""GRACE by the rules that never ends its answer in a collection of a certain name."""

import asyncio
from dataclasses import replace
from typing import Any

from typing_extensions import override

from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.thinking import Answer, AnswerRequest, Surroundings
from sanbo.agents.grace.workflow import Grace
from tests.journeys.slow_research import ENDLESS


class EndlessThinking(RulesThinking):
    """Somebody has to stop it."""

    @override
    async def answer(self, request: AnswerRequest) -> Answer:
        await asyncio.Event().wait()
        return await super().answer(request)


class SlowGrace(Grace):
    @override
    async def _surroundings(self, context: Any) -> Surroundings:
        around = await super()._surroundings(context)
        if context.input.collection != ENDLESS:
            return around
        return replace(around, thinking=EndlessThinking(context.language))
