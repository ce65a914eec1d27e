"""Columns under headings of two rows, and with units in them, are called by what stands below."""

import pytest

from sanbo.agents.analysis.rules.mentions import items_of
from sanbo.agents.analysis.rules.scene import scene_of
from tests.unit.agents.analysis.profiles import day, number, table, words

RENTALS = table(
    words("Contract_Depot", "Northgate", "Riverside"),
    day("Rental_Start Date"),
    number("Rental_Days", 1, 30),
    number("Charges ($)_Rental Fee", 100, 900),
    number("Charges ($)_Delivery", 10, 90),
    number("売上（千円）_国内", 100, 900),
    number("売上（千円）_海外", 100, 900),
)


@pytest.mark.parametrize(
    ("asked", "column"),
    [
        ("rental fees by depot", "Charges ($)_Rental Fee"),
        ("total delivery by depot", "Charges ($)_Delivery"),
        ("rental days by depot", "Rental_Days"),
        ("海外の合計", "売上（千円）_海外"),
    ],
)
def test_the_lowest_heading_names_its_column(asked: str, column: str) -> None:
    items = items_of(asked, scene_of(RENTALS))
    assert column in [item.sense.name for item in items if item.sense.kind == "column"]
    assert not [item.text for item in items if item.sense.kind == "unknown"]
