"""A table as the sandbox gets it: Arrow, of which only the needed columns become pandas."""

# Arrow's and pandas' stubs leave many types open; what crosses this module is typed.

from collections.abc import Mapping, Sequence
from typing import cast, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import ipc

from sanbo.agents.analysis.profile import ValueType
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput

TYPE_KEY = b"sanbo:type"
UNIT_KEY = b"sanbo:unit"
LABEL_KEY = b"sanbo:label"
MONTH_KEY = b"sanbo:month"
_VALUE_TYPES: frozenset[str] = frozenset(get_args(ValueType))
_ARROW_TYPES: Mapping[ValueType, pa.DataType] = {
    "text": pa.string(),
    "time": pa.string(),
    "date": pa.timestamp("us"),
    "datetime": pa.timestamp("us"),
    "boolean": pa.bool_(),
    "empty": pa.null(),
}


class Frame:
    """Columns by name, with what their values are and their units.

    In pandas: words are `str`, dates `datetime64[us]`, numbers `float64` or `int64`; whole
    numbers and booleans with missing cells are `Int64` and `boolean`, so that nothing is rounded.
    """

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        fields = [table.schema.field(index) for index in range(table.num_columns)]
        self.kinds: Mapping[str, ValueType] = {field.name: _kind(field) for field in fields}
        self.units: Mapping[str, str] = {field.name: _said(field, UNIT_KEY) for field in fields}
        self.labels: Mapping[str, str] = {
            field.name: _said(field, LABEL_KEY) or field.name for field in fields
        }
        """What a person reads for a column: 売上（合計） for 売上_sum of an earlier result."""
        self.months = frozenset(field.name for field in fields if _said(field, MONTH_KEY))
        """Dates that are months in the file, and are shown as such: 2025-04."""

    @property
    def rows(self) -> int:
        return self.table.num_rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.column_names)

    def pandas(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """These columns (each once), or all; a name that is not there is refused."""
        names = self.names if columns is None else tuple(dict.fromkeys(columns))
        self.require(names)
        data = {name: self._series(name) for name in names}
        return pd.DataFrame(data, index=pd.RangeIndex(self.rows), copy=False)

    def require(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self.kinds:
                raise InvalidInput(
                    "analysis_result.column_missing",
                    details={"column": name, "columns": list(self.names[:100])},
                    column=name,
                    nearest=listed(nearest(name, self.names, 3, least=0)),
                )

    def _series(self, name: str) -> pd.Series:
        column = self.table.column(name)
        if pa.types.is_null(column.type):
            return pd.Series(np.full(self.rows, np.nan))
        if column.null_count and pa.types.is_integer(column.type):
            return _masked(column, pd.Int64Dtype())
        if column.null_count and pa.types.is_boolean(column.type):
            return _masked(column, pd.BooleanDtype())
        return column.to_pandas()


def _masked(column: pa.ChunkedArray, dtype: pd.Int64Dtype | pd.BooleanDtype) -> pd.Series:
    # pyrefly: ignore[missing-attribute]
    return pd.Series(dtype.__from_arrow__(column))


def listed(words: Sequence[str]) -> str:
    return tell("analysis_result.separator").join(words)


def _said(field: pa.Field, key: bytes) -> str:
    return (field.metadata or {}).get(key, b"").decode("utf-8", "replace")


def _kind(field: pa.Field) -> ValueType:
    """As the field says; where it says nothing, as its type does."""
    said = _said(field, TYPE_KEY)
    if said in _VALUE_TYPES:
        return cast("ValueType", said)
    if pa.types.is_integer(field.type):
        return "integer"
    if pa.types.is_floating(field.type):
        return "number"
    if pa.types.is_boolean(field.type):
        return "boolean"
    if pa.types.is_timestamp(field.type):
        return "datetime"
    return "empty" if pa.types.is_null(field.type) else "text"


def read_frame(view: memoryview) -> Frame:
    """From an Arrow IPC file; columns stay in the given memory until they are asked for."""
    return Frame(ipc.open_file(pa.py_buffer(view)).read_all())


def to_arrow(
    frame: pd.DataFrame,
    kinds: Mapping[str, ValueType],
    units: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
) -> pa.Table:
    """A result as a table that another spec can take as its input."""
    arrays: list[pa.Array | pa.ChunkedArray] = []
    fields: list[pa.Field] = []
    for name in frame.columns:
        array = _array(frame[name], kinds[name])
        metadata = {TYPE_KEY: kinds[name].encode(), UNIT_KEY: units.get(name, "").encode()}
        if labels is not None and labels.get(name, name) != name:
            metadata[LABEL_KEY] = labels[name].encode()
        arrays.append(array)
        fields.append(pa.field(name, array.type, metadata=metadata))
    return pa.table(arrays, schema=pa.schema(fields))


def _array(values: pd.Series, kind: ValueType) -> pa.Array | pa.ChunkedArray:
    wanted = _ARROW_TYPES.get(kind)
    if kind == "empty":
        return pa.nulls(len(values))
    if wanted is None:  # numbers keep the type that they have
        wanted = pa.int64() if pd.api.types.is_integer_dtype(values.dtype) else pa.float64()
        if wanted == pa.float64() and values.dtype != np.float64:
            values = values.astype("float64")
    return pa.Array.from_pandas(values, type=wanted)
