import pytest

from sanbo.agents.grace.rules_thinking import span_in


@pytest.mark.parametrize(
    ("question", "sentence", "words"),
    [
        ("日当はいくらですか", "日当は1日につき2,500円とする。", "2,500円"),
        ("申請はいつまでですか", "申請は出張の7日前までに行う。", "7日前まで"),
        ("提出はいつまでですか", "翌月5日までに提出すること。", "翌月5日まで"),
        ("設立はいつですか", "当社は1987年4月1日に設立された。", "1987年4月1日"),
        ("定員は何名ですか", "第2会議室の定員は12名です。", "12名"),
        ("保存期間は何年ですか", "契約書は7年間保存する。", "7年間"),
        ("How much is the deposit?", "The deposit is $250 per room.", "$250"),
        ("When was it founded?", "The firm was founded in May 2, 1990 in Kobe.", "May 2, 1990"),
        ("２階の定員は何人か", "定員は３０人である。", "３０人"),
    ],
)
def test_the_words_that_answer_are_found(question: str, sentence: str, words: str) -> None:
    found = span_in(question, sentence)
    assert found is not None
    assert sentence[slice(*found)] == words


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("日当はいくらですか", "部長は3,000円、課長は2,500円とする。"),
        ("誰が承認しますか", "所属長が2日以内に承認する。"),
        ("2024年の売上はどうでしたか", "2024年の売上は増えた。"),
        ("2024年に何がありましたか", "2024年に本社が移転した。"),
        ("いつですか", ""),
    ],
)
def test_where_it_is_not_sure_nothing_is_marked(question: str, sentence: str) -> None:
    assert span_in(question, sentence) is None
