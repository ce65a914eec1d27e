import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.kernel.problems import NotFound
from sanbo.storage.blob_place import FolderBlobs
from tests.cpu_time import least_seconds, timed


@given(data=st.binary(max_size=2000))
def test_what_goes_in_comes_out_under_its_hash(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    blobs = FolderBlobs(tmp_path_factory.getbasetemp() / "blobs")
    sha256 = blobs.put(data)
    assert sha256 == hashlib.sha256(data).hexdigest()
    assert blobs.get(sha256) == data


def test_the_same_bytes_are_stored_once_however_they_came(tmp_path: Path) -> None:
    source = tmp_path / "請求書 一覧.xlsx"
    source.write_bytes(b"x" * 3_000_000)
    blobs = FolderBlobs(tmp_path / "blobs")
    assert blobs.put_file(source) == blobs.put(b"x" * 3_000_000)
    assert len(list((tmp_path / "blobs").glob("??/*"))) == 1


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "a" * 63, "A" * 64, "f" * 64 + "/.."])
def test_a_name_that_is_no_hash_leads_nowhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound):
        FolderBlobs(tmp_path).get(name)


def test_a_removed_blob_is_gone(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    sha256 = blobs.put("消す".encode())
    blobs.remove(sha256)
    blobs.remove(sha256)
    with pytest.raises(NotFound):
        blobs.get(sha256)


def _overwrite(file: Path) -> None:
    """With as many bytes, and dated as before."""
    was = file.stat()
    file.write_bytes(b"y" * was.st_size)
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))


def _cut_off(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("damage", [_overwrite, _cut_off, _empty])
def test_bytes_that_are_no_longer_those_of_their_name_are_not_given_out(
    tmp_path: Path, damage: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    _an_hour_later(monkeypatch)
    blobs = FolderBlobs(tmp_path / "blobs")
    sha256 = blobs.put(b"x" * 1000)
    file = blobs.path(sha256)  # and remembers that it was right
    time.sleep(0.02)  # the file system's clock has moved on
    damage(file)
    for read in (blobs.get, blobs.path):
        with pytest.raises(NotFound) as refused:
            read(sha256)
        assert refused.value.problem.text_id == "blob_damaged"
        assert f"blobs/{sha256[:2]}/{sha256}" in refused.value.problem.hint


def test_bytes_that_are_stored_again_mend_a_damaged_file(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path / "blobs")
    sha256 = blobs.put("成果".encode())
    _cut_off(blobs.path(sha256))
    assert blobs.put("成果".encode()) == sha256
    assert blobs.path(sha256).read_bytes() == blobs.get(sha256) == "成果".encode()


def test_a_file_that_nobody_has_touched_is_verified_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _an_hour_later(monkeypatch)
    blobs = FolderBlobs(tmp_path / "blobs")
    sha256 = blobs.put(bytes(32 << 20))
    _, first = timed(lambda: blobs.path(sha256))
    assert least_seconds(lambda: blobs.path(sha256)) < first / 5


def _an_hour_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written just now counts as settled."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 3600 * 10**9)
