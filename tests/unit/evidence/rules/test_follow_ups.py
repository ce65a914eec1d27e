"""A question that goes on from the one before it."""

from sanbo.evidence.rules.queries import follows, understood


def test_a_follow_up_is_read_with_what_was_asked_before() -> None:
    asked = "在宅勤務の手当はいくらですか"
    assert understood("その申請はいつまで", (asked,)) == "在宅勤務 手当 その申請はいつまで"
    assert understood("仙台支店だったら？", (asked,)) == f"仙台支店だったら {asked}"
    asked = "what is the room rate in Seoul?"
    assert "room rate" in understood("and until when do I have to claim it?", (asked,))


def test_a_chain_goes_back_to_where_it_began() -> None:
    read = understood("それはいつから？", ("在宅勤務の手当はいくらですか", "その申請はいつまで"))
    assert "在宅勤務" in read
    assert "申請" in read


def test_a_deed_or_a_quality_alone_is_of_what_was_asked_before() -> None:
    for question in (
        "申請はいつまでですか",
        "上限はいくらですか",
        "締め日は何日ですか",
        "期限は？",
    ):
        assert follows(question), question


def test_a_question_that_says_what_it_is_about_stands_alone() -> None:
    for question in (
        "日当はいくらですか",
        "宿泊費はいくらですか",
        "旅費の精算はいつまでですか",
        "旅費規程で定める国内出張の日当はいくらですか",
        "who approves a purchase of office furniture above 3,000 dollars?",
    ):
        assert not follows(question)
        assert understood(question, ("在宅勤務の手当はいくらですか",)) == question
    assert understood("その申請はいつまで", ()) == "その申請はいつまで"
