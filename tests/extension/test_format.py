"""A new file format is one module with one record: reading, collections, forms and API have it."""

import json
from collections.abc import Generator

import pytest

from tests.extension.house import House

TOY = '''
"""Recipes: `#recipe TITLE`, then a step a line."""

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.file_formats import FileFormat
from sanbo.documents.model import Document, Source

FORMAT = FileFormat(
    name="recipe",
    titles={"ja": "レシピ", "en": "Recipe"},
    rank=200,
    endings={".recipe": "text/x-recipe"},
    reader="recipe_format:read",
    begins=lambda data: data.startswith(b"#recipe "),
)


def read(source: Source) -> Document:
    title, *steps = source.data.decode().removeprefix("#recipe ").splitlines()
    builder = DocumentBuilder(source.name, "recipe")
    builder.title = title
    builder.heading(title, 1)
    for step in steps:
        builder.paragraph(step)
    return builder.build()
'''
ENTRY = "[sanbo.formats]\nrecipe = recipe_format:FORMAT\n"
RECIPE = "#recipe 味噌汁\nだしを取り、豆腐を切る。\n味噌を溶き、沸かさない。\n"
ASKING = """
import json
from sanbo.agents.comparison.given import ComparisonInput
from sanbo.api.app import create_api
from sanbo.api.openapi import openapi_document
from sanbo.documents.file_formats import media_type_of
from sanbo.service.catalog import form_of

described = openapi_document(create_api(lambda: None), "", "ja")
searching = described["paths"]["/v1/collections/{name}/search"]["get"]["parameters"]
print(json.dumps({
    "accept": next(field.accept for field in form_of(ComparisonInput, "ja") if field.id == "old"),
    "searched": next(each for each in searching if each["name"] == "format")["schema"],
    "media_type": media_type_of("料理.recipe"),
}))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    """Where an installed package would put its one module and its entry point."""
    place = tmp_path_factory.mktemp("installed")
    (place / "recipe_format.py").write_text(TOY, "utf-8")
    (place / "recipe_format-1.0.dist-info").mkdir()
    (place / "recipe_format-1.0.dist-info" / "entry_points.txt").write_text(ENTRY)
    (place / "recipe_format-1.0.dist-info" / "METADATA").write_text("Name: recipe-format\n")
    (place / "料理.recipe").write_text(RECIPE, "utf-8")
    with House(place).opened() as house:
        yield house


def test_the_command_line_indexes_it_and_finds_what_it_says(place: House) -> None:
    file = str(place.folder / "料理.recipe")
    said = place.sanbo("index", file, "--collection", "kitchen", "--json")
    assert json.loads(said.stdout)["counts"] == {"added": 1}
    asked = ("collections", "search", "kitchen", "味噌を溶く", "--format", "recipe", "--json")
    found = json.loads(place.sanbo(*asked).stdout)
    assert found[0]["document_name"] == "料理.recipe"
    assert "沸かさない" in found[0]["text"]


def test_forms_and_the_api_have_it_in_their_lists(place: House) -> None:
    told = json.loads(place.python("-c", ASKING).stdout)
    assert ".recipe" in told["accept"].split(",")
    assert "recipe" in told["searched"]["items"]["enum"]
    assert told["media_type"] == "text/x-recipe"
