"""A plan's variables as fields of a form: simple ones as they are, the others as YAML."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import JsonObject, Requirement, Validation
from sanbo.service.plans import UnreadableValue, value_written

LONGEST_ID = 100


def fields_of(variables: Mapping[str, JsonValue]) -> tuple[Requirement, ...]:
    """Of those that a form can name."""
    return tuple(_field(name, value) for name, value in variables.items() if _can_be_asked(name))


def changed_values(variables: Mapping[str, JsonValue], answer: JsonObject) -> JsonObject:
    """What a run is given: only what differs from what the plan itself says."""
    given: JsonObject = {}
    for name, default in variables.items():
        if name not in answer:
            continue
        value = answer[name]
        if _is_structured(default):
            value = _read(name, str(value or ""))
        if not _same(value, default):
            given[name] = value
    return given


def _field(name: str, value: JsonValue) -> Requirement:
    match value:
        case bool():
            return Requirement(id=name, type="boolean", label=name, default=value, required=False)
        case int():
            whole = Validation(integer=True)
            return Requirement(id=name, type="number", label=name, default=value, validation=whole)
        case float():
            return Requirement(id=name, type="number", label=name, default=value)
        case str():
            return Requirement(id=name, type="text", label=name, default=value, required=False)
        case _:
            return Requirement(
                id=name,
                type="text",
                label=name,
                description=tell("ui.plans.start.as_yaml"),
                default=json.dumps(value, ensure_ascii=False),
                required=False,
            )


def _read(name: str, written: str) -> JsonValue:
    try:
        return value_written(written)
    except UnreadableValue as unreadable:
        fault = tell("ui.plans.start.not_yaml", name=name)
        raise InvalidInput(
            "plan_variable_unreadable",
            name=name,
            reason=str(unreadable),
            details={"fields": [{"field": name, "message": fault}]},
        ) from None


def _is_structured(value: JsonValue) -> bool:
    return value is None or isinstance(value, list | dict)


def _can_be_asked(name: str) -> bool:
    return bool(name) and len(name) <= LONGEST_ID and not any(c.isspace() or c == "/" for c in name)


def _same(one: JsonValue, other: JsonValue) -> bool:
    # In Python True equals 1.
    return one == other and isinstance(one, bool) == isinstance(other, bool)
