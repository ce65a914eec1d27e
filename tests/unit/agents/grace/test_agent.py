"""GRACE for Python programs: states as they come, questions by a callback."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sanbo.agents.grace.agent import GraceAgent
from sanbo.agents.grace.schemas import ExecutionState
from sanbo.agents.grace.settings import GraceSettings
from sanbo.kernel.problems import MissingDependency
from sanbo.runs.model import JsonObject, Question
from sanbo.service.collections import open_collections
from tests.unit.agents.grace.office import COLLECTION, FUEL, SURE, UNSURE, rules


def _with_agent(workspace: Path, work: Callable[[GraceAgent], Any], **how: Any) -> Any:
    with open_collections(rules(workspace)) as collections:
        agent = GraceAgent(collections.library.open(COLLECTION), **how)
        try:
            return asyncio.run(work(agent))
        finally:
            agent.close()


def test_states_are_given_as_they_come_and_the_result_at_the_end(workspace: Path) -> None:
    async def work(agent: GraceAgent) -> list[ExecutionState]:
        states = [state async for state in agent.execute_plan_generator(SURE)]
        assert agent.result is not None
        assert agent.result.sentences[0].text == FUEL
        return states

    states = _with_agent(workspace, work)
    assert states[0].plan is not None
    assert [state.phase for state in states][-1] == "finished"
    running = [state for state in states if "running" in state.statuses.values()]
    assert running
    assert len(states[-1].results) == 2


def test_a_question_is_put_to_the_callback(workspace: Path) -> None:
    questions: list[Question] = []

    async def confirm(question: Question) -> JsonObject:
        questions.append(question)
        return {"action": "proceed"}

    settings = GraceSettings.model_validate({"thresholds": UNSURE})
    result = _with_agent(workspace, lambda agent: agent.run(SURE), settings=settings, asked=confirm)
    assert len(questions) == 1
    assert result.answered
    assert result.decision == "confirm"


def test_without_anybody_to_ask_a_question_is_a_problem(workspace: Path) -> None:
    settings = GraceSettings.model_validate({"thresholds": UNSURE})
    with pytest.raises(MissingDependency) as refused:
        _with_agent(workspace, lambda agent: agent.run(SURE), settings=settings)
    assert "asked" in refused.value.problem.hint
