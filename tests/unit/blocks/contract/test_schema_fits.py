"""Whether an output can be given to an input, told before anything runs."""

from typing import Any

import pytest

from sanbo.blocks.contract.schemas import fits, may_be_null
from sanbo.blocks.spec import FILE_SCHEMA
from sanbo.kernel.messages import use_language

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
ROWS = {"type": "array", "items": {"type": "object", "properties": {"amount": NUMBER}}}


@pytest.mark.parametrize(
    ("output", "wanted"),
    [
        ({}, TEXT),
        (TEXT, {}),
        (INTEGER, NUMBER),
        (NUMBER, INTEGER),
        (FILE_SCHEMA, FILE_SCHEMA),
        (FILE_SCHEMA, {"type": "object"}),
        ({"type": "object"}, FILE_SCHEMA),
        ({"type": ["string", "null"]}, TEXT),
        ({"anyOf": [TEXT, NUMBER]}, NUMBER),
        (TEXT, {"anyOf": [NUMBER, TEXT]}),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}),
        ({"type": "array"}, ROWS),
        (ROWS, {"type": "array", "items": {"type": "object", "required": ["name"]}}),
        ({"type": "null"}, {"type": ["string", "null"]}),
        (True, TEXT),
    ],
)
def test_these_fit(output: Any, wanted: Any) -> None:
    assert fits(output, wanted) is None


@pytest.mark.parametrize(
    ("output", "wanted", "path"),
    [
        (TEXT, NUMBER, ""),
        (NUMBER, TEXT, ""),
        (TEXT, FILE_SCHEMA, ""),
        (ROWS, {"type": "object"}, ""),
        ({"type": ["string", "null"]}, {"type": ["number", "null"]}, ""),
        ({"anyOf": [TEXT, NUMBER]}, {"type": "array"}, ""),
        ({"enum": ["a"]}, {"enum": ["b"]}, ""),
        ({"type": "array", "items": TEXT}, {"type": "array", "items": NUMBER}, "[]"),
        (ROWS, {"type": "array", "items": {"properties": {"amount": TEXT}}}, "[].amount"),
        (
            {"type": "object", "properties": {}, "additionalProperties": False},
            {"type": "object", "properties": {"name": TEXT}, "required": ["name"]},
            "name",
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
            {"type": "object", "properties": {"b": TEXT}, "additionalProperties": False},
            "a",
        ),
        (TEXT, {"allOf": [{"type": "number"}, {"minimum": 3}]}, ""),
    ],
)
def test_these_do_not_and_the_place_is_told(output: Any, wanted: Any, path: str) -> None:
    misfit = fits(output, wanted)
    assert misfit is not None
    assert misfit.path == path


def test_a_misfit_is_told_in_words() -> None:
    misfit = fits(ROWS, {"type": "array", "items": {"properties": {"amount": TEXT}}})
    assert misfit is not None
    assert misfit.text == "[].amount … 文字列が必要なところに、数値が渡されます。"
    with use_language("en"):
        misfit = fits(TEXT, FILE_SCHEMA)
        assert misfit is not None
        assert misfit.text == "text is passed where file is needed"


def test_what_may_be_nothing_is_known() -> None:
    assert may_be_null({"type": ["string", "null"]})
    assert may_be_null({"anyOf": [TEXT, {"type": "null"}]})
    assert may_be_null({"enum": ["a", None]})
    assert not may_be_null(TEXT)
    assert not may_be_null({})
