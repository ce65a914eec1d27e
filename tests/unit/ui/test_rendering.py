"""What is drawn how."""

import pytest
from pydantic import JsonValue

from sanbo.runs.model import Artifact
from sanbo.ui.attachments import endings, safe_name
from sanbo.ui.rendering import scalar, table_of_csv, table_of_value, value_view, view_of


def _artifact(media_type: str, size: int = 10) -> Artifact:
    return Artifact(artifact_id="a" * 64, name="x", media_type=media_type, size=size)


@pytest.mark.parametrize(
    ("media_type", "view"),
    [
        ("text/markdown", "markdown"),
        ("text/markdown; charset=utf-8", "markdown"),
        ("text/csv", "table"),
        ("application/json", "json"),
        ("image/png", "image"),
        ("image/jpeg", "image"),
        ("text/plain", "text"),
        ("text/html", "download"),
        ("image/svg+xml", "download"),
        ("application/pdf", "download"),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "download"),
        ("application/octet-stream", "download"),
    ],
)
def test_artifact_is_drawn_by_its_media_type(media_type: str, view: str) -> None:
    assert view_of(_artifact(media_type)) == view


def test_what_is_too_large_to_draw_is_offered_as_a_file() -> None:
    assert view_of(_artifact("text/csv", 50_000_000)) == "download"
    assert view_of(_artifact("image/png", 5_000_000)) == "image"


def test_csv_becomes_a_table_even_when_it_is_ragged() -> None:
    table = table_of_csv("品名,金額,金額\nPC,1\n机,2,3,4\n".encode("utf-8-sig"))
    assert table.columns == ["品名", "金額", "金額 (2)"]
    assert table.rows == [["PC", "1", None], ["机", "2", "3"]]


def test_long_table_is_cut_and_says_how_long_it_was() -> None:
    table = table_of_csv(("a\n" + "1\n" * 5000).encode())
    assert (len(table.rows), table.total) == (1000, 5000)


def test_empty_csv_is_an_empty_table() -> None:
    assert table_of_csv(b"").columns == []


@pytest.mark.parametrize(
    ("name", "value", "view"),
    [
        ("report_md", "# 題", "markdown"),
        ("text", "# 題", "text"),
        ("rows", [{"a": 1}, {"b": 2}], "table"),
        ("table", {"columns": ["a"], "rows": [[1]]}, "table"),
        ("nested", [{"a": [1]}], "json"),
        ("list", [1, 2], "json"),
        ("empty", [], "none"),
        ("none", None, "none"),
        ("zero", 0, "text"),
        ("no", False, "text"),
    ],
)
def test_value_is_drawn_by_its_shape(name: str, value: JsonValue, view: str) -> None:
    assert value_view(name, value) == view


def test_records_with_different_keys_share_one_table() -> None:
    table = table_of_value([{"a": 1}, {"b": 2}])
    assert table is not None
    assert table.columns == ["a", "b"]
    assert table.rows == [[1, None], [None, 2]]


def test_numbers_are_grouped() -> None:
    assert [scalar(value) for value in (1234567, 0.5, 1234.0)] == ["1,234,567", "0.5", "1,234"]


def test_file_dialog_shows_endings_and_everything_else_is_checked_later() -> None:
    assert endings(".CSV, .xlsx") == [".csv", ".xlsx"]
    assert endings("text/csv,.xlsx") == []
    assert endings("") == []


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("資料/a.txt", "資料/a.txt"),
        ("../../etc/passwd", "etc/passwd"),
        ("C:\\x\\a.txt", "C:/x/a.txt"),
        ("..", "file"),
    ],
)
def test_file_of_a_folder_never_points_out_of_it(name: str, safe: str) -> None:
    assert safe_name(name) == safe
