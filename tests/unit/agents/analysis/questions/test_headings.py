"""Columns under headings of two rows, and with units in them, are called by what stands below."""

import pytest

from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.reader.readings import read_question
from tests.unit.agents.analysis.profiles import day, number, table, words
from tests.unit.agents.analysis.questions.reads import reads

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


STOCK = table(
    words("Warehouse", "Hull", "Leeds"),
    words("Supplier", "Nordvik", "Osprey"),
    number("On Hand", 1, 900),
    number("Unit Cost (GBP)", 2, 90),
)


def test_a_product_is_made_row_by_row() -> None:
    """The product of two totals is nobody's figure."""
    read = read_question("on hand times unit cost by warehouse", STOCK).all[0]
    assert [getattr(spec, "op", "") for spec in read.specs[:2]] == ["derive", "groupby_agg"]


def test_what_is_blank_and_filled_at_once_is_no_answer() -> None:
    sure = read_question("How many lines have no supplier filled in?", STOCK).sure
    assert sure is None or "not_null" not in str(sure.specs)


def test_an_average_of_nothing_named_is_asked_about() -> None:
    assert read_question("What's the average?", STOCK).sure is None


def test_training_may_be_what_the_table_is_about() -> None:
    asked = "total training cost by course"
    sessions = table(words("Course", "Leadership", "Safety"), number("Cost (EUR)", 100, 900))
    assert read_question(asked, sessions).scope is None


CARS = table(number("Horsepower", 46, 230), number("Weight", 1600, 5100), words("Origin", "USA"))


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        (
            "How many rows have between 80 and 100 horsepower?",
            "number of rows, Horsepower at least 80, Horsepower at most 100",
        ),
        (
            "average weight of rows with horsepower between 80 and 100",
            "average of Weight, Horsepower at least 80, Horsepower at most 100",
        ),
        (
            "list the 5 rows with the biggest weight",
            "rows as they are, by Weight, largest first, 5 rows",
        ),
    ],
)
def test_ranges_and_numbers_of_rows_are_read_wherever_they_stand(asked: str, read: str) -> None:
    assert read in reads(asked, CARS).splitlines()
