"""What executing a spec gives: tables, figures, notes. All of it crosses from the sandbox."""

from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

CellKind = Literal["text", "integer", "number", "share", "date", "datetime", "boolean"]
"""`share`: a ratio that is shown as a percentage (0.25 is 25 %)."""

JsonCell = str | int | float | bool | None
"""Dates as 2025-04-01; a number that is none (NaN, infinite) as None."""


class Made(BaseModel):
    model_config = ConfigDict(frozen=True)


class TableColumn(Made):
    name: str
    """By which later specs refer to it: 売上_sum."""
    label: str
    """What a person reads: 売上（合計）."""
    kind: CellKind
    unit: str = ""
    """円, 件 …"""


class ResultTable(Made):
    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[JsonCell, ...], ...]
    """The first of them, at most `ROWS_SHOWN`."""
    row_count: int

    @property
    def is_cut(self) -> bool:
        return len(self.rows) < self.row_count


Vega = dict[str, Any]
"""A chart in Vega-Lite, with its data inside: no address, no expression made from cells."""


class Figure(Made):
    title: str
    alt: str
    """What it shows, in words."""
    table: ResultTable
    """The figures behind the picture, so that it can be checked."""
    vega: Vega
    """Without colours of its own: those are given when it is drawn."""


class Note(Made):
    """A remark on a result: how it was computed, what was left out."""

    kind: Literal["convention", "caution", "finding"]
    text: str


class Outcome(Made):
    """Of one spec. The first table is what later specs find under the result's id."""

    tables: tuple[ResultTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[Note, ...] = ()
    input_rows: int
    """Rows of the input, before filters."""
    used_rows: int
    """Rows that the filters left."""


ROWS_SHOWN = 200


def is_date(value: object) -> bool:
    return isinstance(value, date | datetime)
