"""Composition: each group's part of the whole, cumulated, in classes A, B and C."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.aggregates import aggregate, key_text
from sanbo.agents.analysis.execution.grouping import metric_columns
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    figure,
    note,
    warn,
)
from sanbo.agents.analysis.execution.wording import metric_label, row_count_label, title
from sanbo.agents.analysis.execution.work import Work, looks_alike_note, missing_notes
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.spec.operations import ShareRatio
from sanbo.agents.analysis.spec.words import Metrics
from sanbo.kernel.messages import tell
from sanbo.tables.columns import floats, total
from sanbo.tables.rows import free_name

_CLOSE = 1e-9  # a cumulative share of 0.7 that floating point made a little more


@dataclass(frozen=True)
class _Part:
    """The groups of one whole, largest first."""

    keys: pd.DataFrame
    values: pd.Series
    shares: NDArray[np.float64]
    cumulative: NDArray[np.float64]
    classes: list[str | None]


def share_ratio(spec: ShareRatio, work: Work) -> Result:
    within = (spec.within,) if spec.within else ()
    groups = tuple(dict.fromkeys((*within, spec.group_col)))
    metrics: Metrics = {} if spec.value_col is None else {spec.value_col: ("sum",)}
    rows = work.rows((*groups, *metrics))
    made = aggregate(rows, groups, metrics)
    value = str(made.columns[-1])
    parts = [_part(part, groups, value, spec) for part in _wholes(made, spec.within)]
    keys = pd.concat([part.keys for part in parts], ignore_index=True)
    values = pd.concat([part.values for part in parts], ignore_index=True)
    new = [
        figure("share", np.concatenate([part.shares for part in parts]), "percent"),
        figure("cumulative_share", np.concatenate([part.cumulative for part in parts]), "percent"),
        figure("class", [letter for part in parts for letter in part.classes], "text"),
    ]
    columns = [
        *(_key_column(keys[name], name, work) for name in groups),
        *metric_columns(work, pd.DataFrame({value: values}), [value], metrics),
        *(replace(one, name=free_name(one.name, list(made.columns))) for one in new),
    ]
    what = metric_label(work.labels[spec.value_col], "sum") if spec.value_col else row_count_label()
    heading = tell("analysis_result.share_title", what=title([what], groups))
    notes = [
        *missing_notes(rows, list(metrics)),
        *_notes(parts, made[value], spec),
        *looks_alike_note(made[spec.group_col], spec.group_col),
    ]
    return Result((Sheet.of(heading, columns),), tuple(notes))


def _wholes(made: pd.DataFrame, within: str | None) -> list[pd.DataFrame]:
    if within is None:
        return [made]
    return [part for _, part in made.groupby(within, sort=False, dropna=False, observed=True)]


def _part(made: pd.DataFrame, groups: Sequence[str], value: str, spec: ShareRatio) -> _Part:
    made = made.sort_values(value, ascending=False, kind="stable", ignore_index=True)
    whole = total(made[value])
    rest = made.iloc[spec.top_k :] if spec.top_k is not None else made.iloc[:0]
    if len(rest) > 1:  # one group alone keeps its name
        made = _gathered(made.iloc[: spec.top_k], rest, groups, value, spec)
    else:
        rest = made.iloc[:0]
    numbers = floats(made[value])
    has_shares = whole != 0 and np.isfinite(float(whole))
    shares = numbers / float(whole) if has_shares else np.full(len(made), np.nan)
    cumulative = np.cumsum(shares)
    if has_shares and len(cumulative):
        cumulative[-1] = 1.0
    classes: list[str | None] = [None] * len(made)
    if has_shares and not (numbers < 0).any():
        named = len(made) - (1 if len(rest) else 0)
        classes[:named] = [
            _letter(float(share), spec.abc, is_first=place == 0)
            for place, share in enumerate(cumulative[:named])
        ]
    return _Part(made[list(groups)], made[value], shares, cumulative, classes)


def _gathered(
    kept: pd.DataFrame, rest: pd.DataFrame, groups: Sequence[str], value: str, spec: ShareRatio
) -> pd.DataFrame:
    """Those after the first become one row."""
    other = tell("analysis_result.other")
    names = kept[spec.group_col]
    if names.dtype != "str":
        names = names.map(key_text).astype("str")
    if (names == other).any():
        other = tell("analysis_result.all_others")
    kept = kept.assign(**{spec.group_col: names})
    row = {**dict.fromkeys(groups, other), value: total(rest[value])}
    if spec.within is not None and spec.within != spec.group_col:
        row[spec.within] = rest[spec.within].iloc[0]
    return pd.concat([kept, pd.DataFrame([row])[list(kept.columns)]], ignore_index=True)


def _letter(cumulative: float, abc: tuple[float, float], *, is_first: bool) -> str:
    """The largest group is an A, even if it passes the first limit alone."""
    if is_first or cumulative <= abc[0] + _CLOSE:
        return "A"
    return "B" if cumulative <= abc[1] + _CLOSE else "C"


def _key_column(values: pd.Series, name: str, work: Work) -> ResultColumn:
    is_text = str(values.dtype) in ("str", "object")
    if is_text and work.kinds[name] != "text":  # その他 stands among numbers or dates
        return ResultColumn(name, values.map(key_text).astype("str"), "text")
    return ResultColumn(name, values, work.kinds[name], work.units[name])


def _notes(parts: Sequence[_Part], values: pd.Series, spec: ShareRatio) -> list[Note]:
    first, second = (f"{limit:.0%}" for limit in spec.abc)
    has_classes = any(letter for part in parts for letter in part.classes)
    return [
        *([warn("no_shares")] if any(np.isnan(part.shares).any() for part in parts) else []),
        *([warn("negative_shares")] if (floats(values) < 0).any() else []),
        *([note("abc", first=first, second=second)] if has_classes else []),
    ]
