"""transforms.coerce_values: fields of rows made numbers, days, yes or no, text."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import AliasChoices, Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.contract.schemas import schema_by_example
from sanbo.blocks.spec import Schema
from sanbo.blocks.transforms.options import listed, read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.casting import Casting, Kind, cast, kind_of
from sanbo.tables.rows import Rows, known_as, require_column
from sanbo.tables.values import is_blank, text_of

_MOST_LISTED = 100
_MOST_NAMED = 5
_EXAMPLES: Mapping[Kind, JsonValue] = {
    "number": 1000,
    "integer": 1000,
    "date": "2024-05-01",
    "datetime": "2024-05-01T09:00:00",
    "month": "2024-05",
    "time": "09:00:00",
    "boolean": True,
    "text": "A",
    "list": ["A"],
}


class Coercion(Casting):
    field: str
    type: str = Field(validation_alias=AliasChoices("type", "to"))
    on_error: Literal["null", "keep", "fail"] | None = "keep"
    formats: list[str] = Field(default_factory=list[str])
    """Of days and moments, in the letters of strptime; tried before all else."""
    day: Literal["first", "last"] | None = "first"
    default: JsonValue = None
    """For empty values."""
    optional: bool = False
    """The rows may be without the field."""


class CoerceValues(Transform[Given]):
    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        coercions = read_coercions(given.get("specs"))
        row = {one.field: _EXAMPLES[kind_of(one.type)] for one in coercions}
        return {"rows": schema_by_example([row]), "first": schema_by_example(row)} if row else {}

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        rows = [dict(item) for item in given.items]
        failures: Rows = []
        by_field: dict[str, dict[str, int]] = {}
        for coercion in read_coercions(given.specs):
            field = known_as(given.items, coercion.field)
            try:
                require_column(given.items, field, "specs")
            except InvalidInput as unknown:
                if not coercion.optional:
                    context.warn(unknown)
            by_field[field] = _coerce(
                rows, coercion.model_copy(update={"field": field}), failures, context
            )
        return {
            "rows": rows,
            "first": rows[0] if rows else None,
            "summary": {
                "input": len(rows),
                "converted": sum(one["converted"] for one in by_field.values()),
                "specs": len(by_field),
                "failed": len(failures),
                "fields": by_field,
                "failures": failures[:_MOST_LISTED],
            },
        }


def read_coercions(given: JsonValue) -> list[Coercion]:
    """`金額: number`, `金額: {type: number, decimals: 0}`, or `[{field: 金額, type: number}]`."""
    if isinstance(given, dict) and not {"field", "type"} <= set(given):
        entries: list[JsonValue] = [
            {"field": field, **(one if isinstance(one, dict) else {"type": one})}
            for field, one in given.items()
        ]
    else:
        entries = listed(given)
    coercions = [read_as(Coercion, one, f"specs.{number}") for number, one in enumerate(entries)]
    for coercion in coercions:
        kind_of(coercion.type)
    return coercions


def _coerce(
    rows: Rows, coercion: Coercion, failures: Rows, context: BlockContext
) -> dict[str, int]:
    kind = kind_of(coercion.type)
    converted = empty = 0
    failed: Rows = []
    for number, row in enumerate(rows):
        if coercion.field not in row:
            continue
        value = row[coercion.field]
        if is_blank(value):
            empty += 1
            is_text = kind == "text" and "default" not in coercion.model_fields_set
            row[coercion.field] = "" if is_text else coercion.default
            continue
        made = _by_formats(value, kind, coercion) or cast(value, kind, coercion)
        if made is None:
            failed.append({"row": number, "field": coercion.field, "value": value})
            if coercion.on_error in ("null", None):
                row[coercion.field] = None
        else:
            converted += 1
            row[coercion.field] = made
    if failed and coercion.on_error == "fail":
        raise _refused(coercion, failed)
    if failed:
        context.warn(_refused(coercion, failed, "transform_not_coerced"))
    failures.extend({**failure, "type": coercion.type} for failure in failed)
    return {"converted": converted, "empty": empty, "failed": len(failed)}


def _by_formats(value: JsonValue, kind: Kind, coercion: Coercion) -> JsonValue:
    if kind not in ("date", "datetime"):
        return None
    for written in coercion.formats:
        try:
            moment = datetime.strptime(text_of(value).strip(), written)
        except ValueError:
            continue
        return moment.date().isoformat() if kind == "date" else moment.isoformat()
    return None


def _refused(
    coercion: Coercion, failed: Rows, text_id: str = "transform_coerce_failed"
) -> InvalidInput:
    shown = [f"{int(str(one['row'])) + 1}: {text_of(one['value'])[:40]}" for one in failed]
    return InvalidInput(
        text_id,
        field=coercion.field,
        type=coercion.type,
        count=len(failed),
        rows="、".join(shown[:_MOST_NAMED]),
        details={"field": coercion.field, "failures": failed[:_MOST_LISTED]},
    )
