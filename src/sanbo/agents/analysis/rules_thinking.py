"""Thinking without a model: deterministic, offline, in both languages."""

from collections.abc import Sequence

from sanbo.agents.analysis.conclusions import conclude
from sanbo.agents.analysis.decision import Decision, View
from sanbo.agents.analysis.rules import decide
from sanbo.sandbox.calls import apart


class RulesThinker:
    async def decide(self, view: View) -> Decision:
        return await apart(decide, view)

    async def conclude(self, view: View, refused: Sequence[str] = ()) -> str:
        _ = refused  # what code has written states nothing of its own
        return await apart(conclude, view)
