"""Thinking without a model: deterministic, offline, in both languages."""

from collections.abc import AsyncGenerator

from sanbo.agents.research.model import Decision
from sanbo.agents.research.rules_deciding import decide
from sanbo.evidence.model import Expansion, Part, View
from sanbo.evidence.rules import answer, expand
from sanbo.evidence.rules.queries import QUERIES
from sanbo.kernel.messages import Language
from sanbo.sandbox.calls import apart


def warm_up() -> None:
    """Dictionaries and word lists, once: they take longer to load than most questions to read."""
    expand("出張の日当はいくらですか。")


def answers(view: View, language: Language) -> list[Part]:
    return list(answer(view, language))


class RulesThinking:
    """`language` is what reasons and gaps are told in; questions are read in either."""

    def __init__(self, language: Language, queries_per_cycle: int = QUERIES) -> None:
        self._language: Language = language
        self._queries = queries_per_cycle

    async def expand(self, question: str) -> Expansion:
        return await apart(expand, question, self._queries)

    async def decide(self, view: View) -> Decision:
        return await apart(decide, view, self._language, self._queries)

    async def answer(self, view: View) -> AsyncGenerator[Part]:
        parts = await apart(answers, view, self._language)
        for part in parts:
            yield part
