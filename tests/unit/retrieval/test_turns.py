"""Turns: one process at a time, nobody left out, nothing left behind."""

import os
import threading
import time
from pathlib import Path

import pytest

from sanbo.kernel.problems import Conflict
from sanbo.retrieval.engines import shard
from sanbo.retrieval.engines.shard import Turns


def test_threads_of_one_process_share_the_turn(tmp_path: Path) -> None:
    mine = Turns(tmp_path, "社内", lambda: None)
    both = threading.Barrier(2)

    def use() -> None:
        with mine.mine(5):
            both.wait(5)

    thread = threading.Thread(target=use)
    thread.start()
    with mine.mine(5):
        both.wait(5)
    thread.join()
    mine.leave()


def test_the_turn_is_kept_while_nobody_wants_it_and_given_up_when_somebody_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard, "SLICE_SECONDS", 0.05)
    left: list[str] = []
    first = Turns(tmp_path, "社内", lambda: left.append("first"))
    second = Turns(tmp_path, "社内", lambda: left.append("second"))
    for _ in range(3):
        with first.mine(5):
            pass
    assert left == []
    with second.mine(5):
        assert left == ["first"]
    with first.mine(5):
        assert left == ["first", "second"]
    first.leave()
    second.leave()
    assert not list(tmp_path.glob("wanted-*"))


def test_who_waits_too_long_is_told(tmp_path: Path) -> None:
    first = Turns(tmp_path, "社内", lambda: None)
    second = Turns(tmp_path, "社内", lambda: None)
    with first.mine(5), pytest.raises(Conflict) as caught, second.mine(0.5):
        pass
    assert caught.value.problem.text_id == "collection_busy"
    assert caught.value.problem.recoverable
    first.leave()


def test_a_note_that_a_dead_process_left_is_cleared_away(tmp_path: Path) -> None:
    note = tmp_path / "wanted-99999-dead"
    note.touch()
    os.utime(note, (time.time() - 60, time.time() - 60))
    left: list[str] = []
    mine = Turns(tmp_path, "社内", lambda: left.append("x"))
    for _ in range(3):
        with mine.mine(5):
            time.sleep(shard.SLICE_SECONDS * 0.6)
    assert left == []
    assert not note.exists()
    mine.leave()


def test_two_busy_users_both_get_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard, "SLICE_SECONDS", 0.05)
    counts = [0, 0]
    inside = threading.Semaphore(1)
    until = time.monotonic() + 2.5

    def work(number: int) -> None:
        mine = Turns(tmp_path, "社内", lambda: None)
        while time.monotonic() < until:
            with mine.mine(10):
                assert inside.acquire(blocking=False), "two at once"
                counts[number] += 1
                time.sleep(0.002)
                inside.release()
        mine.leave()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert min(counts) > 10
