"""Research for Python programs: a collection and a way of thinking, no workbench."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import Any, cast

from sanbo.agents.research.model import ResearchResult
from sanbo.agents.research.nodes import Nodes, ResearchState, build
from sanbo.agents.research.notes import Note
from sanbo.agents.research.rules_thinking import RulesThinking
from sanbo.agents.research.settings import ResearchSettings
from sanbo.agents.research.thinking import About, Surroundings, Thinking
from sanbo.agents.research.workflow import ResearchInput
from sanbo.evidence.finding import Finder, Searches
from sanbo.kernel.messages import Language, tell
from sanbo.llm.engine import Usage
from sanbo.retrieval.collection import Collection


class DeepResearchLangGraphAgent:
    """One session: what it has searched for once is not searched for again."""

    def __init__(
        self,
        collection: Collection,
        thinking: Thinking | None = None,
        settings: ResearchSettings | None = None,
        *,
        language: Language = "ja",
    ) -> None:
        """Without `thinking`, by rules."""
        self.result: ResearchResult | None = None
        """Of the last question that was researched to its end."""
        self.session = f"session_{secrets.token_hex(8)}"
        self._collection = collection
        self._settings = settings or ResearchSettings()
        self._thinking = thinking or RulesThinking(language, self._settings.queries_per_cycle)
        self._language: Language = language
        self._searches = Searches()
        self._graph = build(Nodes(_as_given)).compile()

    async def run(self, question: str) -> AsyncGenerator[str]:
        """The report piece by piece; `result` has it as a whole, with its citations."""
        given = ResearchInput(question=question, collection=self._collection.name)
        said: asyncio.Queue[str | None] = asyncio.Queue()
        work = asyncio.create_task(self._research(given.question, said.put_nowait))
        work.add_done_callback(lambda _: said.put_nowait(None))
        try:
            while (piece := await said.get()) is not None:
                yield piece
            self.result = await work
        finally:
            work.cancel()  # nobody listens any more
            with suppress(asyncio.CancelledError):
                await asyncio.wait([work])

    def close(self) -> None:
        self._searches.close()

    async def _research(self, question: str, say: Callable[[str], None]) -> ResearchResult:
        state: ResearchState = {"question": question}
        ended = cast(
            "ResearchState",
            await self._graph.ainvoke(state, context=cast("Any", self._surroundings(say))),
        )
        assert "result" in ended
        return ResearchResult.model_validate(ended["result"])

    def _surroundings(self, say: Callable[[str], None]) -> Surroundings:
        is_rules = isinstance(self._thinking, RulesThinking)
        return Surroundings(
            about=About(
                session=self.session,
                run_id=f"run_{secrets.token_hex(8)}",
                collection=self._collection.name,
                engine=tell("research.rules", self._language) if is_rules else "",
            ),
            finder=Finder(self._searches, self.session, lambda: self._collection),
            thinking=self._thinking,
            thinker="rules" if is_rules else "model",
            parameters=self._settings,
            language=self._language,
            say=say,
            note=_no_note,
            keep=_not_kept,
            usage=Usage,
        )


async def _as_given(context: Surroundings) -> Surroundings:
    return context


async def _no_note(note: Note) -> None:
    """Notes are the workbench's: here there is no database to keep them in."""


async def _not_kept(result: ResearchResult) -> None:
    """`DeepResearchLangGraphAgent.result` has it."""
