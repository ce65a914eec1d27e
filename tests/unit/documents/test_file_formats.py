"""Records of file formats: each ending once, readers that are there, lists made of them."""

import pytest

from sanbo.documents.file_formats import (
    UNKNOWN_TYPE,
    accepted,
    documents,
    ending_of,
    format_by_name,
    format_named,
    formats,
    function_of,
    media_type_of,
)


def test_no_ending_belongs_to_two_formats() -> None:
    endings = [ending for each in formats().values() for ending in each.endings]
    assert len(set(endings)) == len(endings)
    assert all(ending.startswith(".") and ending == ending.lower() for ending in endings)


@pytest.mark.parametrize("name", list(formats()))
def test_what_reads_it_or_unpacks_it_is_there(name: str) -> None:
    format = formats()[name]
    assert format.reader or format.unpacker
    for path in filter(None, (format.reader, format.unpacker)):
        assert callable(function_of(path))
    assert bool(format.unpacker) == (format.may_hold_files is not None)


def test_an_archive_is_no_document_itself() -> None:
    assert set(formats()) - set(documents()) == {"zip"}
    assert ".zip" in accepted().split(",")
    assert ".zip" not in accepted(lambda format: format.reader).split(",")


@pytest.mark.parametrize(
    ("file", "media_type"),
    [
        ("契約書.PDF", "application/pdf"),
        ("売上.tsv", "text/tab-separated-values"),
        ("plans/手順.yml", "application/yaml"),
        ("写真.webp", "image/webp"),
        ("https://example.jp/a.csv", "text/csv"),
        ("data:image", UNKNOWN_TYPE),
        ("名前", UNKNOWN_TYPE),
    ],
)
def test_a_name_tells_the_media_type_alike_on_every_machine(file: str, media_type: str) -> None:
    assert media_type_of(file) == media_type


def test_a_media_type_tells_the_usual_ending() -> None:
    assert (ending_of("text/html"), ending_of("text/plain")) == (".html", ".txt")
    assert ending_of("image/png") == ""


def test_a_format_that_is_gone_is_treated_as_text() -> None:
    assert format_by_name("味噌汁.recipe") is None
    assert format_named("recipe").name == "text"
