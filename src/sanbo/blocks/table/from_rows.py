"""`table.from_rows`: rows as a table with columns and their kinds."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, BlockInputs
from sanbo.blocks.table.column_choice import chosen
from sanbo.blocks.table.converting import converted, dtype_named
from sanbo.blocks.table.frames import columns_of, frame
from sanbo.kernel.problems import InvalidInput

_CELLS_TO_NAME = 5
Rows = list[dict[str, JsonValue]]


class FromRowsInputs(BlockInputs):
    rows: Rows
    dtype: str | dict[str, str] | None = None


class FromRows(Block[FromRowsInputs]):
    Inputs = FromRowsInputs

    @override
    def run(self, given: FromRowsInputs, context: BlockContext) -> Mapping[str, Any]:
        columns = columns_of(given.rows)
        wanted = _wanted(given.dtype, columns)
        table = frame(columns, _converted(given.rows, wanted))
        table["dtypes"].update({name: kind for name, kind in wanted.items() if kind != "object"})
        return {"dataframe": table}


def _wanted(dtype: str | dict[str, str] | None, columns: list[str]) -> dict[str, str]:
    if dtype is None:
        return {}
    if isinstance(dtype, str):
        return {name: dtype_named(dtype, name) for name in columns}
    chosen(list(dtype), columns, "dtype")
    return {name: dtype_named(word, name) for name, word in dtype.items()}


def _converted(rows: Rows, wanted: Mapping[str, str]) -> Rows:
    made: Rows = []
    odd: list[str] = []
    for number, row in enumerate(rows, start=1):
        cells = dict(row)
        for name in wanted.keys() & row.keys():
            try:
                cells[name] = converted(row[name], wanted[name])
            except ValueError:
                odd.append(f"{number}: {name} = {str(row[name])[:30]}")
        made.append(cells)
    if odd:
        raise InvalidInput(
            "table_cells_misfit", count=len(odd), cells=" / ".join(odd[:_CELLS_TO_NAME])
        )
    return made
