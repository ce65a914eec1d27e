"""What is said in other words: not yet, neither of two, all but a value, as a command, misspelt."""

import pytest

from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile
from tests.unit.agents.analysis.profiles import day, number, table, words
from tests.unit.agents.analysis.questions.reads import is_asked, reads

REPAIRS = table(
    ColumnProfile(name="受付番号", type="text", distinct=1000, is_identifier=True),
    day("発生日", "2025-04-01", "2026-03-31"),
    day("復旧日", "2025-04-01", "2026-03-31").model_copy(update={"missing": 9}),
    words("ライン", "Aライン", "Bライン", "Cライン"),
    words("状況", "中止", "承認済", "差戻し"),
    number("部品代", 0, 90_000, "円"),
    number("作業費", 0, 80_000, "円"),
    number("運賃", 0, 70_000, "円"),
    number("所要時間", 10, 600, "分"),
)
GRANTS = table(
    ColumnProfile(name="Grant No", type="text", distinct=1000, is_identifier=True),
    day("Award Date", "2024-07-01", "2025-06-30"),
    words("Department", "Chemistry", "Geology", "Physics"),
    words("Sponsor", "NSF", "Wellcome", "DFG"),
    words("New Applicant", "yes", "no"),
    number("Requested", 1_000, 900_000),
    number("Awarded", 0, 800_000),
    number("Spent", 0, 700_000),
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("AラインでもBラインでもないラインだけで部品代の合計", "Aライン、Bラインを除く"),
        ("まだ復旧していない件数をラインごとに", "復旧日が空欄"),
        ("中止も含めてラインごとの件数", "件数・ラインごと・棒グラフ"),
        ("年間の部品代の合計", "部品代の合計"),
        ("Aラインの平均の所要時間は何分", "所要時間の平均・ラインがAライン"),
    ],
)
def test_japanese_way_of_saying_is_read(asked: str, said: str) -> None:
    assert said in reads(asked, REPAIRS)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Divide the total spent by the total awarded for each department", "Spent ÷ total of Aw"),
        ("Of all the money each department requested, what share was awarded?", "Awarded÷Requ"),
        ("total spent over the year", "total of Spent"),
        ("Running total of spent by month as an area chart", "area chart"),
        ("totla spent per deparmtent", "total of Spent, by Department"),
        ("how mnay grants per sposnor", "number of rows, by Sponsor"),
    ],
)
def test_english_way_of_saying_is_read(asked: str, said: str) -> None:
    assert said in reads(asked, GRANTS)


@pytest.mark.parametrize(
    ("asked", "profile"),
    [
        ("How much money per department?", GRANTS),  # requested, awarded or spent
        ("まだ承認されていない件数", REPAIRS),  # with those that were sent back?
    ],
)
def test_what_may_be_either_is_asked_about(asked: str, profile: DatasetProfile) -> None:
    assert is_asked(asked, profile)


@pytest.mark.parametrize("asked", ["明日は雨が降るか、傘はいるかな", "傘のあるラインはどれ"])
def test_question_about_nothing_of_the_table_is_not_answered(asked: str) -> None:
    assert is_asked(asked, REPAIRS)


def test_names_and_quoted_words_stay_as_they_are_written() -> None:
    asked = "How many grants have the sponsor Wellcime?"
    assert is_asked(asked, GRANTS)
