from pathlib import Path

import pytest

from sanbo.cli.asking import default_text, path_typed, value_typed
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.runs.model import FieldType, Option, Requirement

KINDS = (Option(value="new", label="新規"), Option(value=2, label="更新"))


def field(kind: FieldType) -> Requirement:
    options = KINDS if kind == "select" else ()
    return Requirement(id="x", type=kind, label="項目", options=options)


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        ("text", " 研修 ", "研修"),
        ("text", "  ", None),
        ("chat", "よろしく", "よろしく"),
        ("boolean", "y", True),
        ("boolean", "はい", True),
        ("boolean", "ＮＯ", False),
        ("boolean", "いいえ", False),
        ("number", "12", 12),
        ("number", "１２，０００", 12000),
        ("number", "-1,234.5", -1234.5),
        ("number", "0.5", 0.5),
        ("date", "令和8年11月17日", "2026-11-17"),
        ("date", "Ｒ８．１１．１７", "2026-11-17"),
        ("date", "R8-11-17", "2026-11-17"),
        ("date", "令和八年十一月十七日", "2026-11-17"),
        ("date", "20261117", "2026-11-17"),
        ("select", "1", "new"),
        ("select", "更新", 2),
        ("select", "NEW", "new"),
        # A value that looks like a number is the value, not a place in the list.
        ("select", "2", 2),
    ],
)
def test_what_people_type_is_understood(kind: FieldType, typed: str, value: object) -> None:
    assert value_typed(field(kind), typed) == value


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        ("boolean", "たぶん"),
        ("number", "十二"),
        ("number", "1,2"),
        ("number", "nan"),
        ("number", "inf"),
        ("date", "11月17日"),
        ("date", "令和8年2月30日"),
        ("date", "2026-11-17 10:00"),
        ("select", "3"),
        ("select", "0"),
    ],
)
def test_what_can_not_be_understood_is_refused(kind: FieldType, typed: str) -> None:
    with pytest.raises(InvalidInput, match="項目"):
        value_typed(field(kind), typed)


def test_paths_may_be_quoted_as_terminals_do(tmp_path: Path) -> None:
    file = tmp_path / "見積 書.csv"
    file.touch()
    for typed in (f"'{file}'", f'"{file}"', str(file), str(file).replace(" ", "\\ ")):
        assert path_typed(field("file"), typed) == file
    with pytest.raises(NotFound):
        path_typed(field("file"), str(tmp_path / "ない"))
    with pytest.raises(InvalidInput):
        path_typed(field("file"), str(tmp_path))
    with pytest.raises(InvalidInput):
        path_typed(field("folder"), str(file))


def test_what_is_proposed_is_shown_as_people_know_it() -> None:
    file = {"file_id": "a" * 64, "name": "紙.txt", "size": 1, "media_type": "text/plain"}
    options = ({"value": 1, "label": "一"}, {"value": 2, "label": "二"})
    for given, shown in (
        ({"type": "file", "default": file}, "紙.txt"),
        ({"type": "files", "default": [file, file]}, "紙.txt、紙.txt"),
        ({"type": "select", "options": options, "default": 2}, "二"),
        ({"type": "number", "default": 3}, "3"),
        ({"type": "boolean", "default": True}, "はい"),
    ):
        assert default_text(Requirement.model_validate({"id": "x", "label": "x", **given})) == shown
