"""transforms.attach_context: the same information beside every item of a list."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row

_VALUE = "value"
"""Where an item that is no mapping goes."""


class AttachContext(Transform[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        attached = _attached(given)
        given_items: list[JsonValue] = given.items
        items: list[JsonValue] = []
        clashing = 0
        for item in given_items:
            row: Row = item if isinstance(item, dict) else {_VALUE: item}
            clashes = row.keys() & attached.keys()
            clashing += bool(clashes)
            is_over = given.overwrite or bool(given["as"])
            items.append(
                {**row, **attached}
                if is_over
                else {**row, **{k: v for k, v in attached.items() if k not in row}}
            )
        summary: Row = {
            "count": len(items),
            "fields": list[JsonValue](attached),
            "clashes": clashing,
        }
        return {"items": items, "summary": summary}


def _attached(given: Given) -> Row:
    """Under one name, or without a name its own fields."""
    context: JsonValue = given.context
    if name := given["as"]:
        return {name: context}
    if not isinstance(context, dict):
        raise InvalidInput("transform_attach_unnamed")
    return context
