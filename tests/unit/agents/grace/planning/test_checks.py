"""A plan that can't be carried out is told apart before anything is done, in words."""

from graphlib import TopologicalSorter

import pytest
from hypothesis import given, settings

from sanbo.agents.grace.planner import check
from sanbo.agents.grace.schemas import PlanStep
from sanbo.agents.grace.thinking import DraftPlan
from tests.examples import examples
from tests.unit.agents.grace.planning.plans import (
    ANSWER,
    SEARCH,
    asked,
    done,
    draft,
    drafts,
    failed,
    plan_of,
    replanning,
    step,
)


def findings(*steps: PlanStep, web: bool = False) -> str:
    return " ".join(check(draft(*steps), asked(web_search=web), "ja"))


def test_a_search_and_an_answer_have_no_findings() -> None:
    assert findings(SEARCH, ANSWER) == ""


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([], "手順が1つもありません"),
        ([SEARCH, SEARCH, ANSWER], "手順1の番号が重複"),
        ([SEARCH, step(2, "reasoning", needs=[1, 9])], "存在しないか完了していない手順9"),
        ([step(1, needs=[2]), step(2, needs=[1]), step(3, "reasoning", needs=[2])], "待ち合って"),
        ([step(1, needs=[1]), ANSWER], "待ち合って"),
        ([step(1, needs=[2]), step(2), step(3, "reasoning", needs=[1])], "後にある手順2"),
        ([step(1, collection="人事"), ANSWER], "「人事」は使えません"),
        ([SEARCH.model_copy(update={"collection": None}), ANSWER], "コレクションの指定が"),
        ([step(1, query=" "), ANSWER], "検索や質問の文がありません"),
        ([step(1, description=""), ANSWER], "説明がありません"),
        ([step(1, description="あ" * 301), ANSWER], "説明が300文字を超え"),
        ([step(1, query="あ" * 2001), ANSWER], "2000文字を超え"),
        ([SEARCH, step(2, "reasoning")], "検索の結果に基づかずに"),
        ([step(1, "web_search"), ANSWER], "ウェブ検索は設定されていません"),
        ([step(1, fallback="web_search"), ANSWER], "ウェブ検索は設定されていません"),
        ([step(1, fallback="rag_search"), ANSWER], "代わりになりません"),
        ([SEARCH], "最後の手順が、質問に答える手順ではありません"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(steps: list[PlanStep], told: str) -> None:
    assert told in findings(*steps)


@pytest.mark.parametrize(
    ("expression", "needs", "told"),
    [
        ("os.remove('x')", [2], "計算式「os.remove('x')」は計算できません"),
        ("#2 + #1", [2], "前提としていない手順1"),
        ("#1 * 2", [1], "手順1は数値を読み取る手順ではありません"),
        ("#2 * 1.1", [2], ""),
    ],
)
def test_a_computation_must_be_one_of_figures_that_were_read(
    expression: str, needs: list[int], told: str
) -> None:
    computed = step(3, "compute", query=expression, needs=needs)
    found = findings(SEARCH, ANSWER, computed, step(4, "reasoning", needs=[2, 3]))
    assert told in found if told else found == ""


def test_an_answer_may_rest_on_a_search_by_way_of_another_answer() -> None:
    assert findings(SEARCH, ANSWER, step(3, "reasoning", needs=[2])) == ""


def test_a_web_search_is_fine_where_it_is_configured() -> None:
    assert findings(step(1, "web_search"), ANSWER, web=True) == ""


def test_more_steps_than_the_limit_are_refused() -> None:
    many = [step(number) for number in range(1, 13)]
    assert "13個あり、上限の12個" in findings(*many, step(13, "reasoning", needs=[1]))


def test_new_steps_may_rest_on_what_was_finished_but_not_on_what_failed() -> None:
    plan = plan_of(SEARCH, step(2), step(3, "reasoning", needs=[1, 2]))
    request = replanning(plan, [done(SEARCH), failed(plan.steps[1])])
    assert check(draft(step(4, "reasoning", needs=[1])), request) == []
    assert "手順2" in " ".join(check(draft(step(4, "reasoning", needs=[2])), request))
    assert "すでに使われています" in " ".join(
        check(draft(step(3, "reasoning", needs=[1])), request)
    )


def test_findings_are_told_in_the_language_of_the_run() -> None:
    assert check(draft(), asked(), "en") == ["There are no steps."]


@settings(max_examples=examples(60))
@given(drafts())
def test_any_plan_that_passes_can_be_carried_out(drafted: DraftPlan) -> None:
    told = check(drafted, asked())
    if told:
        assert all(finding.endswith("。") for finding in told)
        return
    ids = [each.step_id for each in drafted.steps]
    assert len(set(ids)) == len(ids)
    order = list(
        TopologicalSorter({each.step_id: each.depends_on for each in drafted.steps}).static_order()
    )
    assert sorted(order) == sorted(ids)
    for place, each in enumerate(drafted.steps):
        assert set(each.depends_on) <= set(ids[:place])
