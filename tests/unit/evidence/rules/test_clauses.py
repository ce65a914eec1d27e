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
    return [each.sentence.text for each in with_clause(found[0], found, question)]


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


def test_other_records_of_a_ledger_are_not_told_beside_the_one_asked_for() -> None:
    lines = [f"第{n}段落です。契約番号{n}の期間は{n % 9}年とします。" for n in range(4320, 4326)]
    told = _beside("\n".join(lines), "契約番号4321の期間は何年ですか")
    assert told == ["第4321段落です。"]


def test_the_head_of_a_mail_and_what_it_quotes_are_no_part_of_the_answer() -> None:
    text = (
        "From: 田口 <t@example.jp>\nDate: Tue, 16 Sep 2025\n\n山本様\n\n"
        "1台あたり428,000円でお見積りいたします。納期は発注後3週間です。\n\n> 予算は1台45万円です。"
    )
    question = "複合機は1台いくらですか"
    place = passage(text, 0.9, nth=1, document="見積回答.eml", fmt="eml")
    found = ranked(place, wanted(question, [place]))
    best = next(each for each in found if "428,000" in each.sentence.text)
    told = [each.sentence.text for each in with_clause(best, found, question)]
    assert "納期は発注後3週間です。" in told
    assert not any(each.startswith(("From", "Date", ">")) for each in told)
