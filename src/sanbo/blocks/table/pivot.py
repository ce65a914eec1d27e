"""`table.pivot`: figures by rows and columns, as a cross table."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.table.frames import chosen, frame, rows_given
from sanbo.blocks.transforms.group_by_agg import read_aggregations
from sanbo.documents.columns import MOST_COLUMNS
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.aggregates import Figure
from sanbo.tables.pivots import CrossTable, Layout
from sanbo.tables.rows import Rows, fields_in
from sanbo.tables.values import are_numbers


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
