"""Evidence out of archives and files: everything listed, nothing lost in silence."""

import base64
import io
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput
from tests.unit.blocks.computing import compute

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def zipped(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def _given(data: bytes, name: str = "証跡.zip") -> dict[str, str]:
    return {"name": name, "base64": base64.b64encode(data).decode()}


def test_every_file_of_an_archive_is_there_with_bytes_text_and_problems() -> None:
    inner = zipped({"内訳.csv": "品名,金額\n封筒,500\n".encode("cp932")})
    files = {
        "青葉商店/5月/請求書.txt": "請求金額：110,000円".encode("cp932"),
        "青葉商店/印影.png": PNG,
        "港物産/空.txt": b"",
        "港物産/まとめ.zip": inner,
        "一覧.csv": b"a,b\n1,2\n",
        "__MACOSX/._一覧.csv": b"x",
    }
    made = compute("file.parse_zip_2tier", {"zip_bytes": _given(zipped(files))})
    evidence: Any = made["evidence"]
    by_path = {file["path"]: file for file in evidence["files"]}
    assert list(by_path) == [
        "青葉商店/5月/請求書.txt",
        "青葉商店/印影.png",
        "港物産/空.txt",
        "港物産/まとめ.zip/内訳.csv",
        "一覧.csv",
    ]
    assert evidence["total_files"] == 5
    invoice = by_path["青葉商店/5月/請求書.txt"]
    assert invoice["text_excerpt"] == "請求金額：110,000円"
    assert made.bytes_of(invoice["file"]) == files["青葉商店/5月/請求書.txt"]
    assert made.bytes_of(by_path["青葉商店/印影.png"]["file"]) == PNG
    assert by_path["青葉商店/印影.png"]["file"]["media_type"] == "image/png"
    assert {each["path"] for each in evidence["problems"]} == {"青葉商店/印影.png", "港物産/空.txt"}
    assert all(each["message"] and each["hint"] for each in evidence["problems"])
    assert evidence["by_dir"] == {
        "青葉商店": ["青葉商店/5月/請求書.txt", "青葉商店/印影.png"],
        "港物産": ["港物産/空.txt", "港物産/まとめ.zip/内訳.csv"],
        "": ["一覧.csv"],
    }
    assert made["evidence_data"] == evidence


def test_a_long_text_is_cut_and_says_so() -> None:
    data = zipped({"a.txt": "あ".encode() * 100})
    made = compute("file.parse_zip_2tier", {"zip_bytes": _given(data), "excerpt_chars": 30})
    (file,) = made["evidence"]["files"]
    assert file["text_excerpt"] == "あ" * 30
    assert file["text_length"] == 100
    assert file["truncated"] is True


def test_an_empty_archive_gives_no_files_and_a_problem() -> None:
    made = compute("file.parse_zip_2tier", {"zip_bytes": _given(zipped({}))})
    assert made["evidence"]["files"] == []
    assert made["evidence"]["problems"][0]["path"] == "証跡.zip"


def test_what_is_no_archive_is_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidInput) as refused:
        compute("file.parse_zip_2tier", {"zip_bytes": _given(b"%PDF-1.7", "請求書.pdf")})
    assert "file.extract_texts" in refused.value.problem.hint


def test_entries_that_lead_out_of_the_archive_are_problems_and_not_files() -> None:
    data = zipped({"../../etc/cron": b"x", "良い.txt": b"ok"})
    evidence = compute("file.parse_zip_2tier", {"zip_bytes": _given(data)})["evidence"]
    assert [file["path"] for file in evidence["files"]] == ["良い.txt"]
    assert len(evidence["problems"]) == 1


def test_single_files_are_read_however_they_are_handed_over() -> None:
    text = {"name": "納品書.txt", "base64": base64.b64encode("納品書".encode()).decode()}
    packed = _given(zipped({"中/メモ.md": "# 覚え書き".encode()}), "資料.zip")
    broken = _given(b"PK\x03\x04" + bytes(30), "壊れた.zip")
    made = compute(
        "file.extract_texts",
        {
            "files": [
                text,
                {"name": "別名.txt", "bytes": text},
                {"path": "港物産/控え.txt", "name": "控え.txt", "size": 9, "file": text},
                packed,
                broken,
            ]
        },
    )
    evidence: Any = made["evidence"]
    assert [file["path"] for file in evidence["files"]] == [
        "納品書.txt",
        "別名.txt",
        "港物産/控え.txt",
        "資料.zip/中/メモ.md",
    ]
    assert [each["path"] for each in evidence["problems"]] == ["壊れた.zip"]
    first = evidence["files"][0]["file"]
    assert evidence["files"][1]["file"]["file_id"] == first["file_id"]


def test_problems_are_told_in_the_language_of_the_run() -> None:
    with use_language("en"):
        data = zipped({"scan.png": PNG})
        evidence = compute("file.parse_zip_2tier", {"zip_bytes": _given(data)})["evidence"]
    assert evidence["problems"][0]["message"].isascii()
