"""Charts of one mark for each group: bars, lines, areas, pieces, cells of a heat map."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import cast

import numpy as np
import pandas as pd

from sanbo.agents.analysis.charts.kind import Aggregated
from sanbo.agents.analysis.execution.aggregates import aggregate, require_number
from sanbo.agents.analysis.execution.chart_task import (
    Drawn,
    Floats,
    Levels,
    Row,
    Task,
    alt_text,
    bare_name,
    by_words,
    cell_kind,
    cell_of,
    count_column,
    drawable,
    ends,
    group_columns,
    levels_by_role,
    no_values,
    places,
)
from sanbo.agents.analysis.execution.results import metric_kind, metric_label, metric_unit
from sanbo.agents.analysis.outcome import TableColumn
from sanbo.agents.analysis.profile import TEMPORAL
from sanbo.agents.analysis.spec.words import Aggregate, metric_name
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

MOST_MARKS = 20_000


@dataclass(frozen=True)
class _Groups:
    levels: dict[str, Levels]
    values: pd.DataFrame
    """The place of each group by role, and its value; whole numbers stay whole."""
    measure: TableColumn
    is_additive: bool
    """Whether values of several groups may be added up."""

    @property
    def heights(self) -> Floats:
        return drawable(self.values["value"].to_numpy(dtype="float64", na_value=np.nan))

    def totals(self) -> Floats:
        """For each place along the axis, to rank it by; of means the mean."""
        how = "sum" if self.is_additive else "mean"
        found = pd.Series(self.heights).groupby(self.values["x"].to_numpy()).agg(how)
        return found.reindex(range(len(self.levels["x"]))).to_numpy(dtype="float64")

    def chosen(self, keep: Sequence[int]) -> "_Groups":
        """Just these places, in this order."""
        values = self.values[self.values["x"].isin(keep)]
        values = values.assign(x=values["x"].map({old: new for new, old in enumerate(keep)}))
        levels = {**self.levels, "x": self.levels["x"].chosen(keep)}
        return replace(self, levels=levels, values=values)


def of_groups(task: Task) -> Drawn:
    spec = cast("Aggregated", task.spec)
    groups = _grouped(task, spec)
    is_share = task.kind.is_whole or bool(getattr(spec, "normalized", False))
    if is_share:
        _require_parts(groups, spec.y or "")
    groups = _with_rest(task, groups) if task.kind.is_whole else _in_order(task, groups)
    x = groups.levels["x"]
    is_trend = task.kind.is_trend and (x.unit or task.kinds[spec.x] in TEMPORAL)
    family = "share" if is_share else "line" if is_trend else "bar"
    by = by_words(spec, x.unit)
    title = tell(f"chart.title.{family}", what=groups.measure.label, by=by)
    columns = [*group_columns(groups.levels.values()), groups.measure]
    if is_share:
        columns.append(TableColumn(name="share", label=tell("chart.share"), kind="share"))
    table = task.table(title, columns, _rows(groups, _shares(groups) if is_share else None))
    if table.row_count > MOST_MARKS:
        count, limit = f"{table.row_count:,}", f"{MOST_MARKS:,}"
        raise InvalidInput("chart_too_many_marks", count=count, limit=limit)
    rests = frozenset(each.cells[-1] for each in groups.levels.values() if each.has_rest)
    rows = _with_gaps(task, groups, table.rows, len(columns))
    count = len(groups.levels)
    told = (places(table, [*groups.levels].index("x")), *ends(table, count, count, rests))
    return Drawn(alt_text(spec, table, *told), table, task.table(title, columns, rows))


def _grouped(task: Task, spec: Aggregated) -> _Groups:
    column, weights = spec.y, None
    there = np.ones(len(task.data), dtype=bool)
    if column is not None:
        there = task.data[column].notna().to_numpy(dtype=bool)
        if spec.agg not in ("count", "nunique"):
            require_number(task.kinds, column, booleans=True)
            weights = np.nan_to_num(np.abs(drawable(floats(task.data[column]))))
    levels = levels_by_role(task, weights)
    there = there & np.all([each.places >= 0 for each in levels.values()], axis=0)
    keys = [f"\0{role}" for role in levels]  # no column of a table has such a name
    keyed = pd.DataFrame({f"\0{role}": each.places for role, each in levels.items()})
    grouping = group_columns(levels.values())
    if column is None:
        made, measure, is_additive = aggregate(keyed[there], keys, {}), count_column(grouping), True
    else:
        keyed = keyed.assign(**{column: task.data[column].array})[there]
        how = spec.agg or _usual(task, column, has_several=bool(keyed.duplicated(keys).any()))
        made = aggregate(keyed, keys, {column: (how or "first",)})
        measure = _measured(task, column, how, grouping)
        is_additive = how in ("sum", "count") or (how is None and measure.kind != "share")
    made.columns = [*levels, "value"]
    groups = _Groups(levels, made, measure, is_additive)
    if not np.isfinite(groups.heights).any():
        raise no_values(column or spec.x)
    return groups


def _usual(task: Task, column: str, *, has_several: bool) -> Aggregate | None:
    """Where no aggregate was asked for: the value itself if there is only one, else the sum."""
    if not has_several:
        return None
    return "mean" if task.kinds[column] == "percent" else "sum"  # percentages do not add up


def _measured(
    task: Task, column: str, how: Aggregate | None, taken: Sequence[TableColumn]
) -> TableColumn:
    """売上（合計）."""
    kind, unit = task.kinds[column], task.units.get(column, "")
    name = label = bare_name(column, unit)
    if how is None:
        name = column
    else:
        kind, unit = metric_kind(kind, how), metric_unit(task.units, column, how)
        name, label = metric_name(column, how), metric_label(bare_name(column, unit), how)
    shown = "integer" if kind == "boolean" else cell_kind(kind)
    name = free_name(name, [each.name for each in taken])
    return TableColumn(name=name, label=label, kind=shown, unit=unit)


def _in_order(task: Task, groups: _Groups) -> _Groups:
    """Only as many places as can be read, in the order asked for."""
    x, totals = groups.levels["x"], groups.totals()
    sort = getattr(task.spec, "sort", "none")
    everything = [at for at in range(len(x)) if np.isfinite(totals[at]) or x.unit]
    most = min(getattr(task.spec, "top_k", None) or task.kind.most, task.kind.most)
    amounts = np.nan_to_num(totals) * (1 if sort == "value_asc" else -1)
    ranked = sorted(everything, key=lambda at: amounts[at])
    keep, is_cut = everything, len(everything) > most
    if is_cut:
        keep = sorted(ranked[:most])
        which = "smallest" if sort == "value_asc" else "largest"
        task.caution(which, shown=most, count=f"{len(everything):,}")
    if sort.startswith("value") or (sort == "none" and is_cut and not x.is_ordered):
        # Those that are left of many are read as a ranking.
        keep = [at for at in ranked if at in set(keep)]
    elif sort == "label" and not x.is_ordered:
        keep = sorted(keep, key=lambda at: (x.cells[at] is None, str(x.cells[at])))
    return groups.chosen(keep)


def _require_parts(groups: _Groups, column: str) -> None:
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
    if not groups.is_additive:
        # Shares of means are no shares of a whole; a sum of them for the rest would be nonsense.
        if others:
            raise InvalidInput("chart_share_not_additive", what=groups.measure.label)
        task.caution("shares_of_no_whole", what=groups.measure.label)
    if not others:
        return groups.chosen(keep)
    task.caution("rest_in_pie", count=f"{len(others):,}", rest=tell("analysis_result.other"))
    place = {old: new for new, old in enumerate(keep)} | dict.fromkeys(others, len(keep))
    values = groups.values[groups.values["x"].isin(place)]
    values = values.assign(x=values["x"].map(place), value=values["value"].astype("object"))
    values = values.groupby([*groups.levels], as_index=False)["value"].agg(sum)
    levels = {**groups.levels, "x": x.chosen(keep, with_rest=True)}
    # pyrefly: ignore[bad-argument-type]
    return replace(groups, levels=levels, values=values)


def _shares(groups: _Groups) -> Floats:
    """Of each place where there are colours, else of all of a panel."""
    roles = ("facet", "x") if "color" in groups.levels else ("facet",)
    keys = [groups.values[role].to_numpy() for role in roles if role in groups.levels]
    heights = pd.Series(groups.heights)
    total = heights.groupby(keys or np.zeros(len(heights))).transform("sum")
    return floats(heights / total.where(total > 0))


def _rows(groups: _Groups, shares: Floats | None) -> list[Row]:
    """In the order of their places."""
    values = groups.values.reset_index(drop=True)
    if shares is not None:
        values = values.assign(share=shares)
    values = values.sort_values([*groups.levels], kind="stable")
    columns: list[list[object]] = [
        [each.cells[at] for at in values[role].tolist()] for role, each in groups.levels.items()
    ]
    for name in values.columns[len(groups.levels) :]:
        columns.append([cell_of(value, "number") for value in values[name].tolist()])
    return cast("list[Row]", list(zip(*columns, strict=True)))


def _with_gaps(task: Task, groups: _Groups, rows: Sequence[Row], width: int) -> Sequence[Row]:
    """Periods without rows have their place, and break a line, unless most of them are empty."""
    x = groups.levels["x"]
    if x.unit is None or "by" in groups.levels:
        return rows
    empty = len(x) - groups.values["x"].nunique()
    is_bridged = task.kind.is_trend and empty > len(x) / 2
    if empty and task.kind.is_trend:
        task.caution("gaps_bridged" if is_bridged else "gaps", count=empty)
    cells = [each.cells for each in groups.levels.values()]
    if is_bridged or math.prod(map(len, cells)) > MOST_MARKS:
        return rows
    by_names = {row[: len(cells)]: row for row in rows}
    nothing = (None,) * (width - len(cells))
    return [by_names.get(names, (*names, *nothing)) for names in product(*cells)]
