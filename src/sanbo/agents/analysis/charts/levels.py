"""What stands along an axis, in a legend or above a panel: values in their order, and colours."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.charts.picture import Remarks, Rows
from sanbo.agents.analysis.charts.scales import moment_text
from sanbo.agents.analysis.execution.aggregates import blank
from sanbo.agents.analysis.execution.periods import periods
from sanbo.agents.analysis.outcome import CellKind, JsonCell
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.messages import tell

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false


Axis = Literal["names", "numbers", "moments", "periods"]
"""`moments`: dates as they are. `periods`: evenly spaced, by month, by weekday …"""
Places = NDArray[np.int64]
Positions = NDArray[np.float64]

_CELLS: dict[ValueType, CellKind] = {
    "integer": "integer",
    "number": "number",
    "currency": "number",
    "percent": "share",
    "date": "date",
    "datetime": "datetime",
    "boolean": "boolean",
}


@dataclass(frozen=True)
class Levels:
    """The different values of a column, and for each row which one it has (-1: none)."""

    column: str
    axis: Axis
    places: Places
    labels: tuple[str, ...]
    cells: tuple[JsonCell, ...]
    cell_kind: CellKind
    positions: Positions
    """Along an axis: numbers and moments where they lie, the others one after the other."""
    has_rest: bool = False
    """The last one is その他."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_ordered(self) -> bool:
        """Has an order of its own, which sorting by value must not disturb."""
        return self.axis != "names"

    def chosen(self, keep: Sequence[int]) -> "Levels":
        """Just these, in this order; the rows of the others have none."""
        new_place = np.full(len(self) + 1, -1, dtype=np.int64)
        new_place[list(keep)] = np.arange(len(keep))
        positions = self.positions[list(keep)]
        return replace(
            self,
            places=new_place[self.places],
            labels=tuple(self.labels[index] for index in keep),
            cells=tuple(self.cells[index] for index in keep),
            positions=np.arange(len(keep), dtype=float) if self.axis == "names" else positions,
            has_rest=self.has_rest and len(self) - 1 in keep,
        )

    def with_rest(self, keep: Sequence[int]) -> "Levels":
        """Just these, and その他 for the rows of all others."""
        if len(keep) >= len(self):
            return self.chosen(keep)
        new_place = np.full(len(self) + 1, len(keep), dtype=np.int64)
        new_place[list(keep)] = np.arange(len(keep))
        new_place[-1] = -1
        rest = tell("analysis_result.other")
        return replace(
            self,
            axis="names",
            places=new_place[self.places],
            labels=(*(self.labels[index] for index in keep), rest),
            cells=(*(self._text_cell(index) for index in keep), rest),
            cell_kind="text",
            positions=np.arange(len(keep) + 1, dtype=float),
            has_rest=True,
        )

    def _text_cell(self, index: int) -> JsonCell:
        cell = self.cells[index]
        return cell if isinstance(cell, str) else self.labels[index]


def levels_of(
    values: pd.Series,
    kind: ValueType,
    unit: TimeUnit | None = None,
    fiscal_start: int = 4,
    *,
    keeps_blank: bool = True,
) -> Levels:
    """In the column's own order; names as they first appear, missing ones last as （空欄）."""
    column = str(values.name)
    if unit is not None:
        return _by_period(values, column, unit, fiscal_start)
    places, found = pd.factorize(values, use_na_sentinel=True)
    places = places.astype(np.int64)
    axis: Axis = "names"
    if kind in NUMERIC or kind in TEMPORAL:
        axis = "numbers" if kind in NUMERIC else "moments"
        places, found = _in_order(places, found)
    elif kind in ("boolean", "time"):
        places, found = _in_order(places, found)
    levels = Levels(
        column=column,
        axis=axis,
        places=places,
        labels=tuple(_label(value, kind) for value in found),
        cells=tuple(_cell(value, kind) for value in found),
        cell_kind=_CELLS.get(kind, "text"),
        positions=_positions(found, axis),
    )
    return _with_blank(levels) if keeps_blank and bool((places < 0).any()) else levels


def single(rows: int) -> Levels:
    """One level for all rows, where no column tells them apart."""
    return Levels("", "names", np.zeros(rows, np.int64), ("",), ("",), "text", np.zeros(1))


def _by_period(values: pd.Series, column: str, unit: TimeUnit, fiscal_start: int) -> Levels:
    numbered = periods(values, unit, fiscal_start)
    ordinals = numbered.of_rows.to_numpy(dtype="int64", na_value=np.iinfo(np.int64).min)
    missing = numbered.of_rows.isna().to_numpy(dtype=bool)
    there = np.unique(ordinals[~missing])
    every = numbered.between([int(value) for value in there])
    places = np.where(missing, -1, ordinals - (every.start if len(every) else 0))
    shown = numbered.shown(pd.Series(list(every), dtype="int64"))
    return Levels(
        column=column,
        axis="periods",
        places=places.astype(np.int64),
        labels=tuple(numbered.display(ordinal) for ordinal in every),
        cells=tuple(_cell(value, numbered.kind) for value in shown),
        cell_kind=_CELLS.get(numbered.kind, "text"),
        positions=np.arange(len(every), dtype=float),
    )


def _in_order(places: Places, found: pd.Index) -> tuple[Places, pd.Index]:
    order = np.argsort(found.to_numpy())
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1
    return rank[places], found[order]


def _positions(found: pd.Index, axis: Axis) -> Positions:
    match axis:
        case "numbers":
            return found.to_numpy(dtype="float64")
        case "moments":
            days = found.to_numpy(dtype="datetime64[us]").astype("int64") / 86_400_000_000
            return days.astype("float64")  # as Matplotlib counts them, from 1970
        case _:
            return np.arange(len(found), dtype=float)


def _with_blank(levels: Levels) -> Levels:
    count = len(levels)
    return replace(
        levels,
        axis="names",
        places=np.where(levels.places < 0, count, levels.places),
        labels=(*levels.labels, blank()),
        cells=(*levels.cells, None),
        positions=np.arange(count + 1, dtype=float),
    )


def _label(value: object, kind: ValueType) -> str:
    if isinstance(value, pd.Timestamp):
        return moment_text(value, with_time=kind == "datetime" and value != value.normalize())
    if kind == "boolean":
        return tell("chart.said_yes") if value else tell("chart.said_no")
    if kind == "percent":
        return f"{cast('float', value) * 100:.6g}%"
    if isinstance(value, float | np.floating):
        return f"{float(value):.10g}"
    return str(value)


def _cell(value: object, kind: ValueType) -> JsonCell:
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


# pyright: reportUnknownMemberType=false


MOST_COLOURS = 8


def colour_levels(
    rows: Rows,
    column: str | None,
    remarks: Remarks,
    most: int = MOST_COLOURS,
    weights: NDArray[np.float64] | None = None,
) -> Levels:
    """The largest by weight, else by rows, keep their own colour; the others are その他."""
    if column is None:
        return single(len(rows))
    levels = levels_of(rows.data[column], rows.kinds[column])
    if len(levels) <= most:
        return levels
    sizes = np.bincount(levels.places, weights=weights, minlength=len(levels))
    keep = sorted(np.argsort(-sizes, kind="stable")[: most - 1].tolist())
    remarks.caution(
        tell(
            "chart.note.fewer_colours",
            column=column,
            shown=most - 1,
            count=f"{len(levels):,}",
            rest=tell("analysis_result.other"),
        )
    )
    return levels.with_rest(keep)
