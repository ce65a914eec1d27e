"""What must never be given without a note: a hostile model, a person's word, lost steps."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from sanbo.agents.grace.calibration.calibrations import Calibrations
from sanbo.kernel.problems import ProviderFailed
from sanbo.retrieval.engines.embedded import EmbeddedEngine
from sanbo.runs.model import JsonObject
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.scripted_model import ScriptedModel
from tests.unit.agents.grace.office import (
    FUEL,
    SEARCH_THEN_ANSWER,
    SURE,
    UNSURE,
    Asked,
    answer,
    asked,
    look,
    on_bench,
    plan,
    rules,
    says,
    step,
    with_model,
)
from tests.unit.agents.research.researching import index

TOLD = "社用車の燃料代は1回につき99,000円まで会社が負担します。"


def quoting(text: str, *quotes: tuple[str, str]) -> dict[str, Any]:
    quoted = [{"passage": passage, "quote": quote} for passage, quote in quotes]
    return {"section": "finding", "text": text, "quotes": quoted}


def score_of(outcome: Asked) -> tuple[str, float, list[str]]:
    """Of the answer: level, score, the marks of its sentences; also where a person is asked."""
    if outcome.run.result is not None:
        result = outcome.result
        return result.decision, result.confidence, [each.problem for each in result.sentences]
    shown: Any = outcome.question.context
    problems = [each["problem"] for each in shown["sentences"]]
    return shown["confidence"]["level"], shown["confidence"]["score"], problems


@pytest.mark.parametrize(
    ("claim", "marked"),
    [
        ("社用車の燃料代は、会社が負担しません。", "肯定・否定が逆"),
        ("犬は空を飛びます。", "関係を確認できません"),
        ("燃料代は全額が自己負担です。", ""),
    ],
)
def test_a_true_quote_under_false_words_is_not_silent(
    model: ScriptedModel, workspace: Path, claim: str, marked: str
) -> None:
    model.replies(plan(*SEARCH_THEN_ANSWER), answer(says(claim, "P1001", FUEL), sure=1.0))
    settings = with_model(workspace, model, limits={"max_replans": 0})
    level, score, [problem] = score_of(asked(settings, SURE))
    assert level != "silent"
    assert score < 0.9
    assert marked in problem


@pytest.mark.parametrize(
    "sentences",
    [
        [quoting(TOLD, ("P2001", TOLD), ("P1001", FUEL))],
        [quoting(TOLD, ("P2001", TOLD)), quoting(FUEL, ("P1001", FUEL))],
    ],
    ids=["a document beside it", "a document after it"],
)
def test_a_persons_word_is_not_silent_whatever_stands_beside_it(
    model: ScriptedModel, workspace: Path, sentences: list[dict[str, Any]]
) -> None:
    steps = (step(1), step(2, "ask_user", "燃料代は"), step(3, "reasoning", needs=[1, 2]))
    model.replies(plan(*steps), answer(*sentences, sure=1.0))
    settings = with_model(
        workspace, model, thresholds={"silent": 0.5, "notify": 0.3, "confirm": 0.2}
    )
    result = asked(settings, SURE, {"answer": TOLD}).result
    assert result.decision == "notify"
    assert "利用者または Web" in result.explanation[0]


def test_a_sum_with_a_figure_that_a_person_told_is_not_silent(
    model: ScriptedModel, workspace: Path
) -> None:
    steps = (
        step(1),
        step(2, "reasoning", needs=[1]),
        step(3, "ask_user", "駐車場の料金は"),
        step(4, "compute", "#2 + #3", needs=[2, 3]),
        step(5, "reasoning", needs=[2, 4]),
    )
    total = "燃料代は1回につき6,000円です。"
    model.replies(
        plan(*steps),
        answer(says(FUEL, "P1001", FUEL), sure=1.0),
        answer(quoting(total, ("P1001", FUEL)), sure=1.0),
    )
    result = asked(with_model(workspace, model), SURE, {"answer": "1,000円"}).result
    computed = next(each for each in result.steps if each.action == "compute")
    assert computed.value == 7000
    assert [each.kind for each in computed.sources] == ["collection", "person"]
    assert "利用者" in computed.sentences[0].problem
    assert computed.confidence is not None
    assert computed.confidence.level != "silent"
    assert result.decision != "silent"


def test_an_answer_to_something_easier_does_not_make_the_question_sure(
    model: ScriptedModel, workspace: Path
) -> None:
    question = "社長の年齢は何歳ですか"
    steps = (step(1), step(2, "reasoning", SURE, [1]), step(3, "reasoning", question, [2]))
    model.replies(
        plan(*steps),
        answer(says(FUEL, "P1001", FUEL), sure=1.0),
        answer(quoting(FUEL, ("P1001", FUEL)), sure=1.0),
    )
    outcome = asked(with_model(workspace, model, limits={"max_replans": 0}), question)
    level, score, _ = score_of(outcome)
    assert level in ("confirm", "escalate")
    assert score < 0.7


def test_a_model_that_doubts_how_it_joined_the_parts_is_heard(
    model: ScriptedModel, workspace: Path
) -> None:
    def joined(sure: float) -> float:
        steps = (
            step(1),
            step(2, "reasoning", needs=[1]),
            step(3, "reasoning", needs=[1]),
            step(4, "reasoning", needs=[2, 3]),
        )
        part = answer(says(FUEL, "P1001", FUEL), sure=1.0)
        model.replies(plan(*steps), part, part, answer(says(FUEL, "P1001", FUEL), sure=sure))
        return score_of(asked(with_model(workspace, model), SURE))[1]

    assert joined(0.1) < joined(1.0) - 0.2


def test_where_a_collection_could_not_be_searched_the_answer_is_partial_and_not_silent(
    own_workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(rules(own_workspace), {"別.md": "# 別の文書\n\n別の文書です。"}, "別")
    search = EmbeddedEngine.search

    def failing(engine: EmbeddedEngine, query: str, limit: int, where: object) -> object:
        if engine.name == "別":
            raise ProviderFailed("engine_busy", service="index")
        # pyrefly: ignore[bad-argument-type]
        return search(engine, query, limit, where)

    monkeypatch.setattr(EmbeddedEngine, "search", failing)
    result = asked(rules(own_workspace), SURE, collection=None).result
    assert FUEL in "".join(each.text for each in result.sentences)
    assert result.partial
    assert result.decision == "notify"
    assert "実行できなかった手順" in result.explanation[0]


@pytest.mark.parametrize("number", [10**6, 10**30])
def test_a_plan_with_numbers_beyond_all_bounds_becomes_the_template(
    model: ScriptedModel, workspace: Path, number: int
) -> None:
    steps = (step(number), step(number + 1, "reasoning", needs=[number]))
    model.replies(plan(*steps), answer(says(FUEL, "P1001", FUEL)))
    result = asked(with_model(workspace, model), SURE).result
    assert result.plan.made_by == "template"
    assert "大きすぎます" in result.plan.problem
    assert result.answered


def test_control_characters_of_a_plan_are_left_out(model: ScriptedModel, workspace: Path) -> None:
    steps = (step(1, query="燃料\x00代\x1b[31m"), step(2, "reasoning", needs=[1]))
    model.replies(plan(*steps), answer(says(FUEL, "P1001", FUEL)))
    result = asked(with_model(workspace, model), SURE).result
    assert result.plan.steps[0].query == "燃料 代 [31m"


def test_what_a_person_was_offered_holds_where_the_limit_was_lowered_meanwhile(
    own_workspace: Path,
) -> None:
    waiting = asked(rules(own_workspace, thresholds=UNSURE), SURE)
    lowered = rules(own_workspace, thresholds=UNSURE, limits={"max_replans": 0})
    change: JsonObject = {"action": "modify", "instruction": "高速道路も含めて"}

    async def later(bench: Workbench) -> Asked:
        await bench.answer(LOCAL, waiting.run.run_id, change)
        return await look(bench, await bench.wait(LOCAL, waiting.run.run_id))

    outcome = on_bench(lowered, later)
    [replan] = outcome.execution.replans
    assert (replan.trigger, replan.strategy) == ("user_feedback", "partial")


def test_a_database_that_is_away_for_a_moment_does_not_fail_the_question(
    own_workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = Calibrations.current
    calls: list[int] = []

    def away_once(*args: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise OperationalError("SELECT", {}, Exception("connection lost"))
        return current(*args)

    monkeypatch.setattr(Calibrations, "current", away_once)

    async def work(bench: Workbench) -> Asked:
        run = await bench.start(LOCAL, "grace", {"question": SURE})
        return await look(bench, await bench.wait(LOCAL, run.run_id))

    assert on_bench(rules(own_workspace), work).result.answered
    assert len(calls) == 2
