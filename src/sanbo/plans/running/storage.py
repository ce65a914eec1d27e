"""Outputs on their way into the journal and back: what it can't hold goes beside it, as a file."""

import asyncio
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from sanbo.kernel.personal_data import masked_personal, might_hold
from sanbo.kernel.secrets import redact_json, redact_value
from sanbo.kernel.summaries import summary
from sanbo.runs.fold import StepId
from sanbo.runs.workflow import RunContext

STORED = "x-stored"
MOST_BYTES = 256 * 1024
_SMALL = 32 * 1024


@dataclass(frozen=True, slots=True)
class Written:
    """A value as the journal has it."""

    value: JsonValue
    """The value, where it is kept, or the same with numbers of persons masked."""
    is_masked: bool
    """It is kept nowhere as it is: whoever needs it makes it again."""
    beside: str = ""
    """The file that has it as it is, where the journal shows it masked."""


async def stored(context: RunContext[Any], value: JsonValue, *, is_masked: bool = False) -> Written:
    if context.place.settings.plans.persist != "full":
        return await asyncio.to_thread(_stored_in_part, context, value, is_masked)
    if rough_size(value, _SMALL) < _SMALL and not might_hold(to_json(value).decode()):
        return Written(value, is_masked)
    return await asyncio.to_thread(_stored, context, value, is_masked)


async def stored_export(context: RunContext[Any], name: str, value: JsonValue) -> JsonValue:
    """What the run was for: of it, a check digit alone says too little to mask a number."""
    if rough_size(value, _SMALL) < _SMALL:
        return masked_personal(value, name, only_labelled=True)
    return await asyncio.to_thread(_stored_export, context, name, value)


def _stored_export(context: RunContext[Any], name: str, value: JsonValue) -> JsonValue:
    data = to_json(value)
    if might_hold(data.decode()):
        value = masked_personal(value, name, only_labelled=True)
        data = to_json(value)
    large = _stored_if_large(context, data)
    return large.value if large else value


def _stored_if_large(context: RunContext[Any], text: bytes) -> Written | None:
    if len(text) <= MOST_BYTES:
        return None
    kept = redact_json(text.decode()).encode()
    file_id = _keep(context, kept)
    return Written({STORED: {"file_id": file_id, "size": len(kept)}}, kept != text)


def _stored_in_part(context: RunContext[Any], value: JsonValue, is_masked: bool) -> Written:
    """The event has it whole, and `kept_events` says what of it is written."""
    is_masked = is_masked or redact_value(value) != value
    is_told = is_masked or summary(value) == value
    if is_told or context.place.settings.plans.persist == "none":
        return Written(value, is_masked)
    return Written(value, False, _keep(context, to_json([token_hex(16), value])))


def _keep(context: RunContext[Any], data: bytes) -> str:
    in_memory = context.place.settings.plans.persist == "none"
    return context.place.files.keep(context.run_id, data, in_memory=in_memory)


def _stored(context: RunContext[Any], value: JsonValue, is_masked: bool) -> Written:
    data = to_json(value)
    if (large := _stored_if_large(context, data)) is not None:
        return replace(large, is_masked=is_masked or large.is_masked)
    text = data.decode()
    shown = masked_personal(value) if might_hold(text) else value
    is_masked = is_masked or redact_json(text) != text
    if is_masked or shown == value:
        return Written(shown, is_masked)
    # Not made again, as with secrets: a person would be asked twice, a model paid twice.
    # Salted: beside its digest, the journal shows all of it but a few digits.
    salted = to_json([token_hex(16), value])
    return Written(shown, False, _keep(context, salted))


async def restored(context: RunContext[Any], step_id: StepId) -> JsonValue:
    """What a step gave, read again where it is kept beside the journal."""
    if beside := context.fold.beside.get(step_id):
        _, value = await _read(context, beside)
        return value
    value = context.fold.outputs[step_id]
    if isinstance(value, dict) and value.keys() == {STORED}:
        kept = value[STORED]
        assert isinstance(kept, dict)
        return await _read(context, str(kept["file_id"]))
    return value


async def _read(context: RunContext[Any], file_id: str) -> Any:
    return from_json(await asyncio.to_thread(context.place.files.read, file_id))


def rough_size(value: JsonValue, limit: int) -> int:
    """About how many bytes it has as JSON; counted no further than `limit`."""
    size = 0
    waiting = [value]
    while waiting and size < limit:
        each = waiting.pop()
        if isinstance(each, str):
            size += len(each) + 2
        elif isinstance(each, list):
            size += len(each) + 2
            waiting.extend(each)
        elif isinstance(each, dict):
            # Not yet checked: a block may have given numbers as names.
            size += sum(map(len, map(str, each))) + 4 * len(each)
            waiting.extend(each.values())
        else:
            size += 8
    return size
