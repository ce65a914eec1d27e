from typing import Any

import pytest

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput
from sanbo.service.inputs import check_input
from tests.workflows.expenses import ExpensesInput


def refusal(given: object) -> dict[str, str]:
    with pytest.raises(InvalidInput) as refused:
        check_input("expenses", ExpensesInput, given)
    fields: Any = refused.value.problem.details.get("fields", [])
    return {field["field"]: field["message"] for field in fields}


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({}, "title", "「件名」を入力してください。"),
        ({"title": ""}, "title", "「件名」を入力してください。"),
        ({"title": 5}, "title", "「件名」には、文字を入力してください。"),
        (
            {"title": "x", "limit": "多い"},
            "limit",
            "には、整数を入力してください。",
        ),
        ({"title": "x", "limit": -1}, "limit", "「承認が必要な金額」は0以上にしてください。"),
        ({"title": "x", "category": "食費"}, "category", "旅費"),
        ({"title": "x", "titel": "y"}, "titel", "title"),
    ],
)
def test_every_wrong_field_is_named_in_japanese(
    given: dict[str, Any], field: str, message: str
) -> None:
    assert message in refusal(given)[field]


def test_it_speaks_english_too_and_names_all_fields_at_once() -> None:
    with use_language("en"):
        found = refusal({"limit": "x", "amount": "1"})
    assert found["title"] == "“Title” is required."
    assert found["limit"] == "“Approval from” must be a whole number."
    assert "amounts" in found["amount"]


@pytest.mark.parametrize("given", [None, [], "x", 5])
def test_what_is_no_object_is_refused(given: object) -> None:
    assert refusal(given) == {}


def test_defaults_are_filled_in() -> None:
    assert check_input("expenses", ExpensesInput, {"title": "x"})["category"] == "旅費"


def test_of_very_many_wrong_fields_the_first_are_named() -> None:
    given = {f"unknown_{number}": 1 for number in range(10_000)}
    assert len(refusal(given)) == 20
