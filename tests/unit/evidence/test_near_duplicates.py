"""What says the same is kept once; what differs in a number, a name or a `not` is not the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.evidence.finding import KnownTexts

CLAUSE = (
    "在宅勤務の手当は、月額4,000円とし、所属長の承認を受けた従業員に、翌月の給与とともに支給します。"
    "申請は、毎月20日までに行うものとします。"
)


@pytest.mark.parametrize(
    "same",
    [
        CLAUSE,
        CLAUSE.replace("、", "，").replace("。", "．\n"),
        CLAUSE.replace("4,000", "４,０００").replace("の", " の "),
        CLAUSE.replace("行うものとします", "行います"),
        CLAUSE[3:],
    ],
    ids=["exact", "punctuation", "width", "ending", "part"],
)
def test_a_text_that_adds_nothing_is_not_new(same: str) -> None:
    known = KnownTexts([CLAUSE])
    assert not known.add(same)


@pytest.mark.parametrize(
    "other",
    [
        CLAUSE.replace("4,000", "5,000"),
        CLAUSE.replace("20日", "25日"),
        CLAUSE.replace("支給します", "支給しません"),
        CLAUSE.replace("所属長", "人事部長"),
        CLAUSE.replace("在宅", "深夜"),
        CLAUSE + "ただし、契約社員を除きます。",
    ],
    ids=["amount", "date", "negation", "person", "subject", "exception"],
)
def test_sources_that_may_contradict_each_other_are_both_kept(other: str) -> None:
    known = KnownTexts([CLAUSE])
    assert known.add(other)


def test_english_texts_that_differ_in_a_word_are_both_kept() -> None:
    known = KnownTexts(["The allowance is paid monthly to every employee in the Tokyo office."])
    assert known.add("The allowance is paid monthly to every employee in the Osaka office.")
    assert not known.add("The allowance is paid monthly, to every employee in the TOKYO office")


@given(st.lists(st.text(max_size=40), max_size=8))
def test_what_was_added_once_is_never_new_again(texts: list[str]) -> None:
    known = KnownTexts()
    for text in texts:
        known.add(text)
    assert not any(known.add(text) for text in texts)
