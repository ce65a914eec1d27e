"""transforms.attach_context: the same information beside every item of a list."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, BlockInputs
from sanbo.blocks.transforms.options import Transform
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row

_VALUE = "value"
"""Where an item that is no mapping goes."""


class AttachInputs(BlockInputs):
    items: list[JsonValue]
    context: JsonValue
    as_: str | None = Field(default="context", alias="as")
    overwrite: bool = False


class AttachContext(Transform[AttachInputs]):
    Inputs = AttachInputs

    @override
    def run(self, given: AttachInputs, context: BlockContext) -> Mapping[str, Any]:
        attached = _attached(given)
        items: list[JsonValue] = []
        overwritten = 0
        for number, item in enumerate(given.items):
            row: Row = item if isinstance(item, dict) else {_VALUE: item}
            clashes = row.keys() & attached.keys()
            if clashes and not given.overwrite:
                raise InvalidInput("transform_attach_clash", row=number, field=min(clashes))
            overwritten += bool(clashes)
            items.append({**row, **attached})
        summary: Row = {
            "items": len(items),
            "fields": list[JsonValue](attached),
            "overwritten": overwritten,
        }
        return {"items": items, "summary": summary}


def _attached(given: AttachInputs) -> Row:
    """Under one name, or without a name its own fields."""
    if given.as_:
        return {given.as_: given.context}
    if not isinstance(given.context, dict):
        raise InvalidInput("transform_attach_unnamed")
    return given.context
