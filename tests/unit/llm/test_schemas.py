"""The strict form of a JSON Schema, and what has none."""

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from sanbo.llm.formats import brief_schema
from sanbo.llm.vendors.openai import strict_schema


class Line(BaseModel):
    item: str = Field(description="品名", max_length=20)
    amount: int = Field(default=0, ge=0, le=10)


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Order(BaseModel):
    lines: list[Line] = Field(min_length=1)
    day: date | None = None
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Tree(BaseModel):
    children: list["Tree"] = []


class FreeMap(BaseModel):
    values: dict[str, int]


class Anything(BaseModel):
    value: Any


class Pair(BaseModel):
    pair: tuple[int, str]


class Untyped(BaseModel):
    values: list[Any]


class Empty(BaseModel):
    pass


def test_strict_form_requires_everything_and_nothing_else() -> None:
    strict = strict_schema(Order.model_json_schema())
    assert strict is not None
    assert strict["required"] == ["lines", "day", "pet"]
    assert strict["additionalProperties"] is False
    line = strict["$defs"]["Line"]
    assert line["required"] == ["item", "amount"]
    assert line["properties"]["item"] == {"description": "品名", "title": "Item", "type": "string"}
    assert line["properties"]["amount"] == {
        "minimum": 0,
        "maximum": 10,
        "title": "Amount",
        "type": "integer",
    }
    assert strict["properties"]["lines"]["minItems"] == 1
    assert strict["properties"]["day"]["anyOf"] == [
        {"format": "date", "type": "string"},
        {"type": "null"},
    ]
    assert strict["properties"]["pet"]["anyOf"] == [
        {"$ref": "#/$defs/Cat"},
        {"$ref": "#/$defs/Dog"},
    ]


def test_the_schema_that_was_given_stays_as_it_was() -> None:
    schema = Order.model_json_schema()
    strict_schema(schema)
    assert schema == Order.model_json_schema()


@pytest.mark.parametrize("model", [FreeMap, Anything, Pair, Untyped, Empty, Tree])
def test_what_strict_mode_cannot_say_has_no_strict_form(model: type[BaseModel]) -> None:
    assert strict_schema(model.model_json_schema()) is None


class Named(BaseModel):
    title: str | None = None
    default: Line | None = Field(default=None, description="既定")
    kind: Literal["a", "b"] | None = None


def test_the_brief_form_has_no_titles_and_no_detours() -> None:
    brief = brief_schema(Named.model_json_schema())
    line = {
        "properties": {
            "item": {"description": "品名", "maxLength": 20, "type": "string"},
            "amount": {"maximum": 10, "minimum": 0, "type": "integer"},
        },
        "required": ["item"],
    }
    assert brief == {
        "type": "object",
        "properties": {
            "title": {"type": ["string", "null"]},  # a field's name is no keyword
            "default": {"type": ["object", "null"], **line, "description": "既定"},
            "kind": {"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}]},
        },
    }


def test_the_brief_form_keeps_definitions_that_are_used_again() -> None:
    brief = brief_schema(Tree.model_json_schema())
    assert brief["$ref"] == "#/$defs/Tree"
    assert brief["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
