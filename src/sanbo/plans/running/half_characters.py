"""Half a surrogate pair in a block's outputs: a text that no file, journal or page can hold.

It comes out of file names in another encoding and out of models' JSON. It is refused, not replaced:
the value that goes on to the next node and the one that is read back later would not be the same.
"""

from collections.abc import Mapping
from typing import Any, cast

from pydantic_core import PydanticSerializationError, to_json

from sanbo.blocks.contract.schema_failures import path_text
from sanbo.kernel.problems import InvalidOutput


def refuse_half_characters(made: Mapping[str, Any], node: str) -> None:
    try:
        to_json(made)
    except (PydanticSerializationError, ValueError):
        # What else JSON can't hold, the check against the block's contract tells.
        for port, value in made.items():
            if (path := _place(value)) is not None:
                place = path_text(_written(port), path)
                raise InvalidOutput("block_output_half_character", node=node, port=place) from None


def _place(value: object) -> tuple[str | int, ...] | None:
    match value:
        case str():
            return () if _written(value) != value else None
        case Mapping():
            pairs = list(cast("Mapping[object, object]", value).items())
        case list() | tuple():
            pairs = list(enumerate(cast("list[object]", value)))
        case _:
            return None
    for key, part in pairs:
        name = key if isinstance(key, int) else _written(str(key))
        if isinstance(key, str) and name != key:
            return (name,)
        if (path := _place(part)) is not None:
            return (name, *path)
    return None


def _written(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
