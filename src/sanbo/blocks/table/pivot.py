"""`table.pivot`: figures by rows and columns, as a cross table."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, BlockInputs
from sanbo.blocks.table.frames import Names, chosen, frame
from sanbo.blocks.transforms.group_by_agg import read_aggregations
from sanbo.documents.columns import MOST_COLUMNS
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.aggregates import Figure
from sanbo.tables.pivots import CrossTable, Layout
from sanbo.tables.rows import Rows, fields_in
from sanbo.tables.values import are_numbers


class PivotInputs(BlockInputs):
    rows: Rows
    index: Names
    columns: Names = Field(default_factory=list[str])
    values: Names = Field(default_factory=list[str])
    aggfunc: str | dict[str, str]
    fill_value: JsonValue = None
    margins: bool
    margins_name: str = ""
    sort: bool


class Pivot(Block[PivotInputs]):
    Inputs = PivotInputs

    @override
    def run(self, given: PivotInputs, context: BlockContext) -> Mapping[str, Any]:
        known = fields_in(given.rows)
        index = chosen(given.index, known, "index")
        across = chosen(given.columns, known, "columns")
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


def _figures(given: PivotInputs, others: list[str]) -> list[Figure]:
    """One for each of the values; without any named, for all columns of numbers."""
    values = chosen(given.values, fields_in(given.rows), "values")
    if not values and isinstance(given.aggfunc, dict):
        values = chosen(list(given.aggfunc), fields_in(given.rows), "aggfunc")
    if not values and given.aggfunc in ("count", "size"):
        return read_aggregations(None)
    values = values or [
        name for name in others if are_numbers([row.get(name) for row in given.rows])
    ]
    if not values and given.rows:
        raise InvalidInput("table_pivot_values", known="、".join(others) or "—")
    if not values:
        return []
    told = given.aggfunc if isinstance(given.aggfunc, dict) else {}
    usual = given.aggfunc if isinstance(given.aggfunc, str) else "sum"
    return read_aggregations({name: told.get(name, usual) for name in values})
