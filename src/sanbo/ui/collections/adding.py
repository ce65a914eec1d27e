"""Files into a collection, a new one or one that there is; the same form as everywhere."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict
from sanbo.runs.model import JsonObject, Question, Requirement, Validation
from sanbo.service.inputs import check_fields
from sanbo.ui import connection
from sanbo.ui.addresses import open_collection
from sanbo.ui.attachments import attached
from sanbo.ui.boundary import unexpected
from sanbo.ui.form import draw_form
from sanbo.ui.kept_form import KeptForm

LONGEST_NAME = 64
_NAME, _FILES = "name", "files"


def new_collection_form() -> KeptForm:
    name = Requirement(
        id=_NAME,
        type="text",
        label=tell("ui.collections.name"),
        description=tell("ui.collections.name_help"),
        validation=Validation(max_length=LONGEST_NAME),
    )
    return _form((name, _files()), "collections:new::node:input::v1")


def draw_new_collection() -> None:
    form = new_collection_form()
    draw_form(form, partial(_create, form), send_label=tell("ui.collections.create"))


def draw_addition(collection: str) -> None:
    form = _form((_files(),), f"collections:{collection}::node:input::v1")
    draw_form(form, partial(_add, form, collection), send_label=tell("ui.collections.add"))


def _form(fields: tuple[Requirement, ...], key: str) -> KeptForm:
    question = Question(mode="collect", message="", requirements=fields)
    drafts = connection.bench().workbench.drafts
    return KeptForm(question, key, connection.caller().owner, drafts)


def _files() -> Requirement:
    return Requirement(
        id=_FILES,
        type="files",
        label=tell("ui.collections.files"),
        description=tell("ui.collections.files_help"),
    )


def _create(form: KeptForm, answer: JsonObject) -> Callable[[], None]:
    given = check_fields(form.question.requirements, answer)
    collections = connection.bench().workbench.collections
    name = collections.checked_name(str(given[_NAME]))
    if any(name == info.name for info in collections.all()):
        raise Conflict("collection_exists", collection=name)
    return _begin(form, name, given)


def _add(form: KeptForm, collection: str, answer: JsonObject) -> Callable[[], None]:
    given = check_fields(form.question.requirements, answer)
    connection.bench().workbench.collections.info(collection)  # not made anew where it is gone
    return _begin(form, collection, given)


def _begin(form: KeptForm, name: str, given: JsonObject) -> Callable[[], None]:
    held = connection.connection()
    job = held.jobs.start(
        held.bench.workbench.collections,
        connection.caller(),
        name,
        attached(given[_FILES]),
        unexpected,
    )

    def go_on() -> None:
        form.reset()  # these files are given; the next form starts empty
        if st.query_params.get("collection") == job.collection:
            st.rerun()
        open_collection(job.collection)

    return go_on
