"""What a thinker and a person may know of a table: its columns, their types, samples."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from sanbo.documents.columns import ColumnType

ValueType = ColumnType
NUMERIC: frozenset[ValueType] = frozenset({"integer", "number", "percent", "currency"})
TEMPORAL: frozenset[ValueType] = frozenset({"date", "datetime"})

MOST_VALUES = 1000
"""Distinct values of a column of words that are kept; a column with more has only its commonest."""


class Described(BaseModel):
    model_config = ConfigDict(frozen=True)


class ColumnProfile(Described):
    name: str
    type: ValueType
    unit: str = ""
    """From the cells or the name: 円, 千円, %, kg."""
    missing: int = 0
    distinct: int = 0
    values: tuple[str, ...] = ()
    """Of words and booleans: the commonest first, at most `MOST_VALUES`."""
    minimum: str | int | float | None = None
    """Of numbers and dates (2025-04-01)."""
    maximum: str | int | float | None = None
    is_whole: bool = True
    """Whether `values` has them all."""
    is_identifier: bool = False
    """It names the rows (社員番号, order id): never summed, and not what one groups by."""
    is_rate: bool = False
    """A rate, a price, an age: its average says something, its sum does not."""

    @property
    def is_numeric(self) -> bool:
        return self.type in NUMERIC

    @property
    def is_temporal(self) -> bool:
        return self.type in TEMPORAL


class TableProfile(Described):
    """Of the dataset, or of an earlier result."""

    rows: int
    columns: tuple[ColumnProfile, ...]

    def column(self, name: str) -> ColumnProfile | None:
        return next((column for column in self.columns if column.name == name), None)


PreparationKind = Literal[
    "totals",
    "variants",
    "unit",
    "header",
    "notes",
    "groups",
    "identifiers",
    "dates",
    "tables",
    "periods",
]


class Preparation(Described):
    """Something done to a table when it was loaded, so that it can be analysed; said to people."""

    kind: PreparationKind
    text: str
    is_done: bool = True
    """False where nothing was changed: it was not sure, or is to stay as it is written."""


class DatasetProfile(TableProfile):
    dataset_id: str
    """Of the content: the same table has the same id."""
    name: str
    """Of the file."""
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    """That the file has, for choosing another one."""
    sha256: str
    """Of the file's bytes."""
    size: int
    """Bytes in memory."""
    warnings: tuple[str, ...] = ()
    preparations: tuple[Preparation, ...] = ()
    as_written: tuple[PreparationKind, ...] = ()
    """What was not made ready, as the person wished."""
    sample: tuple[tuple[str | int | float | bool | None, ...], ...] = ()
    """The first rows, for a person's eyes; never sent to a model."""
