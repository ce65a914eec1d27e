"""transforms.compute: columns computed from the others of their row."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.options import read_as
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.aggregates import Unreadable
from sanbo.tables.expressions.evaluation import Expression
from sanbo.tables.expressions.operations import Failed
from sanbo.tables.expressions.row_names import ROW, RowNames
from sanbo.tables.expressions.syntax import ExpressionRefused, parse, parts_of
from sanbo.tables.expressions.syntax import Given as Named
from sanbo.tables.rows import Row, Rows, fields_in


class Compute(Transform[Given]):
    @classmethod
    @override
    def as_written(cls, inputs: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        columns = inputs.get("columns")
        written = columns if isinstance(columns, dict) else {"": columns}
        for name, text in written.items():
            if isinstance(text, str) and "${" in text:
                port = f"columns.{name}" if name else "columns"
                raise InvalidInput("compute_from_data", port=port)
        return inputs

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        columns = read_as(dict[str, str], given.columns, "columns")
        expressions = {name: _expression(name, text) for name, text in columns.items()}
        values: Row = given["values"] or {}
        _require_names(expressions, given.items, values)
        failed = Unreadable()
        reasons: list[str] = []
        rows: Rows = []
        for number, item in enumerate(given.items):
            names = RowNames(dict(item), values)
            for name, expression in expressions.items():
                try:
                    names.row[name] = expression.value(names)
                except Failed as reason:
                    failed.add(name, [(number, names.row.get(name))])
                    reasons.append(str(reason))
                    names.row[name] = None
            rows.append(names.row)
        if failed.count:
            told = InvalidInput(
                "compute_failed",
                count=failed.count,
                column=str(failed.examples[0]["field"]),
                row=str(failed.examples[0]["row"]),
                reason=reasons[0],
                details={"examples": failed.examples},
            )
            if given.on_error == "fail":
                raise told
            context.warn(told)
        return {
            "rows": rows,
            "summary": {
                "input": len(given.items),
                "columns": list(expressions),
                "failed": failed.count,
            },
        }


def _expression(name: str, text: str) -> Expression:
    try:
        return Expression(parse(text))
    except ExpressionRefused as refused:
        raise InvalidInput(
            "compute_unreadable",
            port=f"columns.{name}",
            column=name,
            reason=refused.reason or refused.code,
            place=refused.column,
        ) from None


def _require_names(expressions: Mapping[str, Expression], items: Rows, values: Row) -> None:
    """A name that no row has is a slip of the pen, and not an empty column."""
    if not items:
        return
    fields = fields_in(items)
    known = {each.casefold() for each in (*fields, *values, ROW)}
    for name, expression in expressions.items():
        for part in parts_of(expression.tree):
            if isinstance(part, Named) and part.root.casefold() not in known:
                raise InvalidInput(
                    "transform_field_unknown",
                    port=f"columns.{name}",
                    field=part.root or part.text,
                    nearest=alternatives(part.root, [*fields, *values]),
                    details={"fields": fields[:100]},
                )
        known.add(name.casefold())
