"""What is measured along an axis: a column or an aggregate of it, with its words and unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from sanbo.agents.analysis.charts.picture import Rows, drawable_numbers, no_values
from sanbo.agents.analysis.charts.scales import NumberTicks, Scale, exact, scale_for
from sanbo.agents.analysis.execution.aggregates import require_number
from sanbo.agents.analysis.execution.wording import (
    aggregate_word,
    count_unit,
    metric_kind,
    metric_label,
    metric_unit,
    row_count_label,
)
from sanbo.agents.analysis.outcome import CellKind, TableColumn
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.words import ROW_COUNT, Aggregate, metric_name
from sanbo.kernel.messages import current_language, tell
from sanbo.tables.columns import floats

_UNIT_WORDS = {"円": "yen", "千円": "thousand_yen", "百万円": "million_yen"}


@dataclass(frozen=True)
class Measure:
    column: str | None
    """None: rows are counted."""
    aggregate: Aggregate | Literal["as_is"] | None
    kind: ValueType
    unit: str

    @property
    def name(self) -> str:
        if self.column is None:
            return ROW_COUNT
        if self.aggregate in (None, "as_is"):
            return self.column
        return metric_name(self.column, self.aggregate)

    @property
    def label(self) -> str:
        """売上（合計）."""
        if self.column is None:
            return row_count_label()
        name = bare_name(self.column, self.unit)
        if self.aggregate is None or self.aggregate == "as_is":
            return name
        return metric_label(name, self.aggregate)

    @property
    def phrase(self) -> str:
        """売上の合計: for axes, where a unit in brackets follows."""
        if self.column is None or self.aggregate is None or self.aggregate == "as_is":
            return self.label
        name, word = bare_name(self.column, self.unit), aggregate_word(self.aggregate)
        return tell("chart.phrase", column=name, aggregate=word)

    @property
    def is_additive(self) -> bool:
        """Whether values of several groups may be added up."""
        if self.column is None or self.aggregate in ("sum", "count"):
            return True
        return self.aggregate == "as_is" and self.kind != "percent"

    def axis_label(self, scale: Scale) -> str:
        return with_unit(self.phrase, scale.unit)

    def exact(self, value: float) -> str:
        """In words: 1,234,567円."""
        return exact(value, self.kind, shown_unit(self.unit))

    def table_column(self) -> TableColumn:
        return TableColumn(
            name=self.name, label=self.label, kind=cell_kind(self.kind), unit=self.unit
        )


def measure_of(rows: Rows, column: str | None, aggregate: Aggregate | None) -> Measure:
    """Refused where the column has no numbers to draw."""
    if column is None:
        return Measure(None, None, "integer", count_unit())
    if aggregate not in ("count", "nunique"):
        require_number(rows.kinds, column, booleans=True)
    kind = rows.kinds[column]
    if aggregate is None:
        kind = "integer" if kind == "boolean" else kind
        return Measure(column, None, kind, rows.units.get(column, ""))
    unit = metric_unit(rows.units, column, aggregate)
    return Measure(column, aggregate, metric_kind(kind, aggregate), unit)


def cell_kind(kind: ValueType) -> CellKind:
    if kind == "percent":
        return "share"
    return "integer" if kind == "integer" else "number"


def shown_unit(unit: str) -> str:
    """Units of money by their word where English is read."""
    if current_language() == "en" and unit in _UNIT_WORDS:
        return tell(f"chart.unit_word.{_UNIT_WORDS[unit]}")
    return unit


def with_unit(text: str, unit: str) -> str:
    """売上（円）."""
    return tell("chart.with_unit", text=text, unit=unit) if unit else text


def bare_name(column: str, unit: str) -> str:
    """Without a unit that stands in the name already: 単価(円) is 単価."""
    for ending in (f"（{unit}）", f"({unit})", f"[{unit}]", f"【{unit}】"):
        if unit and column.endswith(ending) and len(column) > len(ending):
            return column.removesuffix(ending).rstrip()
    return column


# pyright: reportUnknownMemberType=false


def numbers(rows: Rows, column: str) -> NDArray[np.float64]:
    """With NaN for what can't be drawn; refused where nothing is left."""
    require_number(rows.kinds, column, booleans=True)
    found = floats(rows.data[column])
    found = drawable_numbers(found)
    if bool(np.isnan(found).all()):
        raise no_values(column)
    return found


def column_scale(rows: Rows, column: str, values: NDArray[np.float64]) -> Scale:
    finite = values[np.isfinite(values)]
    ends = [float(finite.min()), float(finite.max())] if finite.size else []
    return scale_for(ends, rows.kinds[column], shown_unit(rows.units.get(column, "")), column)


def column_label(rows: Rows, column: str, scale: Scale) -> str:
    """売上（万円）."""
    return with_unit(bare_name(column, rows.units.get(column, "")), scale.unit)


def set_numbers(panels: Sequence[Axes], which: str, scale: Scale) -> None:
    for axes in panels:
        axis = axes.xaxis if which == "x" else axes.yaxis
        axis.set_major_formatter(NumberTicks(scale))
        if which == "x":
            axes.locator_params(axis="x", nbins=8 if len(panels) == 1 else 4)
