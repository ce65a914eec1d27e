"""Cross tables of rows: one set of fields down, one across, figures where they meet."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.tables.aggregates import Figure, Unreadable
from sanbo.tables.rows import Row, Rows, free_name, grouped
from sanbo.tables.values import Key, is_blank, key_of, place, text_of

_Place = tuple[Key | None, ...]


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
    joiner: str = "__"
    is_named: bool = False
    """Whether figures are named though there is one."""


class CrossTable:
    def __init__(self, rows: Rows, layout: Layout) -> None:
        self._rows = rows
        self._layout = layout
        self._down = _Axis(rows, layout.index, is_sorted=layout.is_sorted)
        self._across = _Axis(rows, layout.columns, is_sorted=layout.is_sorted)
        self._cells = grouped(zip(self._down.key_of_row, self._across.key_of_row, strict=True))
        self.columns = [*layout.index, *self._names()]
        self.unreadable = Unreadable()

    def rows(self) -> Rows:
        made = [self._row(key, self._down.values[key]) for key in self._down.keys]
        return [*made, self._totals()] if self._layout.margins and self._rows else made

    def _names(self) -> list[str]:
        """One a figure and column; the figure is named where there are several."""
        joiner = self._layout.joiner
        labels = [self._across.label(key, joiner) for key in self._across.keys]
        if self._layout.margins and self._layout.columns:
            labels.append(self._layout.margins)
        layout = self._layout
        is_named = len(layout.figures) > 1 or layout.is_named or not layout.columns
        taken = dict.fromkeys(self._layout.index)
        for figure in self._layout.figures:
            for label in labels:
                name = layout.joiner.join(
                    part for part in (figure.name if is_named else "", label) if part
                )
                taken[free_name(" ".join(name.split()), taken)] = None
        return list(taken)[len(self._layout.index) :]

    def _row(self, down: _Place, values: Sequence[JsonValue]) -> Row:
        cells: list[JsonValue] = list(values)
        for figure in self._layout.figures:
            found = [self._cells.get((down, across), []) for across in self._across.keys]
            cells += [self._figure(figure, numbers) for numbers in found]
            if self._layout.margins and self._layout.columns:
                cells.append(self._total(figure, [number for each in found for number in each]))
        return dict(zip(self.columns, cells, strict=True))

    def _totals(self) -> Row:
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
        found, odd = figure.of(values)
        self.unreadable.add(figure.field, [(numbers[at], values[at]) for at in odd])
        return found

    def _total(self, figure: Figure, numbers: Sequence[int]) -> JsonValue:
        """Of the rows themselves: an average of averages would be another figure."""
        values = [self._rows[number].get(figure.field) for number in numbers]
        return figure.of(values)[0] if values else self._layout.fill


class _Axis:
    """The different values of some fields, as they are first written."""

    def __init__(self, rows: Rows, fields: Sequence[str], *, is_sorted: bool) -> None:
        self.key_of_row: list[_Place] = [
            tuple(key_of(row.get(name)) for name in fields) for row in rows
        ]
        self.rows_of = grouped(self.key_of_row)
        self.values: dict[_Place, tuple[JsonValue, ...]] = {
            key: tuple(rows[numbers[0]].get(name) for name in fields)
            for key, numbers in self.rows_of.items()
        }
        self.keys = list(self.values)
        if is_sorted:
            self.keys.sort(key=lambda key: tuple(map(place, key)))

    def label(self, key: _Place, joiner: str) -> str:
        return joiner.join(
            tell("table_blank") if is_blank(value) else text_of(value) for value in self.values[key]
        )
