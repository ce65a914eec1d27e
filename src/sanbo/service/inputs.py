"""What people give: drafts kept until they are reset, inputs and forms checked field by field."""

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
import sqlalchemy as sa
from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound
from sanbo.runs.fold import RunFold
from sanbo.runs.interactions import check_answer
from sanbo.runs.model import Interaction, JsonObject, Question, Requirement
from sanbo.service.catalog import form_of
from sanbo.storage.database import Database, insert_into
from sanbo.storage.tables import drafts


class Drafts:
    def __init__(self, database: Database) -> None:
        self.database = database

    def save(self, owner: str, state_key: str, content: JsonObject) -> None:
        insert = insert_into(drafts, is_sqlite=self.database.is_sqlite)
        fresh = {"content": orjson.dumps(content).decode(), "updated_at": time.time()}
        with self.database.write() as connection:
            connection.execute(
                insert.on_conflict_do_update(index_elements=["owner", "state_key"], set_=fresh),
                {"owner": owner, "state_key": state_key, **fresh},
            )

    def load(self, owner: str, state_key: str) -> JsonObject | None:
        query = sa.select(drafts.c.content).where(
            drafts.c.owner == owner, drafts.c.state_key == state_key
        )
        with self.database.read() as connection:
            content = connection.execute(query).scalar_one_or_none()
        return None if content is None else orjson.loads(content)

    def forget(self, run_ids: Sequence[str]) -> None:
        """Removes what was typed for runs that are being deleted, by whomever."""
        theirs = sa.or_(*(drafts.c.state_key.contains(run_id) for run_id in run_ids))
        with self.database.write() as connection:
            connection.execute(sa.delete(drafts).where(theirs))

    def reset(self, owner: str, state_key: str) -> None:
        with self.database.write() as connection:
            connection.execute(
                sa.delete(drafts).where(drafts.c.owner == owner, drafts.c.state_key == state_key)
            )


# Pydantic's kinds of errors, as the texts that answers use too.
_LIMITS = {
    "string_too_short": ("minLength", "min_length"),
    "string_too_long": ("maxLength", "max_length"),
    "too_short": ("minItems", "min_length"),
    "too_long": ("maxItems", "max_length"),
    "greater_than_equal": ("minimum", "ge"),
    "greater_than": ("minimum", "gt"),
    "less_than_equal": ("maximum", "le"),
    "less_than": ("maximum", "lt"),
}
MAX_FAILURES = 20
_KINDS = {"string": "string", "int": "integer", "float": "number", "bool": "boolean"}


def check_input(workflow: str, model: type[BaseModel], given: object) -> JsonObject:
    """The input as JSON with its defaults, or a problem that names every field that is wrong."""
    if not isinstance(given, dict):
        raise InvalidInput("input_not_object", workflow=workflow, kind=type(given).__name__)
    failures = list(itertools.islice(_unknown(model, given), MAX_FAILURES))
    try:
        checked = model.model_validate(given)
    except ValidationError as error:
        labels = {field.id: field.label for field in form_of(model, current_language())}
        failures += [
            _explain(each, labels) for each in error.errors(include_url=False, include_input=False)
        ]
    else:
        if not failures:
            return checked.model_dump(mode="json")
    failures = failures[:MAX_FAILURES]
    raise InvalidInput(
        "input_invalid",
        workflow=workflow,
        reasons=" ".join(dict.fromkeys(text for _, text in failures)),
        details={"fields": [{"field": name, "message": text} for name, text in failures]},
        input_snapshot=given,
    )


def _unknown(model: type[BaseModel], given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A misspelt field would otherwise be left out in silence."""
    known = list(model.model_fields)
    for name in given:
        if name not in known and model.model_config.get("extra") != "allow":
            near = "".join(nearest(name, known, least=0)) or "–"
            yield name, tell("answer.unknown", name=name, nearest=near)


def _explain(error: ErrorDetails, labels: Mapping[str, str]) -> tuple[str, str]:
    name = ".".join(str(part) for part in error["loc"])
    label = labels.get(str(error["loc"][0]), name) if error["loc"] else name
    kind, context = error["type"], error.get("ctx", {})
    if kind == "missing":
        return name, tell("answer.required", label=label)
    if kind in _LIMITS:
        text, limit = _LIMITS[kind]
        if context[limit] == 1 and text in ("minLength", "minItems"):
            return name, tell("answer.required", label=label)
        return name, tell(f"answer.{text}", label=label, limit=context[limit])
    if kind in ("literal_error", "enum"):
        choices = str(context["expected"]).replace("'", "").replace(" or ", ", ")
        return name, tell("answer.enum", label=label, choices=choices)
    if kind.split("_")[0] in _KINDS:
        expected = tell(f"answer.kinds.{_KINDS[kind.split('_')[0]]}")
        return name, tell("answer.type", label=label, kind=expected)
    return name, tell("answer.invalid", label=label, reason=error["msg"])


def check_fields(fields: tuple[Requirement, ...], values: JsonObject) -> JsonObject:
    """The values with defaults filled in, or a problem that names every field that is wrong."""
    return check_answer(Question(mode="collect", message="", requirements=fields), values)


def check_field(field: Requirement, value: JsonValue) -> JsonValue:
    """The value as an answer would hold it, its default filled in, or a problem that says why."""
    form = Question(mode="collect", message="", requirements=(field,))
    return check_answer(form, {field.id: value}).get(field.id)


def which_question(fold: RunFold, interaction_id: str | None) -> Interaction:
    """The one named, or the only one that is open."""
    if interaction_id is not None:
        if interaction_id in fold.answered:
            raise Conflict("interaction_answered", interaction_id=interaction_id)
        if interaction_id not in fold.interactions:
            raise NotFound("interaction_not_found", interaction_id=interaction_id)
        if fold.status.is_final:
            raise Conflict("interaction_of_ended_run", status=fold.status)
        return fold.interactions[interaction_id]
    match fold.open_interactions:
        case (only,):
            return only
        case ():
            raise Conflict("no_open_question", status=fold.status)
        case several:
            ids = [interaction.interaction_id for interaction in several]
            raise InvalidInput("which_question", count=len(ids), ids="、".join(ids))
