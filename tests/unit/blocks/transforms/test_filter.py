"""transforms.filter: rows that fit, rows that do not, and what could not be judged."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.problems import InvalidInput, TimedOut
from tests.examples import examples
from tests.unit.blocks.computing import compute

CATALOG = Catalog.load(None)
ROWS: list[dict[str, Any]] = [
    {
        "id": 0,
        "取引先": "株式会社青葉商店",
        "金額": "１１０，０００円",
        "日付": "令和6年5月1日",
        "備考": None,
    },
    {"id": 1, "取引先": "若葉工業", "金額": 5000, "日付": "2024-06-01", "備考": "至急"},
    {"id": 2, "取引先": "ＡＢＣ物産", "金額": "△300", "日付": "2024/4/1", "備考": " "},
    {"id": 3, "取引先": "山川運輸", "金額": "未定", "日付": "", "備考": ["至急", "再送"]},
]


def _ids(conditions: Any, **options: Any) -> list[int]:
    given_ = {"items": ROWS, "conditions": conditions, "options": options}
    return [row["id"] for row in compute("transforms.filter", given_, catalog=CATALOG)["filtered"]]


@pytest.mark.parametrize(
    ("condition", "fitting"),
    [
        ({"field": "金額", "operator": "eq", "value": 110000}, [0]),
        ({"field": "金額", "op": "!=", "value": "5,000円"}, [0, 2, 3]),
        ({"field": "金額", "operator": "gt", "value": "5,000"}, [0]),
        ({"field": "金額", "operator": ">=", "value": 5000}, [0, 1]),
        ({"field": "金額", "operator": "lt", "value": 0}, [2]),
        ({"field": "金額", "operator": "lte", "value": -300}, [2]),
        ({"field": "日付", "operator": "gte", "value": "2024年5月1日"}, [0, 1]),
        (
            {"field": "日付", "operator": "between", "value": "2024-04-01", "value2": "2024-05-31"},
            [0, 2],
        ),
        ({"field": "金額", "operator": "between", "value": [-300, 5000]}, [1, 2]),
        ({"field": "金額", "operator": "not_between", "value": -300, "value2": 5000}, [0]),
        ({"field": "取引先", "operator": "contains", "value": "abc"}, [2]),
        ({"field": "取引先", "operator": "contains", "value": ["青葉", "山川"]}, [0, 3]),
        ({"field": "備考", "operator": "contains", "value": "至急"}, [1, 3]),
        ({"field": "取引先", "operator": "not_contains", "value": "工業"}, [0, 2, 3]),
        ({"field": "取引先", "operator": "in", "value": ["ABC物産", "若葉工業"]}, [1, 2]),
        ({"field": "取引先", "operator": "not_in", "value": ["若葉工業"]}, [0, 2, 3]),
        ({"field": "取引先", "operator": "starts_with", "value": "株式会社"}, [0]),
        ({"field": "取引先", "operator": "ends_with", "value": ["工業", "運輸"]}, [1, 3]),
        ({"field": "取引先", "operator": "matches", "value": "^[Ａ-Ｚ]{3}"}, [2]),
        ({"field": "備考", "operator": "empty"}, [0, 2]),
        ({"field": "備考", "operator": "filled"}, [1, 3]),
        ({"field": "備考.1", "operator": "eq", "value": "再送"}, [3]),
        ({"field": "取引先", "operator": "eq", "value_field": "取引先"}, [0, 1, 2, 3]),
        ({"not": {"field": "備考", "operator": "empty"}}, [1, 3]),
        (
            {
                "any": [
                    {"field": "id", "value": 0},
                    {"all": [{"field": "id", "op": ">", "value": 2}]},
                ]
            },
            [0, 3],
        ),
    ],
)
def test_operators_mean_what_they_say(condition: dict[str, Any], fitting: list[int]) -> None:
    assert _ids([condition]) == fitting


def test_conditions_hold_together_or_any_of_them() -> None:
    both = [{"field": "id", "op": "gte", "value": 1}, {"field": "備考", "op": "empty"}]
    assert _ids(both) == [2]
    assert _ids(both, logic="any") == _ids(both, mode="OR") == [0, 1, 2, 3]
    assert _ids({"field": "id", "value": 1}) == [1]


def test_values_can_be_compared_exactly_or_as_companies() -> None:
    name = [{"field": "取引先", "value": "青葉商店(株)"}]
    assert _ids(name) == []
    assert _ids(name, match="company") == [0]
    assert _ids([{"field": "取引先", "value": "ABC物産"}], match="exact") == []
    assert _ids([{"field": "取引先", "value": "ABC物産"}], case_sensitive=True) == []


def test_plain_values_can_be_filtered() -> None:
    made = compute(
        "transforms.filter",
        {"items": ["a.pdf", "b.xlsx"], "conditions": [{"operator": "ends_with", "value": ".pdf"}]},
    )
    assert made["filtered"] == ["a.pdf"]


def test_what_can_not_be_compared_is_told() -> None:
    made = compute(
        "transforms.filter",
        {"items": ROWS, "conditions": [{"field": "金額", "operator": "gt", "value": 1}]},
    )
    assert made["summary"]["incomparable_examples"] == [
        {"row": 3, "field": "金額", "value": "未定"}
    ]


def test_a_field_that_no_row_has_is_named_with_the_nearest_ones() -> None:
    with pytest.raises(InvalidInput) as caught:
        _ids([{"field": "取引先名", "value": "x"}], missing_field="fail")
    assert caught.value.problem.text_id == "transform_field_unknown"
    assert "取引先" in caught.value.problem.hint
    assert _ids([{"field": "取引先名", "value": "x"}], missing_field="null") == []
    assert _ids([{"field": "取引先名", "operator": "empty"}]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("condition", "text_id"),
    [
        ({"field": "金額", "operator": "gt"}, "transform_operator_value"),
        ({"field": "金額", "operator": "between", "value": 1}, "transform_operator_value"),
        ({"field": "金額", "operator": "in", "value": 1}, "transform_operator_value"),
        ({"field": "金額", "operator": "matches", "value": "("}, "transform_pattern_unreadable"),
        ({"field": "金額", "operator": "about", "value": 1}, "block_input_invalid"),
        ({"any": [{"any": [{"field": "id", "operator": "about"}]}]}, "transform_operator_unknown"),
        ({"any": [{"any": [{"felt": "id"}]}]}, "transform_option_invalid"),
    ],
)
def test_a_condition_that_can_not_be_asked_is_refused(
    condition: dict[str, Any], text_id: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        _ids([condition])
    assert caught.value.problem.text_id == text_id


def test_a_pattern_that_explodes_is_stopped() -> None:
    with pytest.raises(TimedOut):
        compute(
            "transforms.filter",
            {
                "items": ["a" * 40 + "b"],
                "conditions": [{"operator": "matches", "value": "(a|a)*$"}],
            },
        )


VALUES = st.one_of(
    st.none(), st.integers(-5, 5), st.sampled_from(["", "1", "２", "あ", "△3", "2024/5/1"])
)
CONDITIONS = st.fixed_dictionaries(
    {
        "field": st.sampled_from(["a", "b"]),
        "operator": st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte", "empty", "filled"]),
        "value": st.one_of(st.integers(-5, 5), st.sampled_from(["1", "あ", "2024-05-01"])),
    }
)


@settings(max_examples=examples(60))
@given(
    st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES}), max_size=8),
    st.lists(CONDITIONS, min_size=1, max_size=3),
    st.sampled_from(["all", "any"]),
)
def test_every_row_is_in_one_of_both_and_stays_in_order(
    rows: list[dict[str, Any]], conditions: list[dict[str, Any]], logic: str
) -> None:
    items = [{**row, "place": place} for place, row in enumerate(rows)]
    given_ = {"items": items, "conditions": conditions, "options": {"logic": logic}}
    made = compute("transforms.filter", given_, catalog=CATALOG)
    parts = (made["filtered"], made["excluded"], made["undecided"])
    assert sorted((row for part in parts for row in part), key=lambda row: row["place"]) == items
    for part in parts:
        assert part == sorted(part, key=lambda row: row["place"])
    assert made["summary"]["input"] == len(items)
