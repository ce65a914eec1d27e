"""The shape of numbers: spread, skewness, whether they look normal, and which lie far out."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from sanbo.agents.analysis.execution.aggregates import group_name, require_number
from sanbo.agents.analysis.execution.filters import DEFAULT_THRESHOLDS, bounds, outlying
from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    caution,
    convention,
    warn,
)
from sanbo.agents.analysis.execution.wording import count_unit, qualified, title
from sanbo.agents.analysis.execution.work import Work, missing_notes
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.operations import Distribution, Outliers
from sanbo.kernel.messages import tell
from sanbo.tables.columns import floats

MOST_FOR_SHAPIRO = 5000
MOST_VERDICTS = 3
"""In words; of more rows the table's p-values speak."""
_PURE = frozenset({"var", "skewness", "kurtosis"})
"""Figures that are no amounts of what was measured."""
_FEWEST = {"shapiro": 3, "dagostino": 8, "jarque_bera": 2, "ks": 3}


@dataclass(frozen=True)
class Normality:
    test: str
    statistic: float
    p: float


def normality(values: NDArray[np.float64], test: str) -> Normality | None:
    """None where there are too few values, or all are the same."""
    if test == "auto":
        test = "shapiro" if values.size <= MOST_FOR_SHAPIRO else "dagostino"
    if values.size < _FEWEST[test] or np.ptp(values) == 0:
        return None
    if test == "ks":
        found = stats.kstest(values, "norm", args=(values.mean(), values.std(ddof=1)))
        return Normality(test, float(found.statistic), float(found.pvalue))
    run = {
        "shapiro": stats.shapiro,
        "dagostino": stats.normaltest,
        "jarque_bera": stats.jarque_bera,
    }[test]
    found = run(values)
    return Normality(test, float(found.statistic), float(found.pvalue))


def distribution(spec: Distribution, work: Work) -> Result:
    columns = tuple(dict.fromkeys(spec.columns))
    by = tuple(name for name in dict.fromkeys(spec.by) if name not in columns)
    work.frame.require((*columns, *by))
    for name in columns:
        require_number(work.kinds, name, booleans=True)
    rows = work.rows((*columns, *by))
    parts: list[tuple[str, tuple[str, ...], NDArray[np.float64], int]] = []
    for name in columns:
        for group, part in _groups(rows, by):
            numbers = floats(part[name])
            present = numbers[np.isfinite(numbers)]
            parts.append((name, group, present, len(part) - present.size))
    tests = [normality(present, spec.normality) for _, _, present, _ in parts]
    figures = [_figures(present, spec) for _, _, present, _ in parts]
    kind = number_kind([work.kinds[name] for name in columns])
    made = [
        _text("column", [name for name, *_ in parts]),
        *(
            ResultColumn(name, pd.Series([part[1][at] for part in parts], dtype="str"), "text")
            for at, name in enumerate(by)
        ),
        _whole("count", [present.size for _, _, present, _ in parts]),
        _whole("missing", [gaps for *_, gaps in parts]),
        *(
            _number(name, [one[name] for one in figures], "", "number" if name in _PURE else kind)
            for name in figures[0]
        ),
        _text("normality_test", [_test_name(found) for found in tests]),
        _number("normality_statistic", [found.statistic if found else math.nan for found in tests]),
        _number("normality_p", [found.p if found else math.nan for found in tests]),
    ]
    heading = tell("analysis_result.distribution_title", what=title(list(columns), by))
    notes = [
        *missing_notes(rows, columns),
        convention(tell("analysis_result.note.ddof", ddof=spec.ddof)),
        convention(tell("analysis_result.note.quantiles")),
        convention(tell(f"analysis_result.note.{'biased' if spec.bias else 'unbiased'}")),
        *_verdicts(parts, tests, spec.alpha),
        *([warn("ks_estimated")] if spec.normality == "ks" else []),
    ]
    return Result((Sheet.of(heading, made),), tuple(notes))


def _groups(rows: pd.DataFrame, by: Sequence[str]) -> list[tuple[tuple[str, ...], pd.DataFrame]]:
    if not by:
        return [((), rows)]
    grouped = rows.groupby(list(by), sort=True, dropna=False, observed=True)
    return [(tuple(group_name(key) for key in keys), part) for keys, part in grouped]


def _figures(present: NDArray[np.float64], spec: Distribution) -> dict[str, float]:
    none = present.size == 0
    spread = present.size > spec.ddof
    is_constant = none or np.ptp(present) == 0
    figures = {
        "mean": math.nan if none else float(present.mean()),
        "std": float(present.std(ddof=spec.ddof)) if spread else math.nan,
        "var": float(present.var(ddof=spec.ddof)) if spread else math.nan,
        "min": math.nan if none else float(present.min()),
    }
    for part in dict.fromkeys(spec.quantiles):
        figures[f"q{part * 100:g}"] = math.nan if none else float(np.quantile(present, part))
    figures["max"] = math.nan if none else float(present.max())
    figures["skewness"] = (
        math.nan if is_constant or present.size < 3 else float(stats.skew(present, bias=spec.bias))
    )
    figures["kurtosis"] = (
        math.nan
        if is_constant or present.size < 4
        else float(stats.kurtosis(present, bias=spec.bias))
    )
    return figures


def _test_name(found: Normality | None) -> str:
    return "" if found is None else tell(f"analysis_result.test.{found.test}")


def _verdicts(
    parts: Sequence[tuple[str, tuple[str, ...], NDArray[np.float64], int]],
    tests: Sequence[Normality | None],
    alpha: float,
) -> list[Note]:
    notes: list[Note] = []
    if len(parts) > MOST_VERDICTS:
        return [convention(tell("analysis_result.note.normality", alpha=f"{alpha:.4g}"))]
    for (name, group, present, _), found in zip(parts, tests, strict=True):
        of = qualified(name, " ".join(group)) if group else name
        if found is None:
            notes.append(caution(tell("analysis_result.note.no_normality", column=of)))
            continue
        verdict = "not_normal" if found.p < alpha else "maybe_normal"
        test = tell(f"analysis_result.test.{found.test}")
        text = tell(f"analysis_result.note.{verdict}", column=of, test=test, alpha=f"{alpha:.4g}")
        notes.append(convention(text))
        if found.test == "shapiro" and present.size > MOST_FOR_SHAPIRO:
            notes.append(caution(tell("analysis_result.note.shapiro_large")))
    return list(dict.fromkeys(notes))


def _text(name: str, values: Sequence[str]) -> ResultColumn:
    label = tell(f"analysis_result.column.{name}")
    return ResultColumn(name, pd.Series(list(values), dtype="str"), "text", "", label)


def _whole(name: str, values: Sequence[int]) -> ResultColumn:
    label = tell(f"analysis_result.column.{name}")
    return ResultColumn(
        name, pd.Series(list(values), dtype="int64"), "integer", count_unit(), label
    )


def number_kind(kinds: Sequence[ValueType]) -> ValueType:
    """Of figures of such columns in one column: ratios are shown in percent if all of them are."""
    return "percent" if kinds and all(kind == "percent" for kind in kinds) else "number"


def _number(
    name: str, values: Sequence[float], unit: str = "", kind: ValueType = "number"
) -> ResultColumn:
    if name.startswith("q") and name[1:2].isdigit():
        label = tell("analysis_result.quantile", percent=name[1:])
    else:
        label = tell(f"analysis_result.column.{name}")
    return ResultColumn(name, pd.Series(list(values), dtype="float64"), kind, unit, label)


# ---- outliers ----


def outliers(spec: Outliers, work: Work) -> Result:
    needed = (spec.column, *((spec.by,) if spec.by else ()))
    work.frame.require(needed)
    require_number(work.kinds, spec.column)
    rows = work.rows(needed)
    values = rows[spec.column]
    groups = None if spec.by is None else rows[spec.by]
    far = outlying(values, groups, spec.method, spec.threshold, spec.ddof)
    summary = _outlier_summary(spec, work, rows, far)
    threshold = spec.threshold or DEFAULT_THRESHOLDS[spec.method]
    text = tell(f"analysis_result.note.outlier_{spec.method}", threshold=f"{threshold:g}")
    notes = [convention(text), *missing_notes(rows, [spec.column])]
    if spec.method == "iqr":
        notes.append(convention(tell("analysis_result.note.quantiles")))
    else:
        notes.append(convention(tell("analysis_result.note.ddof", ddof=spec.ddof)))
    if not far.any():
        return Result((summary,), tuple(notes))
    return Result((summary, _outlier_rows(spec, work, rows, far)), tuple(notes))


def _outlier_summary(
    spec: Outliers, work: Work, rows: pd.DataFrame, far: NDArray[np.bool_]
) -> Sheet:
    flagged = rows.assign(**{_FAR: far})
    parts = _groups(flagged, (spec.by,) if spec.by else ())
    ends = [bounds(part[spec.column], spec.method, spec.threshold, spec.ddof) for _, part in parts]
    counts = [int(part[spec.column].notna().sum()) for _, part in parts]
    found = [int(part[_FAR].sum()) for _, part in parts]
    shares = [few / count if count else math.nan for few, count in zip(found, counts, strict=True)]
    unit, kind = work.units[spec.column], number_kind([work.kinds[spec.column]])
    label = tell("analysis_result.column.outlier_share")
    return Sheet.of(
        tell(
            "analysis_result.outlier_title", what=title([spec.column], [spec.by] if spec.by else [])
        ),
        [
            *(
                [
                    ResultColumn(
                        spec.by, pd.Series([group[0] for group, _ in parts], dtype="str"), "text"
                    )
                ]
                if spec.by
                else []
            ),
            _whole("count", counts),
            _whole("outliers", found),
            ResultColumn("outlier_share", pd.Series(shares, dtype="float64"), "percent", "", label),
            _number("lower", [low for low, _ in ends], unit, kind),
            _number("upper", [high for _, high in ends], unit, kind),
        ],
    )


_FAR = "\0far"
"""A name that no column of a file has."""


def _outlier_rows(spec: Outliers, work: Work, rows: pd.DataFrame, far: NDArray[np.bool_]) -> Sheet:
    """The most extreme first: how far they lie beyond the middle of their bounds."""
    extreme = rows[far]
    middles = {
        group: sum(bounds(part[spec.column], spec.method, spec.threshold, spec.ddof)) / 2
        for group, part in _groups(rows, (spec.by,) if spec.by else ())
    }
    keys: list[tuple[str, ...]] = [()] * len(extreme)
    if spec.by is not None:
        keys = [(group_name(key),) for key in extreme[spec.by].tolist()]
    middle = np.array([middles[key] for key in keys])
    order = np.argsort(-np.abs(floats(extreme[spec.column]) - middle), kind="stable")
    places = extreme.index.to_numpy()[order][: spec.top_k]
    taken = work.frame.table.take(places)
    heading = tell("analysis_result.outlier_rows_title", shown=len(places), all=len(extreme))
    return Sheet(heading, Frame(taken))
