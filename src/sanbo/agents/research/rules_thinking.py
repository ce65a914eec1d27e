"""Thinking without a model: deterministic, offline, in both languages."""

import asyncio
from collections.abc import AsyncGenerator

from sanbo.agents.research.model import Decision
from sanbo.agents.research.rules_deciding import decide
from sanbo.evidence.model import Expansion, Part, View
from sanbo.evidence.rules import QUERIES, answer, expand
from sanbo.kernel.messages import Language


class RulesThinking:
    """`language` is what reasons and gaps are told in; questions are read in either."""

    def __init__(self, language: Language, queries_per_cycle: int = QUERIES) -> None:
        self._language: Language = language
        self._queries = queries_per_cycle

    async def expand(self, question: str) -> Expansion:
        return await asyncio.to_thread(expand, question, self._queries)

    async def decide(self, view: View) -> Decision:
        return await asyncio.to_thread(decide, view, self._language, self._queries)

    async def answer(self, view: View) -> AsyncGenerator[Part]:
        parts = await asyncio.to_thread(lambda: list(answer(view, self._language)))
        for part in parts:
            yield part
