"""What is searched for first: the question, its parts, its terms, other words for them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.evidence.rules import expand
from sanbo.retrieval.tokens import letters
from tests.examples import examples


def test_the_question_comes_first_and_its_terms_alone_follow() -> None:
    expansion = expand("有給休暇は何日もらえますか？")
    assert expansion.queries[:2] == ("有給休暇は何日もらえますか？", "有給休暇")


def test_office_words_are_also_searched_for_under_their_other_names() -> None:
    queries = expand("有給休暇の締切はいつですか").queries
    assert any("年次有給休暇" in query for query in queries)
    assert any("期限" in query for query in queries)
    english = expand("What is the deadline for the travel fee?").queries
    assert any("due date" in query for query in english)
    assert any("charge" in query for query in english)
    assert any("vendor" in query for query in expand("Who pays the Suppliers?").queries)


def test_a_longer_word_is_not_read_as_the_shorter_one_within_it() -> None:
    assert not any("年休休暇" in query for query in expand("有給休暇とは").queries)
    assert not any("deadlined" in query for query in expand("When is the rated feed due?").queries)


def test_each_part_of_a_question_is_searched_for() -> None:
    expansion = expand("出張費の上限はいくらで、申請期限はいつですか")
    assert len(expansion.sub_questions) == 2
    assert set(expansion.sub_questions) <= set(expansion.queries)


def test_no_more_queries_are_made_than_asked_for() -> None:
    question = "有給休暇と出張費と締切と上司の承認と料金はどうなっていますか"
    assert len(expand(question, 2).queries) == 2
    assert len(expand(question).queries) == 5


@settings(max_examples=examples(40))
@given(st.text(min_size=1, max_size=80), st.integers(1, 8))
def test_queries_differ_in_their_letters(question: str, most: int) -> None:
    queries = expand(question, most).queries
    forms = [letters(query) for query in queries]
    assert len(set(forms)) == len(forms) <= most
    assert all(forms)
