"""What an explanation puts in quotation marks is in one of the documents, or it is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.comparison.material import folded, invented, quoted
from tests.examples import examples

DOCUMENTS = tuple(
    folded(text)
    for text in (
        "乙は、毎月１０日までに報告書を\n提出しなければなりません。",
        "The lessee shall give thirty (30) days' notice; the Lessor’s consent isn't needed.",
    )
)


@pytest.mark.parametrize(
    "explanation",
    [
        "引用はありません。",
        "「毎月10日まで」が変わりました。",
        "『報告書を提出しなければなりません』は同じです。",
        '“thirty (30) days” and "SHALL GIVE" stay.',
        "It says 'the lessor’s consent', but `isn't needed` is new.",
        "The lessee's duties don't change, nor the lessor's.",
        "「毎月10日…提出しなければ」は残ります。",
        "｢報告書｣は同じです。",
        "「」は空です。",
        "The lessees’ duties and the lessor’s consent isn’t needed.",
        "Changed:\n> shall give thirty (30) days' notice",
    ],
)
def test_what_stands_in_a_document_may_be_quoted(explanation: str) -> None:
    assert invented(explanation, DOCUMENTS) == []


@pytest.mark.parametrize(
    ("explanation", "quote"),
    [
        ("「毎月15日まで」に変わりました。", "毎月15日まで"),
        ("『罰金』が加わりました。", "罰金"),
        ('It now says "sixty days".', "sixty days"),
        ("It now says “sixty days”.", "sixty days"),
        ("It now says 'sixty days'.", "sixty days"),
        ("It now says ‘sixty days’.", "sixty days"),
        ("It now says `sixty days`.", "sixty days"),
        ("＂sixty days＂", "sixty days"),
        ("｢罰金｣が加わりました。", "罰金"),
        ("「毎月10日…罰金」", "毎月10日...罰金"),
        ("„sixty days“ is new.", "sixty days"),
        ("‹sixty days› is new.", "sixty days"),
        ("It now says “sixty days“.", "sixty days"),
        ("It now says ’sixty days’.", "sixty days"),
        ("It now says ❝sixty days❞.", "sixty days"),
        ("It now says &quot;sixty days&quot;.", "sixty days"),
        ("It now says:\n> sixty days", "sixty days"),
        ("甲に'罰金'を科します。", "罰金"),
        ("〝罰金〞が加わりました。", "罰金"),
        ("《罰金》が加わりました。", "罰金"),
        ("〈罰金〉が加わりました。", "罰金"),
    ],
)
def test_what_no_document_says_is_invented(explanation: str, quote: str) -> None:
    assert invented(explanation, DOCUMENTS) == [quote]


def test_parts_of_one_quotation_stand_in_the_same_document() -> None:
    assert invented("「報告書…consent」", DOCUMENTS) != []


def test_names_that_no_document_says_may_be_quoted() -> None:
    assert invented("「A12」は「第三条第二項」です。", DOCUMENTS, ["A12", "第三条第二項"]) == []


@settings(max_examples=examples(50))
@given(st.text(max_size=60).map(lambda text: text.replace("\n", "").replace("&", "")))
def test_any_text_can_be_looked_through(text: str) -> None:
    assert isinstance(list(quoted(text)), list)
    assert invented(f"「{text.replace('」', '')}」", (folded(text.replace("」", "")),)) == []
