"""An answer of GRACE as people see it, at every moment."""

from pathlib import Path

from sanbo.agents.grace.workflow import Grace
from sanbo.runs.model import JsonObject, Status
from sanbo.runs.parts import Progress, Score, Sources, Text, Trouble
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings
from tests.presenting import Presented, ids, one, words
from tests.scripted_model import ScriptedModel, WrongKey
from tests.unit.agents.grace.office import (
    ANSWERS,
    SURE,
    UNKNOWN,
    UNSURE,
    ask,
    on_bench,
    rules,
    with_model,
)


def _presented(settings: Settings, question: str, *answers: JsonObject) -> Presented:
    async def work(bench: Workbench) -> Presented:
        asked = await ask(bench, question, answers)
        return Presented(Grace(), await bench.events(LOCAL, asked.run.run_id))

    return on_bench(settings, work)


def test_the_answer_says_how_sure_it_is_and_why_and_where_it_stands(workspace: Path) -> None:
    shown = _presented(rules(workspace, thresholds=ANSWERS), SURE)
    parts = shown.end()
    assert ids(parts)[:3] == ["answer", "score", "sources"]
    answer = one(parts, Text, "answer")
    assert "6,000円" in answer.markdown
    assert answer.document is not None
    score = one(parts, Score)
    assert (score.level, score.tone) == ("自動で回答", "good")
    assert score.explanation
    assert score.reasons
    for reason in score.reasons:  # a sign never contradicts its sentence
        if reason.effect is not None and reason.value is not None:
            assert (reason.effect >= 0) == (reason.value >= 0.5), reason
            assert not 0.4 <= reason.value < 0.75, "what is so-so is neither for nor against it"
    assert one(shown.end("en"), Score).level != score.level
    source = one(parts, Sources).items[0]
    assert "社用車規程.md" in source.place
    assert source.note == "原文と照合済み"


def test_while_it_works_the_plan_is_seen_and_each_step_with_its_score(workspace: Path) -> None:
    shown = _presented(rules(workspace, thresholds=ANSWERS), SURE)
    assert "計画を立てています" in words(shown.ever()[0])
    last = one(shown.at(Status.RUNNING), Progress)
    steps = {step.id: step for step in last.steps}
    assert steps["step/1"].status == "succeeded"
    assert "か所" in steps["step/1"].detail
    assert any(step.score for step in last.steps)
    assert "Plan (steps" in words(one(shown.at(Status.RUNNING, "en"), Progress))


def test_what_a_person_should_know_belongs_to_the_question(workspace: Path) -> None:
    shown = _presented(rules(workspace, thresholds=UNSURE), SURE)
    parts = shown.at(Status.WAITING)
    about = [part for part in parts if part.interaction_id]
    assert "6,000円" in words(about[0])
    assert {part.kind for part in about} >= {"text", "score", "sources"}
    assert "回答を待っています" in words(one(parts, Progress))


def test_what_people_said_and_changes_of_the_plan_stand_below(workspace: Path) -> None:
    shown = _presented(rules(workspace, thresholds=ANSWERS), UNKNOWN, {"action": "proceed"})
    parts = shown.end()
    assert "「見つからない」として終える" in one(parts, Text, "interventions").markdown
    assert "計画の見直し1回目" in one(parts, Text, "replans").markdown
    steps = one(parts, Progress).steps
    (planned,) = [step.title for step in steps if step.id.startswith("plan/")]
    added = sum(step.id.startswith("step/") for step in steps) - 2
    assert added > 0
    assert planned == f"見直した計画：新しい手順{added}個"
    assert "not found" in one(shown.end("en"), Text, "interventions").markdown


def test_a_failure_says_why(workspace: Path) -> None:
    with ScriptedModel() as model:
        model.replies(*[WrongKey()] * 5)
        shown = _presented(with_model(workspace, model), SURE)
    assert shown.moments[-1][0] is Status.FAILED
    assert one(shown.end(), Trouble).problem.hint
    assert "failed" in words(one(shown.end(), Progress))
