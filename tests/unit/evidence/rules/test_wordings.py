"""A question is judged by what it asks, in the words that documents use."""

import pytest

from sanbo.evidence.rules.queries import plainly, wordings


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("特別休暇がもらえる場合をすべて挙げてください。", "特別休暇がもらえる場合"),
        ("6月の会議の出席者を全員教えてください。", "6月の会議の出席者"),
        ("返品の手順を一覧にしてください", "返品の手順"),
        ("お忙しいところ恐れ入ります。日当はいくらですか。お願いします。", "日当はいくらですか。"),
        ("産休ではなく育休はいつまで取れますか", "育休はいつまで取れますか"),
        ("定年は何歳ですか", "定年は何歳ですか"),
        ("What is the hotel limit?", "What is the hotel limit?"),
    ],
)
def test_politeness_and_greetings_are_not_what_is_asked(question: str, plain: str) -> None:
    assert plainly(question) == plain


def test_an_office_word_is_put_in_other_words() -> None:
    assert "賞与はいつ出ますか。" in wordings("ボーナスはいつ出ますか。")
    assert "テレワークの手当はいくらですか" in wordings("在宅勤務の手当はいくらですか")


def test_a_part_of_a_longer_word_stays_as_it_is() -> None:
    assert wordings("社員証をなくしました") == ("社員証をなくしました",)


def test_the_question_itself_comes_first() -> None:
    assert wordings("有休は何日ですか")[0] == "有休は何日ですか"
