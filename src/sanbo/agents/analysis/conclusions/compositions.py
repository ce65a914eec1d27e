"""What parts of a whole and cross tables say: the largest share, the fullest cell."""

from collections.abc import Sequence

from sanbo.agents.analysis.conclusions.groups import LISTED, by_groups, counted, degree, measure
from sanbo.agents.analysis.conclusions.tables import (
    Named,
    Reading,
    Scope,
    holders,
    largest,
    period,
    short,
    smallest,
)
from sanbo.agents.analysis.spec.operations import Pivot, ShareRatio
from sanbo.agents.analysis.spec.words import Aggregate
from sanbo.kernel.messages import tell

_PARETO = 0.8


# ---- shares ----


def share_ratio(spec: ShareRatio, reading: Reading, scope: Scope) -> list[str]:
    group = reading.position(spec.group_col)
    share = next((at for at, one in enumerate(reading.table.columns) if one.kind == "share"), None)
    if group is None or share is None:
        return []
    what = (
        measure(spec.value_col, "sum") if spec.value_col else tell("analysis_conclusion.row_count")
    )
    subject = by_groups(reading.label(group), scope.about(what))
    within = reading.position(spec.within) if spec.within else None
    if within is not None and within != group:
        return _shares_within(reading, subject, within, group, share)
    rows = reading.named(share, [group])
    if not rows:
        return [tell("analysis_conclusion.no_shares", what=subject)]
    if any(row.number < 0 for row in rows):  # parts below zero are no parts of a whole
        return [tell("analysis_conclusion.negative_shares", what=subject)]
    others = {tell("analysis_result.other"), tell("analysis_result.all_others")}
    named = [row for row in rows if spec.top_k is None or row.name not in others] or rows
    top = largest(named)
    if len(rows) > 1 and not reading.table.is_cut and top.number == smallest(rows).number:
        count = counted(len(rows), reading.label(group))
        return [tell("analysis_conclusion.share_equal", what=subject, value=top.value, count=count)]
    items = tell("analysis_conclusion.comma").join(
        tell("analysis_conclusion.item", name=row.name, value=row.value)
        for row in _after(named, top)[:2]
    )
    said = [
        tell(
            "analysis_conclusion.share" if items else "analysis_conclusion.share_alone",
            what=subject, top=holders(named, top.number), value=top.value, items=items,
        )
    ]  # fmt: skip
    return [*said, *_pareto(reading, share, rows)]


def _after(rows: Sequence[Named], top: Named) -> list[Named]:
    """Of a negative total the largest share stands last."""
    rest = [row for row in rows if row.number != top.number]
    return sorted(rest, key=lambda row: -row.number)


def _pareto(reading: Reading, share: int, rows: Sequence[Named]) -> list[str]:
    """How few make up most of it; nothing to say where it takes nearly all of them."""
    cumulative = share + 1
    if cumulative >= len(reading.names) or len(rows) < 4 or rows[0] != largest(rows):
        return []
    for count, row in enumerate(reading.rows, start=1):
        reached = row[cumulative]
        if isinstance(reached, int | float) and reached >= _PARETO:
            if count > reading.table.row_count / 2:
                return []
            value = reading.value(cumulative, reached)
            return [tell("analysis_conclusion.pareto", count=count, value=value)]
    return []


def _shares_within(
    reading: Reading, subject: str, within: int, group: int, share: int
) -> list[str]:
    """The largest in each whole, of the first few."""
    best: dict[str, Named] = {}
    for row in reading.rows:
        cell, whole = row[share], reading.name(row, [within])
        if isinstance(cell, int | float) and (whole not in best or best[whole].number < cell):
            best[whole] = Named(reading.name(row, [group]), reading.value(share, cell), cell)
    items = [
        tell("analysis_conclusion.share_item", whole=whole, name=one.name, value=one.value)
        for whole, one in list(best.items())[:LISTED]
    ]
    if not items:
        return [tell("analysis_conclusion.no_shares", what=subject)]
    joined = tell("analysis_conclusion.comma").join(items)
    return [tell("analysis_conclusion.share_within", what=subject, items=joined)]


# ---- cross tables ----


def pivot(spec: Pivot, reading: Reading, scope: Scope) -> list[str]:
    keys = list(range(len(spec.rows)))
    totals = (
        {tell("analysis_result.total"), tell("analysis_result.overall")}
        if spec.totals
        else set[str]()
    )
    cells = [
        Named(
            tell("analysis_conclusion.key_separator").join(
                (
                    reading.name(row, keys, is_time=spec.row_unit is not None),
                    period(reading.column(place).label)
                    if spec.column_unit
                    else reading.label(place),
                )
            ),
            reading.value(place, cell),
            cell,
        )
        for row in reading.rows
        for place in range(len(keys), len(reading.names))
        if isinstance(cell := row[place], int | float)
        and not isinstance(cell, bool)
        and str(row[0]) not in totals
        and reading.column(place).label not in totals
    ]
    aggregate: Aggregate | None = spec.agg if spec.value else None
    what = measure(spec.value, spec.agg) if spec.value else tell("analysis_conclusion.row_count")
    if spec.share is not None:
        what = tell("analysis_conclusion.share_of", what=what)
    by = tell("analysis_conclusion.times").join(
        [*(short(name) for name in spec.rows), short(spec.columns)]
    )
    subject = by_groups(by, scope.about(what))
    if not cells:
        return [tell("analysis_conclusion.no_values", what=subject)]
    top, bottom = largest(cells), smallest(cells)
    if reading.table.is_cut or top.number == bottom.number:
        return [tell("analysis_conclusion.in_table", what=subject)]
    return [
        tell(
            f"analysis_conclusion.cross.{'wide' if spec.share else degree(aggregate)}",
            what=subject,
            top=holders(cells, top.number),
            top_value=top.value,
            bottom=holders(cells, bottom.number),
            bottom_value=bottom.value,
        )
    ]
