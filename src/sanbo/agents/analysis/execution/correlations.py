"""How columns of numbers go together: coefficients, p-values, counts."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from sanbo.agents.analysis.execution.aggregates import group_name, require_number
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    caution,
    convention,
    figure,
    refusal,
)
from sanbo.agents.analysis.execution.wording import count_unit
from sanbo.agents.analysis.execution.work import Work
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import NUMERIC
from sanbo.agents.analysis.spec.operations import CorrelationMatrix
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

MOST_GROUPS = 1000


@dataclass(frozen=True)
class Pair:
    one: int
    other: int
    r: float
    p: float
    n: int


def correlation_matrix(spec: CorrelationMatrix, work: Work) -> Result:
    named = tuple(dict.fromkeys(spec.columns))
    work.frame.require(named)
    for name in named:
        require_number(work.kinds, name, booleans=True)
    numeric = [name for name in work.frame.names if work.kinds[name] in NUMERIC]
    candidates = named if spec.only_named else tuple(dict.fromkeys((*named, *numeric)))
    if len(candidates) < 2:
        raise InvalidInput(
            "analysis_result.too_few_columns",
            details={"columns": list(candidates)},
            columns=listed(candidates) or tell("none"),
        )
    by = (spec.by,) if spec.by else ()
    candidates = tuple(name for name in candidates if name not in by or name in named)
    rows = work.rows((*candidates, *by))
    values = {name: floats(rows[name]) for name in candidates}
    chosen, left_out = _chosen(values, named, spec)
    method = tell(f"analysis_result.correlation.{spec.method}")
    notes = tuple(_notes(values, chosen, left_out, method))
    if spec.by:
        return Result((_grouped_sheet(rows, chosen, spec, method),), notes)
    pairs = _pairs(values, chosen, spec.method)
    return Result(
        (_matrix_sheet(pairs, chosen, method), _pairs_sheet(pairs, chosen, method)), notes
    )


def _pairs(values: dict[str, NDArray[np.float64]], chosen: list[str], method: str) -> list[Pair]:
    """The strongest first; those without a coefficient last."""
    ranks = _ranks(values, chosen) if method == "spearman" else None
    pairs = [
        _ranked_pair(ranks, one, other)
        if ranks is not None
        else _pair(values, chosen, one, other, method)
        for one in range(len(chosen))
        for other in range(one + 1, len(chosen))
    ]
    return sorted(pairs, key=lambda pair: math.inf if math.isnan(pair.r) else -abs(pair.r))


def _grouped_sheet(
    rows: pd.DataFrame, chosen: list[str], spec: CorrelationMatrix, method: str
) -> Sheet:
    """Pairs in each group, in the order of the groups."""
    by = spec.by or ""
    grouped = rows.groupby(by, sort=True, dropna=False, observed=True)
    if grouped.ngroups > MOST_GROUPS:
        raise refusal("too_many_groups", column=by, count=grouped.ngroups, limit=MOST_GROUPS)
    names: list[str] = []
    pairs: list[Pair] = []
    for key, part in grouped:
        found = _pairs({name: floats(part[name]) for name in chosen}, chosen, spec.method)
        pairs.extend(found)
        names.extend([group_name(key)] * len(found))
    group = ResultColumn(
        free_name(by, ("column_1", "column_2", "r", "p", "n")),
        pd.Series(names, dtype="str"),
        "text",
    )
    return _pairs_sheet(pairs, chosen, method, (group,))


def _chosen(
    values: dict[str, NDArray[np.float64]], named: tuple[str, ...], spec: CorrelationMatrix
) -> tuple[list[str], int]:
    """The named ones, filled up with those of the largest variance, in the table's order."""
    if spec.only_named:
        return list(named), 0
    others = [name for name in values if name not in named]
    others.sort(key=lambda name: -_variance(values[name]))
    kept = set(others[: max(spec.top_n - len(named), 0)])
    chosen = [*named, *(name for name in values if name in kept)]
    return chosen, len(values) - len(chosen)


def _variance(numbers: NDArray[np.float64]) -> float:
    present = numbers[np.isfinite(numbers)]
    return float(present.var()) if present.size else -1.0


def _pair(
    values: dict[str, NDArray[np.float64]], chosen: list[str], one: int, other: int, method: str
) -> Pair:
    """Over the rows where both are there."""
    left, right = values[chosen[one]], values[chosen[other]]
    both = np.isfinite(left) & np.isfinite(right)
    if not both.all():
        left, right = left[both], right[both]
    n = int(left.size)
    if n < 2 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return Pair(one, other, math.nan, math.nan, n)
    run = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    found = run[method](left, right)
    p = float(found.pvalue) if n > 2 else math.nan
    return Pair(one, other, float(found.statistic), p, n)


def _ranks(
    values: dict[str, NDArray[np.float64]], chosen: list[str]
) -> list[NDArray[np.float64]] | None:
    """Of whole columns, which need ranking only once; None where a pair has its own rows."""
    if not all(np.isfinite(values[name]).all() and values[name].size > 2 for name in chosen):
        return None
    return [stats.rankdata(values[name]) for name in chosen]


def _ranked_pair(ranks: list[NDArray[np.float64]], one: int, other: int) -> Pair:
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
    grid = np.full((len(chosen), len(chosen)), np.nan)
    np.fill_diagonal(grid, 1.0)
    for pair in pairs:
        grid[pair.one, pair.other] = grid[pair.other, pair.one] = pair.r
    first = free_name("column", chosen)
    label = tell("analysis_result.column.column")
    return Sheet.of(
        tell("analysis_result.correlation_title", method=method),
        [
            ResultColumn(first, pd.Series(chosen, dtype="str"), "text", "", label),
            *(
                ResultColumn(name, pd.Series(grid[:, place]), "number")
                for place, name in enumerate(chosen)
            ),
        ],
    )


def _pairs_sheet(
    pairs: list[Pair], chosen: list[str], method: str, before: tuple[ResultColumn, ...] = ()
) -> Sheet:
    return Sheet.of(
        tell("analysis_result.pairs_title", method=method),
        [
            *before,
            figure("column_1", [chosen[pair.one] for pair in pairs], "text"),
            figure("column_2", [chosen[pair.other] for pair in pairs], "text"),
            figure("r", [pair.r for pair in pairs], "number"),
            figure("p", [pair.p for pair in pairs], "number"),
            ResultColumn(
                "n",
                pd.Series([pair.n for pair in pairs], dtype="int64"),
                "integer",
                count_unit(),
                tell("analysis_result.column.count"),
            ),
        ],
    )


def _notes(
    values: dict[str, NDArray[np.float64]], chosen: list[str], left_out: int, method: str
) -> list[Note]:
    notes = [
        convention(tell("analysis_result.note.correlation", method=method)),
        caution(tell("analysis_result.note.not_causal")),
    ]
    constant = [name for name in chosen if _variance(values[name]) <= 0]
    if constant:
        text = tell("analysis_result.note.constant", columns=listed(constant))
        notes.append(caution(text))
    if left_out:
        text = tell("analysis_result.note.columns_left_out", count=left_out, shown=len(chosen))
        notes.append(convention(text))
    return notes
