"""How columns of numbers go together: coefficients, p-values, counts."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import math
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from sanbo.agents.analysis.execution.aggregates import group_name
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    counts,
    figure,
    note,
    refusal,
    warn,
)
from sanbo.agents.analysis.execution.work import Work
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import NUMERIC
from sanbo.agents.analysis.spec.operations import CorrelationMatrix
from sanbo.kernel.messages import tell
from sanbo.tables.columns import Floats, floats
from sanbo.tables.rows import free_name

MOST_GROUPS = 1000
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
