"""Whether groups differ: a test, its p-value and how large the difference is. Never why."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from sanbo.agents.analysis.execution.aggregates import group_name, require_number
from sanbo.agents.analysis.execution.filters import keep_rows
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    caution,
    convention,
)
from sanbo.agents.analysis.execution.wording import count_unit, title
from sanbo.agents.analysis.execution.work import Work, missing_notes
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import NUMERIC, ValueType
from sanbo.agents.analysis.spec.filters import Among
from sanbo.agents.analysis.spec.operations import CompareGroups
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import floats

MOST_GROUPS = 1000
Test = Literal["t", "welch", "mann_whitney", "anova", "kruskal", "ks", "chi2"]
Effect = Literal["cohen_d", "eta_squared", "rank_biserial", "cramers_v", "epsilon_squared", ""]
_OF_TWO: frozenset[Test] = frozenset({"t", "welch", "mann_whitney", "ks"})
_OF_MEANS: frozenset[Test] = frozenset({"t", "welch", "anova"})
_FEW_EXPECTED = 5


@dataclass(frozen=True)
class Finding:
    test: Test
    statistic: float
    p: float
    df: float = math.nan
    df_within: float = math.nan
    effect: Effect = ""
    effect_size: float = math.nan


@dataclass(frozen=True)
class Group:
    name: str
    values: NDArray[np.float64]


def compare_groups(spec: CompareGroups, work: Work) -> Result:
    work.frame.require((spec.value_col, spec.group_col))
    is_number = work.kinds[spec.value_col] in NUMERIC
    if spec.test == "chi2" or (spec.test == "auto" and not is_number):
        return _related(spec, work)
    require_number(work.kinds, spec.value_col)
    rows = _rows(spec, work)
    groups = _groups(rows, spec)
    test: Test = ("welch" if len(groups) == 2 else "anova") if spec.test == "auto" else spec.test
    _check(test, groups, spec)
    found = _tested(test, groups, spec.alternative)
    sheets = (_finding_sheet(found, spec), _group_sheet(groups, spec, work))
    notes = [
        convention(_why(found.test, spec)),
        *missing_notes(rows, [spec.value_col, spec.group_col]),
        convention(tell("analysis_result.note.ddof", ddof=1)),
        *([convention(tell("analysis_result.note.u"))] if test == "mann_whitney" else []),
        *_verdict(found, spec, groups),
    ]
    return Result(sheets, tuple(notes))


def _rows(spec: CompareGroups, work: Work) -> pd.DataFrame:
    rows = work.rows((spec.value_col, spec.group_col))
    if not spec.groups:
        return rows
    chosen = Among(col=spec.group_col, op="in", value=spec.groups)
    return keep_rows(rows, work.kinds, (chosen,))


def _groups(rows: pd.DataFrame, spec: CompareGroups) -> list[Group]:
    """Without rows whose group or value is missing; groups without a value are none."""
    present = rows.dropna()
    grouped = present.groupby(spec.group_col, sort=True, observed=True)[spec.value_col]
    if grouped.ngroups > MOST_GROUPS:
        raise InvalidInput(
            "analysis_result.too_many_groups",
            details={"column": spec.group_col, "groups": grouped.ngroups},
            column=spec.group_col,
            count=grouped.ngroups,
            limit=MOST_GROUPS,
        )
    groups = [Group(group_name(key), floats(values)) for key, values in grouped]
    if len(groups) < 2:
        raise InvalidInput(
            "analysis_result.too_few_groups",
            details={"column": spec.group_col, "groups": [group.name for group in groups]},
            column=spec.group_col,
            groups=listed([group.name for group in groups]) or tell("none"),
        )
    return groups


def _check(test: Test, groups: Sequence[Group], spec: CompareGroups) -> None:
    names = [group.name for group in groups]
    if test in _OF_TWO and len(groups) != 2:
        raise InvalidInput(
            "analysis_result.test_of_two",
            details={"groups": names[:50]},
            test=tell(f"analysis_result.test.{test}"),
            count=len(groups),
            groups=listed(names[:10]),
        )
    fewest = 1 if test in ("mann_whitney", "ks", "kruskal") else 2
    small = [group.name for group in groups if group.values.size < fewest]
    if small:
        raise InvalidInput(
            "analysis_result.group_too_small",
            details={"groups": small[:50]},
            groups=listed(small[:10]),
            column=spec.group_col,
            fewest=fewest,
        )


def _tested(test: Test, groups: Sequence[Group], alternative: str) -> Finding:
    arrays = [group.values for group in groups]
    if test in _OF_MEANS and all(np.ptp(array) == 0 for array in arrays):
        # No spread to measure a difference by: what is left is the rounding of the means.
        return Finding(test, math.nan, math.nan)
    match test:
        case "t" | "welch":
            found = stats.ttest_ind(
                *arrays[:2],
                equal_var=test == "t",
                alternative=alternative,  # pyright: ignore[reportArgumentType, reportCallIssue]
            )
            return Finding(
                test,
                float(found.statistic),
                float(found.pvalue),
                float(found.df),
                effect="cohen_d",
                effect_size=_cohen_d(arrays[0], arrays[1]),
            )
        case "mann_whitney":
            found = stats.mannwhitneyu(*arrays[:2], alternative=alternative)  # pyright: ignore[reportArgumentType, reportCallIssue]
            pairs = arrays[0].size * arrays[1].size
            effect = 2 * float(found.statistic) / pairs - 1
            return Finding(
                test,
                float(found.statistic),
                float(found.pvalue),
                effect="rank_biserial",
                effect_size=effect,
            )
        case "ks":
            # scipy's word is of the distribution functions: where one is greater, values are less.
            of_functions = {"less": "greater", "greater": "less"}.get(alternative, alternative)
            found = stats.ks_2samp(*arrays[:2], alternative=of_functions)  # pyright: ignore[reportArgumentType, reportCallIssue]
            return Finding(test, float(found.statistic), float(found.pvalue))
        case _:
            return _many(test, arrays)


def _many(test: Test, arrays: Sequence[NDArray[np.float64]]) -> Finding:
    count, groups = sum(array.size for array in arrays), len(arrays)
    if test == "kruskal":
        if np.ptp(np.concatenate(arrays)) == 0:
            return Finding(test, math.nan, math.nan, groups - 1)
        found = stats.kruskal(*arrays)
        effect = float(found.statistic) / (count - 1)
        return Finding(
            test,
            float(found.statistic),
            float(found.pvalue),
            groups - 1,
            effect="epsilon_squared",
            effect_size=effect,
        )
    found = stats.f_oneway(*arrays)
    everything = np.concatenate(arrays)
    centre = everything.mean()
    whole = float(((everything - centre) ** 2).sum())
    between = sum(array.size * (float(array.mean()) - centre) ** 2 for array in arrays)
    return Finding(
        "anova",
        float(found.statistic),
        float(found.pvalue),
        groups - 1,
        count - groups,
        "eta_squared",
        float(between / whole) if whole else math.nan,
    )


def _cohen_d(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Difference of means over the pooled standard deviation."""
    df = one.size + other.size - 2
    pooled = ((one.size - 1) * one.var(ddof=1) + (other.size - 1) * other.var(ddof=1)) / df
    return float((one.mean() - other.mean()) / math.sqrt(pooled)) if pooled > 0 else math.nan


# ---- two columns of words ----


def _related(spec: CompareGroups, work: Work) -> Result:
    rows = _rows(spec, work)
    present = rows.dropna()
    counts = pd.crosstab(present[spec.group_col], present[spec.value_col])
    if counts.size > MOST_GROUPS * 100 or max(counts.shape, default=0) > MOST_GROUPS:
        raise InvalidInput(
            "analysis_result.too_many_groups",
            details={"column": spec.value_col},
            column=listed((spec.group_col, spec.value_col)),
            count=max(counts.shape),
            limit=MOST_GROUPS,
        )
    if min(counts.shape, default=0) < 2:
        raise InvalidInput(
            "analysis_result.too_few_groups",
            details={"column": spec.group_col},
            column=listed((spec.group_col, spec.value_col)),
            groups=listed([group_name(key) for key in counts.index[:10]]) or tell("none"),
        )
    observed = counts.to_numpy(dtype="int64")
    found = stats.chi2_contingency(observed)
    expected = np.asarray(found.expected_freq)
    plain = stats.chi2_contingency(observed, correction=False)
    effect = math.sqrt(float(plain.statistic) / (observed.sum() * (min(observed.shape) - 1)))
    finding = Finding(
        "chi2",
        float(found.statistic),
        float(found.pvalue),
        float(found.dof),
        effect="cramers_v",
        effect_size=effect,
    )
    notes = [
        convention(_why("chi2", spec)),
        *missing_notes(rows, [spec.value_col, spec.group_col]),
        *_verdict(finding, spec, ()),
    ]
    if observed.shape == (2, 2):
        notes.append(convention(tell("analysis_result.note.yates")))
    if (expected < _FEW_EXPECTED).any():
        notes.append(caution(tell("analysis_result.note.few_expected")))
    heading = title([spec.value_col], [spec.group_col])
    columns = [
        ResultColumn(
            spec.group_col,
            pd.Series([group_name(key) for key in counts.index], dtype="str"),
            "text",
        )
    ]
    for place, key in enumerate(counts.columns):
        name = group_name(key)
        taken = [column.name for column in columns]
        free = name if name not in taken else f"{name}_{place}"
        columns.append(
            ResultColumn(free, pd.Series(observed[:, place]), "integer", count_unit(), name)
        )
    return Result((_finding_sheet(finding, spec), Sheet.of(heading, columns)), tuple(notes))


# ---- tables and words ----


def _finding_sheet(found: Finding, spec: CompareGroups) -> Sheet:
    texts = {"test": tell(f"analysis_result.test.{found.test}")}
    numbers = {"statistic": found.statistic, "p": found.p}
    if not math.isnan(found.df):
        numbers["df"] = found.df
    if not math.isnan(found.df_within):
        numbers["df_within"] = found.df_within
    columns = [
        ResultColumn(
            name, pd.Series([text], dtype="str"), "text", "", tell(f"analysis_result.column.{name}")
        )
        for name, text in texts.items()
    ]
    columns += [
        ResultColumn(name, pd.Series([value]), "number", "", tell(f"analysis_result.column.{name}"))
        for name, value in numbers.items()
    ]
    if found.effect:
        label = tell(f"analysis_result.effect.{found.effect}")
        columns.append(
            ResultColumn("effect_size", pd.Series([found.effect_size]), "number", "", label)
        )
    heading = tell("analysis_result.comparison_title", value=spec.value_col, group=spec.group_col)
    return Sheet.of(heading, columns)


def _group_sheet(groups: Sequence[Group], spec: CompareGroups, work: Work) -> Sheet:
    unit = work.units[spec.value_col]
    kind: ValueType = "percent" if work.kinds[spec.value_col] == "percent" else "number"
    spreads = [
        float(group.values.std(ddof=1)) if group.values.size > 1 else math.nan for group in groups
    ]
    numbers = {
        "mean": [float(group.values.mean()) for group in groups],
        "std": spreads,
        "median": [float(np.median(group.values)) for group in groups],
    }
    return Sheet.of(
        title([spec.value_col], [spec.group_col]),
        [
            ResultColumn(
                spec.group_col, pd.Series([group.name for group in groups], dtype="str"), "text"
            ),
            ResultColumn(
                "n" if spec.group_col != "n" else "n_2",
                pd.Series([group.values.size for group in groups], dtype="int64"),
                "integer",
                count_unit(),
                tell("analysis_result.column.count"),
            ),
            *(
                ResultColumn(
                    name if name != spec.group_col else f"{name}_2",
                    pd.Series(values),
                    kind,
                    unit,
                    tell(f"analysis_result.column.{name}"),
                )
                for name, values in numbers.items()
            ),
        ],
    )


def _why(test: Test, spec: CompareGroups) -> str:
    name = tell(f"analysis_result.test.{test}")
    if spec.test == "auto":
        return tell(f"analysis_result.note.test_auto.{test}", test=name)
    return tell("analysis_result.note.test_chosen", test=name)


def _verdict(found: Finding, spec: CompareGroups, groups: Sequence[Group]) -> list[Note]:
    """A plain sentence: what the data show, and never that one thing caused another."""
    alpha = f"{spec.alpha:.4%}".rstrip("0%").rstrip(".") + "%"
    if math.isnan(found.p):
        return [caution(tell("analysis_result.note.no_test"))]
    what = "related" if found.test == "chi2" else "differ"
    verdict = "yes" if found.p < spec.alpha else "no"
    notes = [
        convention(tell(f"analysis_result.verdict.{what}_{verdict}", alpha=alpha)),
        caution(tell("analysis_result.note.not_causal_groups")),
    ]
    if spec.alternative != "two-sided" and found.test in _OF_TWO and len(groups) == 2:
        text = tell(
            f"analysis_result.note.alternative_{spec.alternative}",
            one=groups[0].name,
            other=groups[1].name,
        )
        notes.insert(0, convention(text))
    elif spec.alternative != "two-sided":
        notes.append(caution(tell("analysis_result.note.always_two_sided")))
    return notes
