"""`table.pivot`: figures by rows and columns, as a cross table."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, BlockInputs
from sanbo.blocks.table.column_choice import Names, chosen
from sanbo.blocks.table.cross_table import CrossTable, Layout
from sanbo.blocks.table.frames import columns_of, frame
from sanbo.blocks.transforms.aggregations import Figure, read_aggregations
from sanbo.blocks.transforms.written import as_number, is_blank
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput

Rows = list[dict[str, JsonValue]]


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
        known = columns_of(given.rows)
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
        rows = table.rows()
        summary = {
            "rows_before": len(given.rows),
            "rows": len(rows),
            "columns": table.columns,
            "figures": {figure.field or figure.name: figure.op for figure in layout.figures},
            "unreadable": table.unreadable,
            "unreadable_examples": table.unreadable_examples,
        }
        return {"dataframe": frame(table.columns, rows), "rows": rows, "summary": summary}


def _figures(given: PivotInputs, others: list[str]) -> list[Figure]:
    """One for each of the values; without any named, for all columns of numbers."""
    values = chosen(given.values, columns_of(given.rows), "values")
    if not values and isinstance(given.aggfunc, dict):
        values = chosen(list(given.aggfunc), columns_of(given.rows), "aggfunc")
    if not values and given.aggfunc in ("count", "size"):
        return read_aggregations(None)
    values = values or [name for name in others if _is_numeric(given.rows, name)]
    if not values and given.rows:
        raise InvalidInput("table_pivot_values", known="、".join(others) or "—")
    if not values:
        return []
    told = given.aggfunc if isinstance(given.aggfunc, dict) else {}
    usual = given.aggfunc if isinstance(given.aggfunc, str) else "sum"
    return read_aggregations({name: told.get(name, usual) for name in values})


def _is_numeric(rows: Rows, name: str) -> bool:
    filled = [row.get(name) for row in rows if not is_blank(row.get(name))]
    return bool(filled) and all(as_number(value) is not None for value in filled)
