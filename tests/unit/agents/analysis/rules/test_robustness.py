"""Whatever is typed, and whatever stands in the table: a decision, the same each time."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.analysis.decision import Turn, View
from sanbo.agents.analysis.rules import decide
from tests.examples import examples
from tests.unit.agents.analysis.rules.tables import SHOP, answer, number, table, words

_PIECES = st.sampled_from(
    (
        *("店舗別", "売上", "の", "合計", "平均", "月別", "2024年", "4月", "から", "まで", "以上"),
        *("100万円", "新宿店", "以外", "上位", "5", "件", "折れ線", "前年比", "割合", "「", "」"),
        *("by ", "sales ", "total ", "average ", "over ", "1000 ", "top ", "monthly ", "share of "),
        *("vs ", "and ", "or ", "％", "(", ")", "\\", "^", "[", "{", "$", ".", "*", "+", "?", "|"),
    )
)
_TEXTS = st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=15).map("".join))


@settings(max_examples=examples(150))
@given(st.lists(_TEXTS, min_size=1, max_size=3))
def test_any_conversation_ends_in_a_decision(questions: list[str]) -> None:
    found = answer(SHOP, *questions)
    assert found.last.next_action in ("ask", "finalize", "out_of_scope")


@settings(max_examples=examples(100))
@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20), _TEXTS)
def test_any_name_of_a_column_and_any_value_is_data(name: str, value: str, question: str) -> None:
    odd = table(words(name, value, "B"), number("売上"))
    assert answer(odd, f"{name}別の売上", question).last.next_action != "act"


def test_the_same_view_gives_the_same_decision() -> None:
    turns = (Turn(role="user", text="地域別の原価の合計を多い順に"),)
    view = View(language="ja", turns=turns, dataset=SHOP, acts_left=8)
    assert decide(view) == decide(view)


def test_a_question_of_any_length_is_read() -> None:
    assert answer(SHOP, "売上金額の合計" + "あ" * 100_000).last.next_action == "finalize"
