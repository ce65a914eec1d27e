"""Rows counted up by two sets of fields: one down, one across."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.blocks.transforms.aggregations import Figure, figure_of
from sanbo.blocks.transforms.comparing import key_of
from sanbo.blocks.transforms.written import is_blank, text_of
from sanbo.documents.columns import MOST_COLUMNS
from sanbo.documents.table_heads import column_names
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import LimitExceeded

_MOST_EXAMPLES = 20

Rows = list[dict[str, JsonValue]]
Key = tuple[tuple[str, object] | None, ...]


@dataclass(frozen=True)
class Layout:
    index: Sequence[str]
    columns: Sequence[str]
    figures: Sequence[Figure]
    fill: JsonValue = None
    """What stands where there is no row."""
    margins: str = ""
    """The name of totals; empty for none."""
    is_sorted: bool = True


class CrossTable:
    def __init__(self, rows: Rows, layout: Layout) -> None:
        self._rows = rows
        self._layout = layout
        self._down = _Axis(rows, layout.index, is_sorted=layout.is_sorted)
        self._across = _Axis(rows, layout.columns, is_sorted=layout.is_sorted)
        self._cells: dict[tuple[Key, Key], list[int]] = {}
        for number, (down, across) in enumerate(
            zip(self._down.key_of_row, self._across.key_of_row, strict=True)
        ):
            self._cells.setdefault((down, across), []).append(number)
        self.columns = [*layout.index, *self._names()]
        self.unreadable = 0
        self.unreadable_examples: Rows = []

    def rows(self) -> Rows:
        made = [self._row(key, self._down.values[key]) for key in self._down.keys]
        return [*made, self._totals()] if self._layout.margins and self._rows else made

    def _names(self) -> list[str]:
        """One a figure and column; the figure is named where there are several."""
        labels = [self._across.label(key) for key in self._across.keys]
        if self._layout.margins and self._layout.columns:
            labels.append(self._layout.margins)
        names = [
            "_".join(part for part in (figure.name if self._is_named else "", label) if part)
            for figure in self._layout.figures
            for label in labels
        ]
        if len(names) > MOST_COLUMNS:
            raise LimitExceeded("tables_too_wide", columns=len(names), limit=MOST_COLUMNS)
        fields = len(self._layout.index)
        return column_names([*self._layout.index, *names])[fields:]

    @property
    def _is_named(self) -> bool:
        return len(self._layout.figures) > 1 or not self._layout.columns

    def _row(self, down: Key, values: Sequence[JsonValue]) -> dict[str, JsonValue]:
        cells: list[JsonValue] = list(values)
        for figure in self._layout.figures:
            found = [self._cells.get((down, across), []) for across in self._across.keys]
            cells += [self._figure(figure, numbers) for numbers in found]
            if self._layout.margins and self._layout.columns:
                cells.append(self._total(figure, [number for each in found for number in each]))
        return dict(zip(self.columns, cells, strict=True))

    def _totals(self) -> dict[str, JsonValue]:
        blank: list[JsonValue] = [None] * (len(self._layout.index) - 1)
        cells: list[JsonValue] = [self._layout.margins, *blank]
        for figure in self._layout.figures:
            for across in self._across.keys:
                cells.append(self._total(figure, self._across.rows_of[across]))
            if self._layout.columns:
                cells.append(self._total(figure, range(len(self._rows))))
        return dict(zip(self.columns, cells, strict=True))

    def _figure(self, figure: Figure, numbers: Sequence[int]) -> JsonValue:
        if not numbers:
            return self._layout.fill
        values = [self._rows[number].get(figure.field) for number in numbers]
        found, odd = figure_of(figure, values)
        self.unreadable += len(odd)
        self.unreadable_examples.extend(
            {"row": numbers[place], "field": figure.field, "value": values[place]}
            for place in odd[: _MOST_EXAMPLES - len(self.unreadable_examples)]
        )
        return found

    def _total(self, figure: Figure, numbers: Sequence[int]) -> JsonValue:
        """Of the rows themselves: an average of averages would be another figure."""
        values = [self._rows[number].get(figure.field) for number in numbers]
        return figure_of(figure, values)[0] if values else self._layout.fill


class _Axis:
    """The different values of some fields, as they are first written."""

    def __init__(self, rows: Rows, fields: Sequence[str], *, is_sorted: bool) -> None:
        self.key_of_row: list[Key] = []
        self.values: dict[Key, tuple[JsonValue, ...]] = {}
        self.rows_of: dict[Key, list[int]] = {}
        for number, row in enumerate(rows):
            key = tuple(key_of(row.get(name)) for name in fields)
            self.key_of_row.append(key)
            self.values.setdefault(key, tuple(row.get(name) for name in fields))
            self.rows_of.setdefault(key, []).append(number)
        self.keys = sorted(self.values, key=_place) if is_sorted else list(self.values)

    def label(self, key: Key) -> str:
        return "_".join(
            tell("table_blank") if is_blank(value) else text_of(value) for value in self.values[key]
        )


def _place(key: Key) -> tuple[tuple[str, object], ...]:
    """Numbers by size, days by time, then texts; what is empty comes last."""
    return tuple(part or ("~", "") for part in key)
