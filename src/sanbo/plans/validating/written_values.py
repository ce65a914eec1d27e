"""The schema of a value as a plan writes it, and of what an expression gives, as far as it can be
known before the plan runs.
"""

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
    reference_of,
    resolve,
    whole_part,
)
from sanbo.plans.validating.schemas import ANY, TEXT, kind_of, kinds_of, one_of, without_null
from sanbo.tables.expressions.operations import FUNCTIONS, finished
from sanbo.tables.expressions.syntax import (
    Call,
    Choice,
    Fields,
    Given,
    Items,
    Literal,
    Macro,
    Negative,
    Not,
    Operation,
    Template,
    Tree,
)

OfReference = Callable[[Reference], Schema]
_NUMBER: Schema = {"type": "number"}
_TRUTH: Schema = {"type": "boolean"}
_LIST: Schema = {"type": "array"}


def schema_of_computed(computed: Computed, of_reference: OfReference) -> Schema:
    return _schema(computed.expression.tree, of_reference)


def _schema(tree: Tree, of_reference: OfReference) -> Schema:  # noqa: PLR0911 - one for each kind
    match tree:
        case Literal(value):
            return {"type": kind_of(finished(value))}
        case Template():
            return TEXT
        case Given(root=root, text=text) if root:
            return of_reference(reference_of(text))
        case Call(name=name):
            gives = FUNCTIONS[name].gives
            return ANY if gives == "any" else {"type": gives}
        case Negative():
            return _NUMBER
        case Not() | Macro(kind="all" | "exists" | "exists_one"):
            return _TRUTH
        case Items() | Macro():
            return _LIST
        case Fields():
            return {"type": "object"}
        case Choice(_, yes, no):
            return one_of([_schema(each, of_reference) for each in (yes, no)])
        case Operation():
            return _operation(tree, of_reference)
        case _:
            return ANY


def _operation(tree: Operation, of_reference: OfReference) -> Schema:
    if tree.operator in ("-", "*", "/", "%"):
        return _NUMBER
    if tree.operator != "+":
        return _TRUTH
    for side in (tree.left, tree.right):  # a sum is of one kind
        kinds = kinds_of(without_null(_schema(side, of_reference)))
        if kinds <= {"number", "integer"}:
            return _NUMBER
        if kinds == frozenset({"string"}):
            return TEXT
        if kinds == frozenset({"array"}):
            return _LIST
    return ANY


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
