"""Sums, means, counts … over all rows or by group, as quick as pandas itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype

from sanbo.agents.analysis.profile import NUMERIC, ValueType
from sanbo.agents.analysis.spec.words import (
    NUMERIC_AGGREGATES,
    ROW_COUNT,
    Aggregate,
    Metrics,
    metric_name,
)
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import (
    Parts,
    as_number,
    floats,
    parts,
    total,
)
from sanbo.tables.rows import free_name

_QUANTILES: Mapping[str, float] = {
    "median": 0.5,
    "q10": 0.1,
    "q25": 0.25,
    "q75": 0.75,
    "q90": 0.9,
}


def require_number(kinds: Mapping[str, ValueType], column: str, *, booleans: bool = False) -> None:
    kind = kinds[column]
    if kind in NUMERIC or (booleans and kind == "boolean"):
        return
    if kind == "empty":
        raise InvalidInput(
            "analysis_result.column_empty", details={"column": column}, column=column
        )
    raise InvalidInput(
        "analysis_result.not_a_number",
        details={"column": column, "type": kind, "suggestion": "cast"},
        column=column,
        kind=tell(f"analysis_result.kind.{kind}"),
    )


def blank() -> str:
    """The name of the group of rows whose cell is missing."""
    return tell("analysis_result.blank")


def key_text(value: object) -> str:
    """A key of any kind as text: a day as 2025-04-01, a missing cell as （空欄）."""
    if isinstance(value, pd.Timestamp):
        moment = value.isoformat(sep=" ", timespec="seconds")
        return moment.removesuffix(" 00:00:00")
    if value is None or value is pd.NA or value is pd.NaT or value != value:  # noqa: PLR0124 - NaN
        return blank()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def group_name(value: object) -> str:
    """As `key_text`, with はい and いいえ for booleans."""
    if isinstance(value, bool | np.bool_):
        return tell("analysis_report.yes") if value else tell("analysis_report.no")
    return key_text(value)


def aggregate(
    frame: pd.DataFrame, group_cols: Sequence[str], metrics: Metrics, ddof: int = 1
) -> pd.DataFrame:
    """A row for each group in the order of its keys, missing keys last as （空欄）.

    Columns: the keys, then one for each aggregate, or the row count where no metric is asked for.
    Keys that are no words stay missing cells. Missing values are left out of every aggregate.
    """
    groups = tuple(dict.fromkeys(group_cols))
    if not groups:
        return _over_all(frame, metrics, ddof)
    exact = {name: parts(frame[name]) for name, kinds in metrics.items() if "sum" in kinds}
    for name, found in exact.items():
        for place, whole in enumerate(found.wholes if found else ()):
            frame = frame.assign(**{_part_name(name, place): whole})
    grouped = frame.groupby(list(groups), sort=True, dropna=False, observed=True)
    data: dict[str, pd.Series] = {}
    if not metrics:
        data[free_name(ROW_COUNT, groups)] = grouped.size()
    for column, aggregates in metrics.items():
        for kind in dict.fromkeys(aggregates):
            name = free_name(metric_name(column, kind), (*groups, *data))
            found = exact.get(column) if kind == "sum" else None
            if found is None:
                data[name] = _by_group(frame, grouped, column, kind, ddof)
            else:
                data[name] = _exact_sums(grouped, column, found)
    result = pd.DataFrame(data)
    keys = result.index.to_frame(index=False)
    keys.columns = list(groups)
    result = pd.concat([keys, result.reset_index(drop=True)], axis=1)
    return _named(_missing_last(result, groups), groups)


def _missing_last(result: pd.DataFrame, groups: Sequence[str]) -> pd.DataFrame:
    """pandas sorts missing keys last within one key, not always within several."""
    if len(groups) == 1 or not result[list(groups)].isna().to_numpy().any():
        return result
    return result.sort_values(list(groups), kind="stable", ignore_index=True, na_position="last")


def _named(result: pd.DataFrame, groups: Sequence[str]) -> pd.DataFrame:
    for name in groups:
        if result[name].dtype == "str" and result[name].isna().any():
            result[name] = result[name].fillna(blank())
    return result


def _by_group(
    frame: pd.DataFrame, grouped: Any, column: str, kind: Aggregate, ddof: int
) -> pd.Series:
    values = frame[column]
    if kind == "mode":
        return _modes(grouped, values)
    if is_bool_dtype(values.dtype) and kind in NUMERIC_AGGREGATES:
        return _along(grouped, as_number(values), lambda numbers: _apply(numbers, kind, ddof))
    return _plain(_apply(grouped[column], kind, ddof))


def _modes(grouped: Any, values: pd.Series) -> pd.Series:
    """The commonest value of each group, the smallest of equally common ones."""
    counts = values.groupby([grouped.ngroup(), values], observed=True).size()
    counts = counts.sort_values(ascending=False, kind="stable")  # from keys in their order
    groups = counts.index.get_level_values(0)
    first = ~groups.duplicated()
    found = pd.Series(counts.index.get_level_values(1)[first], index=groups[first])
    index = grouped.size().index
    found = found.astype("Int64") if values.dtype == np.int64 else found.astype(values.dtype)
    return _plain(pd.Series(found.reindex(range(len(index))).array, index=index))


def _part_name(column: str, place: int) -> str:
    return f"{column}\0{place}"  # no table has such a name


def _exact_sums(grouped: Any, column: str, found: Parts) -> pd.Series:
    sums = [grouped[_part_name(column, place)].sum() for place in range(len(found.wholes))]
    return pd.Series(found.joined([part.tolist() for part in sums]), index=sums[0].index)


def _along(grouped: Any, values: pd.Series, apply: Callable[[Any], pd.Series]) -> pd.Series:
    """The same groups over other values of these rows."""
    index = grouped.size().index
    by_number = apply(values.groupby(grouped.ngroup()))
    return _plain(pd.Series(by_number.array, index=index))


def _apply(chosen: Any, kind: Aggregate, ddof: int) -> pd.Series:
    if kind in ("std", "var"):
        return getattr(chosen, kind)(ddof=ddof)
    if kind in _QUANTILES and kind != "median":
        return chosen.quantile(_QUANTILES[kind])
    if kind == "range":
        return _width(chosen.min(), chosen.max())
    return getattr(chosen, kind)()


def _width(low: pd.Series, high: pd.Series) -> pd.Series:
    """Exactly, unless 64 bits are too few for it."""
    ends = floats(high) - floats(low)
    return (
        pd.Series(ends, index=low.index)
        if np.nanmax(np.abs(ends), initial=0) >= 2**62
        else high - low
    )


def _plain(values: pd.Series) -> pd.Series:
    """Without pandas' own missing marks where numpy's do."""
    if values.dtype == "Float64":
        return pd.Series(floats(values), index=values.index)
    if values.dtype == "Int64" and not values.isna().any():
        return values.astype("int64")
    return values


def _over_all(frame: pd.DataFrame, metrics: Metrics, ddof: int) -> pd.DataFrame:
    if not metrics:
        return pd.DataFrame({ROW_COUNT: [len(frame)]})
    data: dict[str, pd.Series] = {}
    for column, aggregates in metrics.items():
        for kind in dict.fromkeys(aggregates):
            name = free_name(metric_name(column, kind), tuple(data))
            data[name] = _single(frame[column], kind, ddof)
    return pd.DataFrame(data)


def _single(values: pd.Series, kind: Aggregate, ddof: int) -> pd.Series:
    """One cell; missing where there are no values."""
    if kind == "sum":
        found = total(values)
        return pd.Series([found if abs(found) < 2**63 else float(found)])
    if kind in ("count", "nunique"):
        return pd.Series([int(getattr(values, kind)())])
    if kind == "range":
        numbers = as_number(values)
        low, high = (
            pd.Series([end], dtype=numbers.dtype) for end in (numbers.min(), numbers.max())
        )
        return _plain(_width(low, high)) if numbers.notna().any() else pd.Series([np.nan])
    if kind in NUMERIC_AGGREGATES:
        return pd.Series([statistic(values, kind, ddof)], dtype="float64")
    present = values.dropna()
    if present.empty:
        return pd.Series([None], dtype=values.dtype if values.dtype != np.int64 else "Int64")
    place = {"first": 0, "last": -1}
    found = getattr(
        present.mode() if kind == "mode" else present, kind if kind in ("min", "max") else "iloc"
    )
    found = found() if kind in ("min", "max") else found[place.get(kind, 0)]
    return pd.Series([found], dtype=present.dtype)


def statistic(values: pd.Series, kind: Aggregate, ddof: int = 1) -> float:
    """mean, median, std, var or a quantile of what is there; NaN where that is too little."""
    present = floats(values)
    present = present[~np.isnan(present)]
    if present.size == 0 or (kind in ("std", "var") and present.size <= ddof):
        return float("nan")
    match kind:
        case "mean":
            return float(present.mean())
        case "std":
            return float(present.std(ddof=ddof))
        case "var":
            return float(present.var(ddof=ddof))
        case _:
            return float(np.quantile(present, _QUANTILES[kind]))
