"""`table.pivot`: figures by rows and columns, as a cross table."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.table.frames import chosen, frame
from sanbo.blocks.transforms.group_by_agg import read_aggregations
from sanbo.documents.columns import MOST_COLUMNS
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.aggregates import Figure
from sanbo.tables.pivots import CrossTable, Layout
from sanbo.tables.rows import fields_in
from sanbo.tables.values import are_numbers


class Pivot(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        known = fields_in(given.rows)
        index = chosen(given.index, known, "index")
        across = chosen(given.columns or [], known, "columns")
        layout = Layout(
            index=index,
            columns=across,
            figures=_figures(given, [name for name in known if name not in (*index, *across)]),
            fill=given.fill_value,
            margins=(given.margins_name or tell("table_margins")) if given.margins else "",
            is_sorted=given.sort,
        )
        table = CrossTable(given.rows, layout)
        if len(table.columns) > MOST_COLUMNS:
            raise LimitExceeded("tables_too_wide", columns=len(table.columns), limit=MOST_COLUMNS)
        rows = table.rows()
        summary = {
            "rows_before": len(given.rows),
            "rows": len(rows),
            "columns": table.columns,
            "figures": {figure.field or figure.name: figure.kind for figure in layout.figures},
            "unreadable": table.unreadable.count,
            "unreadable_examples": table.unreadable.examples,
        }
        return {"dataframe": frame(table.columns, rows), "rows": rows, "summary": summary}


def _figures(given: Given, others: list[str]) -> list[Figure]:
    """One for each of the values; without any named, for all columns of numbers."""
    aggfunc: str | dict[str, str] = given.aggfunc
    values = chosen(given.values or [], fields_in(given.rows), "values")
    if not values and isinstance(aggfunc, dict):
        values = chosen(list(aggfunc), fields_in(given.rows), "aggfunc")
    if not values and aggfunc in ("count", "size"):
        return read_aggregations(None)
    values = values or [
        name for name in others if are_numbers([row.get(name) for row in given.rows])
    ]
    if not values and given.rows:
        raise InvalidInput("table_pivot_values", known="、".join(others) or "—")
    if not values:
        return []
    told = aggfunc if isinstance(aggfunc, dict) else {}
    usual = aggfunc if isinstance(aggfunc, str) else "sum"
    return read_aggregations({name: told.get(name, usual) for name in values})
