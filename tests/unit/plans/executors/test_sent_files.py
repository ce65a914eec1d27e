from pathlib import Path

import pytest

from sanbo.kernel.problems import NotFound
from sanbo.plans.executors.call import SentFiles
from sanbo.runs.model import FileRef
from sanbo.storage.blob_place import FolderBlobs


def test_a_process_does_not_work_with_bytes_that_were_overwritten_since_its_call(
    tmp_path: Path,
) -> None:
    blobs = FolderBlobs(tmp_path / "blobs")
    sha256 = blobs.put("売上 100".encode())
    files = SentFiles({sha256: blobs.path(sha256)})
    file = FileRef(file_id=sha256, name="売上.csv", size=10, media_type="text/csv")
    assert files.read(file) == "売上 100".encode()
    blobs.path(sha256).write_bytes("売上 900".encode())
    with pytest.raises(NotFound) as refused:
        files.read(file)
    assert refused.value.problem.text_id == "blob_damaged"
