"""Enough is told by count, relevance and coverage; else what is missing and what to ask next."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.research.rules_thinking import decide
from sanbo.evidence.model import Passage
from sanbo.retrieval.tokens import letters
from tests.examples import examples
from tests.unit.evidence.rules.passages import LEAVE, TRAVEL, passage, view

QUESTION = "有給休暇は何日もらえますか"


def test_a_relevant_passage_among_enough_suffices() -> None:
    many = [passage(TRAVEL, 0.1, nth=nth) for nth in range(2, 6)]
    decision = decide(view(QUESTION, passage(LEAVE, 0.92), *many, min_docs=5), "ja")
    assert decision.enough
    assert decision.next_queries == ()
    assert "5件" in decision.reason
    assert "92%" in decision.reason


def test_all_that_the_collection_has_is_enough() -> None:
    found = passage(LEAVE, 0.92)
    assert not decide(view(QUESTION, found, min_docs=5, chunks=None), "ja").enough
    assert not decide(view(QUESTION, found, min_docs=5, chunks=100), "ja").enough
    assert decide(view(QUESTION, found, min_docs=5, chunks=1), "ja").enough


def test_a_sub_question_without_answer_is_named_with_figures() -> None:
    parts = ("有給休暇は何日", "食堂は何時から")
    found = passage(LEAVE, relevances=(0.9, 0.35))
    decision = decide(view("?", found, sub_questions=parts), "ja")
    assert not decision.enough
    assert decision.missing == ("食堂は何時から",)
    assert "「食堂は何時から」" in decision.reason
    assert "35%" in decision.reason
    assert "70%" in decision.reason
    english = decide(view("?", found, sub_questions=parts), "en").reason
    assert english.startswith("1 passages were found")


def test_terms_that_no_relevant_passage_speaks_of_are_missing() -> None:
    found = passage("試行は10月から始める。", 0.9)
    decision = decide(view("在宅勤務の通信費の負担は誰ですか", found), "ja")
    assert not decision.enough
    assert "通信費" in decision.missing
    assert "通信費" in decision.reason


def test_another_word_for_a_term_covers_it() -> None:
    found = passage("年休は10日とする。", 0.9)
    assert decide(view("有給休暇は", found), "ja").enough


def test_what_was_asked_is_not_asked_again() -> None:
    asked = (QUESTION, "有給休暇")
    decision = decide(view(QUESTION, passage(TRAVEL, 0.2), asked=asked), "ja")
    assert decision.next_queries
    assert not {letters(query) for query in decision.next_queries} & {
        letters(query) for query in asked
    }


def test_it_ends_without_new_queries_when_all_were_asked() -> None:
    asked: tuple[str, ...] = (QUESTION,)
    for _ in range(20):
        asked += decide(view(QUESTION, passage(TRAVEL, 0.2), asked=asked), "ja").next_queries
    decision = decide(view(QUESTION, passage(TRAVEL, 0.2), asked=asked), "ja")
    assert decision.next_queries == ()
    assert not decision.enough


def test_headings_of_the_best_passages_lead_on() -> None:
    found = passage(TRAVEL, 0.6, headings=("第2章 旅費", "第5条 日当"))
    asked = ("出張の日当はいくらですか", "出張 日当", "出張", "日当", "出張 出張手当")
    decision = decide(view("出張の日当はいくらですか", found, asked=asked), "ja", 20)
    assert any("第5条" in query for query in decision.next_queries)


def test_no_open_question_waits_for_another() -> None:
    parts = ("出張費の締切はいつ", "有給休暇の申請先はどこ")
    found = passage("社歌の歌詞", relevances=(0.1, 0.1))
    queries = decide(view("?", found, sub_questions=parts, asked=parts), "ja", 4).next_queries
    assert any("出張費" in query for query in queries)
    assert any("有給休暇" in query for query in queries)


def test_nothing_found_is_said() -> None:
    decision = decide(view(QUESTION), "en")
    assert decision.reason == "The search found no passage at all."
    assert decision.next_queries


_PASSAGES = st.lists(
    st.builds(passage, st.text(max_size=60), st.floats(0, 1), nth=st.integers(1, 99)), max_size=4
)


@settings(max_examples=examples(40))
@given(st.text(min_size=1, max_size=60), _PASSAGES, st.integers(1, 6))
def test_any_view_gives_a_decision(question: str, passages: list[Passage], most: int) -> None:
    decision = decide(view(question, *passages), "en", most)
    assert decision.reason
    assert len(decision.next_queries) <= most
    assert not (decision.enough and decision.next_queries)


def test_a_misspelt_term_is_spoken_of_where_the_right_one_is() -> None:
    told = passage("パスワードは12文字以上とします。", 0.9)
    assert decide(view("パスワドは何文字以上ですか", told), "ja").enough
