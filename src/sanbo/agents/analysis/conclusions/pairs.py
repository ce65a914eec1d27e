"""Differences between rows that do not follow each other in time: between 山田 and 木村."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sanbo.agents.analysis.conclusions.reading import Reading, Row
from sanbo.agents.analysis.execution.spans import read_span
from sanbo.agents.analysis.spec.operations import Lag
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
