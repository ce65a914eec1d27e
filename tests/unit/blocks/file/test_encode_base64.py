"""Files as text."""

from pathlib import Path
from typing import Any

import pytest

from sanbo.blocks.file import contents
from sanbo.kernel.problems import InvalidInput, LimitExceeded, PermissionDenied
from tests.unit.blocks.computing import compute


def _encoded(given: dict[str, Any], **options: Any) -> Any:
    return compute("file.encode_base64", given, **options)["encoded"]


def test_files_texts_and_paths_are_encoded(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    by_path = _encoded({"path": "a.pdf", "as_data_uri": True}, workspace_files=tmp_path)
    assert by_path["data_uri"] == "data:application/pdf;base64,JVBERg=="
    text = _encoded({"data": "はい", "name": "答え.txt"})
    assert text == {
        "name": "答え.txt",
        "mime_type": "text/plain",
        "size": 6,
        "base64": "44Gv44GE",
        "data_uri": None,
    }
    book = _encoded({"data": {"name": "x.xlsx", "base64": "UEs="}, "mime_type": "a/b"})
    assert (book["base64"], book["mime_type"]) == ("UEs=", "a/b")


def test_what_can_not_be_encoded_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        _encoded({})
    with pytest.raises(InvalidInput):
        _encoded({"data": "a", "mime_type": "text/plain;base64,<script>"})
    with pytest.raises(PermissionDenied):
        _encoded({"path": "../a"}, workspace_files=tmp_path)
    monkeypatch.setattr(contents, "MOST_BYTES", 3)
    with pytest.raises(LimitExceeded):
        _encoded({"data": "abcd"})
