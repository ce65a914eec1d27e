"""What research must decide; `rules_thinking` and `model_thinking` are the two ways to."""

from collections.abc import AsyncIterator
from typing import Protocol

from sanbo.agents.research.model import Decision
from sanbo.evidence.model import Expansion, Part, View


class Thinking(Protocol):
    async def expand(self, question: str) -> Expansion:
        """What the question asks, and what to search for first."""
        ...

    async def decide(self, view: View) -> Decision:
        """Whether what was found suffices, and else what to search for next."""
        ...

    def answer(self, view: View) -> AsyncIterator[Part]:
        """The answer sentence by sentence; nothing where the passages do not answer."""
        ...
