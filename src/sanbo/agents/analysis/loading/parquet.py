"""Typed cells and Parquet files as columns in Arrow's format, each with its kind and unit."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from sanbo.agents.analysis.execution.frames import MONTH_KEY, TYPE_KEY, UNIT_KEY
from sanbo.agents.analysis.loading.units import unit_in
from sanbo.agents.analysis.profile import ValueType
from sanbo.documents.columns import MOST_COLUMNS, Cell
from sanbo.documents.file_table import TabularColumn, typed_column
from sanbo.documents.table_heads import column_names
from sanbo.kernel.problems import InvalidInput, LimitExceeded, SanboError, UnsupportedFormat

_INT64 = range(-(2**63), 2**63)


def arrow_of(columns: Sequence[TabularColumn], units: Mapping[str, str]) -> pa.Table:
    """`units` of columns that neither their names nor their cells tell."""
    fields: list[pa.Field[Any]] = []
    arrays: list[pa.Array[Any]] = []
    for column in columns:
        array, kind = array_of(column.cells, column.type)
        unit = "%" if kind == "percent" else column.unit or units.get(column.name, "")
        arrays.append(array)
        field = field_of(column.name, array.type, kind, unit_in(column.name) or unit)
        month = {MONTH_KEY: b"1"} if column.is_month else {}
        fields.append(field.with_metadata({**(field.metadata or {}), **month}))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def field_of(name: str, arrow_type: pa.DataType, kind: ValueType, unit: str) -> "pa.Field[Any]":
    return pa.field(name, arrow_type, metadata={TYPE_KEY: kind.encode(), UNIT_KEY: unit.encode()})


def array_of(cells: Sequence[Cell], kind: ValueType) -> tuple["pa.Array[Any]", ValueType]:
    match kind:
        case "empty":
            return pa.nulls(len(cells)), kind
        case "boolean":
            return pa.array(cells, pa.bool_()), kind
        case "date" | "datetime":
            moments = [_wall_time(cast("date | None", cell)) for cell in cells]
            return pa.array(moments, pa.timestamp("us")), kind
        case "time":
            return pa.array([None if cell is None else _clock(cell) for cell in cells]), kind
        case "text":
            return pa.array([None if cell is None else str(cell) for cell in cells], pa.string()), (
                kind
            )
        case "integer" | "currency" | "number" | "percent":
            return _numbers(cells, kind)


def _numbers(cells: Sequence[Cell], kind: ValueType) -> tuple["pa.Array[Any]", ValueType]:
    numbers = cast("Sequence[int | float | None]", cells)
    if all(number is None or isinstance(number, int) for number in numbers):
        if all(number is None or number in _INT64 for number in numbers):
            return pa.array(numbers, pa.int64()), kind
        kind = "number" if kind == "integer" else kind
    floats = [None if number is None else float(number) for number in numbers]
    return pa.array(floats, pa.float64()), kind


def _wall_time(moment: date | None) -> datetime | None:
    """As it is written: a zone beside it does not move the day it belongs to."""
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=None)
    return None if moment is None else datetime.combine(moment, time())


def _clock(cell: Cell) -> str:
    if isinstance(cell, timedelta):
        seconds = int(cell.total_seconds())
        return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return cell.isoformat("auto") if isinstance(cell, time) else str(cell)


_compute: Any = pyarrow.compute  # its stubs leave half of it unknown

MAGIC = b"PAR1"
MOST_CELLS = 50_000_000
_MOST_WORDS_TO_READ = 100_000


_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST_DAY, _LAST_DAY = date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH
_OUTSIDE = "< 0001-01-01, > 9999-12-31"


class ReadParquet(NamedTuple):
    table: pa.Table
    warnings: list[SanboError]


def read_parquet(content: bytes, name: str) -> ReadParquet:
    try:
        # Reading ahead, and any file of Python's, would start threads: the sandbox has none.
        file = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False)
        cells = file.metadata.num_rows * file.metadata.num_columns
        if file.metadata.num_columns > MOST_COLUMNS:
            raise LimitExceeded(
                "tables_too_wide", columns=file.metadata.num_columns, limit=MOST_COLUMNS
            )
        if cells > MOST_CELLS:
            raise LimitExceeded("tables_too_large", cells=cells, limit=MOST_CELLS)
        table = file.read(use_threads=False)
        table.validate(full=True)  # texts that are no UTF-8, indices that lead nowhere
        if not table.num_rows:
            raise UnsupportedFormat("tabular_no_rows")
        return _of_few_kinds(table)
    except MemoryError:  # Arrow's own is also an ArrowException
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise UnsupportedFormat("analysis_parquet_damaged", name=name) from error


def _of_few_kinds(table: pa.Table) -> ReadParquet:
    fields: list[pa.Field[Any]] = []
    arrays: list[pa.ChunkedArray[Any]] = []
    warnings: list[SanboError] = []
    names = column_names([str(name) for name in table.schema.names])
    for title, column in zip(names, table.columns, strict=True):
        given, lost = _within_the_calendar(column)
        if lost:
            warnings.append(
                InvalidInput("tabular_odd_cells", column=title, count=lost, cells=_OUTSIDE)
            )
        values, kind = _plain(given)
        if kind == "text":
            values, kind = _read_as_values(values)
        arrays.append(values)
        fields.append(field_of(title, values.type, kind, unit_in(title)))
    made = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    return ReadParquet(made.combine_chunks(), warnings)


def _within_the_calendar(column: "pa.ChunkedArray[Any]") -> tuple["pa.ChunkedArray[Any]", int]:
    """Moments before year 1 or after 9999 are left out and counted: nothing else can hold them."""
    kind: Any = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_date(kind):
        per_day = 1 if pa.types.is_date32(kind) else 86_400_000
    elif pa.types.is_timestamp(kind):
        per_day = 86_400 * _PER_SECOND[kind.unit]
    else:
        return column, 0
    margin = per_day if pa.types.is_timestamp(kind) and kind.tz else 0  # a zone moves the clock
    numbers: Any = column.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64())
    lowest = max(_FIRST_DAY * per_day + margin, -(2**63))
    highest = min((_LAST_DAY + 1) * per_day - 1 - margin, 2**63 - 1)
    is_within: Any = _compute.and_(
        _compute.greater_equal(numbers, lowest), _compute.less_equal(numbers, highest)
    )
    kept: Any = _compute.if_else(is_within, column, pa.scalar(None, kind))
    return kept, kept.null_count - column.null_count


def _plain(  # noqa: PLR0911 - one kind after the other
    column: "pa.ChunkedArray[Any]",
) -> tuple["pa.ChunkedArray[Any]", ValueType]:
    """One of the few kinds that analyses know; what is none of them becomes text."""
    kind: Any = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_boolean(kind):
        return column, "boolean"
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return column.cast(pa.int64()), "integer"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind) or kind == pa.uint64():
        return column.cast(pa.float64(), safe=False), "number"
    if pa.types.is_date(kind):
        return column.cast(pa.timestamp("us")), "date"
    if pa.types.is_timestamp(kind):
        local: Any = _compute.local_timestamp(column) if kind.tz else column
        return local.cast(pa.timestamp("us"), safe=False), "datetime"
    if pa.types.is_null(kind):
        return column, "empty"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column.cast(pa.string()), "text"
    texts = [None if value is None else str(value) for value in column.to_pylist()]
    return pa.chunked_array([texts], pa.string()), "text"


def _read_as_values(
    column: "pa.ChunkedArray[Any]",
) -> tuple["pa.ChunkedArray[Any]", ValueType]:
    """Text that holds dates or amounts, as it does when a CSV file was made a Parquet file."""
    words: Any = column.unique()
    if len(words) > _MOST_WORDS_TO_READ:
        return column, "text"
    read = typed_column("", [cast("str | None", word) for word in words.to_pylist()])
    if read.type in ("text", "empty"):
        return column, "text"
    values, kind = array_of(read.cells, read.type)
    positions: Any = _compute.index_in(column, words)
    return pa.chunked_array([values.take(positions.combine_chunks())]), kind
