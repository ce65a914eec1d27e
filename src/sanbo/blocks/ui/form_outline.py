"""What a form's literal fields tell about the values that come out of it."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import JsonValue

from sanbo.blocks.spec import FILE_SCHEMA, SECRET, Schema
from sanbo.blocks.ui.form import in_language
from sanbo.documents.file_formats import media_type_of

_NO_FILE_ID = "0" * 64


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
    made = _BY_TYPE.get(str(field.get("type")))
    return made(field) if made else {}


def _text(field: Mapping[str, JsonValue]) -> Schema:
    return {"type": "string", "examples": [str(field.get("label") or field["id"])]}


def _boolean(field: Mapping[str, JsonValue]) -> Schema:
    _ = field
    return {"type": "boolean", "examples": [True]}


def _one_file(field: Mapping[str, JsonValue]) -> Schema:
    return {**FILE_SCHEMA, "examples": [_file(field)]}


def _files(field: Mapping[str, JsonValue]) -> Schema:
    return {"type": "array", "items": FILE_SCHEMA, "examples": [[_file(field)]]}


def _number(field: Mapping[str, JsonValue]) -> Schema:
    validation = field.get("validation")
    limits = validation if isinstance(validation, dict) else {}
    least, most = limits.get("min"), limits.get("max")
    example = least if least is not None else most if most is not None else 1
    return {
        "type": "integer" if limits.get("integer") is True else "number",
        "examples": [example],
    }


def _choice(field: Mapping[str, JsonValue]) -> Schema:
    options = field.get("options")
    if not isinstance(options, list) or not options:
        return {}
    values: list[Any] = []
    for option in options:
        if isinstance(option, dict):
            if "value" not in option:
                return {}
            values.append(option["value"])
        else:
            values.append(option)
    return {"enum": values, "examples": [values[0]]}


def _file(field: Mapping[str, JsonValue]) -> JsonValue:
    accept = str(field.get("accept") or "")
    ending = next(
        (kind.strip()[1:].casefold() for kind in accept.split(",") if kind.strip()[:1] == "."),
        "dat",
    )
    name = f"{field.get('id')}.{ending}"
    return {"file_id": _NO_FILE_ID, "name": name, "size": 0, "media_type": media_type_of(name)}


def _nullable(schema: Schema) -> dict[str, Any]:
    """The same, or null."""
    if not schema.keys() - {"title", "examples"}:
        return dict(schema)
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


_BY_TYPE: Mapping[str, Callable[[Mapping[str, JsonValue]], Schema]] = {
    "text": _text,
    "chat": _text,
    "number": _number,
    "boolean": _boolean,
    "select": _choice,
    "file": _one_file,
    "files": _files,
    "folder": _files,
}
