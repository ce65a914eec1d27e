"""What a transform tells of its outputs before a plan runs."""

from collections.abc import Mapping
from typing import Any

import pytest

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.spec import Schema
from sanbo.plans.validating.surroundings import Surroundings
from tests.unit.plans.corpus import SETTINGS

CATALOG = Catalog.load(None)


def outline(block: str, given: dict[str, Any]) -> Mapping[str, Schema]:
    return Surroundings(CATALOG, SETTINGS).outline(CATALOG.resolve(block), given)


def _example(block: str, port: str, **given: Any) -> Any:
    told = outline(block, given)
    return told[port]["examples"][0] if port in told else None


def test_fields_are_known_by_the_options_that_name_them() -> None:
    specs = {"年度": "integer", "期限": "date"}
    assert _example("transforms.coerce_values", "first", specs=specs) == {
        "年度": 1000,
        "期限": "2024-05-01",
    }
    grouped = _example("transforms.group_by_agg", "rows", by="社", aggregations={"計": "sum(額)"})
    assert grouped == [{"社": "A", "計": 3}]
    features = _example("transforms.compute_features", "features", config={"年": {"op": "year"}})
    assert features == [{"年": 1}]


def test_known_rows_are_transformed() -> None:
    rows: list[Any] = [{"社": "青葉", "額": "1,000円"}, {"社": "若葉", "額": "500"}]
    first = _example("transforms.coerce_values", "first", items=rows, specs={"額": "integer"})
    assert first == {"社": "青葉", "額": 1000}
    joined = _example(
        "transforms.join", "rows", left=rows, right=[{"社": "青葉", "x": 1}], left_key="社"
    )
    assert joined == [{"社": "青葉", "額": "1,000円", "x": 1}]


@pytest.mark.parametrize(
    ("block", "given"),
    [
        ("transforms.coerce_values", {"specs": {"x": "smell"}}),
        (
            "transforms.filter",
            {"items": [1], "conditions": [{"operator": "matches", "value": "("}]},
        ),
        ("transforms.filter", {"items": "x"}),
        ("transforms.join", {"left": [], "right": [1]}),
    ],
)
def test_odd_options_tell_nothing_and_raise_nothing(block: str, given: dict[str, Any]) -> None:
    assert outline(block, given) == {}


def test_many_rows_are_left_to_the_run() -> None:
    many: list[Any] = [{"x": number} for number in range(51)]
    asked: dict[str, Any] = {"items": many, "conditions": [{"field": "x", "value": 1}]}
    assert outline("transforms.filter", asked) == {}


def test_what_is_picked_out_of_the_plan_itself_is_known() -> None:
    given = {"source": {"rows": [{"金額": 1000}]}, "path": "rows.0.金額"}
    assert _example("transforms.pick", "value", **given) == 1000


def test_what_another_step_may_change_has_no_type() -> None:
    told = outline("transforms.pick", {"source": {"rows": [1]}})
    assert told == {"value": {"examples": [{"rows": [1]}]}}
