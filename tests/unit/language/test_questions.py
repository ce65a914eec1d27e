"""One reader of question words: what kind of answer a question wants."""

import pytest

from sanbo.language.questions import Wanted, is_exact, wanted, wanted_by_word, without_asking


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("宿泊費の上限はいくらですか。", "money"),
        ("How much is the fee?", "money"),
        ("参加費は何万円ですか", "money"),
        ("旅費の精算はいつまでですか。", "date"),
        ("彼は何年生まれですか。", "date"),
        ("申請の期限は？", "date"),
        ("Which year did it begin?", "date"),
        ("社員は何人ですか", "number"),
        ("どれだけの同意が必要か", "number"),
        ("契約は何年間ですか", "number"),
        ("理由を述べたのは誰か", "person"),
        ("締切に遅れたら誰に連絡しますか", "person"),
        ("首都は何処か", "place"),
        ("豪雨の原因は？", "reason"),
        ("どうやって申請しますか", "method"),
        ("経費精算の手順", "method"),
        ("雨の多い時期を何というか", None),
        ("これは何ですか", None),
    ],
)
def test_what_is_wanted(question: str, kind: Wanted | None) -> None:
    assert wanted(question) == kind


def test_a_noun_is_no_interrogative() -> None:
    assert wanted_by_word("申請の期限は？") is None


def test_an_amount_a_count_and_a_day_are_exact() -> None:
    assert all(map(is_exact, ("いくらですか", "何人ですか", "いつまでですか", "how much is it?")))
    assert not any(map(is_exact, ("なぜですか", "誰ですか", "what is it?")))


def test_a_question_without_what_asks_is_what_it_is_about() -> None:
    assert without_asking("宿泊費の上限はいくらですか。").split() == ["宿泊費の上限は"]
