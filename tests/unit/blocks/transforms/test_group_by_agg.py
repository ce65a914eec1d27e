"""transforms.group_by_agg: totals that add up, whatever way they are asked for."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.problems import InvalidInput
from tests.examples import examples
from tests.unit.blocks.computing import compute

CATALOG = Catalog.load(None)
ROWS = [
    {"取引先": "青葉商店", "金額": "1,000円", "済": "○", "日付": "2024-05-02"},
    {"取引先": "若葉工業", "金額": 300, "済": "×", "日付": "2024-05-01"},
    {"取引先": "青葉商店　", "金額": "△200", "済": "○", "日付": "2024/4/1"},
    {"取引先": None, "金額": "未定", "済": None, "日付": None},
]


def _group(items: Any, **given_: Any) -> Any:
    return compute("transforms.group_by_agg", {"items": items, **given_}, catalog=CATALOG)


@pytest.mark.parametrize(
    ("aggregations", "first"),
    [
        ({"合計": {"field": "金額", "op": "sum"}}, {"合計": 800}),
        ({"合計": "sum(金額)", "件数": "count(*)"}, {"合計": 800, "件数": 2}),
        ({"金額": "total"}, {"金額": 800}),
        ({"金額": ["sum", "avg"]}, {"金額_sum": 800, "金額_avg": 400}),
        ([{"field": "金額", "op": "max", "as": "最大"}], {"最大": 1000}),
        ([{"field": "金額", "agg": "min"}], {"金額_min": -200}),
        ({"n": {"op": "count"}}, {"n": 2}),
        (None, {"count": 2}),
        ({"最初": "first(日付)", "最後": "last(日付)"}, {"最初": "2024-05-02", "最後": "2024/4/1"}),
        ({"最古": "min(日付)"}, {"最古": "2024/4/1"}),
        ({"済": "all", "名": {"field": "取引先", "op": "count_distinct"}}, {"済": True, "名": 1}),
        ({"済": {"field": "済", "op": "unique"}}, {"済": ["○"]}),
        (
            {"日": {"field": "日付", "op": "join", "separator": "・"}},
            {"日": "2024-05-02・2024/4/1"},
        ),
        (
            {"中央": "median(金額)", "幅": "std(金額)"},
            {"中央": 400, "幅": pytest.approx(848.528137)},
        ),
    ],
)
def test_figures_are_asked_for_in_any_notation(aggregations: Any, first: dict[str, Any]) -> None:
    made = _group(ROWS, by="取引先", aggregations=aggregations)
    assert made["rows"][0] == {"取引先": "青葉商店", **first}
    assert len(made["rows"]) == 3


def test_values_that_are_no_numbers_are_told() -> None:
    made = _group(ROWS, by=["取引先"], aggregations={"合計": "sum(金額)"})
    assert made["rows"][2] == {"取引先": None, "合計": None}
    assert made["summary"]["unreadable_examples"] == [{"row": 3, "field": "金額", "value": "未定"}]


def test_groups_can_be_sorted_dropped_renamed_and_left_out() -> None:
    made = _group(
        ROWS,
        by={"field": "取引先", "as": "名"},
        aggregations={"合計": "sum(金額)"},
        options={"drop_empty": True, "sort_by": "合計"},
    )
    assert [row["名"] for row in made["rows"]] == ["若葉工業", "青葉商店"]
    assert made["summary"]["dropped"] == 1
    assert _group(ROWS, aggregations={"件数": "count(*)"})["rows"] == [{"件数": 4}]
    assert _group([], by="x")["rows"] == []
    assert _group([], aggregations={"計": "sum(x)"})["rows"] == [{"計": None}]


def test_decimals_add_up_as_on_paper() -> None:
    assert _group([{"x": 0.1}, {"x": 0.2}], aggregations={"計": "sum(x)"})["rows"] == [{"計": 0.3}]


@pytest.mark.parametrize(
    ("given_", "text_id"),
    [
        ({"by": "取引"}, "transform_field_unknown"),
        ({"by": "取引先", "aggregations": {"x": {"op": "sum"}}}, "transform_aggregation_field"),
        (
            {"by": "取引先", "aggregations": {"x": "total_of(金額)"}},
            "transform_aggregation_unknown",
        ),
        ({"by": "取引先", "aggregations": {"取引先": "count(金額)"}}, "transform_columns_clash"),
    ],
)
def test_what_can_not_be_aggregated_is_refused(given_: dict[str, Any], text_id: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        _group(ROWS, **given_)
    assert caught.value.problem.text_id == text_id


@settings(max_examples=examples(60))
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "k": st.sampled_from([None, "a", "Ａ", "b", 1, "１"]),
                "x": st.one_of(
                    st.integers(-(10**12), 10**12), st.sampled_from(["", "1,000円", "△1"])
                ),
            }
        ),
        max_size=12,
    )
)
def test_the_groups_add_up_to_the_whole(rows: list[dict[str, Any]]) -> None:
    asked = {"計": "sum(x)", "n": "count(*)", "filled": "count_filled(x)"}
    (whole,) = _group(rows, aggregations=asked)["rows"]
    parts = _group(rows, by="k", aggregations=asked)["rows"]
    for name in asked:
        assert sum(part[name] or 0 for part in parts) == (whole[name] or 0)
