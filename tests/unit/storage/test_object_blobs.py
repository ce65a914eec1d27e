"""Blobs in an object store that speaks S3: the same promises as in a folder."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from datetime import timedelta
from pathlib import Path

import pytest

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput, InvalidSettings, NotFound, StorageUnavailable
from sanbo.settings import load_settings
from sanbo.storage import object_blobs
from sanbo.storage.blob_place import FolderBlobs, open_blobs
from sanbo.storage.object_blobs import PART, ObjectBlobs
from tests.s3_server import BUCKET, KEY_ID, SECRET, S3Server, s3_address, s3_server
from tests.unit.api.serving import wait_until

PLACE = f"s3://{BUCKET}/team/files"


@pytest.fixture(scope="module")
def s3_process() -> Generator[str]:
    with s3_address() as url:
        yield url


@pytest.fixture
def s3(s3_process: str, monkeypatch: pytest.MonkeyPatch) -> Generator[S3Server]:
    with s3_server(s3_process, monkeypatch) as server:
        yield server


@pytest.fixture
def blobs(s3: S3Server, tmp_path: Path) -> Generator[ObjectBlobs]:
    opened = _opened(tmp_path / "a")
    yield opened
    opened.close()


def _opened(folder: Path, cache_mb: int = 64, place: str = PLACE) -> ObjectBlobs:
    return ObjectBlobs(place, FolderBlobs(folder, survives_power_cut=False), cache_mb << 20)


def _file(path: Path, size: int) -> Path:
    path.write_bytes(os.urandom(1 << 20) * (size >> 20) + b"the end")
    return path


def test_what_goes_in_on_one_machine_comes_out_on_another(
    blobs: ObjectBlobs, s3: S3Server, tmp_path: Path
) -> None:
    sha256 = blobs.put("請求書".encode())
    source = _file(tmp_path / "large", 3 * PART)
    large = blobs.put_file(source)
    assert s3.stored() == sorted(f"team/files/{each[:2]}/{each}" for each in (sha256, large))
    other = _opened(tmp_path / "b")
    assert other.get(sha256) == "請求書".encode()
    assert other.path(large).read_bytes() == source.read_bytes()
    content = _opened(tmp_path / "c").content(large)
    assert b"".join(content.pieces(0, content.size)) == source.read_bytes()
    assert not (tmp_path / "c").exists()  # handed on, and not kept


def test_a_range_is_read_without_the_rest(blobs: ObjectBlobs, tmp_path: Path) -> None:
    source = _file(tmp_path / "large", 2 * PART)
    sha256 = blobs.put_file(source)
    content = _opened(tmp_path / "b").content(sha256)
    start, end = PART - 5, PART + 5
    assert b"".join(content.pieces(start, end)) == source.read_bytes()[start:end]
    assert b"".join(content.pieces(content.size - 7, content.size)) == b"the end"


def test_the_same_bytes_are_stored_once(blobs: ObjectBlobs, s3: S3Server, tmp_path: Path) -> None:
    sha256 = blobs.put(b"same")
    stored = s3.client.head_object(Bucket=BUCKET, Key=s3.stored()[0])["LastModified"]
    (tmp_path / "same").write_bytes(b"same")
    time.sleep(1.1)  # S3 tells seconds
    assert _opened(tmp_path / "b").put_file(tmp_path / "same") == sha256
    [key] = s3.stored()
    assert s3.client.head_object(Bucket=BUCKET, Key=key)["LastModified"] == stored


def test_a_removed_blob_is_gone_everywhere(blobs: ObjectBlobs, s3: S3Server) -> None:
    sha256 = blobs.put("消す".encode())
    blobs.remove(sha256)
    blobs.remove(sha256)
    assert s3.stored() == []
    for read in (blobs.get, blobs.path, blobs.content):
        with pytest.raises(NotFound) as gone:
            read(sha256)
        assert gone.value.problem.text_id == "blob_missing"


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64])
def test_a_name_that_is_no_hash_leads_nowhere(blobs: ObjectBlobs, name: str) -> None:
    with pytest.raises(NotFound):
        blobs.get(name)


def test_bytes_that_were_overwritten_are_not_given_out_and_can_be_mended(
    blobs: ObjectBlobs, s3: S3Server, tmp_path: Path
) -> None:
    source = _file(tmp_path / "large", 2 * PART)
    sha256 = blobs.put_file(source)
    false = b"x" * source.stat().st_size
    s3.client.put_object(Bucket=BUCKET, Key=s3.stored()[0], Body=false)
    other = _opened(tmp_path / "b")
    content = other.content(sha256)
    handed_on: list[bytes] = []
    with pytest.raises(NotFound) as refused:
        handed_on.extend(content.pieces(0, content.size))
    # Who receives it sees that it is not whole.
    assert 0 < sum(map(len, handed_on)) < content.size
    assert refused.value.problem.text_id == "blob_damaged"
    with pytest.raises(NotFound):
        other.path(sha256)
    assert not [each for each in (tmp_path / "b").rglob("*") if each.name == sha256]
    other.put_file(source)
    assert other.path(sha256).read_bytes() == source.read_bytes()


def test_a_file_that_changes_while_it_is_sent_leaves_nothing(
    blobs: ObjectBlobs, s3: S3Server, tmp_path: Path
) -> None:
    for size in (1 << 20, 3 * PART):
        source = _file(tmp_path / "large", size)
        with pytest.raises(InvalidInput):
            blobs.put_file(source, sha256=hashlib.sha256(b"as it was").hexdigest())
    assert (s3.stored(), s3.unfinished()) == ([], [])


def test_the_cache_keeps_within_its_limit(
    blobs: ObjectBlobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_blobs, "IN_USE_SECONDS", 0)
    small = _opened(tmp_path / "b", cache_mb=4)
    hashes = [blobs.put(os.urandom(1 << 20)) for _ in range(8)]
    for sha256 in hashes:
        small.path(sha256)
        small.path(hashes[0])  # used all the time
    kept = {each.name for each in (tmp_path / "b").glob("??/*")}
    assert len(kept) <= 5
    assert {hashes[0], hashes[-1]} <= kept
    assert len(small.get(hashes[3])) == 1 << 20  # fetched again


def test_what_nobody_uses_is_not_kept_here(
    blobs: ObjectBlobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256 = blobs.put(b"deleted by somebody elsewhere")
    monkeypatch.setattr(object_blobs, "UNUSED_SECONDS", -1)
    blobs.sweep()
    assert not [each for each in (tmp_path / "a").rglob("*") if each.name == sha256]


ENDLESS = """
import hashlib, sys
from pathlib import Path
from sanbo.storage import blobs, object_blobs
from sanbo.storage.blob_place import FolderBlobs

def slowly(source, start, end, piece):
    yield bytes(piece)
    yield bytes(piece)
    print("under way", flush=True)
    sys.stdin.read()

object_blobs.file_pieces = slowly
store = object_blobs.ObjectBlobs(sys.argv[1], FolderBlobs(Path(sys.argv[2])), 1 << 30)
with store.incoming() as path:
    path.write_bytes(bytes(4 * object_blobs.PART))
    store.put_file(path, sha256="a" * 64, move=True)
"""


def test_of_a_process_that_is_killed_while_it_sends_nothing_stays(
    s3: S3Server, tmp_path: Path
) -> None:
    cache = tmp_path / "a"
    command = [sys.executable, "-c", ENDLESS, PLACE, str(cache)]
    sending = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert sending.stdout is not None
    assert sending.stdout.readline() == b"under way\n"
    wait_until(lambda: s3.unfinished() == [f"team/files/aa/{'a' * 64}"])
    os.kill(sending.pid, signal.SIGKILL)
    sending.wait()
    assert any(each.is_file() for each in (cache / "incoming").rglob("*"))
    s3.client.create_multipart_upload(Bucket=BUCKET, Key="team/files/of-others")
    # What has just begun may be under way on another machine. This server dates all to 2010.
    assert object_blobs.abort_abandoned(PLACE, timedelta(days=100 * 365)) == 0
    _opened(cache).sweep()
    assert list((cache / "incoming").rglob("*")) == []
    assert (s3.stored(), s3.unfinished()) == ([], ["team/files/of-others"])


def _check(blobs: ObjectBlobs) -> object:
    return blobs.check()


def _put(blobs: ObjectBlobs) -> object:
    return blobs.put(b"x")


def _sweep(blobs: ObjectBlobs) -> object:
    return blobs.sweep()


def _get(blobs: ObjectBlobs) -> object:
    return blobs.get("a" * 64)


def _remove(blobs: ObjectBlobs) -> object:
    return blobs.remove("a" * 64)


EVERYTHING = [_check, _put, _sweep, _get, _remove]


def _told(work: Callable[[], object]) -> StorageUnavailable:
    with pytest.raises(StorageUnavailable) as failed:
        work()
    problem = failed.value.problem
    for secret in (KEY_ID, SECRET):
        assert secret not in problem.model_dump_json() + str(failed.value)
    assert failed.value.__cause__ is None  # what the store has answered is in no log
    for language in ("ja", "en"):
        with use_language(language):
            assert problem.in_language(language).hint
    return failed.value


@pytest.mark.parametrize("work", [_check, _put, _sweep])
def test_a_bucket_that_is_not_there_is_told(
    s3: S3Server, tmp_path: Path, work: Callable[[ObjectBlobs], object]
) -> None:
    blobs = _opened(tmp_path / "a", place="s3://no-such-bucket/x")
    assert _told(lambda: work(blobs)).problem.text_id == "blobs_place_missing"


@pytest.mark.parametrize("work", EVERYTHING)
def test_credentials_that_do_not_count_are_told(
    s3: S3Server, tmp_path: Path, work: Callable[[ObjectBlobs], object]
) -> None:
    blobs = _opened(tmp_path / "a")
    s3.check_credentials()
    failure = _told(lambda: work(blobs))
    assert failure.problem.text_id == "blobs_refused"
    assert "AWS_SECRET_ACCESS_KEY" in failure.problem.hint


@pytest.mark.parametrize("work", EVERYTHING)
def test_a_store_that_does_not_answer_is_told(
    s3: S3Server,
    tmp_path: Path,
    work: Callable[[ObjectBlobs], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(object_blobs, "RETRIES", 1)
    blobs = _opened(tmp_path / "a")
    assert _told(lambda: work(blobs)).problem.text_id == "blobs_unreachable"


@pytest.mark.parametrize(
    "place", ["ftp://files/x", "s3://", "s3://key:secret@bucket/x", "s3://bucket?key=secret"]
)
def test_a_place_that_is_none_is_refused_without_repeating_it(tmp_path: Path, place: str) -> None:
    settings = load_settings(tmp_path, {"SANBO_STORAGE__BLOBS": place})
    with pytest.raises(InvalidSettings) as refused:
        open_blobs(settings)
    assert "secret" not in str(refused.value)


def test_a_folder_may_stand_anywhere(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    settings = load_settings(tmp_path / "a", {"SANBO_STORAGE__BLOBS": str(shared)})
    sha256 = open_blobs(settings).put(b"x")
    assert (shared / sha256[:2] / sha256).read_bytes() == b"x"
