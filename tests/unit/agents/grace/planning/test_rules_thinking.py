"""Thinking by rules: answers that join earlier ones, and searches in other words each time."""

import asyncio

from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import AnswerSentence, Source, StepResult
from sanbo.agents.grace.thinking import Answer, AnswerRequest
from sanbo.evidence.model import Passage
from tests.unit.agents.grace.planning.plans import done, step
from tests.unit.evidence.handbook import passage

TOTAL = "東京と大阪の宿泊費の合計はいくらですか。"
TOKYO = passage("P1001", "東京の宿泊費は1泊12,000円とする。", document="旅費規程.md")
OSAKA = passage("P2001", "大阪の宿泊費は1泊10,000円とする。", document="旅費規程.md")


def read(step_id: int, found: Passage, *, answered: bool = True) -> StepResult:
    source = Source(
        id=1,
        document=found.document,
        document_id=found.document_id,
        format=found.format,
        page=None,
        chunk_id=found.chunk_id,
        quote=found.text,
        start=0,
        end=len(found.text),
        score=0.9,
        verified=True,
    )
    sentence = AnswerSentence(text=found.text, sources=(1,))
    return done(
        step(step_id, "reasoning"),
        answered=answered,
        sentences=(sentence,) if answered else (),
        sources=(source,),
    )


def answered(*earlier: StepResult, question: str = TOTAL) -> Answer:
    request = AnswerRequest(question=question, passages=(TOKYO, OSAKA), earlier=earlier)
    return asyncio.run(RulesThinking("ja").answer(request))


def joined(*earlier: StepResult) -> Answer:
    return answered(*earlier, question="東京と大阪の宿泊費はそれぞれいくらですか。")


def test_the_answers_of_the_parts_are_joined_with_their_own_quotes() -> None:
    parts = joined(read(3, TOKYO), read(4, OSAKA)).parts
    assert [each.text for each in parts] == [TOKYO.text, OSAKA.text]
    assert [each.quotes[0].passage for each in parts] == ["P1001", "P2001"]
    assert [(each.section, each.sub_question) for each in parts] == [("finding", 0), ("finding", 1)]


def test_what_was_worked_out_stands_first_and_rests_on_the_figures() -> None:
    worked = done(step(5, "compute"), output="12,000円 + 10,000円 = 22,000円", value=22_000.0)
    first = answered(read(3, TOKYO), read(4, OSAKA), worked).parts[0]
    assert first.text == "計算の結果は、12,000円 + 10,000円 = 22,000円です。"
    assert [each.passage for each in first.quotes] == ["P1001", "P2001"]


def test_figures_that_were_not_worked_out_are_only_near_to_an_answer() -> None:
    parts = answered(read(3, TOKYO), read(4, OSAKA)).parts
    assert {each.section for each in parts} == {"nearest"}


def test_a_part_without_an_answer_adds_nothing() -> None:
    parts = joined(read(3, TOKYO), read(4, OSAKA, answered=False)).parts
    assert [each.text for each in parts] == [TOKYO.text]


def test_a_place_in_a_source_is_told_once() -> None:
    assert len(joined(read(3, TOKYO), read(4, TOKYO)).parts) == 1


def test_without_answers_to_join_the_passages_answer() -> None:
    parts = answered(done(step(1))).parts
    assert parts[0].section == "finding"
    assert parts[0].quotes[0].passage in {"P1001", "P2001"}


def test_the_search_agent_tries_other_words_until_there_are_none() -> None:
    searched: list[str] = []
    while query := _next("宿泊費の上限はいくらですか。", searched):
        assert query not in searched
        searched.append(query)
    assert searched[0] == "宿泊費の上限はいくらですか。"
    assert any("宿泊料" in query for query in searched)
    assert len(searched) < 30


def test_the_search_agent_stops_where_a_passage_answers() -> None:
    assert _next("宿泊費はいくらですか。", ["宿泊費"], TOKYO) == ""


def _next(question: str, searched: list[str], *passages: Passage) -> str:
    return asyncio.run(RulesThinking("ja").search_turn(question, searched, passages)).query
