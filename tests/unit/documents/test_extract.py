"""Which format a file has is told by what is in it."""

import json
from io import BytesIO
from zipfile import ZipFile

import docx
import openpyxl
import pytest

from sanbo.documents.extract import extract, format_of
from sanbo.documents.model import Source
from sanbo.kernel.problems import SanboError, UnsupportedFormat


def _docx(text: str) -> bytes:
    document = docx.Document()
    document.add_paragraph(text)
    target = BytesIO()
    document.save(target)
    return target.getvalue()


def _xlsx() -> bytes:
    workbook = openpyxl.Workbook()
    assert workbook.active is not None
    workbook.active.append(["品名", "金額"])
    workbook.active.append(["鉛筆", 120])
    target = BytesIO()
    workbook.save(target)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.csv", "名前,金額\n山田,100\n".encode(), "csv"),
        ("a.tsv", "名前\t金額\n山田\t100\n".encode("cp932"), "csv"),
        ("a.md", "# 見出し\n\n本文".encode(), "markdown"),
        ("a.txt", "議事録です。".encode("cp932"), "text"),
        ("読んでください", "拡張子のない文章です。".encode(), "text"),
        ("a.json", b'{"a": 1}', "json"),
        ("データ", '[{"a": "い"}]'.encode(), "json"),
        ("page.txt", b"<!DOCTYPE html><html><body><p>x</p></body></html>", "html"),
        ("mail", b"From: a@example.jp\r\nTo: b@example.jp\r\nSubject: x\r\n\r\nhello\r\n", "eml"),
    ],
)
def test_texts_are_told_apart(name: str, data: bytes, expected: str) -> None:
    assert format_of(Source(name=name, data=data)) == expected


def test_an_excel_file_named_csv_is_read_as_excel_and_says_so() -> None:
    document = extract(Source(name="売上.csv", data=_xlsx()))
    assert document.format == "xlsx"
    assert "鉛筆" in document.text
    assert [warning.text_id for warning in document.warnings] == ["file_named_otherwise"]


def test_a_word_file_without_extension_is_read() -> None:
    document = extract(Source(name="契約書", data=_docx("秘密保持契約")))
    assert document.format == "docx"
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("name", "data", "text_id"),
    [
        ("空.txt", b"", "file_empty"),
        ("空白.txt", b" \r\n\t", "file_empty"),
        ("写真.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "file_is_picture"),
        ("写真.pdf", b"\xff\xd8\xff\xe0" + b"\0" * 40, "file_is_picture"),
        ("謎.bin", bytes(range(256)) * 20, "file_unknown"),
        ("壊れた.xlsx", bytes(range(256)) * 20, "file_damaged"),
        ("旧.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "file_old_office"),
        (
            "秘.xlsx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "file_password",
        ),
    ],
)
def test_what_can_not_be_read_says_why(name: str, data: bytes, text_id: str) -> None:
    with pytest.raises(SanboError) as caught:
        extract(Source(name=name, data=data))
    assert caught.value.problem.text_id == text_id
    assert caught.value.problem.hint


def test_an_archive_is_no_document() -> None:
    target = BytesIO()
    with ZipFile(target, "w") as archive:
        archive.writestr("a.txt", "本文")
    with pytest.raises(UnsupportedFormat) as caught:
        extract(Source(name="a.zip", data=target.getvalue()))
    assert caught.value.problem.text_id == "file_is_archive"


def test_a_document_survives_json() -> None:
    document = extract(
        Source(name="a.md", data="# 題\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".encode())
    )
    again = type(document).model_validate(json.loads(document.model_dump_json()))
    assert again == document
