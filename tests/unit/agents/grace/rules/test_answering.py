import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.grace.rules_thinking import LONGEST_LIST, extract
from tests.examples import examples
from tests.unit.evidence.rules.passages import (
    FAQ,
    LEAVE,
    MINUTES,
    POLICY,
    PRICES,
    TRAVEL,
    passage,
)

OFFICE = (
    passage(LEAVE, 0.5, nth=1, document="就業規則.docx"),
    passage(TRAVEL, 0.5, nth=2, document="旅費規程.docx"),
    passage(FAQ, 0.5, nth=3, document="よくある質問.txt", fmt="text"),
    passage(MINUTES, 0.5, nth=4, document="議事録.docx"),
    passage(PRICES, 0.5, nth=5, document="価格表.xlsx", fmt="xlsx", rows=(2, 4)),
    passage(POLICY, 0.5, nth=6, document="expenses.docx"),
)


STEPS = passage(
    "物品の決裁\n5万円未満の物品は主任の決裁を受ける。\n5万円以上30万円未満の物品は課長の決裁を受ける。\n"
    "30万円以上の物品は部長の決裁を受ける。",
    0.5,
    nth=7,
    document="決裁規程.docx",
)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("4万円の物品は誰の決裁を受けますか。", "主任"),
        ("12万円の物品は誰の決裁を受けますか。", "課長"),
        ("30万円以上の物品は誰の決裁を受けますか。", "部長"),
    ],
)
def test_of_several_steps_the_one_that_holds_the_figure_answers(question: str, says: str) -> None:
    assert says in extract(question, (*OFFICE, STEPS), "ja").parts[0].text


@pytest.mark.parametrize(
    ("question", "says", "words"),
    [
        ("国内出張の日当はいくらですか。", "2,500円", "2,500円"),
        ("年次有給休暇は何日ですか。", "10日の年次有給休暇", None),
        ("旅費の精算は何日以内に行いますか。", "7日以内", "7日以内"),
        ("トナー黒の単価はいくらですか。", "9,800円", "9,800円"),
        ("経費の精算はいつまでですか。", "翌月5日まで", "翌月5日まで"),
        ("備品の貸与はどこが担当しますか。", "総務部", None),
        ("試行の開始はいつですか。", "10月1日", "10月1日"),
        ("How many days do employees have to submit expense claims?", "30 days", "30 days"),
        ("Who has to approve claims above 50,000 yen?", "director", None),
    ],
)
def test_office_questions_are_answered_by_one_sentence_or_row(
    question: str, says: str, words: str | None
) -> None:
    found = extract(question, OFFICE, "ja")
    top = found.parts[0]
    assert top.section == "finding"
    assert says in top.text
    if words is not None:
        assert found.span is not None
        assert words in top.text[slice(*found.span)]


def test_every_quote_stands_in_its_passage() -> None:
    by_id = {each.id: each.text for each in OFFICE}
    for question in ("日当はいくらですか", "備品の担当", "単価を教えて", "what is the policy?"):
        for part in extract(question, OFFICE, "ja").parts:
            assert part.quotes
            assert all(quoted.quote in by_id[quoted.passage] for quoted in part.quotes)


def test_without_a_passage_there_is_no_answer() -> None:
    assert extract("日当はいくらですか", (), "ja").parts == ()


def test_however_unsure_there_is_a_top_answer_where_there_is_a_passage() -> None:
    far = passage("本日は晴天なり。", 0.01)
    assert extract("日当はいくらですか", (far,), "ja").parts[0].text == "本日は晴天なり。"


def test_a_better_sentence_of_a_less_relevant_passage_wins() -> None:
    near = passage("日当については別に定める。", 0.6, nth=1)
    told = passage("国内出張の日当は2,500円とする。", 0.5, nth=2, document="旅費規程.docx")
    top = extract("国内出張の日当はいくらですか", (near, told), "ja").parts[0]
    assert "2,500円" in top.text


def test_a_much_more_relevant_passage_wins() -> None:
    far = passage("見学の日当は2,500円である。", 0.01, nth=1)
    told = passage("出張の日当は3,000円とする。", 0.98, nth=2, document="旅費規程.docx")
    assert "3,000円" in extract("日当はいくらですか", (far, told), "ja").parts[0].text


def test_who_asks_for_all_gets_the_whole_list() -> None:
    text = "出張の申請には次の書類を提出する。\n（1）出張申請書\n（2）旅程表\n（3）見積書の写し"
    parts = extract("出張の申請に必要な書類をすべて教えてください", (passage(text),), "ja").parts
    texts = [part.text for part in parts if part.section == "finding"]
    assert len(texts) >= 4
    assert any("旅程表" in each for each in texts)
    assert len(texts) <= LONGEST_LIST


def test_otherwise_at_most_three_findings_are_told() -> None:
    text = "".join(
        f"会議室{name}の定員は{number}名である。" for number, name in enumerate("ABCDE", 8)
    )
    parts = extract("会議室の定員は何名ですか", (passage(text),), "ja").parts
    assert 1 <= len([part for part in parts if part.section == "finding"]) <= 3


def test_a_sentence_that_leaves_its_subject_out_is_told_with_it() -> None:
    place = passage(
        "本町と南町を結ぶ鉄道である。沿線では最も古い木造の駅舎を今も使っている。",
        context="北浜線",
    )
    top = extract("沿線で最も古い木造の駅舎を使っている路線は？", (place,), "ja").parts[0]
    assert top.text.startswith("北浜線：")
    assert top.quotes[0].quote in place.text


def test_a_figure_is_told_without_the_title() -> None:
    place = passage("受付は午前9時から行う。", context="来客の手引き")
    assert (
        extract("受付は何時からですか", (place,), "ja").parts[0].text == "受付は午前9時から行う。"
    )


def test_how_something_is_called_may_stand_in_the_next_sentence() -> None:
    text = "月末に全員で書庫の書類を見直す作業を行う。これを書庫点検という。総務部が指揮する。"
    top = extract("月末に書庫の書類を見直す作業を何といいますか", (passage(text),), "ja").parts[0]
    assert "書庫点検" in top.text


def test_places_that_contradict_each_other_are_told() -> None:
    old = passage("国内出張の日当は2,000円とする。", 0.8, nth=1, document="旅費規程.docx")
    new = passage("国内出張の日当は2,500円とする。", 0.8, nth=2, document="旅費の手引き.docx")
    parts = extract("国内出張の日当はいくらですか", (old, new), "ja").parts
    assert [part.section for part in parts].count("disagreement") == 1


def test_the_same_said_elsewhere_is_cited_too() -> None:
    one = passage("国内出張の日当は2,500円とする。", 0.8, nth=1, document="旅費規程.docx")
    two = passage("国内出張の日当は2,500円とする。", 0.7, nth=2, document="旅費の手引き.docx")
    top = extract("国内出張の日当はいくらですか", (one, two), "ja").parts[0]
    assert {quoted.passage for quoted in top.quotes} == {"P1", "P2"}


@settings(max_examples=examples(30))
@given(st.text(max_size=60), st.lists(st.text(max_size=120), max_size=3))
def test_no_text_breaks_it(question: str, texts: list[str]) -> None:
    passages = [passage(text, 0.5, nth=nth) for nth, text in enumerate(texts)]
    found = extract(question, passages, "en")
    if found.span is not None:
        start, end = found.span
        assert 0 <= start < end <= len(found.parts[0].text)
