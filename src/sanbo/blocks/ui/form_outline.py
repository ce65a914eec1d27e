"""What a form's literal fields tell about the values that come out of it."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import JsonValue, ValidationError

from sanbo.blocks.spec import FILE_SCHEMA, SECRET, Schema
from sanbo.blocks.ui.form import in_language
from sanbo.runs.fields import Requirement


def collected_schema(requirements: JsonValue) -> Schema | None:
    """Of `collected_data`; None where the plan does not say which fields there are."""
    if not isinstance(requirements, list):
        return None
    properties: dict[str, Schema] = {}
    example: dict[str, JsonValue] = {}
    for requirement in requirements:
        if not isinstance(requirement, dict) or not isinstance(requirement.get("id"), str):
            return None  # a field that is known only when it runs: any name may come out
        name = cast("str", requirement["id"])
        filled = in_language(requirement)
        schema = dict(_field_schema(filled))
        example[name] = schema.get("examples", [None])[0]
        if filled.get("required") is False and filled.get("default") is None:
            schema = _nullable(schema)
        properties[name] = schema
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "examples": [example],
    }


def _field_schema(field: Mapping[str, JsonValue]) -> Schema:
    schema = dict(_typed(field))
    if field.get("default") is not None:
        schema["examples"] = [field["default"]]
    if isinstance(field.get("label"), str):
        schema["title"] = field["label"]
    if field.get("secret") is True:
        schema[SECRET] = True
    return schema


def _typed(field: Mapping[str, JsonValue]) -> Schema:
    """Empty where what the plan writes tells nothing, or only when it runs."""
    asked = _asked(field)
    if asked is None:
        return {}
    kind, examples = asked.kind, [asked.kind.example(asked)]
    if kind.files:
        many = {"type": "array", "items": FILE_SCHEMA}
        return {**(FILE_SCHEMA if kind.files == "one" else many), "examples": examples}
    told = {name: value for name, value in kind.schema(asked).items() if name in ("type", "enum")}
    return {**told, "examples": examples}


def _asked(field: Mapping[str, JsonValue]) -> Requirement | None:
    given = {name: field[name] for name in ("id", "type", "options", "accept") if field.get(name)}
    given["label"] = str(field.get("label") or field["id"])
    limits = field.get("validation")
    for validation in (limits if isinstance(limits, dict) else {}, {}):  # it may hold references
        try:
            return Requirement.model_validate({**given, "validation": validation})
        except ValidationError:
            continue
    return None


def _nullable(schema: Schema) -> dict[str, Any]:
    """The same, or null."""
    if not schema.keys() - {"title", "examples"}:
        return dict(schema)
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}
