"""Thinking without a model: each thing that a turn needs is worked out once."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sanbo.agents.analysis import conclusions, reporting, rules_thinking
from sanbo.agents.analysis.decision import Turn, View
from sanbo.agents.analysis.rules import decision
from sanbo.agents.analysis.rules_thinking import RulesThinker
from sanbo.runs.model import Run, Status
from sanbo.sandbox import calls
from sanbo.sandbox.calls import Calls
from sanbo.service.workbench import Workbench
from tests.unit.agents.analysis.conversation import ask, give, on_bench, settings_of
from tests.unit.agents.analysis.rules.tables import SHOP


class Counted:
    def __init__(self, work: Callable[..., Any]) -> None:
        self.work = work
        self.times = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.times += 1
        return self.work(*args, **kwargs)


@pytest.fixture(autouse=True)
def _nothing_understood_yet() -> None:
    rules_thinking._understood.clear()  # pyright: ignore[reportPrivateUsage]


def test_a_turn_of_several_steps_reads_its_question_and_its_figures_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, grounds = Counted(decision.wanted), Counted(conclusions.grounds_of)
    monkeypatch.setattr(decision, "wanted", read)
    monkeypatch.setattr(conclusions, "grounds_of", grounds)
    monkeypatch.setattr(reporting, "grounds_of", grounds)

    async def work(bench: Workbench) -> Run:
        return await ask(bench, "店舗別の売上合計を棒グラフで", await give(bench))

    run = on_bench(settings_of(tmp_path), work)
    assert run.status is Status.SUCCEEDED, run.problem
    assert [step.path[-1] for step in run.steps].count("reason") >= 2
    assert (read.times, grounds.times) == (1, 1)


def test_another_question_table_or_language_is_understood_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = Counted(decision.wanted)
    monkeypatch.setattr(decision, "wanted", read)

    def decide(question: str, **other: Any) -> None:
        turns = (Turn(role="user", text=question),)
        view = View(language="ja", turns=turns, dataset=SHOP, acts_left=8)
        asyncio.run(RulesThinker().decide(view.model_copy(update=other)))

    decide("店舗別の売上")
    decide("店舗別の売上")
    assert read.times == 1
    decide("売上金額の合計")
    decide("店舗別の売上", language="en")
    decide("店舗別の売上", dataset=SHOP.model_copy(update={"rows": SHOP.rows + 1}))
    assert read.times == 4


@pytest.mark.parametrize("question", ["店舗別の売上を棒グラフで", "来月の売上を予測して", "店舗"])
def test_what_was_understood_apart_leads_to_the_same_next_step(question: str) -> None:
    view = View(language="ja", turns=(Turn(role="user", text=question),), dataset=SHOP, acts_left=8)
    guarded = Calls()
    calls.provide(guarded, guarded)
    try:
        first, second = (asyncio.run(RulesThinker().decide(view)) for _ in range(2))
    finally:
        calls.withdraw()
        guarded.close()
    assert first == second == decision.decide(view)
