"""A plan's form: the question that a person is asked, what is wrong with it, and what comes out."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import regex
from pydantic import JsonValue, ValidationError

from sanbo.blocks.spec import FILE_SCHEMA, SECRET, Schema, text_of
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import APPROVED, COMMENT, RESPONSE, Mode, Question, Requirement

RESERVED = (APPROVED, COMMENT, RESPONSE)
"""What the modes other than `collect` ask themselves."""


def question_of(
    mode: Mode,
    message: Mapping[Language, str] | None,
    requirements: Sequence[Mapping[str, JsonValue]],
    context: Mapping[str, JsonValue],
    *,
    node: str,
    language: Language,
) -> Question:
    fields = _fields(mode, [in_language(each, language) for each in requirements], node)
    return Question(
        mode=mode,
        message=text_of(message or {}, language) or tell(f"blocks_ui.message.{mode}", language),
        requirements=tuple(fields),
        context=dict(context),
    )


def in_language(
    requirement: Mapping[str, JsonValue], language: Language | None = None
) -> dict[str, JsonValue]:
    """A field as a plan writes it, with the texts that it has as `{ja, en}` in one language."""
    field = dict(requirement)
    for name in ("label", "description"):
        if name in field:
            field[name] = _in_language(field[name], language)
    if isinstance(options := field.get("options"), list):
        field["options"] = [
            {**each, "label": _in_language(each.get("label"), language)}
            if isinstance(each, dict)
            else each
            for each in options
        ]
    return field


def _in_language(text: JsonValue, language: Language | None) -> JsonValue:
    if not isinstance(text, dict):
        return text
    return text_of(cast("dict[Language, str]", text), language)


def labelled(
    context: Mapping[str, JsonValue],
    labels: Mapping[str, Mapping[Language, str]],
    language: Language,
) -> dict[str, JsonValue]:
    """With headings for keys; nothing is lost where two have the same."""
    shown: dict[str, JsonValue] = {}
    for name, value in context.items():
        heading = text_of(labels.get(name, {}), language) or name
        shown[name if heading in shown else heading] = value
    return shown


def _fields(
    mode: Mode, requirements: Sequence[Mapping[str, JsonValue]], node: str
) -> list[Requirement]:
    if mode == "collect" and not requirements:
        raise InvalidInput("form_empty", node=node)
    fields: list[Requirement] = []
    failures: list[tuple[str, str]] = []
    for position, requirement in enumerate(requirements, start=1):
        name = str(requirement.get("id") or f"#{position}")
        try:
            fields.append(Requirement.model_validate(_without_nulls(requirement)))
        except ValidationError as error:
            failures.append((name, _reason(name, requirement, error)))
    failures += _clashes(mode, fields)
    failures += [(field.id, text) for field in fields for text in _bad_patterns(field)]
    if failures:
        raise InvalidInput(
            "form_invalid",
            node=node,
            reasons=" ".join(dict.fromkeys(text for _, text in failures)),
            details={"fields": [{"field": name, "message": text} for name, text in failures]},
        )
    return fields


def _without_nulls(requirement: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What is written as null counts as left out."""
    return {name: value for name, value in requirement.items() if value is not None}


def _reason(name: str, requirement: Mapping[str, JsonValue], error: ValidationError) -> str:
    if requirement.get("type") == "select" and not requirement.get("options"):
        return tell("blocks_ui.wrong.no_options", field=name)
    keys = [".".join(str(part) for part in each["loc"]) for each in error.errors() if each["loc"]]
    return tell("blocks_ui.wrong.keys", field=name, keys="、".join(dict.fromkeys(keys)) or "–")


def _clashes(mode: Mode, fields: Sequence[Requirement]) -> Iterator[tuple[str, str]]:
    for name, times in Counter(field.id for field in fields).items():
        if times > 1:
            yield name, tell("blocks_ui.wrong.twice", field=name)
        if mode != "collect" and name in RESERVED:
            yield name, tell("blocks_ui.wrong.reserved", field=name, mode=mode)


def _bad_patterns(field: Requirement) -> Iterator[str]:
    if field.validation.pattern is None:
        return
    try:
        regex.compile(field.validation.pattern)
    except regex.error as error:
        yield tell("blocks_ui.wrong.pattern", field=field.id, reason=str(error))


def collected(question: Question, answer: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What was entered, by field; a field left out is null, so that it can be referred to."""
    return {field.id: answer.get(field.id) for field in question.requirements}


def said(question: Question, answer: Mapping[str, JsonValue]) -> str | None:
    """The words of the answer: in a confirmation, its comment."""
    if question.mode == "collect":
        return None
    return cast("str | None", cast("Any", answer.get(RESPONSE) or answer.get(COMMENT) or None))


def approved(question: Question, answer: Mapping[str, JsonValue]) -> bool | None:
    value = answer.get(APPROVED) if question.mode != "collect" else None
    return value if isinstance(value, bool) else None


# ---- what a form's literal fields tell about its values ------------------------------------------


_NO_FILE_ID = "0" * 64
_MEDIA_TYPES = {
    "csv": "text/csv",
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}


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
    return {
        "file_id": _NO_FILE_ID,
        "name": f"{field.get('id')}.{ending}",
        "size": 0,
        "media_type": _MEDIA_TYPES.get(ending, "application/octet-stream"),
    }


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
