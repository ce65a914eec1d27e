"""Phrases for what stands in specs: conditions, periods, measures. In the current language."""

import re
from collections.abc import Mapping
from typing import cast

from sanbo.agents.analysis.spec.filters import (
    Among,
    AnyOf,
    Compare,
    CompareStat,
    Condition,
    Contains,
    Filter,
    Outlying,
    Presence,
)
from sanbo.kernel.messages import has_text, tell
from sanbo.language.moments import MONTHS


def word(text_id: str, /, **values: object) -> str:
    return tell(f"analysis_chip.{text_id}", None, **values)


def metric_text(column: str | None, aggregate: str | None) -> str:
    """売上の合計; without a column 件数."""
    if column is None:
        return word("rows")
    return word("values" if aggregate is None else f"aggregate.{aggregate}", column=column)


def shown_value(value: object, field: str = "") -> str:
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value).items()
        return word("and").join(
            f"{key}={shown_value(one, field.rstrip('s'))}" for key, one in pairs
        )
    if isinstance(value, tuple):
        return word("and").join(shown_value(one) for one in cast("tuple[object, ...]", value))
    if isinstance(value, bool):
        return word(str(value).lower())
    if isinstance(value, int | float):
        return f"{value:,}" if abs(value) >= _LONG else str(value)
    for known in (
        f"analysis_chip.value.{field}.{value}",
        f"analysis_result.{_KNOWN.get(field)}.{value}",
    ):
        if has_text(known):
            return tell(known)
    return period_text(str(value))


_LONG = 10_000
"""From here on thousands stand apart; below it there are years and codes."""
_KNOWN = {
    "normality": "test",
    "test": "test",
    "to": "cast",
    "x_unit": "time_unit",
    "agg": "aggregate",
}


_OPERATORS = {
    "==": "equal",
    "!=": "unequal",
    ">": "above",
    ">=": "at_least",
    "<": "below",
    "<=": "at_most",
    "not_in": "unequal",
}
_PERIOD = re.compile(
    r"FY ?(?P<fy>\d{4})|(?P<f>\d{4})年度|(?P<y>\d{4})"
    r"(?:[-/](?P<m>\d{1,2})(?:[-/](?P<d>\d{1,2}))?|-Q(?P<q>[1-4])|-H(?P<h>[12]))?",
    re.ASCII,
)


def period_text(text: str) -> str:
    """2025-04 as 2025年4月 or April 2025; what is no period as it is."""
    found = _PERIOD.fullmatch(text)
    if found is None or int(found["m"] or 1) not in range(1, 13):
        return text
    year = found["y"] or found["f"] or found["fy"]
    if found["y"] is None:
        return word("fiscal_year", year=year)
    if found["m"] is not None:
        month = tell(f"analysis_result.month.{MONTHS[int(found['m']) - 1]}")
        day = "month" if found["d"] is None else "day"
        return word(day, year=year, month=month, day=int(found["d"] or 0))
    if found["q"] is not None:
        return word("quarter", year=year, part=found["q"])
    if found["h"] is not None:
        return word("half", year=year, half=word(f"halves.{found['h']}"))
    return word("year", year=year)


def is_timely(condition: Condition) -> bool:
    if not isinstance(condition, Compare) or not isinstance(condition.value, str):
        return False
    return _PERIOD.fullmatch(condition.value) is not None


def describe(one: Filter) -> str:  # noqa: PLR0911 - one for each condition
    """大阪店を除く（店舗）."""
    if isinstance(one, AnyOf):
        return word("or").join(describe(part) for part in one.any_of)
    column = one.col
    match one:
        case Compare():
            name = _OPERATORS[one.op]
            kind = "in_time" if is_timely(one) else "filter"
            return word(f"{kind}.{name}", column=column, value=shown_value(one.value))
        case Among():
            name = (
                "in" if one.op == "in" and len(one.value) > 1 else _OPERATORS.get(one.op, "equal")
            )
            return word(f"filter.{name}", column=column, value=shown_value(one.value))
        case CompareStat():
            figure = word(f"stat.{one.stat}")
            if one.by is not None:
                figure = word("each", by=one.by, what=figure)
            return word(f"filter.{_OPERATORS[one.op]}", column=column, value=figure)
        case Contains():
            return word(f"filter.{one.op}", column=column, value=one.value)
        case Presence():
            return word(f"filter.{one.op}", column=column)
        case Outlying():
            return word(f"filter.{one.op}", column=column, how=_reach(one))


def _reach(one: Outlying) -> str:
    threshold = one.threshold or {"iqr": 1.5, "zscore": 3}[one.method]
    how = word(f"outlier.{one.method}", threshold=f"{threshold:g}")
    how = how if one.by is None else word("each", by=one.by, what=how)
    return how if one.ddof == 1 else word("population", what=how)
