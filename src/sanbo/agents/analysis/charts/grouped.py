"""One value for each place along the axis, each colour and each panel."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.charts.levels import Levels, colour_levels, levels_of, single
from sanbo.agents.analysis.charts.measures import Measure, measure_of
from sanbo.agents.analysis.charts.panels import MOST_PANELS
from sanbo.agents.analysis.charts.picture import (
    Remarks,
    Rows,
    drawable_numbers,
    no_values,
    table_of,
)
from sanbo.agents.analysis.charts.scales import unit_for
from sanbo.agents.analysis.execution.aggregates import aggregate
from sanbo.agents.analysis.outcome import JsonCell, ResultTable, TableColumn
from sanbo.agents.analysis.profile import TEMPORAL
from sanbo.agents.analysis.spec.plots import Aggregated
from sanbo.agents.analysis.spec.words import ROW_COUNT, TimeUnit, metric_name
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import floats

_KEYS = ("\0facet", "\0color", "\0x")
"""Names that no column of a table has."""

_MOST_PERIODS = 400

Cube = NDArray[np.float64]


@dataclass(frozen=True)
class Grouped:
    """`values[panel, colour, place]`; NaN where there are no rows."""

    x: Levels
    color: Levels
    facet: Levels
    measure: Measure
    values: Cube
    exact: tuple[tuple[int, int, int, JsonCell], ...]
    """The values as they were computed: whole numbers stay whole."""
    unit: TimeUnit | None

    @property
    def has_colours(self) -> bool:
        return bool(self.color.column)

    @property
    def facet_labels(self) -> tuple[str, ...]:
        return self.facet.labels if self.facet.column else ()

    def totals(self) -> NDArray[np.float64]:
        """For each place, to rank it by; of means the mean."""
        return _over(self.values, self.measure, (0, 1))

    def chosen(self, keep: Sequence[int]) -> "Grouped":
        """Just these places, in this order."""
        new_place = {old: new for new, old in enumerate(keep)}
        return replace(
            self,
            x=self.x.chosen(keep),
            values=self.values[:, :, list(keep)],
            exact=tuple(
                (panel, colour, new_place[place], value)
                for panel, colour, place, value in self.exact
                if place in new_place
            ),
        )

    def table(self, title: str) -> ResultTable:
        shown = [levels for levels in (self.facet, self.x, self.color) if levels.column]
        names: list[str] = []
        columns: list[TableColumn] = []
        for levels in shown:
            name = levels.column
            while name in names:  # one column may serve as axis and colour
                name += "_"
            names.append(name)
            columns.append(TableColumn(name=name, label=levels.column, kind=levels.cell_kind))
        return table_of(
            title, [*columns, self.measure.table_column()], self._rows(), len(self.exact)
        )

    def _rows(self) -> Iterator[tuple[JsonCell, ...]]:
        for panel, colour, place, value in sorted(
            self.exact, key=lambda row: (row[0], row[2], row[1])
        ):
            cells: list[JsonCell] = []
            if self.facet.column:
                cells.append(self.facet.cells[panel])
            cells.append(self.x.cells[place])
            if self.color.column:
                cells.append(self.color.cells[colour])
            yield (*cells, value)


def group(spec: Aggregated, rows: Rows, remarks: Remarks, *, most_dates: int) -> Grouped:
    """`most_dates`: more dates than that are put together by a longer unit of time."""
    measure = measure_of(rows, spec.y, spec.agg)
    unit = axis_unit(rows, spec.x, spec.x_unit, most_dates, remarks)
    x = axis_levels(rows, spec.x, unit, spec.fiscal_start, remarks)
    facet = panel_levels(rows, spec.facet, remarks)
    there = (x.places >= 0) & (facet.places >= 0)
    if measure.column is not None:
        there &= rows.data[measure.column].notna().to_numpy(dtype=bool)
        if not there.any():
            raise no_values(measure.column)
    color = colour_levels(rows, spec.color, remarks, weights=_weights(rows, measure, there))
    keyed = pd.DataFrame(dict(zip(_KEYS, (facet.places, color.places, x.places), strict=True)))
    if measure.column is not None:
        keyed[measure.column] = rows.data[measure.column].array
    keyed = keyed[there]
    measure = _settled(measure, keyed)
    return _cube(keyed, Grouped(x, color, facet, measure, np.empty(0), (), unit))


def axis_unit(
    rows: Rows, column: str, unit: TimeUnit | None, most_dates: int, remarks: Remarks
) -> TimeUnit | None:
    if rows.kinds[column] not in TEMPORAL:
        if unit is not None:
            raise InvalidInput(
                "chart_unit_needs_date", details={"column": column, "unit": unit}, column=column
            )
        return None
    if unit is None and rows.data[column].nunique() > most_dates:
        unit = unit_for(rows.data[column], min(most_dates, _MOST_PERIODS))
        by = tell(f"chart.time_by.{unit}")
        remarks.caution(tell("chart.note.put_together", column=column, by=by))
    return unit


def axis_levels(
    rows: Rows, column: str, unit: TimeUnit | None, fiscal_start: int, remarks: Remarks
) -> Levels:
    kind = rows.kinds[column]
    is_ordered = kind in TEMPORAL or kind in ("integer", "number", "percent", "currency")
    x = levels_of(rows.data[column], kind, unit, fiscal_start, keeps_blank=not is_ordered)
    there = np.isfinite(drawable_numbers(x.positions))
    if not there.all():
        x = x.chosen(np.flatnonzero(there).tolist())
    if len(x) == 0:
        raise no_values(column)
    missing = int((x.places < 0).sum())
    if missing:
        remarks.caution(tell("chart.note.missing_left_out", column=column, count=f"{missing:,}"))
    return x


def panel_levels(rows: Rows, column: str | None, remarks: Remarks) -> Levels:
    if column is None:
        return single(len(rows))
    facet = levels_of(rows.data[column], rows.kinds[column])
    if len(facet) <= MOST_PANELS:
        return facet
    counts = np.bincount(facet.places, minlength=len(facet))
    keep = sorted(np.argsort(-counts, kind="stable")[:MOST_PANELS].tolist())
    remarks.caution(
        tell("chart.note.fewer_panels", column=column, shown=MOST_PANELS, count=f"{len(facet):,}")
    )
    return facet.chosen(keep)


def _weights(rows: Rows, measure: Measure, there: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """What makes a colour large: what it adds up to, or else its rows."""
    if measure.column is None or measure.aggregate in ("count", "nunique"):
        return None
    numbers = drawable_numbers(floats(rows.data[measure.column]))
    return np.where(there & np.isfinite(numbers), np.abs(numbers), 0.0)


def _settled(measure: Measure, keyed: pd.DataFrame) -> Measure:
    """Where no aggregate was asked for: the value itself if there is only one, else the sum."""
    if measure.column is None or measure.aggregate is not None:
        return measure
    if not keyed.duplicated(list(_KEYS)).any():
        return replace(measure, aggregate="as_is")
    # Percentages do not add up.
    return replace(measure, aggregate="mean" if measure.kind == "percent" else "sum")


def _cube(keyed: pd.DataFrame, empty: Grouped) -> Grouped:
    measure = empty.measure
    if measure.column is None:
        result = aggregate(keyed, _KEYS, {})
        values = result[ROW_COUNT]
    else:
        how = "first" if measure.aggregate in ("as_is", None) else measure.aggregate
        result = aggregate(keyed, _KEYS, {measure.column: (how,)})
        values = result[metric_name(measure.column, how)]
    places = [result[key].to_numpy(dtype="int64") for key in _KEYS]
    cube = np.full((len(empty.facet), len(empty.color), len(empty.x)), np.nan)
    cube[places[0], places[1], places[2]] = values.to_numpy(dtype="float64", na_value=np.nan)
    cube = drawable_numbers(cube)
    if not np.isfinite(cube).any():
        raise no_values(measure.column or empty.x.column)
    exact = zip(*(place.tolist() for place in places), map(_number, values.tolist()), strict=True)
    return replace(empty, values=cube, exact=tuple(exact))


def _number(value: object) -> JsonCell:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    return float(value) if isinstance(value, float) and np.isfinite(value) else None


def _over(values: Cube, measure: Measure, axes: tuple[int, ...]) -> NDArray[np.float64]:
    if measure.is_additive:
        return np.nansum(values, axis=axes)
    count = np.isfinite(values).sum(axis=axes)
    return np.nansum(values, axis=axes) / np.maximum(count, 1)
