"""The schema of a value as a plan writes it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import cast

from pydantic import JsonValue

from sanbo.blocks.spec import Schema
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.references import (
    BadReference,
    Computed,
    Reference,
    ValuePath,
    parse,
    resolve,
    whole_part,
)
from sanbo.plans.validating.expressions import schema_of_computed
from sanbo.plans.validating.schemas import ANY, TEXT, kind_of, one_of

OfReference = Callable[[Reference], Schema]


def _anything(_reference: Reference) -> Schema:
    return ANY


def schema_of_value(
    value: JsonValue, of_reference: OfReference = _anything, *, loosely: bool = False
) -> Schema:
    """Loosely: what else may stand there, as in a variable: a whole number may become another."""
    match value:
        case str():
            whole = whole_part(value)
            if isinstance(whole, Computed):
                return schema_of_computed(whole, of_reference)
            return of_reference(whole) if whole else TEXT
        case list():
            items = [schema_of_value(item, of_reference, loosely=loosely) for item in value]
            return {"type": "array", "items": one_of(items)}
        case dict():
            properties = {
                key: schema_of_value(item, of_reference, loosely=loosely)
                for key, item in value.items()
            }
            return {
                "type": "object",
                "properties": properties,
                "required": list(value),
                "additionalProperties": loosely,
            }
        case _:
            return _of_scalar(value, loosely=loosely)


def _of_scalar(value: JsonValue, *, loosely: bool) -> Schema:
    kind = kind_of(value)
    if loosely and kind == "null":
        return ANY
    return {"type": "number" if loosely and kind == "integer" else kind}


def bad_references(value: JsonValue) -> Iterator[tuple[BadReference, ValuePath]]:
    """Texts in a value with a `${…}` that can't be read, and where they stand."""
    waiting: list[tuple[JsonValue, ValuePath]] = [(value, ())]
    while waiting:
        each, path = waiting.pop()
        match each:
            case str() if "${" in each:
                try:
                    parse(each)
                except BadReference as error:
                    yield error, path
            case list():
                waiting.extend((item, (*path, index)) for index, item in enumerate(each))
            case dict():
                waiting.extend((item, (*path, key)) for key, item in each.items())
            case _:
                pass


def open_places(value: JsonValue, path: ValuePath = ()) -> Iterator[tuple[ValuePath, str]]:
    """Texts with references: what stands there is known only when the plan runs."""
    match value:
        case str() if "${" in value:
            yield path, value
        case list():
            for index, item in enumerate(value):
                yield from open_places(item, (*path, index))
        case dict():
            for key, item in value.items():
                yield from open_places(item, (*path, key))
        case _:
            pass


def known_part(value: JsonValue, constant: Callable[[Reference], JsonValue]) -> JsonValue:
    """What of a value is known before the plan runs; `LookupError` where nothing is.

    A mapping is without the keys whose values are not known; a list with such an entry is not
    known at all, for how many entries there are matters.
    """
    match value:
        case str():
            try:
                return resolve(value, constant)
            except (BadReference, InvalidInput) as error:
                raise LookupError(str(error)) from None
        case list():
            return [known_part(item, constant) for item in value]
        case dict():
            known: dict[str, JsonValue] = {}
            for key, item in value.items():
                with suppress(LookupError):
                    known[key] = known_part(item, constant)
            return known
        case _:
            return value


def holds_reference(value: JsonValue) -> bool:
    return next(open_places(value), None) is not None


def extent(value: object) -> int:
    """How many values there are in it; a long text counts as several."""
    match value:
        case str():
            return 1 + len(value) // 20
        case list():
            return 1 + sum(map(extent, cast("list[object]", value)))
        case Mapping():
            return 1 + sum(map(extent, cast("Mapping[str, object]", value).values()))
        case _:
            return 1
