"""Files are read in guarded processes, which may die without taking anything with them."""

import os
import socket
import threading
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import psutil
import pytest

from sanbo.documents.builder import DOCUMENT, ReadingLimits
from sanbo.documents.model import Skipped, Source
from sanbo.documents.reading import Readers
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import SanboError
from sanbo.sandbox.memory import Memory
from tests import kept_processes
from tests.unit.documents import hostile_reading

TEXT = Source(name="議事録.txt", data="第1回　営業会議の議事録です。".encode("cp932"))
LARGE = Source(name="大.csv", data=b"a,b,c\n" + b"1,2,3\n" * 1_000_000)
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with pytest.MonkeyPatch.context() as patch, kept_processes.as_shipped():
        # For the functions of these tests, and for the very tree that they belong to.
        patch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(ROOT / "src"))))
        patch.setenv("OPENAI_API_KEY", "sk-planted")
        readers = Readers(count=2, timeout_seconds=60)
        yield readers
        readers.close()


@pytest.fixture
def own() -> Iterator[Readers]:
    """For a test that ends them."""
    with kept_processes.as_shipped():
        readers = Readers(count=1)
        readers.read(TEXT)
        yield readers
        readers.close()


def _zygote(readers: Readers) -> psutil.Process:
    return psutil.Process(readers.calls.sandbox.pid)


def _failure(readers: Readers, source: Source, most: ReadingLimits = DOCUMENT) -> str:
    with pytest.raises(SanboError) as caught:
        readers.read(source, most)
    return caught.value.problem.text_id


def test_a_file_is_read(readers: Readers) -> None:
    document = readers.read(TEXT)
    assert document.text == "第1回　営業会議の議事録です。"
    assert document.name == "議事録.txt"


def test_a_problem_comes_back_as_it_was_in_the_callers_language(readers: Readers) -> None:
    with use_language("en"), pytest.raises(SanboError) as caught:
        readers.read(Source(name="x.png", data=b"\x89PNG\r\n\x1a\n" + b"\0" * 20))
    assert caught.value.problem.text_id == "file_is_picture"
    assert "picture" in caught.value.problem.message


def test_a_reader_that_was_taken_over_reaches_no_file_and_no_network(
    readers: Readers, tmp_path: Path
) -> None:
    if not readers.calls.sandbox.level.is_full:
        pytest.skip("this kernel has no Landlock or no seccomp, and `sanbo doctor` says so")
    secret = tmp_path / "給与.txt"
    secret.write_text("秘密")
    with socket.create_server(("127.0.0.1", 0)) as server, Memory.of([b"x"]) as data:
        port = server.getsockname()[1]
        made = readers.calls.pieces(hostile_reading.attempts, str(secret), port, inputs=[data])
    assert made is not None
    assert bytes(made.view()).split() == [b"PermissionError"] * 4
    assert secret.read_text() == "秘密"


def test_after_its_process_was_killed_the_next_file_is_read(own: Readers) -> None:
    zygote = _zygote(own)
    zygote.kill()
    zygote.wait()
    assert own.read(TEXT).text


def test_a_file_that_takes_too_long_is_given_up() -> None:
    with kept_processes.as_shipped():
        readers = Readers(count=1, timeout_seconds=0.3)
    try:
        assert _failure(readers, LARGE) == "file_reading_slow"
        assert _zygote(readers).is_running()
    finally:
        readers.close()


def test_keys_of_the_environment_do_not_reach_the_reader(readers: Readers) -> None:
    readers.read(TEXT)
    assert "OPENAI_API_KEY" not in _zygote(readers).environ()


def test_threads_share_the_readers(readers: Readers) -> None:
    texts: list[str] = []

    def read(number: int) -> None:
        data = f"{number}番目の文書です。".encode()
        texts.append(readers.read(Source(name="x.txt", data=data)).text)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == sorted(f"{number}番目の文書です。" for number in range(8))


def test_closing_ends_a_reader_that_is_at_work_and_leaves_no_process(own: Readers) -> None:
    zygote = _zygote(own)
    failures: list[str] = []

    def read() -> None:
        try:
            own.read(LARGE)
        except SanboError as error:
            failures.append(error.problem.text_id)

    thread = threading.Thread(target=read)
    thread.start()
    while thread.is_alive() and not zygote.children():
        pass
    own.close()
    thread.join()
    assert failures == ["sandbox_closed"]  # which is not the file's fault
    assert not zygote.is_running()


def test_reading_stops_at_the_limit_and_nothing_of_the_rest_comes_back(readers: Readers) -> None:
    few = ReadingLimits(characters=10_000, parts=100, cells=1_000)
    rows = b"a,b\n" + b"1,2\n" * 200
    assert _failure(readers, Source(name="行.csv", data=rows), few) == "document_too_large"
    wide = b",".join([b"x"] * 600) + b"\n"
    assert _failure(readers, Source(name="列.csv", data=wide * 2), few) == "tables_too_large"
    text = "長い文です。".encode() * 5_000
    assert _failure(readers, Source(name="文.txt", data=text), few) == "document_too_large"
    assert readers.read(Source(name="少.csv", data=rows[:40]), few).tables


def test_files_in_an_archive_come_one_by_one_with_what_was_left_out(readers: Readers) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "一つ目です。")
        archive.writestr("../b.txt", "外へ出ます。")
        archive.writestr("c/d.csv", "x,y\n1,2\n")
    source = Source(name="案件.zip", data=packed.getvalue())
    assert readers.container_format(source) == "zip"
    found = list(readers.files_in(source, "zip"))
    assert [each.name for each in found if isinstance(each, Source)] == [
        "案件.zip/a.txt",
        "案件.zip/c/d.csv",
    ]
    assert len([each for each in found if isinstance(each, Skipped)]) == 1


def test_what_holds_no_files_is_told_apart(readers: Readers) -> None:
    mail = b"From: a@example.jp\r\nSubject: x\r\nDate: Mon, 1 Jan 2024 00:00:00 +0900\r\n\r\nhi\r\n"
    assert readers.container_format(TEXT) is None
    assert readers.container_format(Source(name="a.eml", data=mail)) == "eml"
    assert readers.container_format(Source(name="a.docx", data=b"PK\x03\x04 broken")) is None
