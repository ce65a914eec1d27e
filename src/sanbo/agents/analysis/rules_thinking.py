"""Thinking without a model: deterministic, offline, in both languages."""

from collections.abc import Sequence

from sanbo.agents.analysis.conclusion import conclude
from sanbo.agents.analysis.decision import Decision, View
from sanbo.agents.analysis.rules.deciding import decide_on
from sanbo.sandbox.calls import apart


class RulesThinker:
    checks_itself = True

    async def decide(self, view: View) -> Decision:
        return await apart(decide_on, view)

    async def conclude(self, view: View, refused: Sequence[str] = ()) -> str:
        _ = refused  # what code has written states nothing of its own
        return await apart(conclude, view)
