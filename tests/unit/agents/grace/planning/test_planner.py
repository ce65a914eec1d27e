"""From a question to a plan: by rules, by a thinker, or the template with the reason why."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from sanbo.agents.grace.planner import check, create_plan
from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import Action, ExecutionPlan
from sanbo.agents.grace.thinking import DraftPlan, KnownCollection, PlanRequest
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import InvalidOutput, ProviderFailed, SanboError, TimedOut
from tests.examples import examples
from tests.unit.agents.grace.planning.plans import (
    ANSWER,
    FAQ,
    QUESTION,
    RULES,
    SEARCH,
    asked,
    draft,
    step,
)

SIMPLE_QUESTION = "有給休暇は何日ありますか。"
TOTAL = "東京と大阪の宿泊費の合計はいくらですか。"


def planned(request: PlanRequest, language: Language = "ja") -> ExecutionPlan:
    return asyncio.run(create_plan(RulesThinking(language), request, language, plan_id="run-1"))


def actions(plan: ExecutionPlan) -> list[Action]:
    return [each.action for each in plan.steps]


def needs(plan: ExecutionPlan) -> list[tuple[int, ...]]:
    return [each.depends_on for each in plan.steps]


class Thinker(RulesThinking):
    """Thinks of one plan, or fails to."""

    def __init__(self, thought: DraftPlan | SanboError) -> None:
        super().__init__("ja")
        self._thought = thought

    @override
    async def plan(self, request: PlanRequest) -> DraftPlan:
        if isinstance(self._thought, SanboError):
            raise self._thought
        return self._thought


def thought(of: DraftPlan | SanboError, *, web: bool = False) -> ExecutionPlan:
    request = asked(web_search=web)
    return asyncio.run(create_plan(Thinker(of), request, "ja", made_by="model"))


# ---- simple questions ----------------------------------------------------------------------


def test_a_simple_question_is_searched_for_and_answered() -> None:
    plan = planned(asked(SIMPLE_QUESTION))
    assert (actions(plan), needs(plan)) == (["rag_search", "reasoning"], [(), (1,)])
    assert (plan.made_by, plan.problem, plan.plan_id) == ("template", "", "run-1")
    assert (
        plan.steps[0].description
        == "コレクション「規程」で「有給休暇は何日ありますか。」を検索します。"
    )
    assert "数や金額" in plan.steps[1].description


def test_several_collections_are_searched_at_the_same_time() -> None:
    plan = planned(asked(SIMPLE_QUESTION, RULES, FAQ))
    assert [each.collection for each in plan.steps] == ["規程", "よくある質問", None]
    assert needs(plan) == [(), (), (1, 2)]


def test_of_many_collections_the_named_and_the_largest_are_searched_and_it_is_told() -> None:
    many = [KnownCollection(name=f"文書{number}", documents=number) for number in range(1, 21)]
    plan = planned(
        asked(
            "人事規程で有給休暇は何日ですか。", *many, KnownCollection(name="人事規程", documents=1)
        )
    )
    names = [each.collection for each in plan.steps]
    assert names[:3] == ["人事規程", "文書20", "文書19"]
    assert (len(plan.steps), names[-1]) == (12, None)
    assert "残りの10件は検索しません" in plan.steps[-1].description


# ---- by rules ------------------------------------------------------------------------------


def test_parts_are_searched_for_and_answered_side_by_side_and_then_joined() -> None:
    plan = planned(asked())
    assert actions(plan) == ["rag_search", "rag_search", "reasoning", "reasoning", "reasoning"]
    assert needs(plan) == [(), (), (1,), (2,), (3, 4)]
    assert [each.query for each in plan.steps[2:4]] == [
        "有給休暇は何日もらえる",
        "申請の期限はいつ",
    ]
    assert (plan.made_by, plan.problem) == ("rules", "")


def test_figures_are_read_one_by_one_and_worked_out_by_code() -> None:
    plan = planned(asked(TOTAL))
    assert actions(plan)[2:] == ["reasoning", "reasoning", "compute", "reasoning"]
    assert plan.steps[4].query == "#3 + #4"
    assert needs(plan)[4:] == [(3, 4), (3, 4, 5)]


def test_a_comparison_looks_at_each_side() -> None:
    plan = planned(asked("正社員と契約社員の休暇の違いは何ですか。"))
    assert [each.query for each in plan.steps[:2]] == ["正社員の休暇", "契約社員の休暇"]
    assert "比べて" in plan.steps[-1].description


def test_a_question_for_all_of_something_is_searched_for_in_other_words_too() -> None:
    plan = planned(asked("List all documents that are needed for a business trip."), "en")
    assert actions(plan)[-2:] == ["rag_search", "reasoning"]
    assert len({each.query for each in plan.steps[:-1]}) == len(plan.steps) - 1 > 1
    assert plan.steps[-1].description == "Answer with all that applies, from what was found."


def test_where_there_is_no_room_parts_share_their_searches() -> None:
    plan = planned(asked(QUESTION, RULES, FAQ, max_steps=6))
    assert actions(plan) == ["rag_search", "rag_search", "reasoning", "reasoning", "reasoning"]
    assert needs(plan) == [(), (), (1, 2), (1, 2), (3, 4)]


def test_every_step_has_the_way_out_of_its_action() -> None:
    plan = planned(asked(TOTAL))
    assert {each.action: each.fallback for each in plan.steps} == {
        "rag_search": "run_legacy_agent",
        "reasoning": None,
        "compute": "reasoning",
    }


def test_what_people_have_said_is_searched_for_as_well() -> None:
    plan = planned(asked(SIMPLE_QUESTION, information=("パートの場合です。",)))
    assert [each.query for each in plan.steps[:2]] == [
        SIMPLE_QUESTION,
        f"{SIMPLE_QUESTION} パートの場合です。",
    ]


QUESTIONS = [
    SIMPLE_QUESTION,
    QUESTION,
    TOTAL,
    "手当をすべて挙げてください。",
    "AとBの違いは？",
    "What is the total of the fees in Tokyo and Osaka?",
]


@settings(max_examples=examples(60))
@given(
    st.sampled_from(QUESTIONS) | st.text(min_size=1, max_size=80).filter(str.strip),
    st.integers(1, 15),
    st.integers(2, 15),
    st.sampled_from(["", "大阪の場合です。"]),
)
def test_every_plan_by_rules_can_be_carried_out(
    question: str, collections: int, most: int, said: str
) -> None:
    known = [KnownCollection(name=f"文書{nth}", documents=nth) for nth in range(collections)]
    request = asked(question, *known, max_steps=most, information=(said,) if said else ())
    plan = planned(request)
    assert check(draft(*plan.steps), request) == []
    assert plan.problem == ""


# ---- by a thinker --------------------------------------------------------------------------


def test_a_plan_that_was_thought_of_is_taken() -> None:
    plan = thought(draft(SEARCH, ANSWER, requires_confirmation=True))
    assert (plan.steps, plan.made_by, plan.requires_confirmation) == (
        (SEARCH, ANSWER),
        "model",
        True,
    )


def test_the_complexity_is_that_of_the_words() -> None:
    assert thought(draft(SEARCH, ANSWER)).complexity == 0.35


@pytest.mark.parametrize("action", ["action", "fallback"])
def test_a_plan_with_a_web_search_always_waits_for_a_person(action: str) -> None:
    web = step(1, "web_search") if action == "action" else step(1, fallback="web_search")
    assert thought(draft(web, ANSWER), web=True).requires_confirmation


def test_a_plan_that_can_t_be_carried_out_becomes_the_template_and_says_why() -> None:
    plan = thought(draft(step(1, needs=[2], collection="人事"), ANSWER))
    assert (actions(plan), plan.made_by) == (["rag_search", "reasoning"], "template")
    assert plan.problem.startswith("作られた計画はそのままでは実行できないため")
    assert "待ち合って" in plan.problem
    assert "「人事」は使えません" in plan.problem


def test_of_many_findings_the_first_are_told() -> None:
    plan = thought(draft(*[step(1, query="", description="", collection="人事")] * 3))
    assert "ほか" in plan.problem


@pytest.mark.parametrize(
    "error",
    [
        InvalidOutput("llm_output_mismatch", provider="openai", model="m", schema="PlanGiven"),
        TimedOut("llm_timed_out", provider="openai", model="m", seconds=5),
    ],
)
def test_a_thinker_that_gives_no_plan_leaves_the_template(error: SanboError) -> None:
    plan = thought(error)
    assert (plan.made_by, actions(plan)) == ("template", ["rag_search", "reasoning"])
    assert error.problem.in_language("ja").message in plan.problem


def test_a_thinker_that_can_t_be_reached_is_a_problem() -> None:
    down = ProviderFailed("llm_rate_limited", provider="openai", model="m")
    with pytest.raises(ProviderFailed):
        thought(down)


def test_the_same_question_makes_the_same_plan() -> None:
    requests: Sequence[PlanRequest] = [asked(TOTAL)] * 2
    first, second = (asyncio.run(create_plan(RulesThinking("ja"), each, "ja")) for each in requests)
    assert first == second
    assert first.plan_id.startswith("plan-")
