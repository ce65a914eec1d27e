"""What marks are told apart by: the values of a column in their order, and which one a row has."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.charts.sheet import cell_name
from sanbo.agents.analysis.execution.periods import periods
from sanbo.agents.analysis.outcome import CellKind, JsonCell
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.messages import tell

Places = NDArray[np.int64]
_CELLS: Mapping[ValueType, CellKind] = {
    "integer": "integer",
    "number": "number",
    "currency": "number",
    "percent": "share",
    "date": "date",
    "datetime": "datetime",
    "boolean": "boolean",
}
_UNITS: tuple[tuple[TimeUnit, int], ...] = (
    ("hour", 1),
    ("day", 24),
    ("week", 7 * 24),
    ("month", 30 * 24),
    ("quarter", 91 * 24),
    ("year", 365 * 24),
)
"""With their hours."""


@dataclass(frozen=True)
class Levels:
    """The different values of a column, and for each row which one it has (-1: none)."""

    column: str
    kind: CellKind
    cells: tuple[JsonCell, ...]
    places: Places
    is_ordered: bool = False
    """Has an order of its own, which sorting by value must not disturb."""
    unit: TimeUnit | None = None
    """Of periods, evenly apart, also where there are no rows: by month, by weekday …"""
    has_rest: bool = False
    """The last one is その他."""

    def __len__(self) -> int:
        return len(self.cells)

    def chosen(self, keep: Sequence[int], *, with_rest: bool = False) -> "Levels":
        """Just these, in this order; the rows of the others are in その他, or have none."""
        new_place = np.full(len(self) + 1, len(keep) if with_rest else -1, dtype=np.int64)
        new_place[list(keep)] = np.arange(len(keep))
        new_place[-1] = -1
        cells = tuple(self.cells[place] for place in keep)
        if not with_rest:
            return replace(self, cells=cells, places=new_place[self.places])
        named = (cell if isinstance(cell, str) else cell_name(cell, self.kind) for cell in cells)
        return replace(
            self,
            kind="text",
            cells=(*named, tell("analysis_result.other")),
            places=new_place[self.places],
            is_ordered=False,
            unit=None,
            has_rest=True,
        )


def levels_of(
    values: pd.Series,
    kind: ValueType,
    unit: TimeUnit | None = None,
    fiscal_start: int = 4,
    *,
    keeps_blank: bool = True,
) -> Levels:
    """In the column's own order; names as they first appear, missing ones last."""
    column = str(values.name)
    if unit is not None:
        return _by_period(values, column, unit, fiscal_start)
    places, found = pd.factorize(values, use_na_sentinel=True)
    places = places.astype(np.int64)
    is_ordered = kind in NUMERIC or kind in TEMPORAL
    if is_ordered or kind in ("boolean", "time"):
        order = np.argsort(found.to_numpy())
        rank = np.full(len(order) + 1, -1, dtype=np.int64)
        rank[order] = np.arange(len(order))
        places, found = rank[places], found[order]
    cells = tuple(cell_of(value, kind) for value in found)
    if keeps_blank and bool((places < 0).any()):
        places, cells = np.where(places < 0, len(cells), places), (*cells, None)
        is_ordered = False
    return Levels(column, _CELLS.get(kind, "text"), cells, places, is_ordered)


def _by_period(values: pd.Series, column: str, unit: TimeUnit, fiscal_start: int) -> Levels:
    numbered = periods(values, unit, fiscal_start)
    missing = numbered.of_rows.isna().to_numpy(dtype=bool)
    ordinals = numbered.of_rows.to_numpy(dtype="int64", na_value=0)
    every = numbered.between([int(value) for value in np.unique(ordinals[~missing])])
    places = np.where(missing, -1, ordinals - (every.start if len(every) else 0))
    shown = numbered.shown(pd.Series(list(every), dtype="int64"))
    cells = tuple(cell_of(value, numbered.kind) for value in shown)
    kind = _CELLS.get(numbered.kind, "text")
    return Levels(column, kind, cells, places.astype(np.int64), is_ordered=True, unit=unit)


def unit_for(values: pd.Series, most: int) -> TimeUnit:
    """The finest one that makes no more than so many periods of these dates."""
    moments = values.dropna()
    span = cast("timedelta", moments.max() - moments.min()) if len(moments) else timedelta()
    has_times = bool((moments != moments.dt.normalize()).any())
    for unit, hours in _UNITS:
        if (unit != "hour" or has_times) and span / timedelta(hours=hours) < most:
            return unit
    return "year"


def cell_of(value: object, kind: ValueType) -> JsonCell:
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, pd.Timestamp):
        return value.date().isoformat() if kind == "date" else value.isoformat(" ")
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return str(value)


def cell_kind(kind: ValueType) -> CellKind:
    return _CELLS.get(kind, "text")
