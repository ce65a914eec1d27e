"""A question is taken apart only where it surely asks several things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.evidence.rules.queries import MOST_PARTS, sub_questions


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "東京タワーはいつ完成し、高さは何メートルですか",
            ("東京タワーはいつ完成", "東京タワーの高さは何メートル"),
        ),
        ("Aは何で、Bはいつですか", ("Aは何", "Bはいつ")),
        ("就業規則と旅費規程の違いは？", ("就業規則について", "旅費規程について")),
        (
            "正社員と契約社員の休暇日数の違いを教えてください",
            ("正社員の休暇日数", "契約社員の休暇日数"),
        ),
        (
            "営業部と開発部の予算はそれぞれいくらですか",
            ("営業部の予算はいくら", "開発部の予算はいくら"),
        ),
        (
            "出張費の上限と有給休暇の日数をそれぞれ教えてください",
            ("出張費の上限", "有給休暇の日数"),
        ),
        ("有給休暇の日数と申請方法を教えてください", ("有給休暇の日数", "有給休暇の申請方法")),
        ("出張の日当と宿泊費の上限は？", ("出張の日当", "宿泊費の上限")),
        (
            "経費精算の締め日と、領収書をなくしたときの手続き、旅費の宿泊費の上限は？",
            ("経費精算の締め日", "領収書をなくしたときの手続き", "旅費の宿泊費の上限"),
        ),
        (
            "在宅勤務の日数、期間、上限は？",
            ("在宅勤務の日数", "在宅勤務の期間", "在宅勤務の上限"),
        ),
        (
            "本社の移転はいつですか。また、その費用はいくらですか。",
            ("本社の移転はいつ", "本社の移転の費用はいくら"),
        ),
        (
            "在宅勤務の対象者は誰で、いつまでに申請が必要ですか",
            ("在宅勤務の対象者は誰", "在宅勤務はいつまでに申請が必要"),
        ),
        (
            "有給休暇は何日もらえて、申請期限はいつですか",
            ("有給休暇は何日もらえる", "有給休暇の申請期限はいつ"),
        ),
        (
            "第一工場と第二工場はどちらが先に完成しましたか？",
            ("第一工場はいつ完成しましたか", "第二工場はいつ完成しましたか"),
        ),
        (
            "入社に必要な書類は何ですか。提出先と期限も教えてください。",
            ("入社に必要な書類は何", "入社に必要な書類の提出先", "入社に必要な書類の期限"),
        ),
        (
            "出張時の通信費は誰が負担し、上限はいくらですか",
            ("出張時の通信費は誰が負担", "出張時の通信費の上限はいくら"),
        ),
        (
            "就業規則の改定日はいつで、主な変更点は何ですか。",
            ("就業規則の改定日はいつ", "就業規則の主な変更点は何"),
        ),
        (
            "How do I request annual leave, who approves it and how long does it take?",
            (
                "How do I request annual leave?",
                "Who approves annual leave?",
                "How long does annual leave take?",
            ),
        ),
        (
            "Compare the Basic plan and the Premium plan.",
            ("The Basic plan", "The Premium plan"),
        ),
        (
            "What is the travel allowance and when must it be claimed?",
            ("What is the travel allowance?", "When must the travel allowance be claimed?"),
        ),
        (
            "When was the east wing completed, and who designed it?",
            ("When was the east wing completed?", "Who designed the east wing?"),
        ),
        (
            "What is the difference between annual leave and sick leave?",
            ("Annual leave", "Sick leave"),
        ),
        (
            "Who approves overtime? How many hours are allowed?",
            ("Who approves overtime?", "How many hours are allowed?"),
        ),
    ],
)
def test_a_question_that_asks_several_things_is_taken_apart(
    question: str, parts: tuple[str, ...]
) -> None:
    assert sub_questions(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "研究と開発の予算はいくらですか",
        "研究と開発の予算を教えてください",
        "PCの貸与とソフトウェアの導入は誰が承認しますか",
        "「花と緑」の担当は誰ですか",
        "いつ、どこで、誰が説明しましたか",
        "開催日時と場所はいつ、どこですか",
        "昨年から工事をしている。この建物はどこですか？",
        "会社は、取引先に対し、いつまでに何を通知しますか",
        "東京と大阪の間の距離が広がったのは、どの計画のためですか",
        "なぜその規則はあるのかという疑問に、誰が答えましたか",
        "What is the research and development budget?",
        "How long is it?",
        "The office moved last year. Where is it now?",
        "経費",
    ],
)
def test_a_question_stays_whole_where_it_is_not_sure(question: str) -> None:
    assert sub_questions(question) == (question,)


def test_a_greeting_is_not_part_of_what_is_asked() -> None:
    asked = "お世話になっております。有給休暇は何日ですか。"
    assert sub_questions(asked) == ("有給休暇は何日ですか",)


_WORDS = st.sampled_from(
    [
        "東京タワー",
        "は",
        "と",
        "の",
        "を",
        "いつ",
        "完成",
        "し",
        "、",
        "。",
        "何",
        "で",
        "高さ",
        "ですか",
        "？",
        "それぞれ",
        "違い",
        "その",
        "「",
        "」",
        "what",
        "is",
        "and",
        "when",
        "it",
        ",",
        "A",
        "B",
        "教えてください",
        "また",
        "どちら",
        "が",
    ]
)


@given(st.lists(_WORDS, max_size=25).map("".join) | st.text(max_size=60))
def test_any_text_gives_at_least_one_question_and_few(text: str) -> None:
    parts = sub_questions(text)
    assert 1 <= len(parts) <= MOST_PARTS
    assert len(set(parts)) == len(parts)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "東京23区の宿泊費の上限と、旅費精算書の提出期限を教えてください。",
            ("東京23区の宿泊費の上限", "旅費精算書の提出期限"),
        ),
        (
            "停電はいつからいつまでで、サーバーはいつ使えなくなりますか。",
            ("停電はいつからいつまで", "サーバーはいつ使えなくなりますか"),
        ),
        (
            "父母が亡くなったときと祖父母が亡くなったときの休暇の日数を比べてください。",
            ("父母が亡くなったときの休暇の日数", "祖父母が亡くなったときの休暇の日数"),
        ),
    ],
)
def test_things_that_a_comma_or_two_cases_part_are_asked_one_by_one(
    question: str, parts: tuple[str, ...]
) -> None:
    assert sub_questions(question) == parts
