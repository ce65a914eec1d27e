"""Aggregates against plain pandas, and where plain pandas goes wrong."""

import math
from typing import cast, get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.analysis.execution.aggregates import aggregate
from sanbo.agents.analysis.spec.words import Aggregate, metric_name
from tests.examples import examples

ALL = cast("tuple[Aggregate, ...]", get_args(Aggregate))
QUANTILES = {"q10": 0.1, "q25": 0.25, "q75": 0.75, "q90": 0.9}


@settings(max_examples=examples(40))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["東京", "大阪", "名古屋", None]),
            st.one_of(st.none(), st.floats(-1e6, 1e6)),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_every_aggregate_of_a_group_equals_plain_pandas(
    rows: list[tuple[str | None, float | None]],
) -> None:
    frame = pd.DataFrame(rows, columns=["県", "値"]).astype({"県": "str", "値": "float64"})
    made = aggregate(frame, ["県"], {"値": ALL}).set_index("県")
    whole = aggregate(frame, [], {"値": ALL})
    alone = aggregate(frame.assign(県="一つ"), ["県"], {"値": ALL})
    for name in ALL:  # over all is the same as one group
        both = [table[metric_name("値", name)].iloc[0] for table in (whole, alone)]
        assert both[0] == pytest.approx(both[1], rel=1e-9, abs=1e-6, nan_ok=True), name
    for key, part in frame.fillna({"県": "（空欄）"}).groupby("県")["値"]:
        for name in ALL:
            expected = part.quantile(QUANTILES[name]) if name in QUANTILES else None
            if name == "range":
                expected = part.max() - part.min()
            elif name == "mode":
                expected = part.mode().iloc[0] if part.notna().any() else math.nan
            elif name in ("first", "last"):
                present = part.dropna()
                expected = math.nan if present.empty else present.iloc[0 if name == "first" else -1]
            elif expected is None:
                expected = getattr(part, name)()
            found = made.loc[str(key), metric_name("値", name)]
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-6, nan_ok=True), (key, name)
    if frame["県"].isna().any():
        assert made.index[-1] == "（空欄）"


@pytest.mark.parametrize("groups", [[], ["県"]])
def test_a_sum_beyond_64_bits_does_not_wrap(groups: list[str]) -> None:
    frame = pd.DataFrame({"県": ["東京"] * 4, "値": [2**62] * 4}).astype({"県": "str"})
    made = aggregate(frame, groups, {"値": ("sum",)})
    assert made["値_sum"].iloc[0] == pytest.approx(2.0**64)


def test_a_large_sum_that_fits_is_exact() -> None:
    frame = pd.DataFrame({"g": ["a", "a", "a", "b"], "v": [2**62, -(2**62), 7, 2**62 + 1]})
    frame["g"] = frame["g"].astype("str")
    assert aggregate(frame, ["g"], {"v": ("sum",)})["v_sum"].tolist() == [7, 2**62 + 1]
    assert aggregate(frame, [], {"v": ("sum",)})["v_sum"].tolist() == [2**62 + 8]


def test_booleans_count_as_one_and_zero() -> None:
    frame = pd.DataFrame({"g": ["a", "a", "b", "b"], "v": pd.array([True, False, None, True])})
    frame["g"] = frame["g"].astype("str")
    made = aggregate(frame, ["g"], {"v": ("sum", "mean", "q25", "std", "max")})
    assert made["v_sum"].tolist() == [1, 1]
    assert made["v_mean"].tolist() == [0.5, 1.0]
    assert made["v_q25"].tolist() == [0.25, 1.0]
    assert made["v_max"].tolist() == [True, True]


def test_rows_are_counted_without_a_metric_and_missing_keys_stand_last() -> None:
    frame = pd.DataFrame(
        {"a": ["y", None, "x", "y"], "b": pd.array([2, 1, None, None], dtype="Int64")}
    ).astype({"a": "str"})
    assert aggregate(frame, ["a"], {}).to_numpy().tolist() == [["x", 1], ["y", 2], ["（空欄）", 1]]
    assert aggregate(frame, ["b"], {})["count"].tolist() == [1, 1, 2]
    assert aggregate(frame, ["a", "b"], {})["a"].tolist() == ["x", "y", "y", "（空欄）"]
    assert aggregate(frame, [], {})["count"].tolist() == [4]


def test_a_group_column_that_is_called_count_keeps_its_name() -> None:
    frame = pd.DataFrame({"count": [1, 1, 2]})
    made = aggregate(frame, ["count"], {})
    assert made.columns.tolist() == ["count", "count_2"]
    assert made["count_2"].tolist() == [2, 1]


def test_a_hundred_thousand_groups_are_all_there() -> None:
    keys = np.arange(200_000) % 120_000
    frame = pd.DataFrame({"k": pd.Series(keys.astype(str), dtype="str"), "v": np.ones(200_000)})
    made = aggregate(frame, ["k"], {"v": ("sum",)})
    assert len(made) == 120_000
    assert made["v_sum"].sum() == 200_000


def test_no_rows_and_all_missing_values_give_no_numbers() -> None:
    frame = pd.DataFrame({"v": pd.array([None, None], dtype="Int64")})
    made = aggregate(frame, [], {"v": ("sum", "mean", "min", "count", "std", "first")})
    assert made["v_sum"].tolist() == [0]
    assert made["v_count"].tolist() == [0]
    assert made[["v_mean", "v_min", "v_std", "v_first"]].isna().all(axis=None)
