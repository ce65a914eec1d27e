"""The reader finds what answers in other words than the question's, and knows when nothing does."""

import pytest

from sanbo.evidence.model import Passage
from sanbo.evidence.reader.reading import PASSAGES, Reading, read, relevances_for
from tests.unit.evidence.rules.passages import passage

TRAVEL = (
    "第7条（宿泊費）\n\n1　宿泊費は1泊につき11,500円を上限として実費を支給する。\n\n"
    "2　知人の家に泊まるときは、宿泊費に代えて1泊2,000円を支給する。"
)
LEAVE = (
    "第12条（年次有給休暇）\n\n1　年次有給休暇を取得する者は、3日前までに所属長に届け出る。\n\n"
    "2　残日数は翌年度に限り繰り越すことができる。"
)
DESK = "第3条（端末）\n\n1　貸与された端末を紛失したときは、直ちに情報システム課に連絡する。"
FLIGHTS = (
    "Article 9 (Air travel)\n\n1. Economy class is used on all flights of less than six hours.\n\n"
    "2. Frequent-flyer points may be kept by the traveller."
)
SICK = (
    "Article 4 (Illness)\n\n1. A medical certificate is due from the fourth day of absence.\n\n"
    "2. The line manager is informed by telephone before 9 a.m."
)
PARKING = "Article 2 (Parking)\n\n1. Bays in the basement are given out by lot in April."


def _sentence(question: str, *texts: str) -> str:
    """The likeliest."""
    passages = [passage(text, nth=nth) for nth, text in enumerate(texts, 1)]
    _, text, start = max(
        (odds, one.text, start)
        for one, told in zip(passages, read(question, passages), strict=True)
        for start, odds in told.sentences.items()
    )
    return text[start:].split("\n")[0]


IN_OTHER_WORDS = {
    "ja": (
        ("ホテル代っていくらまで出ますか", "11,500円"),
        ("友達のところに泊めてもらったらお金はもらえる？", "2,000円"),
        ("休みは何日前に言えばいいですか", "3日前まで"),
        ("会社のパソコンをなくしちゃった", "情報システム課"),
    ),
    "en": (
        ("can i keep the air miles", "may be kept"),
        ("when do I need a doctor's note?", "fourth day"),
        ("who do I tell when I'm ill", "line manager"),
        ("how do I get a space for my car", "by lot"),
    ),
}
DOCUMENTS = {"ja": (TRAVEL, LEAVE, DESK), "en": (FLIGHTS, SICK, PARKING)}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_is_asked_in_everyday_words_is_mostly_found(language: str) -> None:
    asked = IN_OTHER_WORDS[language]
    right = [part in _sentence(question, *DOCUMENTS[language]) for question, part in asked]
    assert sum(right) >= 3


def test_what_answers_is_likelier_than_what_only_speaks_of_it() -> None:
    passages = [passage(text, nth=nth) for nth, text in enumerate((TRAVEL, LEAVE, DESK), 1)]
    answered = max(relevances_for("ホテル代はいくらまで出ますか", passages))
    open_ = max(relevances_for("ホテルの予約は誰が取ってくれますか", passages))
    assert answered > open_


def test_the_order_of_passages_changes_nothing() -> None:
    passages = [passage(text, nth=nth) for nth, text in enumerate((TRAVEL, LEAVE, DESK), 1)]
    question = "ホテル代はいくらまで"
    there = relevances_for(question, passages)
    back = relevances_for(question, passages[::-1])
    assert there == back[::-1]


def test_of_many_passages_only_the_nearest_are_read() -> None:
    many = [
        passage(f"第{nth}条　書庫の棚{nth}は総務課が点検する。", nth=nth) for nth in range(1, 60)
    ]
    told = read("書庫の棚7は誰が点検しますか", many)
    assert sum(bool(each.sentences) for each in told) == PASSAGES
    assert all(0 <= each.relevance <= 1 for each in told)


@pytest.mark.parametrize("text", ["", "\n\n", "……", "。", "\t\t", "🙂"])
def test_a_passage_without_words_is_no_answer(text: str) -> None:
    (told,) = read("ホテル代はいくらまで", [passage(text)])
    assert not told.sentences
    assert told.relevance < 0.5


@pytest.mark.parametrize("question", ["？", "", "🙂", "a " * 3_000, "あ" * 3_000])
def test_a_question_of_nothing_or_of_too_much_is_read(question: str) -> None:
    (told,) = read(question, [passage(TRAVEL)])
    assert isinstance(told, Reading)
    assert 0 <= told.relevance <= 1


def test_nothing_found_is_nothing_read() -> None:
    assert read("ホテル代はいくらまで", []) == ()


def _table() -> Passage:
    rows = "区分\t承認者\n消耗品\t課長\nパソコン\t情報システム部長\n車両\t社長"
    return passage(rows, context="購買規程\n区分 承認者", rows=(1, 4))


def test_a_row_is_read_with_the_names_of_its_columns() -> None:
    table = _table()
    (told,) = read("社用車を買うときは誰の許可がいりますか", [table])
    best = max(told.sentences, key=lambda start: told.sentences[start])
    assert table.text[best:].startswith("車両")
