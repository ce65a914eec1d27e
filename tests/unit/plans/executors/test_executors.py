"""One way in: limits that hold, cancelling that stops, failures that are told."""

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from sanbo.blocks.block import NewFile
from sanbo.kernel.problems import Code, Problem
from sanbo.kernel.secrets import protect
from sanbo.plans.executors.call import Performed
from sanbo.plans.executors.executors import Executors
from sanbo.plans.executors.worker import Worker
from sanbo.plans.settings import PlanSettings
from sanbo.sandbox import calls
from sanbo.sandbox.calls import Calls
from tests.patience import PATIENCE_SECONDS
from tests.unit.plans.executors.blocks import MemoryFiles, call


def problem_of(performed: Performed) -> Problem:
    assert performed.problem is not None
    return performed.problem


async def until(holds: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        await asyncio.sleep(0.02)


def run(work: Awaitable[None]) -> None:
    async def main() -> None:
        await work

    asyncio.run(main())


def test_threads_compute_side_by_side_in_this_process(
    executors: Executors, workspace: Path, tmp_path: Path
) -> None:
    async def work() -> None:
        about = await executors.run(call(workspace, "about"))
        calls = [call(workspace, "meet", 3, note=tmp_path / "here") for _ in range(3)]
        met = await asyncio.gather(*(executors.run(each) for each in calls))
        assert [each.outputs for each in met] == [{"value": "met"}] * 3
        assert about.outputs is not None
        assert about.outputs["value"]["pid"] == os.getpid()

    run(work())


def test_in_a_server_what_is_given_files_computes_in_another_process(
    executors: Executors, workspace: Path
) -> None:
    data = "商品,数量\n鉛筆,3\n".encode()
    files = MemoryFiles(data)
    (sha256,) = files.by_id
    file = {"file_id": sha256, "name": "在庫.csv", "size": len(data), "media_type": "text/csv"}
    guarded = Calls()  # never called here: that a server has them is what counts

    async def pid(given: object) -> int:
        done = await executors.run(call(workspace, "about", given, files=files))
        assert done.outputs is not None, done.problem
        return done.outputs["value"]["pid"]

    async def work() -> None:
        assert await pid({"evidence": [file]}) == os.getpid()
        calls.provide(guarded, guarded)
        try:
            assert await pid({"evidence": [file]}) != os.getpid()
            assert await pid({"evidence": []}) == os.getpid()
        finally:
            calls.withdraw()

    run(work())


def test_what_a_block_prints_in_a_thread_is_logged_without_secrets(
    executors: Executors,
    workspace: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    protect("planted-secret-1234")
    caplog.set_level(logging.INFO)
    own = sys.stdout

    async def work() -> None:
        await executors.run(call(workspace, "say", note="planted-secret-1234"))
        await until(lambda: sys.stdout is own)

    run(work())
    print("our own words")
    assert "to stdout ****" in caplog.text
    assert capsys.readouterr().out == "our own words\n"


def test_process_is_warm_gets_no_keys_and_its_words_stay_out_of_the_answers(
    executors: Executors,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("SANBO_TEST_KEY", "not-for-blocks")
    protect("planted-secret-1234")
    caplog.set_level(logging.INFO)

    async def work() -> None:
        first = await executors.run(call(workspace, "about"), executor="processes")
        again = await executors.run(call(workspace, "about"), executor="processes")
        assert first.outputs is not None
        assert again.outputs is not None
        assert first.outputs["value"]["pid"] == again.outputs["value"]["pid"] != os.getpid()
        assert "SANBO_TEST_KEY" not in first.outputs["value"]["environment"]
        said = call(workspace, "chatter", note="planted-secret-1234")
        assert (await executors.run(said, executor="processes")).outputs == {"value": ""}
        await until(lambda: "to stderr" in caplog.text)
        assert "to stdout ****" in caplog.text
        broken = call(workspace, "fail", note="planted-secret-1234")
        assert problem_of(await executors.run(broken, executor="processes")).params["kind"]
        named = call(workspace, "fail", "problem", note="planted-secret-1234.pdf")
        assert "****.pdf" in problem_of(await executors.run(named, executor="processes")).message
        assert "broken by ****" in caplog.text
        assert "planted-secret-1234" not in caplog.text

    run(work())


def test_process_reads_files_of_this_machine_and_gives_new_ones_back(
    executors: Executors, workspace: Path, tmp_path: Path
) -> None:
    stored = tmp_path / "blob"
    stored.write_bytes(b"on disk")

    class OnDisk(MemoryFiles):
        def locate(self, file: object) -> Path:
            return stored

    async def work() -> None:
        for files in (MemoryFiles(b"on disk"), OnDisk(b"on disk")):
            (file_id,) = files.by_id
            value = [{"deep": {"file_id": file_id, "name": "a", "size": 7}}]
            given = call(workspace, "read", value, files=files)
            made = await executors.run(given, executor="processes")
            assert made.outputs == {"value": NewFile("copy.txt", b"ksid no", "text/plain")}

    run(work())


def test_limit_really_stops_a_block_with_what_it_has_started_and_no_other(
    executors: Executors, workspace: Path, tmp_path: Path
) -> None:
    async def work() -> None:
        other = asyncio.create_task(
            executors.run(call(workspace, "sleep", 1.2), executor="processes")
        )
        hanging = call(workspace, "hang", note=tmp_path / "pids")
        performed = await executors.run(hanging, timeout_ms=500)
        problem = problem_of(performed)
        assert problem.code is Code.TIMEOUT_ERROR
        assert "steps/hang" in problem.message
        assert "0.5" in problem.message
        pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
        await until(lambda: not any(_is_alive(pid) for pid in pids))
        assert (await other).outputs == {"value": "awake"}

    run(work())


def test_loading_does_not_count_to_the_limit(workspace: Path) -> None:
    async def work() -> None:  # the first process takes longer to start than this
        executors = Executors(PlanSettings(max_workers=1))
        performed = await executors.run(call(workspace, "echo", 1), timeout_ms=50)
        assert performed.outputs == {"value": 1}
        executors.close()

    run(work())


@pytest.mark.parametrize("block", ["hang", "stray"])
def test_cancelling_kills_the_process_at_work_with_all_that_it_has_started(
    executors: Executors, workspace: Path, tmp_path: Path, block: str
) -> None:
    async def work() -> None:
        pids = tmp_path / "pids"
        task = asyncio.create_task(
            executors.run(call(workspace, block, note=pids), executor="processes")
        )
        await until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not any(_is_alive(int(pid)) for pid in pids.read_text().split()))
        again = await executors.run(call(workspace, "echo", 2), executor="processes")
        assert again.outputs == {"value": 2}

    run(work())


def test_cancelled_block_in_a_thread_is_dropped_and_close_does_not_wait_for_it(
    workspace: Path,
) -> None:
    async def work() -> None:
        executors = Executors(PlanSettings(max_workers=1))
        task = asyncio.create_task(executors.run(call(workspace, "sleep", 60)))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # Its thread is not missed by others, and not waited for.
        performed = await asyncio.wait_for(
            executors.run(call(workspace, "echo", 1)), PATIENCE_SECONDS
        )
        assert performed.outputs == {"value": 1}
        began = time.monotonic()
        executors.close()
        assert time.monotonic() - began < 30

    run(work())


def test_work_of_a_process_that_dies_is_done_once_more(
    executors: Executors, workspace: Path, tmp_path: Path
) -> None:
    async def work() -> None:
        once = call(workspace, "crash", "exit", note=tmp_path / "died once")
        assert (await executors.run(once, executor="processes")).outputs == {"value": "survived"}
        orphan = int((tmp_path / "died once").read_text())
        await until(lambda: not _is_alive(orphan))
        problem = problem_of(
            await executors.run(call(workspace, "crash", "segfault"), executor="processes")
        )
        assert problem.text_id == "block_process_ended"
        assert "SIGSEGV" in problem.message

    run(work())


def test_the_number_of_a_worker_that_has_ended_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed: list[int] = []
    monkeypatch.setattr("sanbo.plans.executors.worker.kill_family", killed.append)

    async def work() -> None:
        worker = Worker()
        os.kill(worker.pid, signal.SIGKILL)
        await until(lambda: not worker.is_fit, seconds=60)
        worker.end()
        assert killed == []

    run(work())


def test_process_killed_while_idle_is_replaced(executors: Executors, workspace: Path) -> None:
    async def work() -> None:
        first = await executors.run(call(workspace, "about"), executor="processes")
        assert first.outputs is not None
        psutil.Process(first.outputs["value"]["pid"]).kill()
        again = await executors.run(call(workspace, "echo", 3), executor="processes")
        assert again.outputs == {"value": 3}

    run(work())


def test_close_stops_what_runs_and_leaves_no_process(workspace: Path) -> None:
    async def work() -> None:
        executors = Executors(PlanSettings(max_workers=2))
        before = set(psutil.Process().children(recursive=True))
        tasks = [
            asyncio.create_task(executors.run(call(workspace, "sleep", 60), executor="processes"))
            for _ in range(3)
        ]
        await until(lambda: len(set(psutil.Process().children()) - before) == 2)
        await asyncio.to_thread(executors.close)
        assert set(psutil.Process().children(recursive=True)) <= before
        await asyncio.gather(*tasks, return_exceptions=True)

    run(work())


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
