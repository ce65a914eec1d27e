"""Tables as one value, `{columns, rows, dtypes}`: made of rows (`table.from_rows`), as a cross
table (`table.pivot`), and with columns side by side as rows one below the other (`table.unpivot`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.transforms.groups import read_aggregations
from sanbo.documents.columns import MOST_COLUMNS
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.aggregates import CrossTable, Figure, Layout
from sanbo.tables.rows import Rows, fields_in
from sanbo.tables.values import KINDS, Kind, are_numbers, cast, is_blank

Row = Mapping[str, JsonValue]
Names = str | list[str]


def chosen(names: Names, columns: Sequence[str], port: str) -> list[str]:
    """One or several, each once, all of them there. A table without rows has no columns."""
    wanted = [names] if isinstance(names, str) else names
    for name in wanted:
        if columns and name not in columns:
            known = "、".join(columns)
            raise InvalidInput("table_column_unknown", port=port, column=name, known=known)
    return list(dict.fromkeys(wanted))


def rows_given(given: Given) -> list[dict[str, JsonValue]]:
    """As rows, or as a table that another block gave."""
    if given.rows is not None:
        return given.rows
    if given.dataframe is None:
        raise InvalidInput("block_one_of_two", first="dataframe", second="rows")
    names = given.dataframe["columns"]
    return [dict(zip(names, row, strict=False)) for row in given.dataframe["rows"]]


def frame(columns: Sequence[str], rows: Iterable[Row]) -> dict[str, Any]:
    cells = [[row.get(name) for name in columns] for row in rows]
    dtypes = {name: dtype_of(row[number] for row in cells) for number, name in enumerate(columns)}
    return {"columns": list(columns), "rows": cells, "dtypes": dtypes}


def dtype_of(values: Iterable[JsonValue]) -> str:
    """What a column holds: the one kind that all its values are of, or `object`."""
    kinds = {_value_kind(value) for value in values if value is not None}
    if not kinds:
        return "empty"
    if kinds == {"integer", "number"}:
        return "number"
    if kinds == {"date", "datetime"}:
        return "datetime"
    if len(kinds) == 1:
        return kinds.pop()
    return "string" if kinds <= {"string", "date", "datetime"} else "object"


def _value_kind(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return _text_kind(value) if isinstance(value, str) else "object"


def _text_kind(text: str) -> str:
    """Days and moments as this product writes them: `2024-05-01`. Others are text."""
    if not (10 <= len(text) <= 35 and text[4] == text[7] == "-"):
        return "string"
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return "string"
    return "date" if len(text) == 10 else "datetime"


# ---- `table.unpivot` -----------------------------------------------------------------------------


class Unpivot(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        given_rows = rows_given(given)
        known = fields_in(given_rows)
        kept = chosen(given.id_vars or [], known, "id_vars")
        wanted = [name for name in known if name not in kept]
        if given.value_vars is not None:
            wanted = chosen(given.value_vars, known, "value_vars")
        columns = [*kept, given.var_name, given.value_name]
        if len(set(columns)) < len(columns):
            raise InvalidInput("table_columns_clash", columns="、".join(columns))
        rows: Rows = [
            {
                **{name: row.get(name) for name in kept},
                given.var_name: name,
                given.value_name: row.get(name),
            }
            for name in wanted
            for row in given_rows
            if not (given.drop_empty and is_blank(row.get(name)))
        ]
        summary = {
            "rows_before": len(given_rows),
            "rows": len(rows),
            "cols": len(columns),
            "columns": columns,
            "value_vars": wanted,
        }
        return {"dataframe": frame(columns, rows), "rows": rows, "summary": summary}


# ---- `table.from_rows` ---------------------------------------------------------------------------


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


# ---- `table.pivot` -------------------------------------------------------------------------------


class Pivot(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        rows_before = rows_given(given)
        known = fields_in(rows_before)
        index = chosen(given.index, known, "index")
        wanted = given.columns
        across: list[str] = []
        if wanted is not None and (wanted != "" or "" in known):
            across = chosen(wanted, known, "columns")
        given_rows = [
            row
            for row in rows_before
            if not given.dropna or all(row.get(name) is not None for name in (*index, *across))
        ]
        dropped = len(rows_before) - len(given_rows)
        if dropped:
            context.warn(InvalidInput("table_rows_dropped", count=dropped))
        others = [name for name in known if name not in (*index, *across)]
        layout = Layout(
            index=index,
            columns=across,
            figures=_figures(given, given_rows, others),
            joiner=given.flatten_joiner if given.flatten_multiindex else "_",
            is_named=not given.values or isinstance(given.aggfunc, list),
            fill=given.fill_value,
            margins=(given.margins_name or tell("table_margins")) if given.margins else "",
            is_sorted=given.sort,
        )
        table = CrossTable(given_rows, layout)
        if len(table.columns) > MOST_COLUMNS:
            raise LimitExceeded("tables_too_wide", columns=len(table.columns), limit=MOST_COLUMNS)
        rows = table.rows()
        if table.unreadable.count:
            context.warn(table.unreadable.told("transform_unreadable"))
        summary = {
            "rows_before": len(rows_before),
            "rows": len(rows),
            "cols": len(table.columns),
            "dropped": dropped,
            "columns": table.columns,
            "figures": {figure.field or figure.name: figure.kind for figure in layout.figures},
            "unreadable": table.unreadable.count,
            "unreadable_examples": table.unreadable.examples,
        }
        return {"dataframe": frame(table.columns, rows), "rows": rows, "summary": summary}


def _figures(given: Given, rows: Rows, others: list[str]) -> list[Figure]:
    """One for each of the values; without any named, for all columns of numbers."""
    aggfunc: str | list[str] | dict[str, str] = given.aggfunc
    values = chosen(given.values or [], fields_in(rows), "values")
    if not values and isinstance(aggfunc, dict):
        values = chosen(list(aggfunc), fields_in(rows), "aggfunc")
    if not values and aggfunc in ("count", "size"):
        return read_aggregations(None)
    values = values or [name for name in others if are_numbers([row.get(name) for row in rows])]
    if not values and rows:
        raise InvalidInput("table_pivot_values", known="、".join(others) or "—")
    if not values:
        return []
    if isinstance(aggfunc, list):
        return [
            replace(
                figure, name=word if len(values) == 1 else f"{word}{given.flatten_joiner}{name}"
            )
            for word in aggfunc
            for name in values
            for figure in read_aggregations({name: _OF_FILLED.get(word, word)})
        ]
    told = aggfunc if isinstance(aggfunc, dict) else {}
    usual = aggfunc if isinstance(aggfunc, str) else "sum"
    words = {name: told.get(name, usual) for name in values}
    return read_aggregations({name: _OF_FILLED.get(word, word) for name, word in words.items()})


_OF_FILLED = {"count": "count_filled"}
"""In a cross table, values are counted and not rows."""
