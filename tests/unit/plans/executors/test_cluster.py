"""Blocks on a Dask cluster: one of two processes for all tests, and small ones that break."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import psutil
import pytest

from sanbo.blocks.block import NewFile
from sanbo.kernel.problems import Code, Problem
from sanbo.plans.executors import cluster
from sanbo.plans.executors.call import Performed
from sanbo.plans.executors.executors import Executors
from sanbo.plans.settings import PlanSettings
from tests.patience import PATIENCE_SECONDS
from tests.unit.plans.executors.blocks import MemoryFiles, call
from tests.unit.plans.executors.small_cluster import name_of, small_cluster


def problem_of(performed: Performed) -> Problem:
    assert performed.problem is not None
    return performed.problem


@pytest.mark.thorough
def test_items_of_a_worker_that_dies_are_done_elsewhere(
    executors: Executors, workspace: Path, tmp_path: Path
) -> None:
    log = tmp_path / "pids"

    async def work() -> None:
        items = [
            asyncio.create_task(
                executors.run(call(workspace, "sleep", 0.03, note=log), executor="dask")
            )
            for _ in range(30)
        ]
        while not log.exists() or len(log.read_text().split()) < 16:
            await asyncio.sleep(0.01)
        worker = int(log.read_text().split()[1])  # the parent of the process at work
        assert worker != os.getpid()
        os.kill(worker, signal.SIGKILL)
        done = await asyncio.gather(*items)
        assert [each.problem for each in done if each.problem is not None] == []
        assert [each.outputs for each in done] == [{"value": "awake"}] * 30

    asyncio.run(work())


def test_limit_and_cancelling_stop_the_block_on_the_worker(
    executors: Executors, workspace: Path, tmp_path: Path
) -> None:
    async def work() -> None:
        slow = call(workspace, "sleep", 60, note=tmp_path / "pid")
        problem = problem_of(await executors.run(slow, executor="dask", timeout_ms=300))
        assert problem.code is Code.TIMEOUT_ERROR
        assert "steps/sleep" in problem.message
        pid = int((tmp_path / "pid").read_text().split()[0])
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        long = call(workspace, "sleep", 600, note=tmp_path / "other")
        task = asyncio.create_task(executors.run(long, executor="dask"))
        while not (tmp_path / "other").exists():
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        process = psutil.Process(int((tmp_path / "other").read_text().split()[0]))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                await asyncio.sleep(0.05)

    asyncio.run(work())


def test_files_are_sent_with_the_call_and_problems_come_back_in_its_language(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = MemoryFiles(b"abc")
    (file_id,) = files.by_id
    value = [{"deep": {"file_id": file_id, "name": "a", "size": 3}}]

    async def work(executor: str) -> None:
        executors = Executors(PlanSettings(executor=executor))
        made = await executors.run(call(workspace, "read", value, files=files))
        assert made.outputs == {"value": NewFile("copy.txt", b"cba", "text/plain")}
        about = await executors.run(call(workspace, "about"))
        assert about.outputs is not None
        assert about.outputs["value"]["folder"] is None
        failed = problem_of(await executors.run(call(workspace, "fail", language="ja")))
        assert "予期しない" in failed.message
        monkeypatch.setattr(cluster, "MOST_SENT_BYTES", 1000)
        large = problem_of(await executors.run(call(workspace, "echo", "x" * 2000)))
        assert large.code is Code.RESOURCE_LIMIT
        assert "steps/echo" in large.message
        monkeypatch.setattr("sanbo.plans.executors.cluster.__version__", "0.0.9")
        other = problem_of(await executors.run(call(workspace, "echo", 1)))
        assert other.text_id == "cluster_other_version"
        await asyncio.to_thread(executors.close)

    with small_cluster(1) as made:
        asyncio.run(work(name_of(made)))


def test_scheduler_that_goes_away_is_told_and_found_again(workspace: Path) -> None:
    async def work() -> None:
        executors = Executors(PlanSettings())
        with small_cluster(1) as made:
            name = name_of(made)
            task = asyncio.create_task(executors.run(call(workspace, "sleep", 2), executor=name))
            await asyncio.sleep(1)
            await asyncio.to_thread(made.close)
            assert problem_of(await task).text_id == "cluster_lost"
        await asyncio.to_thread(executors.close)

    asyncio.run(work())


def test_cluster_without_workers_is_told(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WORKERS_SECONDS", 0.2)

    async def work(executor: str) -> None:
        executors = Executors(PlanSettings(executor=executor))
        problem = problem_of(await executors.run(call(workspace, "echo", 1)))
        assert problem.text_id == "cluster_without_workers"
        await asyncio.to_thread(executors.close)

    with small_cluster(0) as made:
        asyncio.run(work(name_of(made)))


def test_scheduler_that_does_not_answer_is_told(
    executors: Executors, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.3)

    async def work(*names: str) -> None:
        for name in names:
            performed = await executors.run(call(workspace, "echo", 1), executor=name)
            assert problem_of(performed).text_id == "cluster_unreachable"
            assert name in problem_of(performed).message

    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        asyncio.run(work(f"dask://127.0.0.1:{port}", "dask://127.0.0.1:1", "dask://###"))


def test_missing_package_is_told_with_how_to_install_it(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "sanbo.plans.executors.cluster")

    async def work() -> None:
        performed = await Executors(PlanSettings()).run(call(workspace, "echo"), executor="dask")
        assert problem_of(performed).code is Code.DEPENDENCY_NOT_FOUND
        assert "sanbo[cluster]" in problem_of(performed).hint

    asyncio.run(work())
