"""Parquet files: their columns made to be of the few kinds that analyses know."""

from datetime import date
from typing import Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from sanbo.agents.analysis.loading.cells import array_of, field_of
from sanbo.agents.analysis.loading.units import unit_in
from sanbo.agents.analysis.profile import ValueType
from sanbo.documents.columns import MOST_COLUMNS
from sanbo.documents.table_heads import column_names
from sanbo.documents.tabular import typed_column
from sanbo.kernel.problems import InvalidInput, LimitExceeded, SanboError, UnsupportedFormat

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
        table = file.read(use_threads=False)  # pyright: ignore[reportUnknownMemberType]
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
