"""Sentences about one table that the reader of questions is sure of: their operations as steps."""

import pytest

from sanbo.agents.analysis.datasets import Datasets
from sanbo.documents.reading import Readers
from tests.unit.plans.designing.test_account import blocks, desk, drafted

__all__ = ["desk"]

STOCK = """品番,品名,倉庫,在庫数,発注点,単価
P1,ねじ,東,5,10,20
P2,ばね,西,30,10,50
P3,歯車,東,8,9,300
P4,板金,西,12,40,80
"""
BILLS = """Invoice No,Customer,Due Date,Paid Date,Amount
S1,Acme,2025-06-10,2025-06-09,300
S2,Globex,2025-06-20,,900
S3,Acme,2025-07-10,,500
S4,Globex,2025-06-30,2025-07-02,100
"""


def test_two_columns_against_each_other(desk: tuple[Readers, Datasets]) -> None:
    made, _ = drafted(
        desk, "在庫数が発注点を下回っている品目だけをExcelに。", "在庫一覧.csv", STOCK
    )
    (condition,) = blocks(made)["transforms.filter"]["conditions"]  # pyrefly: ignore
    assert condition == {"field": "在庫数", "operator": "lt", "value_field": "発注点"}


def test_groups_and_their_order_in_one_sentence(desk: tuple[Readers, Datasets]) -> None:
    text = (
        "在庫一覧（CSV）を倉庫別に在庫数を合計して、在庫数の多い倉庫から順にExcelにしてください。"
    )
    made, told = drafted(desk, text, "在庫一覧.csv", STOCK)
    assert blocks(made)["transforms.group_by_agg"]["by"] == ["倉庫"]
    assert blocks(made)["transforms.sort"]["descending"] is True
    assert not told


def test_kept_rows_are_not_left_out(desk: tuple[Readers, Datasets]) -> None:
    text = "倉庫が東で単価が100円以上の品目を抜き出して、単価の高い順にExcelで出してください。"
    made, _ = drafted(desk, text, "在庫一覧.csv", STOCK)
    conditions = blocks(made)["transforms.filter"]["conditions"]
    assert {"field": "倉庫", "operator": "eq", "value": "東"} in conditions  # pyrefly: ignore
    assert blocks(made)["transforms.sort"]["by"] == "単価"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "在庫数×単価の「在庫金額」の列を加えて、金額の大きい順にExcelにしてください。",
            "在庫金額",
        ),
        ("在庫数に単価を掛けた在庫金額の列を付けてExcelに出してください。", "在庫金額"),
    ],
)
def test_a_new_column_has_the_name_that_was_given(
    desk: tuple[Readers, Datasets], text: str, name: str
) -> None:
    made, _ = drafted(desk, text, "在庫一覧.csv", STOCK)
    assert list(blocks(made)["transforms.compute"]["columns"]) == [name]  # pyrefly: ignore
    if sort := blocks(made).get("transforms.sort"):
        assert sort["by"] == name


def test_an_order_of_all_is_no_first_one(desk: tuple[Readers, Datasets]) -> None:
    text = "List the invoices with no paid date, largest amount first, in Excel."
    made, _ = drafted(desk, text, "invoices.csv", BILLS)
    assert "transforms.limit" not in blocks(made)
    assert blocks(made)["transforms.sort"]["by"] == "Amount"


def test_chosen_columns_are_no_groups(desk: tuple[Readers, Datasets]) -> None:
    text = "List the unpaid invoices with just Invoice No, Customer and Amount in Excel."
    made, _ = drafted(desk, text, "invoices.csv", BILLS)
    assert "transforms.group_by_agg" not in blocks(made)
    chosen = blocks(made)["transforms.rename_fields"]["rename"]
    assert list(chosen) == ["Invoice No", "Customer", "Amount"]  # pyrefly: ignore
