"""What rows in an order say: the first of them, running totals, changes and differences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sanbo.agents.analysis.conclusions.tables import (
    Named,
    Reading,
    Row,
    Scope,
    largest,
    short,
    smallest,
    together,
)
from sanbo.agents.analysis.execution.spans import read_span
from sanbo.agents.analysis.spec.operations import Cumulative, Lag, TopRows
from sanbo.kernel.messages import tell

_YEARS = range(1000, 3000)
_OF_TIME = re.compile(r"年|月|日|週|期|year|month|day|week|quarter|date", re.IGNORECASE)


@dataclass(frozen=True)
class _Pair:
    high: Row
    low: Row
    difference: float


def order_place(spec: Lag, reading: Reading) -> int | None:
    """The column that gives the order; the first that makes no groups unless told."""
    if spec.order_by:
        return reading.position(spec.order_by)
    return next((at for at, name in enumerate(reading.names) if name not in spec.by), None)


def is_in_time(reading: Reading, place: int) -> bool:
    """Whether its rows are periods or moments."""
    column = reading.column(place)
    if column.kind in ("date", "datetime"):
        return True
    cells = [cell for cell in reading.cells(place) if cell not in (None, "")]
    if column.kind == "integer":
        is_named = bool(_OF_TIME.search(f"{column.name} {column.label} {column.unit}"))
        return is_named or all(isinstance(cell, int) and cell in _YEARS for cell in cells)
    if column.kind != "text":
        return False
    return all(read_span(str(cell)) is not None for cell in cells)


def pairs(spec: Lag, reading: Reading, what: str, place: int) -> list[str]:
    """The one difference of two rows; of more rows the largest."""
    value, difference = reading.position(spec.column), len(reading.names) - 2
    groups = [at for name in spec.by if (at := reading.position(name)) is not None]
    if value is None:
        return []
    found = _pairs(reading.rows, difference, groups, spec.periods)
    if not found:
        return [tell("analysis_conclusion.no_changes", what=what)]
    if reading.table.is_cut:
        return [tell("analysis_conclusion.in_table", what=what)]
    keys = [*groups, place]
    widest = max(found, key=lambda pair: pair.difference)
    high, low = reading.name(widest.high, keys), reading.name(widest.low, keys)
    high_value = reading.value(value, widest.high[value])
    if widest.difference == 0 and len(found) == 1:
        return [
            tell("analysis_conclusion.pair.same", what=what, one=high, other=low, value=high_value)
        ]
    if widest.difference == 0:
        return [tell("analysis_conclusion.in_table", what=what)]
    shown = reading.value(difference, widest.difference)
    if reading.column(difference).kind == "share":
        shown = tell("analysis_conclusion.points", value=shown.removesuffix("%"))
    return [
        tell(
            f"analysis_conclusion.pair.{'differ' if len(found) == 1 else 'widest'}",
            what=what, difference=shown, high=high, high_value=high_value,
            low=low, low_value=reading.value(value, widest.low[value]),
        )
    ]  # fmt: skip


def _pairs(
    rows: Sequence[Row], difference: int, groups: Sequence[int], periods: int
) -> list[_Pair]:
    """Each row with the one `periods` before it in its group."""
    earlier: dict[tuple[object, ...], list[Row]] = {}
    found: list[_Pair] = []
    for row in rows:
        before = earlier.setdefault(tuple(row[at] for at in groups), [])
        change = row[difference]
        if len(before) >= periods and isinstance(change, int | float):
            other = before[-periods]
            high, low = (row, other) if change > 0 else (other, row)
            found.append(_Pair(high, low, abs(change)))
        before.append(row)
    return found


_ENOUGH_KEYS = 3


def top_rows(spec: TopRows, reading: Reading, scope: Scope) -> list[str]:
    count = f"{reading.table.row_count:,}"
    place = reading.position(spec.by[0]) if spec.by else None
    if place is None or not reading.rows:
        return [tell("analysis_conclusion.rows_shown", count=count)]
    row = reading.rows[0]
    kind_of_cell = reading.column(place).kind
    if kind_of_cell in ("text", "boolean"):  # an order of words has no largest
        return [tell("analysis_conclusion.rows_shown", count=count)]
    subject = scope.about(short(spec.by[0]))
    value = reading.name(row, [place], is_time=True)
    if kind_of_cell not in ("date", "datetime"):
        value = reading.value(place, row[place]) or tell("analysis_conclusion.nothing")
    kind = "least" if spec.ascending else "most"
    if kind_of_cell in ("date", "datetime"):
        kind = "oldest" if spec.ascending else "newest"
    name = _names(reading, place)
    said = (
        tell(f"analysis_conclusion.row.{kind}", what=subject, name=name, value=value)
        if name
        else tell(f"analysis_conclusion.row.{kind}_nameless", what=subject, value=value)
    )
    return [said, tell("analysis_conclusion.rows_shown", count=count)]


def _names(reading: Reading, place: int) -> str:
    """Of the first row, and of those that share its value."""
    first = reading.rows[0][place]
    names = [row_name(reading, row, [place]) for row in reading.rows if row[place] == first]
    return together([name for name in dict.fromkeys(names) if name])


def row_name(reading: Reading, row: Row, without: Sequence[int]) -> str:
    """What tells a row apart for a person: its dates and words, of the first columns."""
    keys = [
        place
        for place in range(len(reading.names))
        if place not in without
        and reading.column(place).kind in ("text", "date", "datetime")
        and row[place] not in (None, "")
    ]
    return reading.name(row, keys[:_ENOUGH_KEYS]) if keys else ""


def _steps(reading: Reading, place: int, order_by: str | None, by: Sequence[str]) -> list[Named]:
    """Rows that have a number there, named by what they are ordered and grouped by."""
    order = reading.position(order_by) if order_by else 0
    groups = [at for name in by if (at := reading.position(name)) is not None]
    keys = groups if order is None or order in groups else [*groups, order]
    is_time = not groups
    return reading.named(place, keys, is_time=is_time)


def cumulative(spec: Cumulative, reading: Reading, scope: Scope) -> list[str]:
    place = len(reading.names) - 1
    if spec.name is not None:
        place = reading.position(spec.name) or place
    steps = _steps(reading, place, spec.order_by, spec.by)
    what = scope.about(reading.label(place))
    if not steps:
        return [tell("analysis_conclusion.no_values", what=what)]
    if reading.table.is_cut or spec.by:
        return [tell("analysis_conclusion.in_table", what=what)]
    last = steps[-1]
    return [tell("analysis_conclusion.reached", what=what, name=last.name, value=last.value)]


def lag(spec: Lag, reading: Reading, scope: Scope) -> list[str]:
    """The newest change, then the largest rise and fall."""
    if len(reading.names) < 4:
        return []
    difference, rate = len(reading.names) - 2, len(reading.names) - 1
    what = scope.about(short(spec.column))
    place = order_place(spec, reading)
    if place is not None and not is_in_time(reading, place):
        return pairs(spec, reading, what, place)
    changes = _steps(reading, difference, spec.order_by, spec.by)
    if reading.column(difference).kind == "share":
        changes = [replace(one, value=_points(one.value)) for one in changes]
    if not changes:
        return [tell("analysis_conclusion.no_changes", what=what)]
    rates = {row.name: row.value for row in _steps(reading, rate, spec.order_by, spec.by)}
    said: list[str] = []
    is_last = bool(reading.rows) and reading.rows[-1][difference] is not None
    newest = changes[-1] if is_last and not spec.by else None
    if newest is not None and not reading.table.is_cut:
        said.append(
            tell(
                f"analysis_conclusion.newest.{_direction(newest)}",
                what=what,
                name=newest.name,
                before=_before(spec.periods),
                change=_change(newest, rates),
            )
        )
    if reading.table.is_cut:
        return [tell("analysis_conclusion.in_table", what=what)]
    rise, fall = largest(changes), smallest(changes)
    if rise.number > 0 and rise is not newest:
        change = _change(rise, rates)
        said.append(tell("analysis_conclusion.largest_rise", name=rise.name, change=change))
    if fall.number < 0 and fall is not newest:
        change = _change(fall, rates)
        said.append(tell("analysis_conclusion.largest_fall", name=fall.name, change=change))
    return said


def _points(value: str) -> str:
    """A difference of percentages is in points, beside a rate in percent."""
    return tell("analysis_conclusion.points", value=value.removesuffix("%"))


def _before(periods: int) -> str:
    kind = "one" if periods == 1 else "many"
    return tell(f"analysis_conclusion.before.{kind}", periods=periods)


def _direction(change: Named) -> str:
    return "up" if change.number > 0 else "down" if change.number < 0 else "same"


def _change(change: Named, rates: dict[str, str]) -> str:
    rate = rates.get(change.name)
    if rate is None:
        return change.value
    return tell("analysis_conclusion.with_rate", change=change.value, rate=rate)
