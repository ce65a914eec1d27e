"""Thinking without a model: deterministic, offline, in both languages."""

import asyncio
from collections.abc import Sequence

from sanbo.agents.analysis.conclusions import conclude
from sanbo.agents.analysis.decision import Decision, View
from sanbo.agents.analysis.rules import decide


class RulesThinker:
    async def decide(self, view: View) -> Decision:
        return await asyncio.to_thread(decide, view)

    async def conclude(self, view: View, refused: Sequence[str] = ()) -> str:
        _ = refused  # what code has written states nothing of its own
        return await asyncio.to_thread(conclude, view)
