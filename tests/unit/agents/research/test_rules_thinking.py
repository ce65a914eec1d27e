"""Rules think as any thinker does: expand, decide, answer, without a model or a network."""

import asyncio

from sanbo.agents.research.rules_thinking import RulesThinking
from sanbo.agents.research.thinking import Thinking
from sanbo.evidence.model import Part, View
from tests.unit.evidence.rules.passages import LEAVE, passage, view

QUESTION = "有給休暇は何日もらえますか"


async def _parts(thinking: Thinking, given: View) -> list[Part]:
    return [part async for part in thinking.answer(given)]


def test_rules_expand_decide_and_answer() -> None:
    thinking: Thinking = RulesThinking("ja", queries_per_cycle=3)
    given = view(QUESTION, passage(LEAVE))
    expansion = asyncio.run(thinking.expand(QUESTION))
    assert expansion.sub_questions == (QUESTION,)
    assert expansion.queries[0] == QUESTION
    assert len(expansion.queries) == 3
    decision = asyncio.run(thinking.decide(given))
    assert decision.enough
    assert decision.decided_by == "rules"
    sections = {part.section for part in asyncio.run(_parts(thinking, given))}
    assert sections == {"summary", "finding"}


def test_reasons_and_gaps_are_in_the_language_of_the_run() -> None:
    given = view(QUESTION, passage(LEAVE, 0.2))
    (gap,) = asyncio.run(_parts(RulesThinking("en"), given))
    assert gap.text == f"No passage of this collection answers “{QUESTION}”."
    assert asyncio.run(RulesThinking("en").decide(given)).reason.startswith("1 passages")


def test_the_same_view_gives_the_same_answer() -> None:
    given = view(QUESTION, passage(LEAVE), passage(LEAVE[20:], 0.8, nth=2, document="写し.docx"))
    first, second = (asyncio.run(_parts(RulesThinking("ja"), given)) for _ in range(2))
    assert first == second
