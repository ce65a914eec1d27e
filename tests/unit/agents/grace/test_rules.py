"""Questions answered by rules, from the silent answer to the one that a person helps with."""

from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import Code, InvalidInput
from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.unit.agents.grace.office import (
    COLLECTION,
    FUEL,
    LUNCH,
    PARTS,
    SURE,
    UNKNOWN,
    UNSURE,
    Asked,
    asked,
    on_bench,
    rules,
)
from tests.unit.agents.research.researching import index


@pytest.fixture(scope="module")
def sure(workspace: Path) -> Asked:
    return asked(rules(workspace), SURE)


def test_a_sure_answer_is_given_without_asking(sure: Asked) -> None:
    outcome = sure
    result = outcome.result
    assert result.decision == "silent"
    assert result.answered
    assert result.sentences[0].text == FUEL
    assert "6,000円" in FUEL[slice(*(result.sentences[0].span or (0, 0)))]
    assert result.answer_md.startswith(FUEL.split("6,000円")[0])
    assert "**" in result.answer_md
    assert "[1]" in result.answer_md
    [source] = [each for each in result.sources if each.id == 1]
    assert (source.document, source.kind, source.verified) == ("社用車規程.md", "collection", True)
    assert source.collection == COLLECTION
    assert source.quote in FUEL
    assert (result.replans, result.interventions) == ((), ())
    assert result.explanation
    assert result.factors
    assert result.features
    assert outcome.nodes == [
        *("plan", "schedule", "step", "review"),
        *("schedule", "step", "review", "finish"),
    ]
    search, reasoning = result.steps
    assert search.statistics is not None
    assert search.statistics.hits == search.searched[0].hits > 0
    assert search.confidence is not None
    assert reasoning.answered
    assert [artifact.name for artifact in outcome.run.artifacts] == ["回答.md"]


def test_the_journal_tells_every_moment_and_keeps_no_passages(sure: Asked) -> None:
    outcome = sure
    assert outcome.execution.phase == "finished"
    assert outcome.execution.results == outcome.result.steps
    assert set(outcome.execution.statuses.values()) == {"success"}
    phases = [output["phase"] for name, output in outcome.steps if name != "step"]
    assert phases == ["executing"] * 5 + ["finished"]
    [sent, _] = [output for name, output in outcome.steps if name == "schedule"]
    assert sent["statuses"] == {"1": "running", "2": "pending"}
    assert "北側の駐車場" not in str(outcome.steps)


def test_an_answer_that_is_sure_enough_is_given_with_a_note(workspace: Path) -> None:
    thresholds = {"silent": 0.99999, "notify": 0.7, "confirm": 0.4}
    result = asked(rules(workspace, thresholds=thresholds), SURE).result
    assert (result.decision, result.answered, result.interventions) == ("notify", True, ())


@pytest.fixture(scope="module")
def waiting(workspace: Path) -> Asked:
    return asked(rules(workspace, thresholds=UNSURE), SURE)


def test_an_unsure_answer_waits_for_a_person_with_all_they_need(waiting: Asked) -> None:
    outcome = waiting
    question = outcome.question
    assert question.mode == "collect"
    action, instruction = question.requirements
    assert [option.value for option in action.options] == ["proceed", "modify", "cancel"]
    assert (action.required, action.default, instruction.required) == (True, None, False)
    assert "6,000円" in str(question.context["proposal_md"])
    assert "確信度" in str(question.context["proposal_md"])
    assert {"confidence", "explanation", "sources"} <= set(question.context)
    assert outcome.execution.phase == "waiting"
    [opened] = outcome.execution.interventions
    assert (opened.level, opened.about, opened.action) == ("confirm", "answer", None)


def test_confirmed_the_answer_is_given(workspace: Path) -> None:
    settings = rules(workspace, thresholds=UNSURE)
    result = asked(settings, SURE, {"action": "proceed"}).result
    assert (result.answered, result.decision) == (True, "confirm")
    assert [each.action for each in result.interventions] == ["proceed"]
    assert result.replans == ()


def test_cancelled_nothing_is_answered(workspace: Path) -> None:
    settings = rules(workspace, thresholds=UNSURE)
    result = asked(settings, SURE, {"action": "cancel"}).result
    assert (result.answered, result.cancelled) == (False, True)
    assert result.explanation == ()  # there is no answer of which it could be said how sure it is
    assert result.answer_md == "利用者の指示で中止しました。"
    assert result.sentences == ()


def test_an_instruction_changes_the_rest_of_the_plan_and_keeps_what_is_done(
    workspace: Path,
) -> None:
    settings = rules(workspace, thresholds=UNSURE)
    modify: JsonObject = {"action": "modify", "instruction": "管理職研修の場合"}
    outcome = asked(settings, "研修の受講料はいくらですか", modify, {"action": "proceed"})
    result = outcome.result
    [replan] = result.replans
    assert (replan.trigger, replan.strategy) == ("user_feedback", "partial")
    assert "管理職研修の場合" in replan.reason
    assert replan.kept == (1, 2)
    assert min(replan.added) == 3
    ran = [output["step_id"] for name, output in outcome.steps if name == "step"]
    assert len(ran) == len(set(ran))
    assert "45,000円" in result.sentences[0].text
    assert [each.action for each in result.interventions] == ["modify", "proceed"]


@pytest.mark.parametrize(
    "senseless", [{"action": "modify"}, {"action": "modify", "instruction": "　"}]
)
def test_to_modify_without_saying_how_is_asked_again(
    workspace: Path, senseless: JsonObject
) -> None:
    outcome = asked(rules(workspace, thresholds=UNSURE), SURE, senseless)
    assert outcome.question.message.startswith("この対応を選ぶときは、指示も入力してください。")
    assert len(outcome.execution.interventions) == 1


@pytest.mark.parametrize(
    "misfit",
    [
        {},
        {"action": "yes"},
        {"action": "inform", "information": "別の情報"},
        {"action": "proceed", "approved": True},
        {"action": "modify", "instruction": "あ" * 2_001},
        "proceed",
        None,
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_changes_nothing(
    waiting: Asked, workspace: Path, misfit: Any
) -> None:
    async def work(bench: Workbench) -> None:
        before = await bench.events(LOCAL, waiting.run.run_id)
        with pytest.raises(InvalidInput) as refused:
            await bench.answer(LOCAL, waiting.run.run_id, misfit)
        assert refused.value.problem.hint
        assert await bench.events(LOCAL, waiting.run.run_id) == before

    on_bench(rules(workspace, thresholds=UNSURE), work)


@pytest.fixture(scope="module")
def unknown(workspace: Path) -> Asked:
    return asked(rules(workspace), UNKNOWN)


def test_what_is_not_there_is_searched_for_once_more_and_then_asked_about(unknown: Asked) -> None:
    outcome = unknown
    [replan] = outcome.execution.replans
    assert (replan.trigger, replan.strategy) == ("low_confidence", "full")
    question = outcome.question
    action, information = question.requirements
    assert [option.value for option in action.options] == ["inform", "use", "proceed", "cancel"]
    assert (action.default, information.id) == ("inform", "information")
    [opened] = outcome.execution.interventions
    assert (opened.level, opened.about) == ("escalate", "answer")
    queries = [each.text for result in outcome.execution.results for each in result.searched]
    assert len(queries) == len(set(queries)) > 1


def test_with_information_the_answer_is_better(workspace: Path, unknown: Asked) -> None:
    before = unknown.execution.interventions[0].confidence or 0
    informed = asked(rules(workspace), UNKNOWN, {"information": LUNCH})
    state = informed.execution
    assert [each.strategy for each in state.replans] == ["full", "partial"]
    assert state.interventions[0].text == LUNCH
    answer = [each for each in state.results if each.action == "reasoning"][-1]
    assert answer.sentences[0].text == LUNCH
    assert answer.confidence is not None
    assert answer.confidence.score > before
    assert answer.confidence.level == "notify"  # no document says so
    assert informed.result.answered
    [source] = [each for each in answer.sources if each.id in answer.sentences[0].sources]
    assert (source.kind, source.document) == ("person", "利用者からの情報")
    assert not source.verified


NEVER_SURE: JsonObject = {"silent": 0.9999, "notify": 0.9998, "confirm": 0.9997}


def test_a_figure_that_a_person_and_a_document_give_is_sure_enough(workspace: Path) -> None:
    informed = asked(
        rules(workspace, thresholds=NEVER_SURE), SURE, {"information": "6,000円までだと思います。"}
    )
    assert informed.result.decision == "notify"
    assert informed.result.sentences[0].text == FUEL
    assert informed.result.explanation[0] == "文書の値が、いただいた情報と一致しています。"
    other = asked(
        rules(workspace, thresholds=NEVER_SURE), SURE, {"information": "9,000円だと思います。"}
    )
    assert other.run.status is Status.WAITING or other.result.decision == "escalate"


def test_where_to_look_is_nothing_to_cite(workspace: Path) -> None:
    look = asked(rules(workspace), UNKNOWN, {"information": "防災手引きを見てください。"})
    reasons = [each for each in look.execution.results if each.action == "reasoning"]
    cited = [source.kind for each in reasons for source in each.sources]
    assert "person" not in cited


def test_ended_without_information_it_says_what_was_searched_and_what_comes_near(
    workspace: Path,
) -> None:
    result = asked(rules(workspace), UNKNOWN, {"action": "proceed"}).result
    assert (result.answered, result.sentences) == (False, ())
    assert f"コレクション「{COLLECTION}」には見つかりませんでした。" in result.answer_md
    assert f"検索した語：「{UNKNOWN}」" in result.answer_md
    assert result.nearest
    assert result.decision == "escalate"


def test_all_is_told_in_english_where_that_is_wanted(workspace: Path) -> None:
    waits = asked(rules(workspace), UNKNOWN, language="en")
    assert waits.question.message.startswith("No sure answer was found")
    result = asked(rules(workspace), UNKNOWN, {"action": "proceed"}, language="en").result
    assert f"Not found in the collection “{COLLECTION}”." in result.answer_md
    assert "Searched for:" in result.answer_md


def test_the_parts_of_a_question_are_answered_side_by_side_and_joined(workspace: Path) -> None:
    result = asked(rules(workspace), PARTS).result
    assert "30,000円" in result.answer_md
    assert "45,000円" in result.answer_md
    final = result.steps[-1]
    parts = [each for each in result.steps if each.answered and each is not final]
    assert len(parts) == 2
    product = 1.0
    for part in parts:
        assert part.confidence is not None
        product *= part.confidence.score
    assert result.confidence <= product + 0.001


def test_figures_that_were_found_are_added_up_by_code(workspace: Path) -> None:
    result = asked(
        rules(workspace), "新入社員研修の受講料と管理職研修の受講料の合計はいくらですか"
    ).result
    [computed] = [each for each in result.steps if each.action == "compute"]
    assert computed.value == 75_000
    assert "75,000円" in result.answer_md
    assert not any(sentence.problem for sentence in result.sentences)


# ---- collections ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grace", "key"),
    [
        ({"collections": ("手引書",)}, "grace.collections"),
        ({"default_collection": "手引書"}, "grace.default_collection"),
    ],
)
def test_a_collection_that_the_settings_name_and_that_is_not_there_is_told_with_its_key(
    workspace: Path, grace: dict[str, Any], key: str
) -> None:
    run = asked(rules(workspace, **grace), SURE, collection=None).run
    assert run.status is Status.FAILED
    assert run.problem is not None
    assert run.problem.code is Code.SETTINGS_INVALID
    assert key in run.problem.message
    assert COLLECTION in run.problem.hint
    assert run.steps == ()


def test_a_collection_that_the_question_names_and_that_is_not_there_is_told(
    workspace: Path,
) -> None:
    run = asked(rules(workspace), SURE, collection="手引書").run
    assert run.problem is not None
    assert (run.problem.code, run.steps) == (Code.NOT_FOUND, ())
    assert COLLECTION in run.problem.message


def test_a_collection_that_plans_may_not_use_is_refused(own_workspace: Path) -> None:
    settings = rules(own_workspace, collections=(COLLECTION,))
    index(settings, {"献立.md": "# 献立\n\n昼食は550円です。"}, "献立")
    run = asked(settings, SURE, collection="献立").run
    assert run.problem is not None
    assert "grace.collections" in run.problem.message
    assert asked(settings, SURE, collection=None).result.collections == (COLLECTION,)


def test_without_any_collection_it_says_how_to_make_one(tmp_path: Path) -> None:
    run = asked(rules(tmp_path / "empty"), SURE, collection=None).run
    assert run.problem is not None
    assert run.problem.code is Code.DEPENDENCY_NOT_FOUND
    assert "sanbo index" in run.problem.hint


def test_without_a_collection_all_are_searched_and_each_source_names_its_own(
    own_workspace: Path,
) -> None:
    settings = rules(own_workspace)
    index(settings, {"献立.md": f"# 献立\n\n{LUNCH}"}, "献立")
    result = asked(settings, UNKNOWN, collection=None).result
    assert set(result.collections) == {COLLECTION, "献立"}
    assert result.sentences[0].text == LUNCH
    assert result.sources[0].collection == "献立"
    assert result.sources[0].verified


def test_a_blank_question_is_refused(workspace: Path) -> None:
    with pytest.raises(Exception, match="質問が入力されていません"):
        asked(rules(workspace), " 。\x00 ")
