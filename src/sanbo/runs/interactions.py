"""Questions to people: the schema of an answer, the check it passes before all else, and whose it
was: an operator may answer in another person's run.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import sqlalchemy as sa
from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.secrets import MASK
from sanbo.runs.fields import Fault, any_text
from sanbo.runs.journal import Journal
from sanbo.runs.model import (
    APPROVED,
    COMMENT,
    RESPONSE,
    InteractionAnswered,
    JsonObject,
    Question,
    Requirement,
)
from sanbo.storage.database import Database
from sanbo.storage.tables import interactions

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_FAILURES = 20
# Patterns come from plans: a text made to backtrack must not stop the server.
PATTERN_SECONDS = 0.5


def answer_schema(question: Question) -> JsonObject:
    """JSON Schema of an answer: a value by field id, and what the mode itself asks."""
    properties: JsonObject = {field.id: _field_schema(field) for field in question.requirements}
    required: list[JsonValue] = [
        field.id for field in question.requirements if field.required and field.default is None
    ]
    match question.mode:
        case "confirm":
            properties |= {APPROVED: {"type": "boolean"}, COMMENT: any_text()}
            required.append(APPROVED)
        case "inquire":
            if question.demands_response:
                properties |= {RESPONSE: any_text() | {"minLength": 1}}
                required.append(RESPONSE)
            else:
                properties |= {RESPONSE: any_text()}
        case "mixed":
            properties |= {APPROVED: {"type": "boolean"}, COMMENT: any_text(), RESPONSE: any_text()}
        case "collect":
            pass
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _field_schema(field: Requirement) -> JsonObject:
    schema = field.kind.schema(field) | {"title": field.label}
    if field.description:
        schema["description"] = field.description
    if field.default is not None:
        schema["default"] = field.default
    if field.secret:
        schema |= {"format": "password", "writeOnly": True}
    return schema


class _Failure(NamedTuple):
    field: str
    fault: Fault

    @property
    def told(self) -> JsonObject:
        where: JsonObject = {"field": self.field, "message": self.fault.message}
        if self.fault.row:
            where |= {"row": self.fault.row, "column": self.fault.column}
        return where


def check_answer(question: Question, answer: object) -> JsonObject:
    """The answer with defaults filled in, or a problem that names every field that is wrong."""
    if not isinstance(answer, dict):
        raise InvalidInput("answer_not_object", kind=type(answer).__name__)
    given = _without_blanks(question, cast("JsonObject", answer))
    failures = [*_schema_failures(question, given), *_faults(question, given)]
    del failures[MAX_FAILURES:]
    if failures:
        raise InvalidInput(
            "answer_invalid",
            reasons=" ".join(dict.fromkeys(failure.fault.message for failure in failures)),
            details={"fields": [failure.told for failure in failures]},
            input_snapshot=_shown(question, given),
        )
    return given


def _shown(question: Question, given: JsonObject) -> JsonObject:
    secret = {field.id for field in question.requirements if field.secret}
    return {name: MASK if name in secret else value for name, value in given.items()}


def _without_blanks(question: Question, answer: JsonObject) -> JsonObject:
    """A field left empty counts as not given, and then has its default."""
    fields = {field.id: field for field in question.requirements}
    given: JsonObject = {
        name: value
        for name, value in answer.items()
        if value is not None and not (value == "" and name in fields)
    }
    for field in question.requirements:
        if field.default is not None:
            given.setdefault(field.id, field.default)
        if field.id in given:
            given[field.id] = field.kind.read(field, given[field.id])
    return given


def _schema_failures(question: Question, given: JsonObject) -> Iterator[_Failure]:
    fields = {field.id: field for field in question.requirements}
    labels = {field.id: field.label for field in question.requirements}
    labels |= {name: tell(f"answer.{name}") for name in (APPROVED, COMMENT, RESPONSE)}
    schema = answer_schema(question)
    for name in cast("list[str]", schema["required"]):
        if name not in given:
            yield _Failure(name, Fault(tell("answer.required", label=labels[name])))
    errors = cast("Iterator[ValidationError]", _answer_validator()(schema).iter_errors(given))
    for error in sorted(errors, key=lambda error: [_order(part) for part in error.absolute_path]):
        if error.absolute_path:
            name = str(error.absolute_path[0])
            if name in fields and fields[name].kind.has_columns:
                yield _Failure(name, _of_table(fields[name], error))
            else:
                yield _Failure(name, Fault(_explain(labels.get(name, name), error)))
        elif error.validator == "additionalProperties":
            known = list(cast("dict[str, object]", schema["properties"]))
            for name in [name for name in given if name not in known][:MAX_FAILURES]:
                near = "".join(nearest(name, known, least=0)) or "–"
                yield _Failure(name, Fault(tell("answer.unknown", name=name, nearest=near)))


@cache
def _answer_validator() -> Any:
    """JSON Schema for answers, in which a pattern has only so long to match."""
    # Here: most commands check no answer, and the libraries are a twentieth of their start.
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.validators import extend  # noqa: PLC0415

    return extend(Draft202012Validator, {"pattern": _pattern})


def _pattern(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    import regex  # noqa: PLC0415 - as above
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if not isinstance(instance, str):
        return
    try:
        # `$` also matches before a line break at the end, which is no part of a postcode.
        whole = pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern
        matches = regex.search(whole, instance, timeout=PATTERN_SECONDS) is not None
    except TimeoutError:
        matches = False
    except regex.error as error:
        yield ValidationError(f"{pattern}: {error}")
        return
    if not matches:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _order(part: str | int) -> str:
    return part if isinstance(part, str) else f"{part:06}"


def _of_table(field: Requirement, error: ValidationError) -> Fault:
    _, *place = error.absolute_path
    labels = {column.id: column.label for column in field.columns}
    match place:
        case [int(row), str(column)]:
            label = labels.get(column, column)
            message = _explain(label, error)
            if error.instance is None or error.instance == "":
                message = tell("answer.required", label=label)
            return Fault(tell("answer.row", row=row + 1, message=message), row + 1, column)
        case [int(row)]:
            known = "、".join(labels)
            message = tell("answer.not_a_row", label=field.label, columns=known)
            return Fault(tell("answer.row", row=row + 1, message=message), row + 1)
        case _ if error.validator in ("minItems", "maxItems"):
            text = "answer.min_rows" if error.validator == "minItems" else "answer.max_rows"
            return Fault(tell(text, label=field.label, limit=str(error.validator_value)))
        case _:
            return Fault(tell("answer.not_rows", label=field.label))


def _explain(label: str, error: ValidationError) -> str:
    limit = error.validator_value
    match error.validator:
        case "enum":
            choices = "、".join(str(choice) for choice in cast("list[object]", limit))
            return tell("answer.enum", label=label, choices=choices)
        case "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems":
            if error.validator in ("minLength", "minItems") and limit == 1:
                return tell("answer.required", label=label)
            return tell(f"answer.{error.validator}", label=label, limit=f"{limit:g}")
        case "pattern":
            return tell("answer.pattern", label=label)
        case "type":
            kinds = cast("list[str]", limit if isinstance(limit, list) else [limit])
            kind = kinds[0]  # of a cell: that, or null
            return tell("answer.type", label=label, kind=tell(f"answer.kinds.{kind}"))
        case _:
            return tell("answer.file", label=label)


def _faults(question: Question, given: JsonObject) -> Iterator[_Failure]:
    for field in question.requirements:
        if field.id in given:
            for fault in field.kind.faults(field, given[field.id]):
                yield _Failure(field.id, fault)


class Answerer(NamedTuple):
    by: str
    at: datetime


def answerer_of(database: Database, run_id: str, interaction_id: str) -> Answerer | None:
    """From the answer's own event; None as long as there is none."""
    query = sa.select(interactions.c.answered_seq).where(
        interactions.c.run_id == run_id, interactions.c.interaction_id == interaction_id
    )
    with database.read() as connection:
        answered_seq: int | None = connection.execute(query).scalar_one_or_none()
    if answered_seq is None:
        return None
    for event in Journal(database).read(run_id, answered_seq - 1, limit=1):
        if isinstance(event.payload, InteractionAnswered):
            return Answerer(event.payload.by, event.time)
    return None
