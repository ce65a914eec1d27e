"""A folder's files are found in a fixed order, without what nobody put there."""

import os
import unicodedata
from pathlib import Path

import pytest

from sanbo.documents.model import Skipped
from sanbo.documents.reading import FolderFile, read_folder
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.retrieval.indexing import InputFile, Unreadable, files_at


def _write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def _found(folder: Path) -> dict[str, str]:
    """Names, with the text id of what was wrong."""
    return {
        found.name: found.problem.text_id if isinstance(found, Skipped) else ""
        for found in read_folder(folder)
    }


def test_files_come_in_order_with_their_folders(tmp_path: Path) -> None:
    _write(tmp_path, "b.txt", "営業/2024/見積.pdf", "a/z.txt", "a.txt", "営業/契約.docx")
    found = list(read_folder(tmp_path))
    assert [file.name for file in found] == [
        "a/z.txt",
        "a.txt",
        "b.txt",
        "営業/2024/見積.pdf",
        "営業/契約.docx",
    ]
    assert all(isinstance(file, FolderFile) and file.path.read_text() == "x" for file in found)


def test_hidden_and_lock_files_are_left_out_silently(tmp_path: Path) -> None:
    _write(
        tmp_path, ".git/config", ".DS_Store", "~$見積.xlsx", "Thumbs.db", "a/.env", "a/見積.xlsx"
    )
    assert _found(tmp_path) == {"a/見積.xlsx": ""}


def test_names_of_a_mac_are_composed(tmp_path: Path) -> None:
    _write(tmp_path, unicodedata.normalize("NFD", "ガイド.txt"))
    assert list(_found(tmp_path)) == ["ガイド.txt"]


def test_links_that_leave_the_folder_are_named(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    _write(inside, "a.txt")
    _write(outside, "secret.txt")
    (inside / "link.txt").symlink_to(outside / "secret.txt")
    (inside / "links").symlink_to(outside)
    (inside / "same.txt").symlink_to(inside / "a.txt")
    (inside / "loop").symlink_to(inside)
    assert _found(inside) == {
        "a.txt": "",
        "link.txt": "folder_link_outside",
        "links": "folder_link_outside",
    }


def test_a_folder_that_is_itself_a_link_is_read(tmp_path: Path) -> None:
    _write(tmp_path / "real", "a.txt")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert _found(tmp_path / "link") == {"a.txt": ""}


def test_files_that_may_not_be_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "a.txt", "b.txt")

    def may_read(path: str, mode: int) -> bool:
        return not path.endswith("b.txt")

    with monkeypatch.context() as while_looking:
        while_looking.setattr(os, "access", may_read)
        assert _found(tmp_path) == {"a.txt": "", "b.txt": "folder_entry_unreadable"}


def test_folders_that_may_not_be_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "a.txt", "closed/b.txt")
    scandir = os.scandir

    def refusing(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    with monkeypatch.context() as while_looking:
        while_looking.setattr(os, "scandir", refusing)
        assert _found(tmp_path) == {"a.txt": "", "closed": "folder_entry_unreadable"}


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    _write(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    assert _found(tmp_path) == {"a.txt": ""}


def test_folders_without_end_are_named(tmp_path: Path) -> None:
    deep = Path(*["d"] * 60)
    _write(tmp_path, str(deep / "far.txt"), "near.txt")
    found = _found(tmp_path)
    assert found.pop("near.txt") == ""
    assert list(found.values()) == ["folder_too_deep"]


def test_ten_thousand_files_are_found_one_by_one(tmp_path: Path) -> None:
    for folder in range(10):
        (tmp_path / str(folder)).mkdir()
        for number in range(1000):
            (tmp_path / str(folder) / f"{number:04}.txt").touch()
    reading = read_folder(tmp_path)
    assert next(reading).name == "0/0000.txt"
    (tmp_path / "9" / "later.txt").touch()  # not yet looked at
    names = [file.name for file in reading]
    assert len(names) == 10_000
    assert names == sorted(names)
    assert "9/later.txt" in names


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        list(read_folder(tmp_path / "none"))
    _write(tmp_path, "file.txt")
    with pytest.raises(InvalidInput):
        list(read_folder(tmp_path / "file.txt"))


def test_names_from_an_old_share_are_read_beside_the_others(tmp_path: Path) -> None:
    _write(tmp_path, "a.txt")
    old = os.fsencode(tmp_path) + "/請求書".encode("cp932")
    os.mkdir(old)
    with open(old + "/見積.txt".encode("cp932"), "wb") as file:
        file.write(b"old")
    by_name = {file.name: file for file in read_folder(tmp_path)}
    assert set(by_name) == {"a.txt", "請求書/見積.txt"}
    found = by_name["請求書/見積.txt"]
    assert isinstance(found, FolderFile)
    assert found.path.read_bytes() == b"old"


def test_files_of_an_old_share_can_be_identified(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    for name in ("請求書.txt".encode("cp932"), "請求書.txt".encode(), b"\xff.txt", b"\xfe.txt"):
        with open(folder + b"/" + name, "wb") as file:
            file.write(name)
    files = [file for file in files_at([tmp_path]) if isinstance(file, InputFile)]
    assert len(files) == 4
    assert [file.name for file in files].count(f"{tmp_path.name}/請求書.txt") == 2
    assert all(file.identity.encode() and file.load() for file in files)
    assert len({file.identity for file in files}) == len({file.document_id for file in files}) == 4


def test_paths_that_are_no_text_are_still_named(tmp_path: Path) -> None:
    missing = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + "請求書".encode("cp932")))
    (found,) = files_at([missing])
    assert isinstance(found, Unreadable)
    assert "請求書" in found.problem.message
    with pytest.raises(NotFound) as refused:
        list(read_folder(missing))
    assert "請求書" in refused.value.problem.message
