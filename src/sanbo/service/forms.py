"""Forms checked before they are sent, whole or one field at a time."""

from pydantic import JsonValue

from sanbo.runs.interactions import check_answer
from sanbo.runs.model import JsonObject, Question, Requirement


def check_fields(fields: tuple[Requirement, ...], values: JsonObject) -> JsonObject:
    """The values with defaults filled in, or a problem that names every field that is wrong."""
    return check_answer(Question(mode="collect", message="", requirements=fields), values)


def check_field(field: Requirement, value: JsonValue) -> JsonValue:
    """The value as an answer would hold it, its default filled in, or a problem that says why."""
    form = Question(mode="collect", message="", requirements=(field,))
    return check_answer(form, {field.id: value}).get(field.id)
