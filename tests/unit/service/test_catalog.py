from enum import Enum
from typing import Literal

from pydantic import BaseModel, Field

from sanbo.kernel.messages import use_language
from sanbo.runs.model import FileRef
from sanbo.service.catalog import WORKFLOWS, describe, form_of
from tests.workflows.expenses import Expenses


class Colour(Enum):
    RED = "赤"


class Everything(BaseModel):
    text: str
    bounded: str = Field(min_length=2, max_length=5)
    number: float = Field(default=0.5, ge=0, le=1)
    whole: int | None = None
    flag: bool = True
    choice: Literal["a", "b"] = "a"
    colour: Colour = Colour.RED
    file: FileRef
    files: list[FileRef] = Field(max_length=3, json_schema_extra={"accept": ".pdf"})
    chat: str = Field(default="", json_schema_extra={"widget": "chat"})


def test_every_workflow_that_is_shipped_goes_by_its_own_name() -> None:
    assert {name: workflow.name for name, workflow in WORKFLOWS.items()} == {
        name: name for name in WORKFLOWS
    }


def test_a_models_fields_become_the_fields_of_a_form() -> None:
    form = {field.id: field for field in form_of(Everything, "ja")}
    assert {name: field.type for name, field in form.items()} == {
        "text": "text",
        "bounded": "text",
        "number": "number",
        "whole": "number",
        "flag": "boolean",
        "choice": "select",
        "colour": "select",
        "file": "file",
        "files": "files",
        "chat": "chat",
    }
    assert form["text"].required
    assert not form["whole"].required
    assert form["whole"].validation.integer
    assert (form["number"].validation.min, form["number"].validation.max) == (0, 1)
    assert (form["bounded"].validation.min_length, form["bounded"].validation.max_length) == (2, 5)
    assert form["colour"].default == "赤"
    assert (form["files"].accept, form["files"].validation.max_files) == (".pdf", 3)


def test_a_workflow_describes_itself_in_the_readers_language() -> None:
    with use_language("ja"):
        japanese = describe(Expenses())
    with use_language("en"):
        english = describe(Expenses())
    assert (japanese.title, english.title) == ("経費の集計", "Expenses")
    assert (japanese.requirements[0].label, english.requirements[0].label) == ("件名", "Title")
    assert "properties" in japanese.input_schema
