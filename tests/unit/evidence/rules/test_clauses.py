"""What is told beside a sentence that answers: its clause, and nothing of another question."""

from sanbo.evidence.rules.choices import LONGEST, of_clauses, ranked, wanted, with_clause
from tests.unit.evidence.rules.passages import passage

RULE = (
    "第5条（交通費）\n\n1　交通費は実費を支給する。\n\n2　タクシーの利用は認めない。\n\n"
    "3　前項にかかわらず、次の場合はこの限りでない。\n\n(1) 最終便の後であるとき\n\n(2) 傷病のとき"
)
FAQ = (
    "Q1. 手土産はいくらまでですか。\nA. 3,000円までです。領収書を付けてください。\n\n"
    "Q2. 使い方が分かりません。\nA. 経理課へどうぞ。"
)


def _beside(text: str, question: str) -> list[str]:
    place = passage(text, 0.9, nth=1)
    found = ranked(place, wanted(question, [place]))
    return [each.sentence.text for each in with_clause(found[0], found)]


def test_an_exception_and_its_items_are_told_with_the_rule() -> None:
    told = _beside(RULE, "タクシーの利用は認められますか")
    assert "(1) 最終便の後であるとき" in told
    assert "(2) 傷病のとき" in told


def test_the_answer_to_another_question_is_not_told() -> None:
    told = _beside(FAQ, "手土産はいくらまでですか")
    assert any("領収書" in each for each in told)
    assert not any("経理課" in each for each in told)


def test_running_text_is_no_clause() -> None:
    prose = "名古屋城は名古屋市にある城である。徳川家康が築いた。金の鯱で知られる。" * 3
    assert not of_clauses(passage(prose, 0.9, nth=1))
    assert _beside(prose, "名古屋城を築いたのは誰ですか") == []


def test_no_more_is_told_than_can_be_read_at_a_glance() -> None:
    long = "\n\n".join(f"{nth}　備品{nth}の利用は総務課の承認を要する。" for nth in range(1, 60))
    told = _beside(long, "備品7の利用に要るものは何ですか")
    assert sum(not letter.isascii() for letter in "".join(told)) <= LONGEST
