"""What a person has typed into a form: how it starts, changes, survives and becomes an answer.

Kept in Streamlit's session state under the question's key, and as a draft on the server under
the same key. A new session (a reloaded page) takes up the draft. Only a reset clears it. When the
fields have changed since, both are merged, and what was lost is said.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from sanbo.runs.model import (
    COMMENT,
    FILE_TYPES,
    RESPONSE,
    FieldType,
    JsonObject,
    Mode,
    Question,
    Requirement,
)

Change = Literal["dropped", "retyped", "converted", "option_gone", "unreadable"]


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True)


class FieldKind(_Kept):
    """What a value was typed into, so that a later form can tell whether it still fits."""

    type: FieldType
    label: str


class Notice(_Kept):
    """Something typed that could not be kept as it was."""

    change: Change
    label: str


class FormState(_Kept):
    values: JsonObject
    fields: dict[str, FieldKind]
    notices: tuple[Notice, ...] = ()


def start_key(workflow: str) -> str:
    """The key of the form that starts a run; questions carry theirs (`Interaction.state_key`)."""
    return f"{workflow}:start::node:input::v1"


def initial(question: Question) -> FormState:
    values: JsonObject = {field.id: initial_value(field) for field in question.requirements}
    values |= dict.fromkeys(messages_of(question.mode), "")
    return FormState(values=values, fields=kinds(question.requirements))


def initial_value(field: Requirement) -> JsonValue:
    if field.default is not None:
        return field.default
    if "string" in field.kind.value_types:
        return ""
    if "boolean" in field.kind.value_types:
        return False
    return [] if field.kind.has_columns or field.kind.files in ("several", "folder") else None


def messages_of(mode: Mode) -> tuple[str, ...]:
    """The free texts that a mode itself asks for."""
    match mode:
        case "collect":
            return ()
        case "confirm":
            return (COMMENT,)
        case "inquire":
            return (RESPONSE,)
        case "mixed":
            return (RESPONSE, COMMENT)


def kinds(fields: Sequence[Requirement]) -> dict[str, FieldKind]:
    return {field.id: FieldKind(type=field.type, label=field.label) for field in fields}


def with_value(state: FormState, name: str, value: JsonValue) -> FormState:
    return state.model_copy(update={"values": state.values | {name: value}})


def without_notices(state: FormState) -> FormState:
    return state.model_copy(update={"notices": ()})


def without_secrets(state: FormState, question: Question) -> FormState:
    """As it may be written down: a password is in the browser's session alone."""
    secret = {field.id for field in question.requirements if field.secret}
    if not secret:
        return state
    values = {name: value for name, value in state.values.items() if name not in secret}
    return state.model_copy(update={"values": values})


def after_sending(state: FormState, question: Question) -> FormState:
    """Fields stay for the next time; what was said in words has been said."""
    said = {*messages_of(question.mode)}
    said |= {field.id for field in question.requirements if field.type == "chat" or field.secret}
    values = {name: "" if name in said else value for name, value in state.values.items()}
    return FormState(values=values, fields=state.fields)


def answer_of(
    state: FormState, question: Question, decision: Mapping[str, JsonValue]
) -> JsonObject:
    """The answer as the workbench takes it: empty texts of the mode itself are left out."""
    ids = {field.id for field in question.requirements}
    said = messages_of(question.mode)
    values: JsonObject = {
        name: value
        for name, value in state.values.items()
        if name in ids or (name in said and value != "")
    }
    return values | dict(decision)


def restored(draft: JsonObject | None, question: Question) -> FormState:
    """The state that a draft holds, made to fit the question as it is now."""
    if draft is None:
        return initial(question)
    try:
        state = FormState.model_validate(draft)
    except ValidationError:
        fresh = initial(question)
        return fresh.model_copy(update={"notices": (Notice(change="unreadable", label=""),)})
    return fitted(state, question)


def fitted(state: FormState, question: Question) -> FormState:
    """Merges: what fits is kept, new fields start fresh, and what was lost becomes a notice."""
    fresh = initial(question)
    values = dict(fresh.values)
    notices: list[Notice] = []
    for field in question.requirements:
        before = state.fields.get(field.id)
        if before is None or field.id not in state.values:
            continue
        value, change = _carried(state.values[field.id], before.type, field)
        if change is None or change == "converted":
            values[field.id] = value
        if change is not None:
            notices.append(Notice(change=change, label=field.label))
    for name, kind in state.fields.items():
        if name not in fresh.fields and not _is_blank(state.values.get(name)):
            notices.append(Notice(change="dropped", label=kind.label))
    for name in messages_of(question.mode):
        if isinstance(said := state.values.get(name), str):
            values[name] = said
    # The same loss is said once, however often the page is drawn.
    told = tuple(dict.fromkeys((*state.notices, *notices)))
    return FormState(values=values, fields=fresh.fields, notices=told)


def _carried(
    value: JsonValue, before: FieldType, field: Requirement
) -> tuple[JsonValue, Change | None]:
    if before == field.type and (not field.options or value is None):
        return value, None  # also when it was emptied on purpose
    if _is_blank(value):
        return initial_value(field), None
    if field.kind.has_options:
        known = any(_same(value, option.value) for option in field.options)
        if not known:
            return None, "option_gone" if before == field.type else "retyped"
        return value, None if before == field.type else "converted"
    converted = _converted(value, before, field)
    return converted, "retyped" if converted is None else "converted"


def _converted(value: JsonValue, before: FieldType, field: Requirement) -> JsonValue:
    """The value in its new type, or None where that would need guessing."""
    after = field.kind
    if before in FILE_TYPES and after.files:
        files = cast("list[JsonValue]", value if isinstance(value, list) else [value])
        if after.files != "one":
            return files
        return files[0] if len(files) == 1 else None
    if "string" in after.value_types and isinstance(value, str | int | float):
        return str(value) if not isinstance(value, bool) else None
    if "number" in after.value_types and isinstance(value, str):
        try:
            return float(value.replace(",", ""))
        except ValueError:
            return None
    return None


def _same(one: JsonValue, other: JsonValue) -> bool:
    # In Python True equals 1; in a form they are two options.
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _is_blank(value: JsonValue) -> bool:
    return value is None or value is False or value in ("", [])
