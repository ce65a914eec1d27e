"""Charts of one mark for each group: bars, lines, areas, pieces, cells of a heat map."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import cast

import numpy as np
import pandas as pd

from sanbo.agents.analysis.charts.kind import Aggregated
from sanbo.agents.analysis.execution.aggregates import aggregate, require_number
from sanbo.agents.analysis.execution.chart_levels import Levels
from sanbo.agents.analysis.execution.chart_task import (
    Drawn,
    Floats,
    Measure,
    Row,
    Task,
    drawable,
    group_columns,
    levels_by_role,
    no_values,
    shown_table,
    title_of,
)
from sanbo.agents.analysis.execution.chart_words import aggregated_alt, by_words
from sanbo.agents.analysis.execution.wording import count_unit, metric_kind, metric_unit
from sanbo.agents.analysis.outcome import JsonCell, TableColumn
from sanbo.agents.analysis.profile import TEMPORAL
from sanbo.agents.analysis.spec.words import Aggregate
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import floats

MOST_MARKS = 20_000


@dataclass(frozen=True)
class _Groups:
    levels: dict[str, Levels]
    values: pd.DataFrame
    """The place of each group by role, and its value; whole numbers stay whole."""
    measure: Measure

    @property
    def heights(self) -> Floats:
        return drawable(self.values["value"].to_numpy(dtype="float64", na_value=np.nan))

    def totals(self) -> Floats:
        """For each place along the axis, to rank it by; of means the mean."""
        how = "sum" if self.measure.is_additive else "mean"
        found = pd.Series(self.heights).groupby(self.values["x"].to_numpy()).agg(how)
        return found.reindex(range(len(self.levels["x"]))).to_numpy(dtype="float64")

    def chosen(self, keep: Sequence[int]) -> "_Groups":
        """Just these places, in this order."""
        new_place = {old: new for new, old in enumerate(keep)}
        values = self.values[self.values["x"].isin(keep)]
        values = values.assign(x=values["x"].map(new_place))
        return replace(
            self, levels={**self.levels, "x": self.levels["x"].chosen(keep)}, values=values
        )


def of_groups(task: Task) -> Drawn:
    spec = cast("Aggregated", task.spec)
    groups = _grouped(task, _measure(task, spec.y, spec.agg))
    is_share = task.kind.is_whole or bool(getattr(spec, "normalized", False))
    if is_share:
        _require_parts(groups)
    groups = _with_rest(task, groups) if task.kind.is_whole else _in_order(task, groups)
    unit = groups.levels["x"].unit
    by, what = by_words(spec, unit), groups.measure.label
    family = "share" if is_share else "bar"
    if task.kind.is_trend and not is_share and groups.levels["x"].is_ordered:
        family = "line" if unit or task.kinds[spec.x] in TEMPORAL else "bar"
    title = title_of(spec, tell(f"chart.title.{family}", what=what, by=by))
    grouping = group_columns(groups.levels.values())
    columns = [*grouping, groups.measure.table_column(grouping)]
    if is_share:
        columns.append(TableColumn(name="share", label=tell("chart.share"), kind="share"))
    rows = _rows(groups, _shares(groups) if is_share else None)
    if len(rows) > MOST_MARKS:
        limit = f"{MOST_MARKS:,}"
        raise InvalidInput("chart_too_many_marks", count=f"{len(rows):,}", limit=limit)
    rests = frozenset(each.cells[-1] for each in groups.levels.values() if each.has_rest)
    table = shown_table(title, columns, rows, len(rows))
    whole = table.model_copy(update={"rows": tuple(rows)})
    return Drawn(
        title,
        aggregated_alt(spec, whole, rests),
        tuple(columns),
        _with_gaps(task, groups, rows, len(columns)),
        table,
    )


def _measure(task: Task, column: str | None, how: Aggregate | None) -> Measure:
    """Refused where the column has no numbers to draw."""
    if column is None:
        return Measure(None, None, "integer", count_unit())
    if how not in ("count", "nunique"):
        require_number(task.kinds, column, booleans=True)
    kind = task.kinds[column]
    if how is None:
        kind = "integer" if kind == "boolean" else kind
        return Measure(column, None, kind, task.units.get(column, ""))
    return Measure(column, how, metric_kind(kind, how), metric_unit(task.units, column, how))


def _grouped(task: Task, measure: Measure) -> _Groups:
    weights = None
    there = np.ones(len(task.data), dtype=bool)
    if measure.column is not None:
        there = task.data[measure.column].notna().to_numpy(dtype=bool)
        if measure.aggregate not in ("count", "nunique"):
            weights = np.nan_to_num(np.abs(drawable(floats(task.data[measure.column]))))
    levels = levels_by_role(task, weights)
    there = there & np.all([each.places >= 0 for each in levels.values()], axis=0)
    if not there.any():
        raise no_values(measure.column or levels["x"].column)
    keyed = pd.DataFrame({f"\0{role}": each.places for role, each in levels.items()})
    if measure.column is not None:
        keyed[measure.column] = task.data[measure.column].array
    keyed = keyed[there]
    keys = [f"\0{role}" for role in levels]  # no column of a table has such a name
    measure = _settled(measure, keyed, keys)
    if measure.column is None:
        made = aggregate(keyed, keys, {})
    else:
        how: Aggregate = "first" if measure.aggregate in (None, "as_is") else measure.aggregate
        made = aggregate(keyed, keys, {measure.column: (how,)})
    made.columns = [*levels, "value"]
    groups = _Groups(levels, made, measure)
    if not np.isfinite(groups.heights).any():
        raise no_values(measure.column or levels["x"].column)
    return groups


def _settled(measure: Measure, keyed: pd.DataFrame, keys: list[str]) -> Measure:
    """Where no aggregate was asked for: the value itself if there is only one, else the sum."""
    if measure.column is None or measure.aggregate is not None:
        return measure
    if not keyed.duplicated(keys).any():
        return replace(measure, aggregate="as_is")
    # Percentages do not add up.
    return replace(measure, aggregate="mean" if measure.kind == "percent" else "sum")


def _in_order(task: Task, groups: _Groups) -> _Groups:
    """Only as many places as can be read, in the order asked for."""
    x, totals = groups.levels["x"], groups.totals()
    sort = getattr(task.spec, "sort", "none")
    there = np.isfinite(totals)
    everything = [at for at in range(len(x)) if there[at] or x.unit]
    most = min(getattr(task.spec, "top_k", None) or task.kind.most, task.kind.most)
    largest_first = sort != "value_asc"
    amounts = np.nan_to_num(totals)
    ranked = sorted(everything, key=lambda at: -amounts[at] if largest_first else amounts[at])
    keep, is_cut = everything, len(everything) > most
    if is_cut:
        keep = sorted(ranked[:most])
        which = "largest" if largest_first else "smallest"
        told = tell(f"chart.note.{which}", shown=most, count=f"{len(everything):,}")
        task.remarks.caution(told)
    if sort in ("value_desc", "value_asc") or (sort == "none" and is_cut and not x.is_ordered):
        # Those that are left of many are read as a ranking.
        keep = [at for at in ranked if at in set(keep)]
    elif sort == "label" and not x.is_ordered:
        keep = sorted(keep, key=lambda at: (x.cells[at] is None, str(x.cells[at])))
    return groups.chosen(keep)


def _require_parts(groups: _Groups) -> None:
    column = groups.measure.column or ""
    if bool((groups.heights < 0).any()):
        raise InvalidInput("chart_share_of_negative", details={"column": column}, column=column)
    if float(np.nansum(groups.heights)) == 0:
        raise InvalidInput("chart_share_of_nothing", details={"column": column}, column=column)


def _with_rest(task: Task, groups: _Groups) -> _Groups:
    """Largest first; periods and numbers in their own order. Those after `top_k` together."""
    x, totals, most = groups.levels["x"], np.nan_to_num(groups.totals()), task.spec.top_k
    ranked = sorted((at for at in range(len(x)) if totals[at] > 0), key=lambda at: -totals[at])
    # A single one after the others is shown by its own name.
    keep, others = (ranked[:most], ranked[most:]) if len(ranked) > most + 1 else (ranked, [])
    # What has no name comes last of those that have one.
    keep.sort(key=lambda at: at if x.is_ordered else x.cells[at] is None)
    if not groups.measure.is_additive and groups.measure.aggregate != "as_is":
        # Shares of means are no shares of a whole; a sum of them for the rest would be nonsense.
        what = groups.measure.label
        if others:
            raise InvalidInput("chart_share_not_additive", what=what)
        task.remarks.caution(tell("chart.note.shares_of_no_whole", what=what))
    if not others:
        return groups.chosen(keep)
    rest = tell("analysis_result.other")
    task.remarks.caution(tell("chart.note.rest_in_pie", count=f"{len(others):,}", rest=rest))
    place = {old: new for new, old in enumerate(keep)} | dict.fromkeys(others, len(keep))
    values = groups.values[groups.values["x"].isin(place)]
    values = values.assign(x=values["x"].map(place), value=values["value"].astype("object"))
    values = values.groupby([*groups.levels], as_index=False)["value"].agg(sum)
    levels = {**groups.levels, "x": x.chosen(keep, with_rest=True)}
    return replace(groups, levels=levels, values=values)


def _shares(groups: _Groups) -> Floats:
    """Of each place where there are colours, else of all of a panel."""
    keys = [
        role
        for role in groups.levels
        if role == "facet" or (role == "x" and "color" in groups.levels)
    ]
    heights = pd.Series(groups.heights)
    if not keys:
        return floats(heights / heights.sum())
    total = heights.groupby([groups.values[key].to_numpy() for key in keys]).transform("sum")
    return floats(heights / total.where(total > 0))


def _rows(groups: _Groups, shares: Floats | None) -> list[Row]:
    codes = [groups.values[role].to_numpy() for role in groups.levels]
    values = [_number(value) for value in groups.values["value"].tolist()]
    more = [] if shares is None else [[_number(share) for share in shares.tolist()]]
    found = zip(zip(*(each.tolist() for each in codes), strict=True), values, *more, strict=True)
    cells = [each.cells for each in groups.levels.values()]
    rows: list[Row] = []
    for places, *figures in sorted(found, key=lambda row: row[0]):
        names = (each[at] for each, at in zip(cells, places, strict=True))
        rows.append((*names, *figures))
    return rows


def _with_gaps(task: Task, groups: _Groups, rows: list[Row], width: int) -> list[Row]:
    """Periods without rows have their place, and break a line, unless most of them are empty."""
    x = groups.levels["x"]
    if x.unit is None or "by" in groups.levels:
        return rows
    empty = len(x) - groups.values["x"].nunique()
    is_sparse = empty > len(x) / 2
    if empty and task.kind.is_trend:
        told = "gaps_bridged" if is_sparse else "gaps"
        task.remarks.caution(tell(f"chart.note.{told}", count=empty))
    cells = [each.cells for each in groups.levels.values()]
    if (is_sparse and task.kind.is_trend) or math.prod(map(len, cells)) > MOST_MARKS:
        return rows
    by_names = {row[: len(cells)]: row for row in rows}
    nothing = (None,) * (width - len(cells))
    return [by_names.get(names, (*names, *nothing)) for names in product(*cells)]


def _number(value: object) -> JsonCell:
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    return None
