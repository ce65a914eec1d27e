"""What a person gives to be compared: its fields, what is still missing, and what a run takes."""

from collections.abc import Mapping
from typing import Literal, get_args

from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.runs.model import FileRef, JsonObject, Question, Requirement
from sanbo.service.catalog import COMPARISON
from sanbo.service.comparison import has_columns
from sanbo.ui import connection
from sanbo.ui.attachments import attached
from sanbo.ui.kept_form import KeptForm

Source = Literal["files", "text", "collection"]
SOURCES: tuple[Source, ...] = get_args(Source)

SIDES: dict[Source, tuple[str, str]] = {
    "files": ("old", "new"),
    "text": ("old_text", "new_text"),
    "collection": ("old_document", "new_document"),
}
"""The fields of the old and of the new side."""
_TEXTS = ("source", "old_text", "new_text", "collection", "old_document", "new_document")
COLUMNS = ("id_column", "text_column")
CHOICES = ("fold_renumbered", "every_chunk")


def fields() -> tuple[Requirement, ...]:
    accept = _accepted()
    return (
        *(
            Requirement(
                id=name,
                type="files",
                label=tell(f"ui.comparison.side.{name}"),
                required=False,  # the button says what is missing
                accept=accept,
            )
            for name in SIDES["files"]
        ),
        *(Requirement(id=name, type="text", label=name) for name in (*_TEXTS, *COLUMNS)),
        *(Requirement(id=name, type="boolean", label=name) for name in CHOICES),
    )


def kept_form(key: str, before: JsonObject | None = None) -> KeptForm:
    """`before`: what an earlier run was given, for a form that nobody has changed yet."""
    question = Question(mode="collect", message=COMPARISON, requirements=fields())
    drafts = connection.bench().workbench.drafts
    owner = connection.caller().owner
    form = KeptForm(question, key, owner, drafts)
    if before is not None and drafts.load(owner, key) is None:
        known = {field.id for field in question.requirements}
        kept = {name: value for name, value in before.items() if name in known}
        form.refill(kept | {"source": source_of(before)})
    return form


def source_of(given: Mapping[str, JsonValue]) -> Source:
    """Of a form what was chosen, of a run's input what it holds."""
    chosen: list[Source] = [source for source in SOURCES if given.get("source") == source]
    filled: list[Source] = [
        source for source in SOURCES if any(given.get(name) for name in SIDES[source])
    ]
    return (*chosen, *filled, *SOURCES)[0]


def missing(values: Mapping[str, JsonValue]) -> str:
    """Why this can't be compared yet, in words; empty when it can."""
    source = source_of(values)
    lacking = [
        side
        for side, name in zip(("old", "new"), SIDES[source], strict=True)
        if not _is_given(values.get(name))
    ]
    if not lacking:
        return ""
    which = "both" if len(lacking) > 1 else lacking[0]
    return tell(f"ui.comparison.missing.{source}_{which}")


def input_of(values: Mapping[str, JsonValue]) -> JsonObject:
    """For the workflow: of the three ways only the one that is open."""
    source = source_of(values)
    names = [*SIDES[source], *CHOICES]
    if source == "collection":
        names.append("collection")
    if holds_tables(values):
        names += COLUMNS
    return {name: values[name] for name in names if values.get(name)}


def swapped(values: Mapping[str, JsonValue]) -> JsonObject:
    exchanged: JsonObject = {}
    for old, new in SIDES.values():
        exchanged[old], exchanged[new] = values.get(new), values.get(old)
    return exchanged


def holds_tables(values: Mapping[str, JsonValue]) -> bool:
    if source_of(values) != "files":
        return False
    files = (file for name in SIDES["files"] for file in attached(values.get(name)))
    return any(is_table(file) for file in files)


def is_table(file: FileRef) -> bool:
    return has_columns(file.name)


def _is_given(value: JsonValue) -> bool:
    return bool(value.strip()) if isinstance(value, str) else bool(value)


def _accepted() -> str:
    requirements = connection.bench().workbench.workflow(COMPARISON).requirements
    return next((field.accept for field in requirements if field.id == "old"), "")
