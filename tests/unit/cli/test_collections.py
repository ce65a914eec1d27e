"""Indexing and searching at the command line."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.patience import PATIENCE_SECONDS
from tests.unit.cli.conftest import Sanbo

MANY = 1_200
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "共有 文書"
    folder.mkdir()
    (folder / "旅費規程.txt").write_bytes(
        "第一条　出張旅費の支給について定める。\r\n\r\n第二条　日当は2,500円とする。".encode(
            "cp932"
        )
    )
    (folder / "写真.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 60)
    return folder


def test_a_folder_is_indexed_with_a_table_of_what_was_not_read(sanbo: Sanbo, folder: Path) -> None:
    first = sanbo("index", str(folder), "--collection", "社内規程")
    assert first.code == 0
    assert "写真.png" in first.out
    assert "OCR" in first.out
    assert "コレクション「社内規程」：追加 1、読み込み失敗 1" in first.err
    again = sanbo("index", str(folder), "-c", "社内規程")
    assert "変更なし 1、読み込み失敗 1" in again.err


def test_a_search_shows_the_text_and_its_place(sanbo: Sanbo, folder: Path) -> None:
    (folder / "売上.csv").write_bytes("支店,売上\n東京,1200\n大阪,800\n".encode("cp932"))
    sanbo("index", str(folder), "-c", "規程")
    found = sanbo("collections", "search", "規程", "日当はいくらですか")
    assert found.code == 0
    assert found.out.startswith("1. 共有 文書/旅費規程.txt")
    assert "日当は2,500円とする。" in found.out
    table = sanbo("collections", "search", "規程", "大阪の売上", "--format", "csv")
    assert "2–3行" in table.out
    as_json = sanbo("collections", "search", "規程", "日当", "--json").json
    assert as_json[0]["document_name"] == "共有 文書/旅費規程.txt"
    assert as_json[0]["highlights"]
    nothing = sanbo("collections", "search", "規程", "zzzz")
    assert (nothing.code, nothing.out) == (0, "")
    assert "見つかりませんでした" in nothing.err


def test_collections_are_listed_shown_and_deleted(sanbo: Sanbo, folder: Path) -> None:
    assert "sanbo index" in sanbo("collections", "list").err
    sanbo("index", str(folder), "-c", "規程", "--meta", "部署=総務")
    listed = sanbo("collections", "list", "--json").json
    assert [(entry["name"], entry["documents"]) for entry in listed] == [("規程", 1)]
    shown = sanbo("collections", "show", "規程", "--json").json
    (document,) = shown["listed"]
    assert document["metadata"] == {"部署": "総務"}
    assert "旅費規程.txt" in sanbo("collections", "show", "規程").out
    removed = sanbo("collections", "delete", "規程", "--document", document["document_id"])
    assert "取り除きました" in removed.err
    assert sanbo("collections", "delete", "規程").code == 2  # nobody to ask
    assert sanbo("collections", "delete", "規程", "--yes").code == 0
    assert sanbo("collections", "list", "--json").json == []


def test_wrong_calls_say_what_to_do(sanbo: Sanbo, folder: Path) -> None:
    missing = sanbo("index", str(folder / "ない"), "-c", "規程")
    assert missing.code == 1
    assert "見つかりません" in missing.err
    assert sanbo("index", str(folder)).code == 2
    assert sanbo("index", str(folder), "-c", "規程", "--meta", "部署").code == 2
    assert sanbo("index", str(folder), "-c", "../外").code == 1
    sanbo("index", str(folder), "-c", "規程")
    near = sanbo("collections", "search", "規定", "日当", "--json")
    assert near.code == 1
    assert near.json["problem"]["code"] == "NOT_FOUND"
    assert "pdf docx" in sanbo("collections", "search", "規程", "x", "--format", "doc").err


def test_nothing_but_unreadable_files_is_a_failure(sanbo: Sanbo, folder: Path) -> None:
    (folder / "旅費規程.txt").unlink()
    outcome = sanbo("index", str(folder), "-c", "規程", "--json")
    assert outcome.code == 1
    assert outcome.json["counts"] == {"failed": 1}
    assert outcome.json["files"][0]["problem"]["hint"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_keeps_what_was_read_and_the_same_command_goes_on(
    start_process: Start, sanbo: Sanbo, workspace: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "大量"
    folder.mkdir()
    for number in range(MANY):
        (folder / f"{number:04}.txt").write_text(f"文書{number}の内容です。" * 20, "utf-8")
    process = start_process("index", str(folder), "-c", "大量")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not _documents(sanbo) and time.monotonic() < deadline:
        time.sleep(0.05)  # asking takes the time of what is waited for
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130, err.decode()
    assert "続きから読み込みます" in err.decode()
    assert "Traceback" not in err.decode()
    before = _documents(sanbo)
    assert 0 < before < MANY
    again = sanbo("index", str(folder), "-c", "大量", "--json").json
    assert again["counts"] == {"unchanged": before, "added": MANY - before}
    found = sanbo("collections", "search", "大量", f"文書{MANY - 1}の内容", "--json").json
    assert found[0]["document_name"] == f"大量/{MANY - 1:04}.txt"


def _documents(sanbo: Sanbo) -> int:
    """While the other process indexes: looking takes turns with it."""
    return sum(entry["documents"] for entry in sanbo("collections", "list", "--json").json)
