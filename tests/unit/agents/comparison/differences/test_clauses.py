from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.comparison.differences.duties import denials
from sanbo.agents.comparison.differences.tokens import clause_spans, numbered_clause, read

WORDS = (
    "甲は、",
    "３０日以内に",
    "令和7年4月1日",
    "金壱百萬円以上",
    "-5%",
    "支払わなければならない。",
    "することができない",
    "この限りでない。",
    "ものとし、",
    "まず",
    "以上",
    "within 30 days",
    "shall not",
    "number",
    "（",
    "）",
    "。",
    "、",
    "額",
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map("".join)


@given(TEXTS)
def test_clause_by_clause_the_same_is_found_as_in_the_whole_text(text: str) -> None:
    found, whole = read(text), numbered_clause(text)
    if found.marks or found.references or found.squeezed != text:
        return
    assert list(found.tokens) == list(whole.tokens)
    assert list(found.starts) == list(whole.starts)
    assert [value[:3] for value in found.values] == [value[:3] for value in whole.values]
    assert [value.meaning for value in found.values] == [value.meaning for value in whole.values]
    assert list(found.duties) == list(whole.duties)
    assert found.special == frozenset(whole.special)


@given(TEXTS)
def test_what_a_stretch_denies_is_what_the_whole_text_denies_there(text: str) -> None:
    found = read(text)
    taken = [(one.start, one.end) for one in (*found.values, *found.duties)]
    expected = [
        denial
        for denial in denials(found.squeezed)
        if all(end <= denial.start or denial.end <= start for start, end in taken)
    ]
    assert list(found.denials_within(0, len(found.squeezed))) == expected
    for at in range(len(found.squeezed)):
        here = [denial for denial in expected if denial.start <= at < denial.end]
        assert list(found.denials_within(at, at + 1)) == here


def test_clauses_cover_the_text_and_a_number_of_its_own_is_not_cut() -> None:
    text = "第三条、第四条（定義）甲は、乙に支払う。"
    assert clause_spans(text, [(0, 7)]) == [(0, 7), (7, 14), (14, len(text))]


def test_a_number_that_may_be_part_of_a_word_stays_with_it() -> None:
    assert clause_spans("一行わなければならない。", [(0, 1)]) == [(0, 12)]
