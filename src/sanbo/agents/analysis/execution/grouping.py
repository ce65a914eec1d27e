"""Aggregates by group and by period of time, and each group's part of the whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.aggregates import aggregate, key_text
from sanbo.agents.analysis.execution.filters import Work, looks_alike_note, missing_notes
from sanbo.agents.analysis.execution.periods import Periods, periods
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    count_unit,
    figure,
    metric_kind,
    metric_label,
    metric_labels,
    metric_unit,
    note,
    qualified,
    refusal,
    row_count_label,
    title,
    too_much,
    unit_word,
    warn,
)
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample, ShareRatio
from sanbo.agents.analysis.spec.words import Aggregate, Metrics, Sort, TimeUnit, metric_name
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.tables.columns import floats, total
from sanbo.tables.rows import free_name

MOST_TIED = 10
"""More that are alike are not shown beside those that were asked for, but told."""
MOST_FILLED = 1_000_000
"""Rows of a table whose gaps were filled."""


def groupby_agg(spec: GroupbyAgg, work: Work) -> Result:
    is_count = not spec.metrics and not spec.group_cols
    rows = work.rows((*spec.group_cols, *spec.metrics), may_be_none=is_count)
    whole = aggregate(rows, spec.group_cols, spec.metrics, spec.ddof)
    groups = tuple(dict.fromkeys(spec.group_cols))
    made, ordered = in_order(whole, groups, spec.sort, spec.top_k)
    columns = [
        *work.own(made, groups),
        *metric_columns(work, made, list(made.columns[len(groups) :]), spec.metrics),
    ]
    sheet = Sheet.of(
        title(metric_labels(spec.metrics, work.labels), [work.labels[name] for name in groups]),
        columns,
    )
    notes = [
        *metric_notes(rows, spec.metrics, spec.ddof),
        *_empty_sum_notes(rows, whole, groups, spec.metrics),
        *ordered,
        *(note for name in groups for note in looks_alike_note(made[name], name)),
    ]
    return Result((sheet,), tuple(notes))


def metric_columns(
    work: Work, made: pd.DataFrame, names: Sequence[str], metrics: Metrics
) -> list[ResultColumn]:
    """In the order in which `aggregate` made them."""
    if not metrics:
        return [
            ResultColumn(name, made[name], "integer", count_unit(), row_count_label())
            for name in names
        ]
    pairs: list[tuple[str, Aggregate]] = [
        (column, kind) for column, kinds in metrics.items() for kind in dict.fromkeys(kinds)
    ]
    return [
        ResultColumn(
            name,
            made[name],
            metric_kind(work.kinds[column], kind),
            metric_unit(work.units, column, kind),
            metric_label(work.labels[column], kind),
        )
        for name, (column, kind) in zip(names, pairs, strict=True)
    ]


def metric_notes(rows: pd.DataFrame, metrics: Metrics, ddof: int) -> list[Note]:
    notes = missing_notes(rows, list(metrics))
    asked = {kind for kinds in metrics.values() for kind in kinds}
    if asked & {"std", "var"}:
        notes.append(note("ddof", ddof=ddof))
    if asked & {"q10", "q25", "q75", "q90"}:
        notes.append(note("quantiles"))
    if "mode" in asked:
        notes.append(note("mode"))
    return notes


def _empty_sum_notes(
    rows: pd.DataFrame, made: pd.DataFrame, groups: Sequence[str], metrics: Metrics
) -> list[Note]:
    """A sum of nothing is 0, which looks like a figure."""
    notes: list[Note] = []
    for column, kinds in metrics.items():
        if "sum" not in kinds or not groups or not rows[column].isna().any():
            continue
        # Rows are grouped again only where some sum is 0: it takes as long as the sums themselves.
        if not (made[metric_name(column, "sum")] == 0).any():
            continue
        keys = [rows[name] for name in groups]
        found = rows[column].notna().groupby(keys, dropna=False, observed=True).any()
        if count := int((~found).sum()):
            notes.append(warn("empty_sum", column=column, count=count))
    return notes


def in_order(
    made: pd.DataFrame, groups: Sequence[str], sort: Sort | None, top_k: int | None
) -> tuple[pd.DataFrame, list[Note]]:
    """Sorted as told (ties as they stood, missing cells last), and cut to the first; the few that
    are as large as the last of them stay, too."""
    notes: list[Note] = []
    if sort is None and top_k is not None and len(made.columns) > len(groups):
        sort = Sort(by=str(made.columns[len(groups)]), ascending=False)
    if sort is not None:
        by = _sort_column(made, groups, sort.by)
        made = made.sort_values(
            by, ascending=sort.ascending, kind="stable", ignore_index=True, na_position="last"
        )
    if top_k is not None and len(made) > top_k:
        by = [] if sort is None else [_sort_column(made, groups, sort.by)]
        shown, cut = first_of(made[by], top_k)
        return made.head(shown), [*notes, *cut]
    return made, notes


def first_of(
    ordered: pd.DataFrame, count: int, *, keeps_ties: bool = True
) -> tuple[int, list[Note]]:
    """How many of more than `count` in this order are shown, and what is told of it: those that
    stand as high as the last one, too, if they are few."""
    tied = 0
    if len(ordered.columns):
        alike = ordered.iloc[count:] == ordered.iloc[count - 1]
        tied = int(alike.fillna(value=False).astype(bool).all(axis=1).sum())
    is_whole = keeps_ties and tied <= MOST_TIED
    shown = count + tied if is_whole else count
    notes = [note("cut", shown=shown, all=len(ordered))] if shown < len(ordered) else []
    if tied:
        notes.append(note("tied", shown=shown) if is_whole else warn("tie"))
    return shown, notes


def _sort_column(made: pd.DataFrame, groups: Sequence[str], wanted: str) -> str:
    """A column of the result; 売上 stands for 売上_sum where there is just one such."""
    names = [str(name) for name in made.columns]
    if wanted in names:
        return wanted
    metrics = [name for name in names if name not in groups]
    begins = [name for name in metrics if name.startswith(metric_name(wanted, ""))]
    if len(begins) == 1:
        return begins[0]
    raise refusal("sort_missing", column=wanted, nearest=nearest(wanted, names, 10, least=0))


# ---- by time ----


def resample(spec: Resample, work: Work) -> Result:
    rows = work.rows((spec.date_col, *spec.by, *spec.metrics))
    dated = rows[rows[spec.date_col].notna()]
    if dated.empty:
        raise refusal("column_empty", column=spec.date_col)
    by = tuple(name for name in dict.fromkeys(spec.by) if name != spec.date_col)
    time = periods(dated[spec.date_col], spec.unit, spec.fiscal_start)
    key = free_name("period", (*by, *spec.metrics))
    keyed = pd.DataFrame({key: time.of_rows, **{name: dated[name] for name in rows.columns}})
    made = aggregate(keyed, (key, *by), spec.metrics, spec.ddof)
    if spec.fill_gaps:
        made = _filled(made, key, by, time, spec.metrics)
    ordinals = made[key]
    names = list(made.columns[1 + len(by) :])
    made[key] = time.shown(ordinals)
    made = made.rename(columns={key: free_name(spec.date_col, (*by, *names))})
    first = str(made.columns[0])
    made, ordered = _timely(made, ordinals, (first, *by), spec)
    unit = unit_word(spec.unit)
    label = unit if spec.date_col == unit else qualified(spec.date_col, unit)
    columns = [
        ResultColumn(first, made[first], time.kind, _cycle_unit(spec.unit), label),
        *work.own(made, by),
        *metric_columns(work, made, names, spec.metrics),
    ]
    sheet = Sheet.of(
        title(metric_labels(spec.metrics, work.labels), (unit_word(spec.unit), *by)), columns
    )
    notes = [
        *missing_notes(rows, [spec.date_col]),
        *metric_notes(dated, spec.metrics, spec.ddof),
        *time_notes(spec.unit, spec.fiscal_start),
        *ordered,
    ]
    return Result((sheet,), tuple(notes))


def _timely(
    made: pd.DataFrame, ordinals: pd.Series, groups: Sequence[str], spec: Resample
) -> tuple[pd.DataFrame, list[Note]]:
    """By time itself where it is asked for: names of weekdays do not sort."""
    if spec.sort is None or spec.sort.by not in (groups[0], spec.date_col):
        return in_order(made, groups, spec.sort, spec.top_k)
    order = np.argsort(ordinals.to_numpy(), kind="stable")
    if not spec.sort.ascending:
        order = order[::-1]
    made = made.iloc[order].reset_index(drop=True)
    return in_order(made, groups, None, None) if spec.top_k is None else (made.head(spec.top_k), [])


def _filled(
    made: pd.DataFrame, key: str, by: Sequence[str], time: Periods, metrics: Metrics
) -> pd.DataFrame:
    """A row for each period between the first and the last, in each group."""
    all_periods = time.between([int(ordinal) for ordinal in made[key].unique()])
    groups = made[list(by)].drop_duplicates() if by else pd.DataFrame(index=[0])
    if len(all_periods) * len(groups) > MOST_FILLED:
        count = len(all_periods) * len(groups)
        raise too_much("too_many_periods", count=count, limit=MOST_FILLED)
    grid = pd.DataFrame({key: pd.Series(list(all_periods), dtype=made[key].dtype)})
    if by:
        grid = grid.merge(groups.sort_values(list(by)), how="cross")
    counts = {
        name
        for name in made.columns
        if not metrics or name.endswith(("_sum", "_count", "_nunique"))
    } - {key, *by}
    merged = grid.merge(made, how="left", on=[key, *by])
    for name in counts:
        merged[name] = merged[name].fillna(0).astype(made[name].dtype)
    return merged


def time_notes(unit: TimeUnit, fiscal_start: int) -> list[Note]:
    if unit == "week":
        return [note("weeks")]
    if unit in ("fiscal_year", "fiscal_quarter"):
        return [note("fiscal", month=fiscal_start)]
    return []


def _cycle_unit(unit: TimeUnit) -> str:
    if unit in ("month_of_year", "day_of_month", "hour_of_day"):
        return tell(f"analysis_result.cycle_unit.{unit}")
    return ""


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
    if spec.zeros and spec.within and spec.within != spec.group_col:
        made = _with_zeros(made, groups, value)
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


def _with_zeros(made: pd.DataFrame, groups: Sequence[str], value: str) -> pd.DataFrame:
    """0 % too is an answer: for each of the one, each of the other."""
    each = [made[name].drop_duplicates() for name in groups]
    if len(each[0]) * len(each[1]) > MOST_ZEROS:
        return made
    every = each[0].to_frame().merge(each[1].to_frame(), how="cross")
    whole = every.merge(made, how="left", on=list(groups))
    return whole.assign(**{value: whole[value].fillna(0).astype(made[value].dtype)})


MOST_ZEROS = 10_000


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
