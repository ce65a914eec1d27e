"""GRACE for Python programs: collections and a way of thinking, no workbench."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Interrupt

from sanbo.agents.grace.calibration.calibrations import Known
from sanbo.agents.grace.graph import MOST_NODES, Nodes, build
from sanbo.agents.grace.present import after_node
from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import ExecutionResult, ExecutionState
from sanbo.agents.grace.searxng import web_search_of
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.state import GraceState
from sanbo.agents.grace.thinking import Calibration, KnownCollection, Surroundings, Thinking
from sanbo.agents.grace.workflow import MOST_TURNS, GraceInput
from sanbo.evidence.finding import Finder, Searches
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import MissingDependency
from sanbo.retrieval.collection import Collection
from sanbo.runs.interactions import check_answer
from sanbo.runs.model import JsonObject, Question

Asked = Callable[[Question], Awaitable[JsonObject]]
"""Puts a question to a person and gives what they answer."""


class GraceAgent:
    """One session: what it has searched for once is not searched for again."""

    def __init__(
        self,
        collections: Collection | Sequence[Collection],
        thinking: Thinking | None = None,
        settings: GraceSettings | None = None,
        *,
        asked: Asked | None = None,
        language: Language = "ja",
    ) -> None:
        """Without `thinking`, by rules; without `asked`, a question to a person is a problem."""
        self.result: ExecutionResult | None = None
        """Of the last question that was answered to its end."""
        self.session = f"session_{secrets.token_hex(8)}"
        several = [collections] if isinstance(collections, Collection) else list(collections)
        self._collections = {each.name: each for each in several}
        self._settings = settings or GraceSettings()
        self._thinking = thinking or RulesThinking(language)
        self._language: Language = language
        self._asked = asked
        self._asked_questions: list[str] = []
        self._searches = Searches()

    async def run(self, question: str) -> ExecutionResult:
        async for _ in self.execute_plan_generator(question):
            pass
        assert self.result is not None
        return self.result

    async def execute_plan_generator(self, question: str) -> AsyncGenerator[ExecutionState]:
        """The state after every step; `result` has the answer at the end."""
        given = GraceInput(question=question)
        graph = build(Nodes(_as_given)).compile(checkpointer=InMemorySaver())
        run_id = f"run_{secrets.token_hex(8)}"
        config: RunnableConfig = {
            "configurable": {"thread_id": run_id},
            "recursion_limit": MOST_NODES,
        }
        state = ExecutionState(question=given.question, phase="planning")
        start: GraceState = {"asked": given.question, "question": given.question}
        work: Any = start
        while work is not None:
            stream = graph.astream(
                work,
                config,
                context=cast("Any", self._surroundings(run_id)),
                stream_mode="updates",
            )
            work = None
            async for updates in cast("AsyncGenerator[dict[str, Any]]", stream):
                for node, update in updates.items():
                    if node == "__interrupt__":
                        work = await self._answered(cast("tuple[Interrupt, ...]", update))
                        continue
                    state = after_node(state, node, update["shown"])
                    if "result" in update:
                        self.result = ExecutionResult.model_validate(update["result"])
                        self._asked_questions.append(given.question)
                    yield state

    def close(self) -> None:
        self._searches.close()

    async def _answered(self, interrupts: tuple[Interrupt, ...]) -> Command[Any]:
        answers: dict[str, JsonObject] = {}
        for each in interrupts:
            question = Question.model_validate(each.value)
            if self._asked is None:
                raise MissingDependency("grace_nobody_to_ask", question=question.message)
            answers[each.id] = check_answer(question, await self._asked(question))
        return Command(resume=answers)

    def _surroundings(self, run_id: str) -> Surroundings:
        async def collections() -> tuple[KnownCollection, ...]:
            infos = await asyncio.to_thread(
                lambda: [each.info() for each in self._collections.values()]
            )
            if not infos:
                raise MissingDependency("grace_no_collection")
            return tuple(
                KnownCollection(
                    name=info.name, documents=info.documents, chunks=info.chunks or None
                )
                for info in infos
            )

        async def asked_before() -> tuple[str, ...]:
            return tuple(self._asked_questions[-MOST_TURNS:])

        async def calibration() -> Calibration:
            current = Known((), ()).current(self._settings, self._language)
            return Calibration(current.fitted, current.thresholds)

        def finder(name: str) -> Finder:
            return Finder(self._searches, self.session, lambda: self._collections[name])

        return Surroundings(
            run_id=run_id,
            thinking=self._thinking,
            settings=self._settings,
            language=self._language,
            finder=finder,
            collections=collections,
            calibration=calibration,
            asked_before=asked_before,
            web=web_search_of(self._settings),
            say=_not_said,
            keep=_not_kept,
        )


async def _as_given(context: Surroundings) -> Surroundings:
    return context


def _not_said(text: str) -> None:
    """The states tell of the answer."""


async def _not_kept(result: ExecutionResult) -> None:
    """`GraceAgent.result` has it."""
