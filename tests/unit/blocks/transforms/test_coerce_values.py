"""transforms.coerce_values: written values made what a plan says they are."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.problems import InvalidInput
from tests.examples import examples
from tests.unit.blocks.computing import compute

CATALOG = Catalog.load(None)


def _coerce(items: Any, specs: Any) -> Any:
    return compute("transforms.coerce_values", {"items": items, "specs": specs}, catalog=CATALOG)


def _one(value: Any, spec: Any) -> Any:
    return _coerce([{"x": value}], {"x": spec})["first"]["x"]


@pytest.mark.parametrize(
    ("value", "spec", "made"),
    [
        ("△1,000円", "number", -1000),
        ("1,234", {"type": "金額", "scale": 1000}, 1_234_000),
        ("12.5%", "number", 0.125),
        ("2.675", {"type": "number", "decimals": 2}, 2.68),
        ("1,250", {"type": "number", "decimals": -2, "rounding": "down"}, 1200),
        ("1,000.00", "integer", 1000),
        ("1.5", "integer", "1.5"),
        ("1.5", {"type": "int", "rounding": "half_up"}, 2),
        ("0012", "integer", 12),
        ("0012", "text", "0012"),
        (1000.0, "text", "1000"),
        ("令和6年5月1日", "date", "2024-05-01"),
        ("2024年5月", "date", "2024-05-01"),
        ("2024年2月", {"type": "date", "day": "last"}, "2024-02-29"),
        ("2024-05-01 9:30", "date", "2024-05-01"),
        ("2024-05-01 9:30", "datetime", "2024-05-01T09:30:00"),
        ("2024/5/1", "datetime", "2024-05-01T00:00:00"),
        ("令和6年5月分", "month", "2024-05"),
        ("午後1時", "time", "13:00:00"),
        ("○", "boolean", True),
        ("無", "bool", False),
        ("承認", {"type": "boolean", "true_values": ["承認"], "false_values": ["却下"]}, True),
        ("a、b", {"type": "list", "separator": "、"}, ["a", "b"]),
        ("", {"type": "number", "default": 0}, 0),
        (None, "number", None),
        ("未定", {"type": "number", "on_error": "keep"}, "未定"),
        ("未定", {"type": "number", "on_error": None}, None),
        ("13月1日", "date", "13月1日"),
    ],
)
def test_each_kind_is_read(value: Any, spec: Any, made: Any) -> None:
    assert _one(value, spec) == made


def test_failures_are_told_by_row_and_field() -> None:
    made = _coerce([{"x": "1"}, {"x": "未定"}, {"x": None}], [{"field": "x", "type": "number"}])
    assert [row["x"] for row in made["rows"]] == [1, "未定", None]
    assert made["summary"]["fields"]["x"] == {"converted": 1, "empty": 1, "failed": 1}
    assert made["summary"]["failures"] == [
        {"row": 1, "field": "x", "value": "未定", "type": "number"}
    ]


def test_failures_can_be_problems() -> None:
    with pytest.raises(InvalidInput) as caught:
        _coerce([{"金額": "未定"}], {"金額": {"type": "number", "on_error": "fail"}})
    assert "金額" in caught.value.problem.message
    assert "1: 未定" in caught.value.problem.message


def test_a_field_may_be_missing_where_the_plan_says_so() -> None:
    for rows, specs in (([{"a": 1}], {"b": "number"}), ([{"a": {"b": "1"}}], {"a.b": "number"})):
        made = _coerce(rows, specs)
        assert [each.text_id for each in made.warnings] == ["transform_field_unknown"]
        assert made["rows"] == rows
    made = _coerce([{"a": 1}], {"b": {"type": "number", "optional": True}})
    assert (made["first"], made.warnings) == ({"a": 1}, [])
    assert _coerce([], {"b": "number"})["first"] is None


@pytest.mark.parametrize(
    "spec", ["quantity", {"type": "number", "on_error": "ask"}, {"typ": "number"}]
)
def test_an_unknown_kind_or_option_is_refused(spec: Any) -> None:
    with pytest.raises(InvalidInput):
        _one("1", spec)


@settings(max_examples=examples(60))
@given(st.lists(st.fixed_dictionaries({"x": st.text(max_size=6)}), max_size=6))
def test_every_row_stays_and_every_value_is_counted(rows: list[dict[str, Any]]) -> None:
    for kind in (
        "number",
        "integer",
        "date",
        "datetime",
        "month",
        "time",
        "boolean",
        "text",
        "list",
    ):
        made = _coerce(rows, {"x": {"type": kind}})
        assert len(made["rows"]) == len(rows)
        assert sum(made["summary"]["fields"]["x"].values()) == len(rows)
