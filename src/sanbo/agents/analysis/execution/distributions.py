"""The shape of numbers: spread, skewness, whether they look normal, and which lie far out."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from sanbo.agents.analysis.execution.aggregates import group_name
from sanbo.agents.analysis.execution.filters import (
    DEFAULT_THRESHOLDS,
    Work,
    bounds,
    missing_notes,
    outlying,
)
from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    counts,
    figure,
    note,
    number_kind,
    qualified,
    title,
    warn,
)
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.spec.operations import Distribution, Outliers
from sanbo.kernel.messages import tell
from sanbo.tables.columns import Floats, floats

MOST_FOR_SHAPIRO = 5000
MOST_VERDICTS = 3
"""In words; of more rows the table's p-values speak."""
_PURE = frozenset({"var", "skewness", "kurtosis"})
"""Figures that are no amounts of what was measured."""
_FEWEST = {"shapiro": 3, "dagostino": 8, "jarque_bera": 2, "ks": 3}
_FAR = "\0far"  # a name that no column of a file has


class Normality(NamedTuple):
    test: str
    statistic: float
    p: float


class _Part(NamedTuple):
    """The numbers of one column in one group."""

    column: str
    group: tuple[str, ...]
    present: Floats
    missing: int


def normality(values: Floats, test: str) -> Normality | None:
    """None where there are too few values, or all are the same."""
    if test == "auto":
        test = "shapiro" if values.size <= MOST_FOR_SHAPIRO else "dagostino"
    if values.size < _FEWEST[test] or np.ptp(values) == 0:
        return None
    if test == "ks":
        found = stats.kstest(values, "norm", args=(values.mean(), values.std(ddof=1)))
    else:
        run = {"shapiro": stats.shapiro, "dagostino": stats.normaltest}
        found = run.get(test, stats.jarque_bera)(values)
    return Normality(test, float(found.statistic), float(found.pvalue))


def distribution(spec: Distribution, work: Work) -> Result:
    columns = tuple(dict.fromkeys(spec.columns))
    by = tuple(name for name in dict.fromkeys(spec.by) if name not in columns)
    rows = work.rows((*columns, *by))
    parts: list[_Part] = []
    for name in columns:
        for group, part in _groups(rows, by):
            numbers = floats(part[name])
            present = numbers[np.isfinite(numbers)]
            parts.append(_Part(name, group, present, len(part) - present.size))
    tests = [normality(part.present, spec.normality) for part in parts]
    figures = [_figures(part.present, spec) for part in parts]
    kind = number_kind([work.kinds[name] for name in columns])
    names = ["" if found is None else tell(f"analysis_result.test.{found.test}") for found in tests]
    made = [
        figure("column", [part.column for part in parts], "text"),
        *(
            ResultColumn(name, pd.Series([part.group[at] for part in parts], dtype="str"), "text")
            for at, name in enumerate(by)
        ),
        counts("count", [part.present.size for part in parts]),
        counts("missing", [part.missing for part in parts]),
        *(
            figure(name, [one[name] for one in figures], "number" if name in _PURE else kind)
            for name in figures[0]
        ),
        figure("normality_test", names, "text"),
        figure("normality_statistic", [found and found.statistic for found in tests], "number"),
        figure("normality_p", [found and found.p for found in tests], "number"),
    ]
    heading = tell("analysis_result.distribution_title", what=title(columns, by))
    notes = [
        *missing_notes(rows, columns),
        note("ddof", ddof=spec.ddof),
        note("quantiles"),
        note("biased" if spec.bias else "unbiased"),
        *_verdicts(parts, tests, spec.alpha),
        *([warn("ks_estimated")] if spec.normality == "ks" else []),
    ]
    return Result((Sheet.of(heading, made),), tuple(notes))


def _groups(rows: pd.DataFrame, by: Sequence[str]) -> list[tuple[tuple[str, ...], pd.DataFrame]]:
    if not by:
        return [((), rows)]
    grouped = rows.groupby(list(by), sort=True, dropna=False, observed=True)
    return [(tuple(group_name(key) for key in keys), part) for keys, part in grouped]


def _figures(present: Floats, spec: Distribution) -> dict[str, float]:
    size, shape = present.size, present.size if present.size and np.ptp(present) else 0
    quantiles = {f"q{part * 100:g}": part for part in spec.quantiles}
    return {
        "mean": float(present.mean()) if size else math.nan,
        "std": float(present.std(ddof=spec.ddof)) if size > spec.ddof else math.nan,
        "var": float(present.var(ddof=spec.ddof)) if size > spec.ddof else math.nan,
        "min": float(present.min()) if size else math.nan,
        **{
            name: float(np.quantile(present, part)) if size else math.nan
            for name, part in quantiles.items()
        },
        "max": float(present.max()) if size else math.nan,
        "skewness": float(stats.skew(present, bias=spec.bias)) if shape >= 3 else math.nan,
        "kurtosis": float(stats.kurtosis(present, bias=spec.bias)) if shape >= 4 else math.nan,
    }


def _verdicts(
    parts: Sequence[_Part], tests: Sequence[Normality | None], alpha: float
) -> list[Note]:
    shown = f"{alpha:.4g}"
    if len(parts) > MOST_VERDICTS:
        return [note("normality", alpha=shown)]
    notes: list[Note] = []
    for part, found in zip(parts, tests, strict=True):
        of = qualified(part.column, " ".join(part.group)) if part.group else part.column
        if found is None:
            notes.append(warn("no_normality", column=of))
            continue
        verdict = "not_normal" if found.p < alpha else "maybe_normal"
        test = tell(f"analysis_result.test.{found.test}")
        notes.append(note(verdict, column=of, test=test, alpha=shown))
        if found.test == "shapiro" and part.present.size > MOST_FOR_SHAPIRO:
            notes.append(warn("shapiro_large"))
    return list(dict.fromkeys(notes))


# ---- outliers ----


def outliers(spec: Outliers, work: Work) -> Result:
    by = (spec.by,) if spec.by else ()
    rows = work.rows((spec.column, *by))
    groups = None if spec.by is None else rows[spec.by]
    far = outlying(rows[spec.column], groups, spec.method, spec.threshold, spec.ddof)
    parts = _groups(rows.assign(**{_FAR: far}), by)
    ends = {
        group: bounds(part[spec.column], spec.method, spec.threshold, spec.ddof)
        for group, part in parts
    }
    summary = _outlier_summary(spec, work, parts, list(ends.values()))
    threshold = spec.threshold or DEFAULT_THRESHOLDS[spec.method]
    notes = (
        note(f"outlier_{spec.method}", threshold=f"{threshold:g}"),
        *missing_notes(rows, [spec.column]),
        note("quantiles") if spec.method == "iqr" else note("ddof", ddof=spec.ddof),
    )
    if not far.any():
        return Result((summary,), notes)
    # The most extreme first: how far they lie beyond the middle of their bounds.
    extreme = rows[far]
    keys: list[tuple[str, ...]] = [()] * len(extreme)
    if spec.by is not None:
        keys = [(group_name(key),) for key in extreme[spec.by].tolist()]
    middle = np.array([sum(ends[key]) / 2 for key in keys])
    order = np.argsort(-np.abs(floats(extreme[spec.column]) - middle), kind="stable")
    places: NDArray[np.int64] = extreme.index.to_numpy()[order][: spec.top_k]
    heading = tell("analysis_result.outlier_rows_title", shown=len(places), all=len(extreme))
    return Result((summary, Sheet(heading, Frame(work.frame.table.take(places)))), notes)


def _outlier_summary(
    spec: Outliers,
    work: Work,
    parts: Sequence[tuple[tuple[str, ...], pd.DataFrame]],
    ends: Sequence[tuple[float, float]],
) -> Sheet:
    by = (spec.by,) if spec.by else ()
    present = [int(part[spec.column].notna().sum()) for _, part in parts]
    found = [int(part[_FAR].sum()) for _, part in parts]
    shares = [few / count if count else None for few, count in zip(found, present, strict=True)]
    unit, kind = work.units[spec.column], number_kind([work.kinds[spec.column]])
    columns = [
        *(
            ResultColumn(name, pd.Series([group[0] for group, _ in parts], dtype="str"), "text")
            for name in by
        ),
        counts("count", present),
        counts("outliers", found),
        figure("outlier_share", shares, "percent"),
        figure("lower", [low for low, _ in ends], kind, unit),
        figure("upper", [high for _, high in ends], kind, unit),
    ]
    return Sheet.of(tell("analysis_result.outlier_title", what=title([spec.column], by)), columns)
