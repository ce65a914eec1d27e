"""`table.unpivot`: columns side by side become rows one below the other."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.table.frames import chosen, frame, rows_given
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Rows, fields_in
from sanbo.tables.values import is_blank


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
