"""The agent as a Python program uses it."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from sanbo.agents.research.agent import DeepResearchLangGraphAgent
from sanbo.agents.research.model_thinking import ModelThinking
from sanbo.agents.research.settings import ResearchSettings
from sanbo.kernel.problems import InvalidInput, PermissionDenied
from sanbo.llm.engine import choose_engine
from sanbo.llm.model import Model, connect
from sanbo.retrieval.collection import Collection
from sanbo.service.collections import open_collections
from tests.scripted_model import Hang, ScriptedModel, WrongKey
from tests.unit.agents.research.researching import (
    ALLOWANCE,
    COLLECTION,
    QUESTION,
    CountedSearches,
    answer,
    rules,
    says,
)


@pytest.fixture
def collection(workspace: Path) -> Iterator[Collection]:
    with open_collections(rules(workspace)) as collections:
        yield collections.library.open(COLLECTION)


def connected(model: ScriptedModel) -> Model:
    settings = model.settings(max_attempts=1)
    return connect(choose_engine(settings), settings, lambda _: None)


def test_it_streams_the_report_and_keeps_the_result(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = CountedSearches()
    monkeypatch.setattr("sanbo.retrieval.engines.embedded.EmbeddedEngine.search", searches.search)
    agent = DeepResearchLangGraphAgent(collection)

    async def work() -> list[str]:
        pieces = [piece async for piece in agent.run(QUESTION)]
        asked = len(searches.queries)
        assert [piece async for piece in agent.run(QUESTION)]
        assert len(searches.queries) == asked  # one session
        return pieces

    pieces = asyncio.run(work())
    agent.close()
    assert len(pieces) > 1
    assert ALLOWANCE in "".join(pieces)
    assert agent.result is not None
    assert agent.result.report_md.startswith("# ")
    assert [citation.verified for citation in agent.result.citations] == [True]
    assert agent.result.session == agent.session


def test_it_thinks_with_a_model(collection: Collection, model: ScriptedModel) -> None:
    model.replies(answer(says("4,000円です。", "P1", ALLOWANCE)))
    settings = ResearchSettings(max_cycles=1)
    thinking = ModelThinking(connected(model), "en", settings)
    agent = DeepResearchLangGraphAgent(collection, thinking, settings, language="en")

    async def work() -> str:
        return "".join([piece async for piece in agent.run(QUESTION)])

    report = asyncio.run(work())
    assert "4,000円です。[1]" in report
    assert "No language model" not in report
    assert agent.result is not None
    assert agent.result.stop_reason == "sufficient"


def test_a_problem_is_raised_to_who_listens(collection: Collection, model: ScriptedModel) -> None:
    model.replies(WrongKey())
    thinking = ModelThinking(connected(model), "ja", ResearchSettings())
    agent = DeepResearchLangGraphAgent(collection, thinking)

    async def work() -> None:
        with pytest.raises(InvalidInput):
            _ = [piece async for piece in agent.run(" ")]
        with pytest.raises(PermissionDenied):
            _ = [piece async for piece in agent.run(QUESTION)]

    asyncio.run(work())
    assert agent.result is None


def test_who_stops_listening_stops_the_work(collection: Collection, model: ScriptedModel) -> None:
    sentence = Hang(
        after='{"section": "finding", "sub_question": 1, "text": "4,000円です。", '
        f'"quotes": [{{"passage": "P1", "quote": "{ALLOWANCE}"}}]}}\n'
    )
    model.replies(sentence)
    thinking = ModelThinking(connected(model), "ja", ResearchSettings())
    agent = DeepResearchLangGraphAgent(collection, thinking)

    async def work() -> int:
        async with aclosing(agent.run(QUESTION)) as pieces:
            async for piece in pieces:
                assert "4,000円です。[1]" in piece
                break
        return len([task for task in asyncio.all_tasks() if task is not asyncio.current_task()])

    assert asyncio.run(work()) == 0
    assert agent.result is None
