"""A plan's form: the question that a person is asked, what is wrong with it, what comes out; what
its fields show at first, and when an answer is due.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any, NamedTuple, cast

import regex
from pydantic import JsonValue, ValidationError

from sanbo.blocks.spec import FILE_SCHEMA, SECRET, Schema, text_of
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidInput
from sanbo.language.cells import parse_date
from sanbo.language.moments import parse_span
from sanbo.runs.fields import FIELDS, FileRef
from sanbo.runs.interactions import check_answer
from sanbo.runs.model import (
    APPROVED,
    COMMENT,
    RESPONSE,
    JsonObject,
    Mode,
    Path,
    Question,
    Requirement,
    without_iterations,
)

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
    pictures: Mapping[str, FileRef] | None = None,
    **more: Any,
) -> Question:
    """`pictures`: the plan's own, by name; `more`: what else a question has, as it has it."""
    written = [in_language(each, language) for each in requirements]
    shown = pictures or {}
    fields = _fields(
        mode, [each | {"help": with_pictures(each.get("help"), shown)} for each in written], node
    )
    return Question(
        **more,
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
    if (written := field.get("help") or field.pop("hint", None)) is not None:
        field["help"] = help_in(written, language)
    if isinstance(options := field.get("options"), list):
        field["options"] = [
            {**each, "label": _in_language(each.get("label"), language)}
            if isinstance(each, dict)
            else each
            for each in options
        ]
    if isinstance(columns := field.get("columns"), list):
        field["columns"] = [
            in_language(each, language) if isinstance(each, dict) else each for each in columns
        ]
    return field


def help_in(written: JsonValue, language: Language | None = None) -> JsonValue:
    """A text, a text in two languages, or `{text, picture}`."""
    if isinstance(written, dict) and ("text" in written or "picture" in written):
        return {**written, "text": _in_language(written.get("text"), language) or ""}
    return {"text": _in_language(written, language) or ""}


def with_pictures(written: JsonValue, pictures: Mapping[str, FileRef]) -> JsonValue:
    """Help whose picture is the plan's own, which comes with the run."""
    if not isinstance(written, dict) or not isinstance(name := written.get("picture"), str):
        return written
    found = pictures.get(name)
    shown: JsonValue = found.model_dump(mode="json") if found else None
    return {**written, "picture": shown}


def _in_language(text: JsonValue, language: Language | None) -> JsonValue:
    if not isinstance(text, dict):
        return text
    return text_of(cast("dict[Language, str]", text), language)


def names(written: JsonValue) -> tuple[str, ...]:
    """Of people or roles: one, several, or none."""
    given = written if isinstance(written, list) else [written]
    return tuple(str(each).strip() for each in given if each is not None and str(each).strip())


def turn_of(
    question: Question,
    approver: JsonValue,
    before: Sequence[Mapping[str, Any]],
    turn: int,
    language: Language,
) -> Question:
    """As one approver is asked: fields are the first one's, later ones see who has approved."""
    is_role = isinstance(approver, dict)
    people = {
        "assignees": () if is_role else names(approver),
        "roles": names(approver.get("role")) if is_role else (),
    }
    if turn == 1:
        return question.model_copy(update=people)
    columns = ("approver", "by", "answered_at", "comment")
    shown: list[JsonValue] = [
        {tell(f"blocks_ui.approval.{name}", language): each[name] for name in columns}
        for each in before
    ]
    told = {**question.context, tell("blocks_ui.approval.before", language): shown}
    not_by = tuple(str(each["by"]) for each in before)
    more = {"requirements": (), "context": told, "not_by": not_by}
    return question.model_copy(update=people | more)


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
            fields.append(Requirement.model_validate(without_nulls(requirement)))
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


def without_nulls(requirement: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What is written as null counts as left out."""
    given: dict[str, JsonValue] = {
        name: value for name, value in requirement.items() if value is not None
    }
    if isinstance(columns := given.get("columns"), list):
        given["columns"] = [
            without_nulls(each) if isinstance(each, dict) else each for each in columns
        ]
    return given


def _reason(name: str, requirement: Mapping[str, JsonValue], error: ValidationError) -> str:
    kind = FIELDS.get(str(requirement.get("type")))
    if kind and kind.has_options and not requirement.get("options"):
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
    """What was entered, by field; one left empty is absent, and null to whoever refers to it."""
    given = {field.id: answer.get(field.id) for field in question.requirements}
    return {name: value for name, value in given.items() if value is not None}


def said(question: Question, answer: Mapping[str, JsonValue]) -> str | None:
    """The words of the answer: in a confirmation, its comment."""
    if question.mode == "collect":
        return None
    return cast("str | None", cast("Any", answer.get(RESPONSE) or answer.get(COMMENT) or None))


def approved(question: Question, answer: Mapping[str, JsonValue]) -> bool | None:
    value = answer.get(APPROVED) if question.mode != "collect" else None
    return value if isinstance(value, bool) else None


# ---- what a form's literal fields tell about its values ------------------------------------------


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
    if (default := field.get("default")) is not None:
        asked = _asked(field)
        schema["examples"] = [asked.kind.read(asked, default) if asked else default]
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
    kind, example = asked.kind, asked.kind.example(asked)
    if kind.files == "several":
        return {"type": "array", "items": FILE_SCHEMA, "examples": [example]}
    if kind.files == "folder":  # as one ZIP
        packed = asked.model_copy(update={"accept": ".zip"})
        return {**FILE_SCHEMA, "examples": cast("list[JsonValue]", kind.example(packed))}
    if kind.files:
        return {**FILE_SCHEMA, "examples": [example]}
    examples = [example]
    known = ("type", "enum", "items")
    told = {name: value for name, value in kind.schema(asked).items() if name in known}
    return {**told, "examples": examples}


def _asked(field: Mapping[str, JsonValue]) -> Requirement | None:
    known = ("id", "type", "options", "columns", "accept")
    given = without_nulls({name: field[name] for name in known if field.get(name)})
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


# ---- what the fields show at first ---------------------------------------------------------------


Proposals = Mapping[str, JsonObject]
"""Values by field, by the path of the form's node, `/` between names; in a loop, of one turn of it
or of all."""


def with_proposals(question: Question, proposals: Proposals, path: Path) -> Question:
    """Only what fits: a plan may have been changed since."""
    of_all = proposals.get("/".join(without_iterations(path)), {})
    values = {**of_all, **proposals.get("/".join(path), {})}
    if not values:
        return question
    fields = tuple(
        field.model_copy(update={"default": values[field.id]})
        if field.id in values and fits(field, values[field.id])
        else field
        for field in question.requirements
    )
    return question.model_copy(update={"requirements": fields})


def fits(field: Requirement, value: JsonValue) -> bool:
    """Never what must not be written."""
    if field.secret or value is None:
        return False
    try:
        asked = field.model_copy(update={"only_with": None})
        check_answer(Question(mode="collect", message="", requirements=(asked,)), {field.id: value})
    except InvalidInput:
        return False
    return True


# ---- when an answer is due -----------------------------------------------------------------------


_END_OF_DAY = time(23, 59, 59)


class Deadline(NamedTuple):
    due_at: datetime | None = None
    remind_at: datetime | None = None


def read_due(written: str) -> datetime | timedelta | None:
    """A day lasts until its end, by the clock of this machine; None for what is neither."""
    moment = parse_date(written)
    if moment is None:
        return parse_span(written)
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, _END_OF_DAY)
    return moment.astimezone(UTC)


def deadline(due: str | None, reminder: str | None, *, node: str) -> Deadline:
    """`reminder`: how long before, or when."""
    if not due:
        return Deadline()
    now = datetime.now(UTC)
    due_at = _read(due, node)
    due_at = now + due_at if isinstance(due_at, timedelta) else due_at
    if not reminder:
        return Deadline(due_at)
    remind_at = _read(reminder, node)
    return Deadline(due_at, due_at - remind_at if isinstance(remind_at, timedelta) else remind_at)


def _read(written: str, node: str) -> datetime | timedelta:
    read = read_due(written)
    if read is None:
        raise InvalidInput("form_due", node=node, value=written)
    return read
