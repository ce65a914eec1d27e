"""Whole columns give what single values give, and sums are exact."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.tables.aggregates import exact_sum
from sanbo.tables.columns import by_distinct, parts, total
from sanbo.tables.values import as_number

AMOUNTS = st.decimals(-(10**9), 10**9, places=2, allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None)
@given(st.lists(AMOUNTS, max_size=40))
def test_a_column_of_amounts_adds_up_as_on_paper(amounts: list[Decimal]) -> None:
    numbers = [float(amount) for amount in amounts]
    paper = float(sum(amounts, Decimal(0)))
    assert total(pd.Series(numbers, dtype="float64")) == paper
    assert exact_sum(numbers) == paper


def test_missing_cells_are_left_out() -> None:
    assert total(pd.Series([0.1, np.nan, 0.2])) == 0.3
    assert total(pd.Series([], dtype="float64")) == 0


@pytest.mark.parametrize("odd", [np.inf, 1 / 3, 1e300, 2.0**60])
def test_numbers_without_a_last_digit_are_added_as_they_are(odd: float) -> None:
    assert parts(pd.Series([0.1, odd])) is None
    assert total(pd.Series([0.5, odd])) == pytest.approx(0.5 + odd)


def test_whole_numbers_never_overflow() -> None:
    large = 2**62
    assert total(pd.Series([large, large, large])) == 3 * large


def test_sums_by_group_are_exact() -> None:
    amounts = pd.Series([0.1, 0.2, 0.7, 0.1])
    found = parts(amounts)
    assert found is not None
    sums = found.wholes[0].groupby(pd.Series([0, 0, 1, 1])).sum()
    assert found.joined([sums.tolist()]).tolist() == [0.3, 0.8]


def test_a_cell_is_read_as_a_value_is() -> None:
    written = pd.Series(["１，０００円", "△5", "未定", "１，０００円"], dtype="str")
    read = by_distinct(written, as_number, "float64")
    assert read.tolist()[:2] == [1000.0, -5.0]
    assert read.isna().tolist() == [False, False, True, False]
