"""What rows in an order say: the first of them, running totals, changes from row to row."""

from collections.abc import Sequence
from dataclasses import replace

from sanbo.agents.analysis.conclusions.pairs import is_in_time, order_place, pairs
from sanbo.agents.analysis.conclusions.reading import (
    Named,
    Reading,
    Row,
    largest,
    short,
    smallest,
    together,
)
from sanbo.agents.analysis.conclusions.scope import Scope
from sanbo.agents.analysis.spec.operations import Cumulative, Lag, TopRows
from sanbo.kernel.messages import tell

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
