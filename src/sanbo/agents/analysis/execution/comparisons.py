"""Whether groups differ and columns move together: tests with p-values and sizes. Never why."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from sanbo.agents.analysis.execution.aggregates import group_name
from sanbo.agents.analysis.execution.filters import Work, keep_rows, missing_notes
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    count_unit,
    counts,
    figure,
    note,
    number_kind,
    refusal,
    title,
    warn,
)
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import NUMERIC
from sanbo.agents.analysis.spec.filters import Among
from sanbo.agents.analysis.spec.operations import CompareGroups, CorrelationMatrix
from sanbo.kernel.messages import tell
from sanbo.tables.columns import Floats, floats
from sanbo.tables.rows import free_name

MOST_GROUPS = 1000
Test = Literal["t", "welch", "mann_whitney", "anova", "kruskal", "ks", "chi2"]
Effect = Literal["cohen_d", "eta_squared", "rank_biserial", "cramers_v", "epsilon_squared", ""]
Groups = dict[str, Floats]
_OF_TWO: frozenset[Test] = frozenset({"t", "welch", "mann_whitney", "ks"})
_OF_MEANS: frozenset[Test] = frozenset({"t", "welch", "anova"})
_FEW_EXPECTED = 5


@dataclass(frozen=True)
class Finding:
    test: Test
    statistic: float = math.nan
    p: float = math.nan
    effect: Effect = ""
    effect_size: float = math.nan
    df: float = math.nan
    df_within: float = math.nan


def compare_groups(spec: CompareGroups, work: Work) -> Result:
    rows = work.rows((spec.value_col, spec.group_col))
    if spec.groups:
        chosen = Among(col=spec.group_col, op="in", value=spec.groups)
        rows = keep_rows(rows, work.kinds, (chosen,))
    is_number = work.kinds[spec.value_col] in NUMERIC
    if spec.test == "chi2" or (spec.test == "auto" and not is_number):
        return _related(spec, rows)
    groups = _groups(rows, spec)
    test: Test = ("welch" if len(groups) == 2 else "anova") if spec.test == "auto" else spec.test
    _check(test, groups, spec)
    found = _tested(test, list(groups.values()), spec.alternative)
    sheets = (_finding_sheet(found, spec), _group_sheet(groups, spec, work))
    notes = [
        _why(found.test, spec),
        *missing_notes(rows, [spec.value_col, spec.group_col]),
        note("ddof", ddof=1),
        *([note("u")] if test == "mann_whitney" else []),
        *_verdict(found, spec, list(groups)),
    ]
    return Result(sheets, tuple(notes))


def _groups(rows: pd.DataFrame, spec: CompareGroups) -> Groups:
    """Without rows whose group or value is missing; groups without a value are none."""
    grouped = rows.dropna().groupby(spec.group_col, sort=True, observed=True)[spec.value_col]
    if grouped.ngroups > MOST_GROUPS:
        raise refusal(
            "too_many_groups", column=spec.group_col, count=grouped.ngroups, limit=MOST_GROUPS
        )
    groups = {group_name(key): floats(values) for key, values in grouped}
    if len(groups) < 2:
        raise refusal("too_few_groups", column=spec.group_col, groups=list(groups))
    return groups


def _check(test: Test, groups: Groups, spec: CompareGroups) -> None:
    if test in _OF_TWO and len(groups) != 2:
        name = tell(f"analysis_result.test.{test}")
        raise refusal("test_of_two", test=name, count=len(groups), groups=list(groups))
    fewest = 1 if test in ("mann_whitney", "ks", "kruskal") else 2
    if small := [name for name, values in groups.items() if values.size < fewest]:
        raise refusal("group_too_small", groups=small, column=spec.group_col, fewest=fewest)


def _tested(test: Test, arrays: Sequence[Floats], alternative: str) -> Finding:
    if test in _OF_MEANS and all(np.ptp(array) == 0 for array in arrays):
        # No spread to measure a difference by: what is left is the rounding of the means.
        return Finding(test)
    if test not in _OF_TWO:
        return _many(test, arrays)
    one, other = arrays
    if test == "mann_whitney":
        # pyrefly: ignore[no-matching-overload]
        found = stats.mannwhitneyu(one, other, alternative=alternative)
        effect = 2 * float(found.statistic) / (one.size * other.size) - 1
        return Finding(test, float(found.statistic), float(found.pvalue), "rank_biserial", effect)
    if test == "ks":
        # scipy's word is of the distribution functions: where one is greater, values are less.
        of_functions = {"less": "greater", "greater": "less"}.get(alternative, alternative)
        # pyrefly: ignore[no-matching-overload]
        found = stats.ks_2samp(one, other, alternative=of_functions)
        return Finding(test, float(found.statistic), float(found.pvalue))
    # pyrefly: ignore[no-matching-overload]
    found = stats.ttest_ind(one, other, equal_var=test == "t", alternative=alternative)
    effect = _cohen_d(one, other)
    return Finding(
        test, float(found.statistic), float(found.pvalue), "cohen_d", effect, float(found.df)
    )


def _many(test: Test, arrays: Sequence[Floats]) -> Finding:
    everything, between = np.concatenate(arrays), len(arrays) - 1
    count = everything.size
    if test == "kruskal":
        if np.ptp(everything) == 0:
            return Finding(test, df=between)
        found = stats.kruskal(*arrays)
        effect = float(found.statistic) / (count - 1)
        statistic, p = float(found.statistic), float(found.pvalue)
        return Finding(test, statistic, p, "epsilon_squared", effect, between)
    found = stats.f_oneway(*arrays)
    centre = everything.mean()
    whole = float(((everything - centre) ** 2).sum())
    explained = sum(array.size * (float(array.mean()) - centre) ** 2 for array in arrays)
    effect = float(explained / whole) if whole else math.nan
    statistic, p = float(found.statistic), float(found.pvalue)
    return Finding("anova", statistic, p, "eta_squared", effect, between, count - len(arrays))


def _cohen_d(one: Floats, other: Floats) -> float:
    """Difference of means over the pooled standard deviation."""
    df = one.size + other.size - 2
    pooled = ((one.size - 1) * one.var(ddof=1) + (other.size - 1) * other.var(ddof=1)) / df
    return float((one.mean() - other.mean()) / math.sqrt(pooled)) if pooled > 0 else math.nan


# ---- two columns of words ----


def _related(spec: CompareGroups, rows: pd.DataFrame) -> Result:
    present = rows.dropna()
    table = pd.crosstab(present[spec.group_col], present[spec.value_col])
    columns = (spec.group_col, spec.value_col)
    if table.size > MOST_GROUPS * 100 or max(table.shape, default=0) > MOST_GROUPS:
        raise refusal("too_many_groups", column=columns, count=max(table.shape), limit=MOST_GROUPS)
    names = [group_name(key) for key in table.index]
    if min(table.shape, default=0) < 2:
        raise refusal("too_few_groups", column=columns, groups=names)
    observed = table.to_numpy(dtype="int64")
    found = stats.chi2_contingency(observed)
    plain = stats.chi2_contingency(observed, correction=False)
    effect = math.sqrt(float(plain.statistic) / (observed.sum() * (min(observed.shape) - 1)))
    statistic, p, df = (float(one) for one in (found.statistic, found.pvalue, found.dof))
    finding = Finding("chi2", statistic, p, "cramers_v", effect, df)
    notes = [
        _why("chi2", spec),
        *missing_notes(rows, [spec.value_col, spec.group_col]),
        *_verdict(finding, spec, ()),
        *([note("yates")] if observed.shape == (2, 2) else []),
    ]
    if (np.asarray(found.expected_freq) < _FEW_EXPECTED).any():
        notes.append(warn("few_expected"))
    made = [ResultColumn(spec.group_col, pd.Series(names, dtype="str"), "text")]
    for place, key in enumerate(table.columns):
        name = group_name(key)
        free = free_name(name, [column.name for column in made])
        made.append(
            ResultColumn(free, pd.Series(observed[:, place]), "integer", count_unit(), name)
        )
    counted = Sheet.of(title([spec.value_col], [spec.group_col]), made)
    return Result((_finding_sheet(finding, spec), counted), tuple(notes))


# ---- tables and words ----


def _finding_sheet(found: Finding, spec: CompareGroups) -> Sheet:
    numbers = {"statistic": found.statistic, "p": found.p}
    numbers |= {
        name: value
        for name, value in (("df", found.df), ("df_within", found.df_within))
        if not math.isnan(value)
    }
    columns = [
        figure("test", [tell(f"analysis_result.test.{found.test}")], "text"),
        *(figure(name, [value], "number") for name, value in numbers.items()),
    ]
    if found.effect:
        label = tell(f"analysis_result.effect.{found.effect}")
        size = pd.Series([found.effect_size])
        columns.append(ResultColumn("effect_size", size, "number", "", label))
    heading = tell("analysis_result.comparison_title", value=spec.value_col, group=spec.group_col)
    return Sheet.of(heading, columns)


def _group_sheet(groups: Groups, spec: CompareGroups, work: Work) -> Sheet:
    kind, unit = number_kind([work.kinds[spec.value_col]]), work.units[spec.value_col]
    numbers = {
        "mean": [float(values.mean()) for values in groups.values()],
        "std": [
            float(values.std(ddof=1)) if values.size > 1 else math.nan for values in groups.values()
        ],
        "median": [float(np.median(values)) for values in groups.values()],
    }
    sizes = [values.size for values in groups.values()]
    own, label = spec.group_col, tell("analysis_result.column.count")
    figures = [figure(name, values, kind, unit) for name, values in numbers.items()]
    columns = [
        ResultColumn(own, pd.Series(list(groups), dtype="str"), "text"),
        counts("n", sizes, taken=[own], label=label),
        *(replace(one, name=free_name(one.name, [own])) for one in figures),
    ]
    return Sheet.of(title([spec.value_col], [own]), columns)


def _why(test: Test, spec: CompareGroups) -> Note:
    name = tell(f"analysis_result.test.{test}")
    return note(f"test_auto.{test}" if spec.test == "auto" else "test_chosen", test=name)


def _verdict(found: Finding, spec: CompareGroups, groups: Sequence[str]) -> list[Note]:
    """A plain sentence: what the data show, and never that one thing caused another."""
    if math.isnan(found.p):
        return [warn("no_test")]
    alpha = f"{spec.alpha:.4%}".rstrip("0%").rstrip(".") + "%"
    what = "related" if found.test == "chi2" else "differ"
    verdict = "yes" if found.p < spec.alpha else "no"
    notes = [note(f"verdict.{what}_{verdict}", alpha=alpha), warn("not_causal_groups")]
    if spec.alternative != "two-sided" and found.test in _OF_TWO and len(groups) == 2:
        one, other = groups
        notes.insert(0, note(f"alternative_{spec.alternative}", one=one, other=other))
    elif spec.alternative != "two-sided":
        notes.append(warn("always_two_sided"))
    return notes


Columns = Mapping[str, Floats]
_RUN = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


class Pair(NamedTuple):
    one: str
    other: str
    r: float
    p: float
    n: int
    group: str = ""


def correlation_matrix(spec: CorrelationMatrix, work: Work) -> Result:
    named = tuple(dict.fromkeys(spec.columns))
    by = (spec.by,) if spec.by else ()
    numeric = [name for name in work.frame.names if work.kinds[name] in NUMERIC and name not in by]
    candidates = named if spec.only_named else tuple(dict.fromkeys((*named, *numeric)))
    if len(candidates) < 2:
        raise refusal("too_few_columns", columns=candidates)
    rows = work.rows((*candidates, *by))
    values = {name: floats(rows[name]) for name in candidates}
    chosen = _chosen(values, named, spec)
    method = tell(f"analysis_result.correlation.{spec.method}")
    notes = _notes(values, chosen, method)
    if by:
        pairs = _in_groups(rows, chosen, spec)
        return Result((_pairs_sheet(pairs, method, by),), tuple(notes))
    pairs = _pairs({name: values[name] for name in chosen}, spec.method)
    return Result(
        (_matrix_sheet(pairs, chosen, method), _pairs_sheet(pairs, method, by)), tuple(notes)
    )


def _chosen(values: Columns, named: tuple[str, ...], spec: CorrelationMatrix) -> list[str]:
    """The named ones, filled up with those of the largest variance, in the table's order."""
    others = sorted(
        (name for name in values if name not in named), key=lambda name: -_variance(values[name])
    )
    kept = set(others[: max(spec.top_n - len(named), 0)])
    return [*named, *(name for name in values if name in kept)]


def _variance(numbers: Floats) -> float:
    present = numbers[np.isfinite(numbers)]
    return float(present.var()) if present.size else -1.0


def _in_groups(rows: pd.DataFrame, chosen: list[str], spec: CorrelationMatrix) -> list[Pair]:
    """Pairs in each group, in the order of the groups."""
    grouped = rows.groupby(spec.by or "", sort=True, dropna=False, observed=True)
    if grouped.ngroups > MOST_GROUPS:
        raise refusal("too_many_groups", column=spec.by, count=grouped.ngroups, limit=MOST_GROUPS)
    return [
        pair._replace(group=group_name(key))
        for key, part in grouped
        for pair in _pairs({name: floats(part[name]) for name in chosen}, spec.method)
    ]


def _pairs(values: Columns, method: str) -> list[Pair]:
    """The strongest first; those without a coefficient last."""
    ranks = None
    if method == "spearman" and all(
        np.isfinite(one).all() and one.size > 2 for one in values.values()
    ):
        # Whole columns need ranking only once; else each pair has its own rows.
        ranks = {name: stats.rankdata(one) for name, one in values.items()}
    pairs = [
        _ranked(ranks, *both) if ranks is not None else _pair(values, *both, method)
        for both in combinations(values, 2)
    ]
    return sorted(pairs, key=lambda pair: math.inf if math.isnan(pair.r) else -abs(pair.r))


def _pair(values: Columns, one: str, other: str, method: str) -> Pair:
    """Over the rows where both are there."""
    left, right = values[one], values[other]
    both = np.isfinite(left) & np.isfinite(right)
    if not both.all():
        left, right = left[both], right[both]
    n = int(left.size)
    if n < 2 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return Pair(one, other, math.nan, math.nan, n)
    found = _RUN[method](left, right)
    return Pair(one, other, float(found.statistic), float(found.pvalue) if n > 2 else math.nan, n)


def _ranked(ranks: Columns, one: str, other: str) -> Pair:
    """Spearman's coefficient is Pearson's of the ranks; p by Student's t, as scipy has it."""
    left, right = ranks[one], ranks[other]
    n = int(left.size)
    if np.ptp(left) == 0 or np.ptp(right) == 0:
        return Pair(one, other, math.nan, math.nan, n)
    r = float(np.corrcoef(left, right)[0, 1])
    rest = (1 + r) * (1 - r)
    t = abs(r) * math.sqrt((n - 2) / rest) if rest > 0 else math.inf
    return Pair(one, other, r, float(2 * stats.t.sf(t, n - 2)), n)


def _matrix_sheet(pairs: list[Pair], chosen: list[str], method: str) -> Sheet:
    grid = pd.DataFrame(np.eye(len(chosen)), index=chosen, columns=chosen)
    for pair in pairs:
        grid.loc[pair.one, pair.other] = grid.loc[pair.other, pair.one] = pair.r
    label = tell("analysis_result.column.column")
    first = ResultColumn(
        free_name("column", chosen), pd.Series(chosen, dtype="str"), "text", "", label
    )
    columns = [first, *(ResultColumn(name, grid[name], "number") for name in chosen)]
    return Sheet.of(tell("analysis_result.correlation_title", method=method), columns)


def _pairs_sheet(pairs: list[Pair], method: str, by: tuple[str, ...]) -> Sheet:
    taken = ("column_1", "column_2", "r", "p", "n")
    groups = pd.Series([pair.group for pair in pairs], dtype="str")
    columns = [
        *(ResultColumn(free_name(name, taken), groups, "text") for name in by),
        figure("column_1", [pair.one for pair in pairs], "text"),
        figure("column_2", [pair.other for pair in pairs], "text"),
        figure("r", [pair.r for pair in pairs], "number"),
        figure("p", [pair.p for pair in pairs], "number"),
        counts("n", [pair.n for pair in pairs], label=tell("analysis_result.column.count")),
    ]
    return Sheet.of(tell("analysis_result.pairs_title", method=method), columns)


def _notes(values: Columns, chosen: list[str], method: str) -> list[Note]:
    notes = [note("correlation", method=method), warn("not_causal")]
    if constant := [name for name in chosen if _variance(values[name]) <= 0]:
        notes.append(warn("constant", columns=listed(constant)))
    if left_out := len(values) - len(chosen):
        notes.append(note("columns_left_out", count=left_out, shown=len(chosen)))
    return notes
