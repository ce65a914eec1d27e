"""Parquet files: their columns made to be of the few kinds that analyses know."""

from io import BytesIO
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from sanbo.agents.analysis.loading.cells import array_of, field_of, unit_in
from sanbo.agents.analysis.profile import ValueType
from sanbo.documents.columns import MOST_COLUMNS
from sanbo.documents.table_heads import column_names
from sanbo.documents.tabular import typed_column
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

_compute: Any = pyarrow.compute  # its stubs leave half of it unknown

MAGIC = b"PAR1"
MOST_CELLS = 50_000_000
_MOST_WORDS_TO_READ = 100_000


def read_parquet(content: bytes, name: str) -> pa.Table:
    try:
        file = pq.ParquetFile(BytesIO(content))
        cells = file.metadata.num_rows * file.metadata.num_columns
        if file.metadata.num_columns > MOST_COLUMNS:
            raise LimitExceeded(
                "tables_too_wide", columns=file.metadata.num_columns, limit=MOST_COLUMNS
            )
        if cells > MOST_CELLS:
            raise LimitExceeded("tables_too_large", cells=cells, limit=MOST_CELLS)
        table = file.read(use_threads=False)  # pyright: ignore[reportUnknownMemberType]
    except (pa.ArrowException, OSError) as error:
        raise UnsupportedFormat("analysis_parquet_damaged", name=name) from error
    if not table.num_rows:
        raise UnsupportedFormat("tabular_no_rows")
    fields: list[pa.Field[Any]] = []
    arrays: list[pa.ChunkedArray[Any]] = []
    names = column_names([str(name) for name in table.schema.names])
    for title, column in zip(names, table.columns, strict=True):
        values, kind = _plain(column)
        if kind == "text":
            values, kind = _read_as_values(values)
        arrays.append(values)
        fields.append(field_of(title, values.type, kind, unit_in(title)))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields)).combine_chunks()


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
