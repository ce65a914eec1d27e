"""In a server the rules think in guarded processes: to the same end as here."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from sanbo.agents.analysis.deciding import RulesThinker
from sanbo.agents.analysis.decision import Turn
from sanbo.agents.analysis.decision import View as AnalysisView
from sanbo.agents.comparison.given import PackedSide
from sanbo.agents.comparison.preparation import prepare_apart
from sanbo.agents.grace.rules_thinking import RulesThinking as GraceThinking
from sanbo.agents.grace.thinking import AnswerRequest, KnownCollection, PlanRequest
from sanbo.agents.research.rules_thinking import RulesThinking as ResearchThinking
from sanbo.documents.formats.text import read
from sanbo.documents.model import Source
from sanbo.runs.model import Run
from sanbo.sandbox import calls
from sanbo.sandbox.calls import Calls
from tests.unit.agents.analysis.profiles import SHOP
from tests.unit.agents.comparison import comparing
from tests.unit.evidence.rules.passages import LEAVE, passage, view

T = TypeVar("T")
OLD = "第1条 甲は払う。\n\n第2条 乙は働く。"
NEW = "第1条 甲は翌月に払う。\n\n第2条 乙は働く。"
QUESTION = "有給休暇は何日もらえますか"


@pytest.fixture(scope="module")
def guarded() -> Iterator[Calls]:
    made = Calls()
    yield made
    made.close()


def _both(guarded: Calls, think: Callable[[], Awaitable[T]]) -> tuple[T, T]:
    async def thought() -> T:
        return await think()

    here = asyncio.run(thought())
    calls.provide(guarded, guarded)
    try:
        return here, asyncio.run(thought())
    finally:
        calls.withdraw()


async def _list(parts: AsyncGenerator[T]) -> list[T]:
    return [part async for part in parts]


@pytest.mark.parametrize(
    "question",
    [
        "売上金額の合計",
        "店舗別の売上",
        "来月の売上を予測して",
        "売上金額が1千億以上の行",
        "円グラフで",
    ],
)
def test_analysis_decides_alike(guarded: Calls, question: str) -> None:
    turns = (Turn(role="user", text=question),)
    given = AnalysisView(language="ja", turns=turns, dataset=SHOP, acts_left=8)
    here, there = _both(guarded, lambda: RulesThinker().decide(given))
    assert here == there


def test_research_expands_decides_and_answers_alike(guarded: Calls) -> None:
    thinking = ResearchThinking("ja")
    given = view(QUESTION, passage(LEAVE))
    thoughts: list[Callable[[], Awaitable[object]]] = [
        lambda: thinking.expand(QUESTION),
        lambda: thinking.decide(given),
        lambda: _list(thinking.answer(given)),
    ]
    for think in thoughts:
        here, there = _both(guarded, think)
        assert here == there


def test_grace_plans_and_answers_alike(guarded: Calls) -> None:
    thinking = GraceThinking("ja")
    known = (KnownCollection(name="規程", documents=3, chunks=9),)
    thoughts: list[Callable[[], Awaitable[object]]] = [
        lambda: thinking.plan(PlanRequest(question=QUESTION, collections=known)),
        lambda: thinking.answer(AnswerRequest(question=QUESTION, passages=(passage(LEAVE),))),
        lambda: thinking.search_turn(QUESTION, (QUESTION,), (passage(LEAVE),)),
    ]
    for think in thoughts:
        here, there = _both(guarded, think)
        assert here == there


def test_a_comparison_comes_to_the_same_files(guarded: Calls, tmp_path: Path) -> None:
    def compared() -> Run:
        return comparing.compared(comparing.rules(tmp_path), old_text=OLD, new_text=NEW)

    here = compared()
    calls.provide(guarded, guarded)
    try:
        there = compared()
    finally:
        calls.withdraw()
    assert here.result == there.result
    assert [each.name for each in here.artifacts] == [each.name for each in there.artifacts]


def test_documents_are_prepared_alike(guarded: Calls) -> None:
    def side(text: str) -> PackedSide:
        return PackedSide.of(read(Source(name="契約.txt", data=text.encode())))

    async def prepared() -> tuple[object, bytes]:
        facts, compared = await prepare_apart(
            side(OLD),
            side(NEW),
            id_column="",
            text_column="",
        )
        with compared:
            return facts, bytes(compared.view())

    here, there = _both(guarded, prepared)
    assert here == there
