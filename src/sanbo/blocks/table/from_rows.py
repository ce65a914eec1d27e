"""`table.from_rows`: rows as a table with columns and their kinds."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.table.frames import chosen, frame
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.casting import KINDS, Kind, cast
from sanbo.tables.rows import Rows, fields_in
from sanbo.tables.values import is_blank

_CELLS_TO_NAME = 5
_DTYPES: Mapping[Kind, str] = {
    "text": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "date": "date",
    "datetime": "datetime",
}
_AS_THEY_ARE = ("object", "any")


class FromRows(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        columns = fields_in(given.rows)
        wanted = _wanted(given.dtype, columns)
        table = frame(columns, _converted(given.rows, wanted))
        table["dtypes"].update({name: _DTYPES[kind] for name, kind in wanted.items()})
        return {"dataframe": table}


def _wanted(dtype: str | dict[str, str] | None, columns: list[str]) -> dict[str, Kind]:
    """Without the columns whose cells stay as they are; without a word of it, all are text."""
    if dtype == "auto":
        return {}
    dtype = "string" if dtype is None else dtype
    if isinstance(dtype, str):
        dtype = dict.fromkeys(columns, dtype)
    chosen(list(dtype), columns, "dtype")
    return {name: kind for name, word in dtype.items() if (kind := _kind(word, name)) is not None}


def _kind(word: str, column: str) -> Kind | None:
    kind = KINDS.find(word)
    if kind in _DTYPES:
        return kind
    if word.strip().lower() in _AS_THEY_ARE:
        return None
    known = ", ".join((*_DTYPES.values(), _AS_THEY_ARE[0]))
    raise InvalidInput("table_dtype_unknown", dtype=word, column=column, known=known)


def _converted(rows: Rows, wanted: Mapping[str, Kind]) -> Rows:
    """What is empty is null."""
    made: Rows = []
    odd: list[str] = []
    for number, row in enumerate(rows, start=1):
        cells = dict(row)
        for name in wanted.keys() & row.keys():
            value, kind = row[name], wanted[name]
            if is_blank(value):
                cells[name] = value if kind == "text" else None
                continue
            cells[name] = cast(value, kind)
            if cells[name] is None:
                odd.append(f"{number}: {name} = {str(value)[:30]}")
        made.append(cells)
    if odd:
        raise InvalidInput(
            "table_cells_misfit", count=len(odd), cells=" / ".join(odd[:_CELLS_TO_NAME])
        )
    return made
