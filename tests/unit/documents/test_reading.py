"""Files are read in processes of their own, which may die without taking anything with them."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from sanbo.documents.model import Source
from sanbo.documents.reading import Readers
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import SanboError
from tests import kept_readers
from tests.patience import PATIENCE_SECONDS

TEXT = Source(name="議事録.txt", data="第1回　営業会議の議事録です。".encode("cp932"))


_of_others: set[int] = set()


@pytest.fixture(autouse=True)
def _as_shipped() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    with kept_readers.as_shipped():
        # Blocks that read files keep theirs for as long as the process lives.
        _of_others.clear()
        _of_others.update(child.pid for child in _children())
        yield


@pytest.fixture
def readers() -> Iterator[Readers]:
    readers = Readers(count=2, timeout_seconds=30)
    yield readers
    readers.close()


def _children() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if child.pid not in _of_others
        and any("reading_process" in part for part in child.cmdline())
    ]


def test_a_file_is_read(readers: Readers) -> None:
    document = readers.read(TEXT)
    assert document.text == "第1回　営業会議の議事録です。"
    assert document.name == "議事録.txt"


def test_a_problem_comes_back_as_it_was_in_the_callers_language(readers: Readers) -> None:
    with use_language("en"), pytest.raises(SanboError) as caught:
        readers.read(Source(name="x.png", data=b"\x89PNG\r\n\x1a\n" + b"\0" * 20))
    assert caught.value.problem.text_id == "file_is_picture"
    assert "picture" in caught.value.problem.message


def test_a_process_that_dies_is_a_problem_of_that_file_alone(readers: Readers) -> None:
    readers.read(TEXT)
    for child in _children():
        child.kill()
    with pytest.raises(SanboError) as caught:
        readers.read(TEXT)
    assert caught.value.problem.text_id == "file_reader_ended"
    assert readers.read(TEXT).text


def test_a_process_that_hangs_is_ended_at_its_limit() -> None:
    readers = Readers(count=1, timeout_seconds=2)
    try:
        readers.read(TEXT)
        (child,) = _children()
        os.kill(child.pid, signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(SanboError) as caught:
            readers.read(TEXT)
        assert caught.value.problem.text_id == "file_reading_slow"
        assert time.monotonic() - began < PATIENCE_SECONDS
    finally:
        readers.close()


def test_keys_of_the_environment_do_not_reach_the_reader(
    readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    readers.read(TEXT)
    (child,) = _children()
    assert "OPENAI_API_KEY" not in child.environ()


def test_threads_share_two_processes(readers: Readers) -> None:
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
    assert len(_children()) <= 2


def test_closing_leaves_no_process() -> None:
    readers = Readers(count=1)
    readers.read(TEXT)
    readers.close()
    assert not _children()


def test_closing_ends_a_reader_that_is_at_work() -> None:
    readers = Readers(count=1)
    readers.read(TEXT)
    (child,) = _children()
    os.kill(child.pid, signal.SIGSTOP)
    failures: list[str] = []

    def read() -> None:
        try:
            readers.read(TEXT)
        except SanboError as error:
            failures.append(error.problem.text_id)

    thread = threading.Thread(target=read)
    thread.start()
    time.sleep(0.3)
    readers.close()
    thread.join(10)
    assert failures == ["file_reader_ended"]
    assert not _children()
