"""What a stretch of a question is in a column."""

import pytest

from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.mentions.senses import Item
from sanbo.agents.analysis.reader.features import features_of
from sanbo.agents.analysis.reader.values import days_of, number_in, value_called
from tests.unit.agents.analysis.profiles import day, number, table, words

JOBS = table(
    day("受付日"),
    words("状態", "完了", "対応中", "Closed Won", "Rejected", "Fridge-freezer"),
    number("待ち時間（分）", 0, 240, "分"),
    number("実績分", 30, 600),
    number("重量", 1, 900, "kg"),
    number("築年数", 0, 60, "か月"),
    number("家賃（万円）", 3, 30, "万円"),
    number("出席率", 20, 100, "%"),
)
SCENE = scene_of(JOBS)


def _item(said: str) -> Item:
    return next(item for item in features_of(said, SCENE).items if item.is_content)


@pytest.mark.parametrize(
    ("said", "column", "value"),
    [
        ("2時間", "待ち時間（分）", 120),
        ("2時間", "実績分", 120),
        ("2時間", "重量", None),
        ("5日", "重量", None),
        ("5日", "家賃（万円）", None),
        ("500g", "重量", 0.5),
        ("2年", "築年数", 24),
        ("10万円", "家賃（万円）", 10),
        ("10万", "家賃（万円）", 10),
        ("80%", "出席率", 80),
        ("80%", "重量", None),
        ("80", "重量", 80),
    ],
)
def test_a_number_is_told_in_the_columns_unit_or_is_none_of_it(
    said: str, column: str, value: float | None
) -> None:
    assert number_in(_item(said), SCENE.columns[column]) == value


@pytest.mark.parametrize(("said", "days"), [("3日", 3), ("2週間", 14), ("5kg", None)])
def test_a_length_between_two_dates_is_in_days(said: str, days: float | None) -> None:
    assert days_of(_item(said)) == days


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("完了", "完了"),
        ("won", "Closed Won"),
        ("rejection", "Rejected"),
        ("fridges", "Fridge-freezer"),
        ("elephants", None),
    ],
)
def test_a_value_may_be_called_by_a_part_of_it(said: str, value: str | None) -> None:
    assert value_called(_item(said), SCENE.columns["状態"]) == value
