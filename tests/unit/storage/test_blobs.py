import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.kernel.problems import NotFound
from sanbo.storage.blobs import Blobs


@given(data=st.binary(max_size=2000))
def test_what_goes_in_comes_out_under_its_hash(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    blobs = Blobs(tmp_path_factory.getbasetemp() / "blobs")
    sha256 = blobs.put(data)
    assert sha256 == hashlib.sha256(data).hexdigest()
    assert blobs.get(sha256) == data


def test_the_same_bytes_are_stored_once_however_they_came(tmp_path: Path) -> None:
    source = tmp_path / "請求書 一覧.xlsx"
    source.write_bytes(b"x" * 3_000_000)
    blobs = Blobs(tmp_path / "blobs")
    assert blobs.put_file(source) == blobs.put(b"x" * 3_000_000)
    assert len([path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]) == 1


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "a" * 63, "A" * 64, "f" * 64 + "/.."])
def test_a_name_that_is_no_hash_leads_nowhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound):
        Blobs(tmp_path).get(name)


def test_a_removed_blob_is_gone(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    sha256 = blobs.put("消す".encode())
    blobs.remove(sha256)
    blobs.remove(sha256)
    with pytest.raises(NotFound):
        blobs.get(sha256)
