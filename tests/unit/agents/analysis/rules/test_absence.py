"""What a table does not hold is said to be absent; what it may hold is asked about."""

import pytest

from sanbo.agents.analysis.decision import Turn, View
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.deciding import decide_on
from sanbo.agents.analysis.rules.reading import read_question
from tests.unit.agents.analysis.profiles import SHOP, day, number, table, words

CARS = table(
    words("Model", "Alpha", "Beta", distinct=300),
    number("Weight", 1_600, 5_000),
    words("Origin", "Japan", "Europe", "USA"),
)
HOMES = table(
    words("入居者番号", "A1", "A2", distinct=1000),
    number("年齢", 60, 100),
    words("ユニット", "さくら"),
)
TICKETS = table(day("Opened"), words("Team", "Blue", "Red"), number("Charge", 1, 900, "$"))


@pytest.mark.parametrize(
    ("asked", "profile", "absent"),
    [
        ("average price of the Japanese cars", CARS, ["price"]),
        ("血圧の平均はいくつですか", HOMES, ["血圧"]),
        ("Which agent closed the most tickets?", TICKETS, ["agent"]),
        ("店舗別の在庫数を多い順に並べて", SHOP, ["在庫"]),
        ("average weight by country", CARS, []),
        ("average cost by team", TICKETS, []),
        ("成績のいいユニットはどこ", HOMES, []),
        ("売上金額の合計を店舗名ごとに", SHOP, []),
    ],
)
def test_a_noun_that_no_column_has_to_do_with_is_absent(
    asked: str, profile: DatasetProfile, absent: list[str]
) -> None:
    assert read_question(asked, profile).frame.absent == absent


def test_what_is_absent_is_declined_by_name() -> None:
    turns = (Turn(role="user", text="average price of the Japanese cars"),)
    decision = decide_on(
        View(language="en", dataset=CARS, turns=turns, next_result_id="r1", acts_left=1)
    )
    assert (decision.next_action, decision.scope) == ("out_of_scope", "outside_data")
    assert decision.unread == ("price",)
