"""Killed while a person is asked, a run goes on with the answer, and nothing is done twice."""

from collections import Counter
from pathlib import Path
from signal import SIGKILL

import pytest

from sanbo.runs.model import NodeComplete, NodeStart, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.scripted_model import ScriptedModel
from tests.unit.agents.grace.mortal import ask_and_die
from tests.unit.agents.grace.office import (
    FUEL,
    SEARCH_THEN_ANSWER,
    SURE,
    Asked,
    answer,
    look,
    on_bench,
    plan,
    says,
)


@pytest.mark.thorough
def test_killed_during_a_confirmation_the_run_ends_with_the_answer_and_repeats_nothing(
    model: ScriptedModel, own_workspace: Path
) -> None:
    told = "燃料代は1回6,000円までです。"
    model.replies(plan(*SEARCH_THEN_ANSWER), answer(says(told, "P1001", FUEL)))
    environment = model.environment() | {
        "GRACE_THRESHOLDS__SILENT": "0.99999",
        "GRACE_THRESHOLDS__NOTIFY": "0.99998",
    }
    assert ask_and_die(own_workspace, environment, SURE) == -SIGKILL
    assert len(model.requests) == 3

    async def work(bench: Workbench) -> Asked:
        [summary] = await bench.list(LOCAL)
        run = await bench.wait(LOCAL, summary.run_id)
        assert run.status is Status.WAITING
        [question] = run.open_interactions
        assert told in str(question.context["proposal_md"])
        await bench.answer(LOCAL, run.run_id, {"action": "proceed"}, question.interaction_id)
        run = await bench.wait(LOCAL, run.run_id)
        events = await bench.events(LOCAL, run.run_id)
        starts = Counter(
            (event.path, event.payload.key)
            for event in events
            if isinstance(event.payload, NodeStart)
        )
        ends = Counter(
            (event.path, event.payload.key)
            for event in events
            if isinstance(event.payload, NodeComplete)
        )
        assert set(starts.values()) == set(ends.values()) == {1}
        assert starts.keys() == ends.keys()
        return await look(bench, run)

    outcome = on_bench(load_settings(own_workspace, environment), work)
    assert outcome.result.answered
    assert told in outcome.result.answer_md
    assert [each.action for each in outcome.result.interventions] == ["proceed"]
    assert [output["step_id"] for name, output in outcome.steps if name == "step"] == [1, 2]
    assert len(model.requests) == 3
