"""The records of field types and those who name the types agree."""

from typing import Any, get_args

import pytest
import yaml
from jsonschema import Draft202012Validator

from sanbo.kernel.messages import LANGUAGES
from sanbo.runs import fields
from sanbo.runs.fields import FIELDS, Option, Requirement


@pytest.mark.parametrize("name", FIELDS)
def test_an_example_fits_the_schema_and_has_no_faults(name: str) -> None:
    options = (Option(value=1, label="一"),) if FIELDS[name].has_options else ()
    cell = Requirement(id="b", type="number", label="金額")
    columns = (cell,) if FIELDS[name].has_columns else ()
    field = Requirement(
        id="a", type=name, label="項目", options=options, columns=columns, accept=".csv,.xlsx"
    )
    example = field.kind.example(field)
    assert Draft202012Validator(field.kind.schema(field)).is_valid(example)
    assert list(field.kind.faults(field, example)) == []


def test_every_type_has_words_in_both_languages() -> None:
    assert all(set(kind.words) == set(LANGUAGES) for kind in FIELDS.values())


def test_the_block_that_asks_knows_every_type() -> None:
    with open("src/sanbo/blocks/specs/ui/ui.interactive_input.yaml", "rb") as file:
        spec: Any = yaml.safe_load(file)
    written = spec["inputs"]["requirements"]["items"]["properties"]["type"]["enum"]
    assert tuple(written) == get_args(fields.FieldType) == tuple(FIELDS)
