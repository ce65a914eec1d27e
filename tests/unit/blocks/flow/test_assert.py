"""flow.assert: what a plan takes for granted, checked."""

from typing import Any

import pytest

from sanbo.kernel.problems import InvalidInput
from tests.unit.blocks.computing import compute


def _assert(**given: Any) -> Any:
    return compute("flow.assert", given)


@pytest.mark.parametrize(
    "assertion",
    [
        {"value": "１，０００円", "op": "eq", "expected": 1000},
        {"value": 3, "op": "between", "expected": 1, "expected2": 5},
        {"value": [1], "op": "filled"},
        {"value": None, "op": "empty"},
        {"value": 100.4, "expected": 100, "tolerance": 0.5},
        {"value": "はい"},
        {"actual": "㈱青葉", "expected": "青葉株式会社", "match": "company"},
        {"left": 2, "operator": ">", "right": 1},
        {"value": "青葉", "op": "in", "expected": ["青葉", "若葉"]},
    ],
)
def test_what_is_so_passes(assertion: dict[str, Any]) -> None:
    made = _assert(assertions=[assertion])
    assert made["passed"] is True
    assert made["summary"] == {"checked": 1, "passed": 1, "failed": 0, "failures": []}


def test_a_failure_names_the_check_the_values_and_the_plans_own_words() -> None:
    with pytest.raises(InvalidInput) as caught:
        _assert(
            assertions=[
                {
                    "name": "合計",
                    "value": 90,
                    "op": "eq",
                    "expected": 100,
                    "message": "合計が合いません",
                },
                {"value": "未定", "op": "gt", "expected": 0},
            ]
        )
    problem = caught.value.problem
    for part in ("合計が合いません", "「合計」", "90", "eq", "100", "2件"):
        assert part in problem.message
    failures: Any = problem.details["failures"]
    assert failures[1] == {
        "name": "#2",
        "actual": "未定",
        "op": "gt",
        "expected": 0,
        "message": "",
    }


def test_one_condition_is_enough() -> None:
    assert _assert(condition=True)["passed"] is True
    for condition in (False, None, "いいえ", 0):
        with pytest.raises(InvalidInput, match="件数が違います"):
            _assert(condition=condition, message="件数が違います")


def test_a_failure_can_be_reported_and_the_plan_go_on() -> None:
    made = _assert(assertions={"件数": {"value": 2, "op": "lt", "expected": 2}}, on_fail="report")
    assert made["passed"] is False
    assert made["summary"]["failures"][0]["name"] == "件数"


def test_nothing_to_check_is_a_problem() -> None:
    nothing: list[dict[str, Any]] = [{}, {"assertions": []}, {"message": "x"}]
    for given in nothing:
        with pytest.raises(InvalidInput):
            _assert(**given)


def test_texts_with_braces_and_long_values_are_shown_as_they_are() -> None:
    with pytest.raises(InvalidInput) as caught:
        _assert(condition=False, message="{x} が違います", assertions=[{"value": ["あ" * 500]}])
    assert "{x} が違います" in caught.value.problem.message
