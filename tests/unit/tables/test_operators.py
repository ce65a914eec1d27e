"""Conditions mean the same wherever they are written: on rows, on cells of a workbook."""

from datetime import date, time
from decimal import Decimal

import pytest

from sanbo.documents.excel.book import Condition
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.operators import OPERATORS, Operator, check_of, operator_of
from sanbo.tables.values import Value, key_of, key_text, order, same


@pytest.mark.parametrize(
    ("written", "operator"),
    [("==", "eq"), ("<>", "ne"), (" GE ", "gte"), ("is_not_empty", "filled"), ("regex", "matches")],
)
def test_an_operator_has_many_spellings(written: str, operator: Operator) -> None:
    assert operator_of(written) == operator


def test_an_unknown_operator_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidInput) as refused:
        operator_of("resembles")
    assert str(OPERATORS) in str(refused.value.problem.params["known"])


@pytest.mark.parametrize(
    ("operator", "value", "seen", "holds"),
    [
        ("eq", "1,000円", 1000, True),
        ("eq", Decimal("0.1"), 0.1, True),
        ("gte", "2025-04-01", date(2025, 4, 1), True),
        ("lt", "令和7年4月1日", date(2025, 3, 31), True),
        ("gt", 5, "未定", False),
        ("lt", 5, None, False),
        ("eq", "09:05:00", time(9, 5), True),
        ("eq", "TRUE", True, True),
        ("eq", "001", 1, False),
        ("contains", "5", 25, True),
        ("empty", None, "　", True),
    ],
)
def test_rows_and_cells_are_asked_alike(
    operator: Operator, value: Value, seen: Value, holds: bool
) -> None:
    assert (check_of(operator, value)(seen) is True) is holds
    assert not isinstance(value, list | dict)
    assert not isinstance(seen, list | dict)
    assert Condition(operator=operator, value=value).check()(seen) is holds


def test_nothing_is_more_or_less_than_nothing_in_a_cell() -> None:
    assert not Condition(operator="gt").check()(5)
    assert not Condition(operator="between", value=1).check()(5)


def test_what_has_no_order_is_told_apart() -> None:
    assert order(True, 1) is None
    assert order("未定", 1) is None
    assert order("9:05", "10:00") == -1
    assert same("はい", True)


def test_a_key_is_shown_as_people_write_it() -> None:
    assert key_text(key_of(1000.0)) == "1000"
    assert key_text(key_of(date(2025, 4, 1))) == "2025-04-01"
    assert key_text(key_of(None)) == ""
