"""Questions one after the other: which goes on from which."""

from collections.abc import Sequence

import pytest

from sanbo.agents.analysis.deciding import readings_of
from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.spec.chips import reading_text
from tests.unit.agents.analysis.profiles import day, number, table, words

EXPENSES = table(
    ColumnProfile(name="申請番号", type="text", distinct=1000, is_identifier=True),
    day("利用日", "2025-04-02", "2025-09-21"),
    words("部門", "営業一部", "営業二部", "総務部"),
    words("費目", "交通費", "会議費", "出張費"),
    number("金額", 480, 132_000, "円"),
    words("状態", "承認済", "差戻し", "処理中"),
    words("備考", "領収書なし"),
)
TOTAL, UNREAD = "部門別の金額の合計", "それをぽよぽよで費目別に"
LIST = "3万円以上の申請を一覧にして"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([TOTAL, "それを費目別に分けて"], "金額の合計・部門ごと・費目ごと・棒グラフ・色分け：費目"),
        ([TOTAL, UNREAD, LIST], "行の一覧・金額が30,000以上・100件"),
        ([TOTAL, UNREAD, "費目別の合計"], "金額の合計・費目ごと・棒グラフ"),
        ([LIST, "合計は？"], "金額の合計・金額が30,000以上"),
        ([LIST, "その人たちの金額の合計は"], "金額の合計・金額が30,000以上"),
    ],
)
def test_a_question_of_its_own_starts_anew_and_another_goes_on(
    asked: Sequence[str], said: str
) -> None:
    readings = readings_of(asked, EXPENSES)
    assert said in [reading_text(one.specs, "ja") for one in readings.all[:2]]
    assert readings.sure is None or reading_text(readings.sure.specs, "ja") == said


def test_whether_a_list_goes_on_is_asked_where_it_may_be_either() -> None:
    readings = readings_of([LIST, "交通費はいくら"], EXPENSES)
    assert readings.sure is None
    texts = [reading_text(one.specs, "ja") for one in readings.offered]
    assert "金額の合計・金額が30,000以上・費目が交通費" in texts


def test_a_word_that_was_not_understood_stays_open_where_the_question_goes_on() -> None:
    assert readings_of([TOTAL, UNREAD, "承認済だけ"], EXPENSES).sure is None


def test_a_chart_that_is_to_be_divided_is_asked_about() -> None:
    assert readings_of(["金額のヒストグラムを部門ごとに分けて並べて"], EXPENSES).sure is None


def test_not_yet_at_the_end_of_a_question_has_nothing_behind_it() -> None:
    assert readings_of(["宿泊費10万超えてるのに精算未"], EXPENSES).all
