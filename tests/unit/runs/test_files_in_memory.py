from pathlib import Path

import pytest

from sanbo.kernel.problems import NotFound
from sanbo.runs.files import RunFiles
from sanbo.storage.blob_place import FolderBlobs
from sanbo.storage.blobs import MemoryBlobs
from sanbo.storage.database import Database


@pytest.fixture
def files(tmp_path: Path) -> RunFiles:
    database = Database.in_workspace(tmp_path, None)
    database.migrate()
    return RunFiles(database, FolderBlobs(tmp_path / "blobs"), MemoryBlobs(100))


def test_bytes_that_are_uploaded_never_touch_the_disk(files: RunFiles, tmp_path: Path) -> None:
    file = files.upload("me", "秘密".encode(), "表.csv", "text/csv")
    assert files.read(file.file_id) == "秘密".encode()
    assert not (tmp_path / "blobs").exists()


def test_beyond_its_limit_memory_forgets_what_was_used_longest_ago(files: RunFiles) -> None:
    first = files.upload("me", b"a" * 60, "a.csv", "text/csv")
    second = files.upload("me", b"b" * 60, "b.csv", "text/csv")
    assert files.read(second.file_id) == b"b" * 60
    with pytest.raises(NotFound):
        files.read(first.file_id)


def test_one_that_is_larger_than_the_limit_is_there_until_the_next(files: RunFiles) -> None:
    large = files.upload("me", b"x" * 500, "x.csv", "text/csv")
    assert files.read(large.file_id) == b"x" * 500


def test_what_no_run_names_any_more_is_removed_from_memory(files: RunFiles) -> None:
    sha256 = files.memory.put(b"left over")
    files.remove_unused([sha256])
    assert files.memory.get(sha256) is None
