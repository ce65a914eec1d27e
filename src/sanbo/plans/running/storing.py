"""Outputs on their way into the journal: those that are too large go beside it, as a file."""

import asyncio
from typing import Any

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from sanbo.kernel.secrets import redact_json
from sanbo.runs.workflow import RunContext

STORED = "x-stored"
MOST_BYTES = 256 * 1024
_SMALL = 32 * 1024


async def stored(context: RunContext[Any], value: JsonValue) -> tuple[JsonValue, bool]:
    """The value, or where it is kept; and whether masking has changed it there."""
    if rough_size(value, _SMALL) < _SMALL:
        return value, False
    return await asyncio.to_thread(_stored, context, value)


def _stored(context: RunContext[Any], value: JsonValue) -> tuple[JsonValue, bool]:
    text = to_json(value)
    if len(text) <= MOST_BYTES:
        return value, False
    written = redact_json(text.decode())
    data = written.encode()
    file_id = context.place.files.keep(context.run_id, data)
    return {STORED: {"file_id": file_id, "size": len(data)}}, data != text


async def restored(context: RunContext[Any], value: JsonValue) -> JsonValue:
    """What was recorded, read again where it is kept beside the journal."""
    if isinstance(value, dict) and value.keys() == {STORED}:
        kept = value[STORED]
        assert isinstance(kept, dict)
        data = await asyncio.to_thread(context.place.files.read, str(kept["file_id"]))
        return from_json(data)
    return value


def rough_size(value: JsonValue, limit: int) -> int:
    """About how many bytes it has as JSON; counted no further than `limit`."""
    size = 0
    waiting = [value]
    while waiting and size < limit:
        each = waiting.pop()
        match each:
            case str():
                size += len(each) + 2
            case list():
                size += len(each) + 2
                waiting.extend(each)
            case dict():
                # Not yet checked: a block may have given numbers as names.
                size += sum(map(len, map(str, each))) + 4 * len(each)
                waiting.extend(each.values())
            case _:
                size += 8
    return size
