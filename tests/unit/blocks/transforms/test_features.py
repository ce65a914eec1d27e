"""transforms.compute_features and compute_fiscal_quarter: figures that an office asks for."""

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
    {
        "社": "㈱青葉",
        "単価": "1,200円",
        "数": 3,
        "前": 1000,
        "日": "令和6年3月31日",
        "入": "2024/4/5",
        "メモ": "No.12",
    },
    {"社": "若葉", "単価": 500, "数": None, "前": 0, "日": "2024-04-06", "入": None, "メモ": None},
    {
        "社": "青葉株式会社",
        "単価": 333,
        "数": 2,
        "前": 300,
        "日": "未定",
        "入": "2024-04-01",
        "メモ": "",
    },
]


def _features(config: Any, items: Any = ROWS, **given_: Any) -> Any:
    given_ = {"items": items, "config": config, **given_}
    return compute("transforms.compute_features", given_, catalog=CATALOG)


@pytest.mark.parametrize(
    ("feature", "values"),
    [
        ({"op": "multiply", "fields": ["単価", "数"]}, [3600, None, 666]),
        ({"op": "multiply", "field": "単価", "value": 1.1}, [1320, 550, 366.3]),
        (
            {"op": "multiply", "field": "単価", "value": 1.1, "decimals": 0, "rounding": "down"},
            [1320, 550, 366],
        ),
        ({"op": "add", "fields": ["単価", "数"]}, [1203, 500, 335]),
        ({"op": "subtract", "fields": ["前", "単価"]}, [-200, -500, -33]),
        ({"op": "diff", "fields": ["前", "単価"]}, [200, 500, 33]),
        ({"op": "divide", "fields": ["単価", "前"]}, [1.2, None, 1.11]),
        ({"op": "change_rate", "fields": ["単価", "前"]}, [0.2, None, 0.11]),
        ({"op": "is_round", "field": "単価", "value": 100}, [True, True, False]),
        ({"op": "first_digit", "field": "単価"}, [1, 5, 3]),
        (
            {"op": "bucket", "field": "単価", "bins": [500, 1000], "labels": ["小", "中", "大"]},
            ["大", "中", "小"],
        ),
        ({"op": "bucket", "field": "単価", "bins": [500, 1000]}, ["≥1,000", "500–1,000", "<500"]),
        ({"op": "rank", "field": "単価"}, [1, 2, 3]),
        ({"op": "rank", "field": "単価", "order": "asc"}, [3, 2, 1]),
        ({"op": "cumulative", "field": "単価"}, [1200, 1700, 2033]),
        ({"op": "share", "field": "前", "decimals": 3}, [0.769, 0.0, 0.231]),
        ({"op": "round", "field": "単価", "decimals": -2}, [1200, 500, 300]),
        ({"op": "fiscal_year", "field": "日"}, [2023, 2024, None]),
        ({"op": "fiscal_quarter", "field": "日"}, [4, 1, None]),
        ({"op": "year_month", "field": "日"}, ["2024-03", "2024-04", None]),
        ({"op": "is_weekend", "field": "日"}, [True, True, None]),
        ({"op": "month_end", "field": "日"}, ["2024-03-31", "2024-04-30", None]),
        ({"op": "days_between", "fields": ["日", "入"]}, [5, None, None]),
        ({"op": "add_days", "field": "入", "value": 30}, ["2024-05-05", None, "2024-05-01"]),
        ({"op": "company_key", "field": "社"}, ["青葉", "若葉", "青葉"]),
        ({"op": "extract", "field": "メモ", "pattern": r"(\d+)"}, ["12", None, None]),
        ({"op": "left", "field": "社", "count": 2}, ["㈱青", "若葉", "青葉"]),
        ({"op": "right", "field": "社", "count": 1}, ["葉", "葉", "社"]),
        (
            {"op": "concat", "fields": ["社", "数"], "separator": "/"},
            ["㈱青葉/3", "若葉", "青葉株式会社/2"],
        ),
        ({"op": "coalesce", "fields": ["メモ", "社"]}, ["No.12", "若葉", "青葉株式会社"]),
        (
            {"op": "flag", "conditions": [{"field": "単価", "op": ">=", "value": 500}]},
            [True, True, False],
        ),
        ({"op": "constant", "value": "x"}, ["x", "x", "x"]),
    ],
)
def test_each_way_to_compute(feature: dict[str, Any], values: list[Any]) -> None:
    made = _features({"f": feature})
    assert [row["f"] for row in made["features"]] == values
    assert made["summary"]["empty"] == {"f": values.count(None)}


def test_a_feature_may_use_one_made_before_it() -> None:
    config = [
        {"name": "k", "op": "company_key", "field": "社"},
        {"name": "n", "op": "occurrences", "field": "k"},
        {"name": "again", "op": "is_repeated", "field": "k"},
        {"name": "share", "op": "share", "field": "単価", "by": ["k"], "decimals": 2},
    ]
    made = _features({"features": config, "keep": "none"})["features"]
    assert [row["n"] for row in made] == [2, 1, 2]
    assert [row["again"] for row in made] == [False, False, True]
    assert [row["share"] for row in made] == [0.78, 1.0, 0.22]
    assert set(made[0]) == {"k", "n", "again", "share"}
    assert set(_features({"features": config[:1], "keep": ["数"]})["features"][0]) == {"数", "k"}


@pytest.mark.parametrize(
    ("config", "text_id"),
    [
        ({"f": {"op": "multipl", "field": "単価"}}, "transform_feature_unknown"),
        ({"f": {"op": "year"}}, "transform_feature_fields"),
        ({"f": {"op": "subtract", "field": "単価"}}, "transform_feature_fields"),
        ({"f": {"op": "year", "field": "日付"}}, "transform_field_unknown"),
        (
            {"f": {"op": "bucket", "field": "単価", "bins": [1], "labels": ["x"]}},
            "transform_feature_bins",
        ),
        ({"f": {"op": "flag"}}, "transform_feature_conditions"),
        ({"f": {"op": "extract", "field": "社", "pattern": "("}}, "transform_pattern_unreadable"),
        ({"f": {"op": "year", "field": "日", "wrong": 1}}, "transform_option_invalid"),
    ],
)
def test_what_can_not_be_computed_is_refused(config: Any, text_id: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        _features(config)
    assert caught.value.problem.text_id == text_id


@settings(max_examples=examples(40))
@given(st.lists(st.one_of(st.none(), st.integers(-(10**6), 10**6)), max_size=8))
def test_running_totals_end_in_the_total_and_shares_in_one(numbers: list[int | None]) -> None:
    rows = [{"x": number} for number in numbers]
    made = _features(
        {"c": {"op": "cumulative", "field": "x"}, "s": {"op": "share", "field": "x"}}, rows
    )
    total = sum(number or 0 for number in numbers)
    if rows:
        assert made["features"][-1]["c"] == total
    if total:
        shares = sum(row["s"] or 0 for row in made["features"])
        assert shares == pytest.approx(1, abs=1e-6)


def _quarter(**given_: Any) -> Any:
    return compute("transforms.compute_fiscal_quarter", given_, catalog=CATALOG)


def test_a_quarter_has_its_months_and_its_sheets() -> None:
    made = _quarter(fiscal_year="令和6年度", quarter="第１四半期")
    assert made["period"]["start"] == "2024-04-01"
    assert made["period"]["end"] == "2024-06-30"
    assert made["is_q1"] is True
    assert made["target_sheet_name"] == "2024.6"
    assert made["template_sheet_name"] == "2024.3"
    other = _quarter(fiscal_year=2024, quarter="4Q", start_month=10, sheet_name="{fy2}/{quarter}Q")
    assert other["period"]["months"] == ["2025-07", "2025-08", "2025-09"]
    assert other["target_sheet_name"] == "24_4Q"
    assert other["template_sheet_name"] == "24_3Q"


def test_quarters_of_a_year_follow_each_other_without_a_gap() -> None:
    for start in range(1, 13):
        periods = [
            _quarter(fiscal_year=2024, quarter=n, start_month=start)["period"] for n in (1, 2, 3, 4)
        ]
        months = [month for period in periods for month in period["months"]]
        assert months == sorted(set(months))
        assert len(months) == 12


@pytest.mark.parametrize(
    "given_",
    [
        {"fiscal_year": "来年", "quarter": 1},
        {"fiscal_year": 24, "quarter": 1},
        {"fiscal_year": 2024, "quarter": 5},
        {"fiscal_year": 2024, "quarter": 1, "sheet_name": "{year.__class__}{year}"},
    ],
)
def test_what_is_no_quarter_is_refused(given_: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        _quarter(**given_)
