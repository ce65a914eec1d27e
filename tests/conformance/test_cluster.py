"""Runs on a Dask cluster: placed by a server, advanced by workers, whoever of them dies."""

import asyncio
import json
import multiprocessing
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa
from distributed import Scheduler

from sanbo.plans.workflow import Plans
from sanbo.runs.model import FileRef, NodeComplete, NodeStart, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.cluster_worker import Offer, work_on
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from sanbo.storage.tables import document_texts, events
from tests.patience import PATIENCE_SECONDS
from tests.qdrant_server import QdrantServer
from tests.workflows.planning import given, plan, put_blocks

NewEnvironment = Callable[[], dict[str, str]]
_processes = multiprocessing.get_context("forkserver")

pytestmark = pytest.mark.parametrize("new_environment", ["postgresql"], indirect=True)

_ASKING = plan(
    """
  - {id: first, block: test.work, in: {value: 1}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: "${first.value}？"}}
  - {id: then, block: test.work, in: {value: "${ask.approved}"}}
""",
    top="exports: [{from: then.value, as: value}]",
)
_SLOW = plan(
    """
  - {id: first, block: test.work, in: {value: 1}}
  - {id: slow, block: test.work, in: {value: "${first.value}", seconds: 300}}
"""
)
_SECRET = plan(
    """
  - id: ask
    block: ui.interactive_input
    in:
      mode: collect
      message: "？"
      requirements: [{id: word, type: text, label: word, secret: true}]
  - {id: then, block: test.work, in: {value: 2}, after: [ask]}
"""
)


@asynccontextmanager
async def _scheduler(port: int = 0) -> AsyncGenerator[str]:
    made: Any = cast("Any", Scheduler)(host="127.0.0.1", port=port, dashboard=False, protocol="tcp")
    async with made:
        yield made.address.replace("tcp://", "dask://")


@asynccontextmanager
async def _worker(settings: Settings, **labels: float) -> AsyncGenerator[Workbench]:
    async with open_workbench(settings, (Plans(),), takes_up_orphans=False) as bench:
        working = asyncio.create_task(work_on(bench, Offer(2, 1, labels)))
        try:
            yield bench
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working


def _settings(
    folder: Path, environment: dict[str, str], address: str, **more: str
) -> tuple[Settings, Settings]:
    """Of a server and of a worker: on machines of their own, with a store of files for both."""
    shared = {
        **environment,
        "SANBO_RUNS__CLUSTER": address,
        "SANBO_STORAGE__BLOBS": str(folder / "blobs"),
        **more,
    }
    for name in ("server", "worker"):
        if not (folder / name).exists():
            put_blocks(folder / name)
    return load_settings(folder / "server", shared), load_settings(folder / "worker", shared)


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():
            await asyncio.sleep(0.05)


async def _status(bench: Workbench, run_id: str, status: Status) -> Run:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (run := await bench.get(LOCAL, run_id)).status is not status:
            assert not run.status.is_final, run.problem
            await asyncio.sleep(0.05)
        return run


def _epochs(bench: Workbench, run_id: str) -> dict[str, int]:
    """Under which lease each step was finished; 1 is that of the server which began the run."""
    query = sa.select(events.c.path, events.c.epoch, events.c.payload).where(
        events.c.run_id == run_id
    )
    with bench.access.database.read() as connection:
        rows = connection.execute(query).all()
    return {
        "/".join(json.loads(path)): epoch
        for path, epoch, payload in rows
        if '"node_complete"' in payload
    }


def test_a_worker_advances_what_a_server_has_begun_and_been_answered(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    async def work() -> None:
        async with _scheduler() as address:
            server, worker = _settings(tmp_path, new_environment(), address)
            async with _worker(worker), open_workbench(server, (Plans(),)) as bench:
                begun = await bench.start(LOCAL, "plan", given(_ASKING))
                await _status(bench, begun.run_id, Status.WAITING)
                await bench.answer(LOCAL, begun.run_id, {"approved": True})
                ended = await _status(bench, begun.run_id, Status.SUCCEEDED)
                assert ended.result is not None
                assert ended.result["exports"] == {"value": True}
                epochs = _epochs(bench, begun.run_id)
                # The server's are odd: it takes a lease to give it away.
                assert {epoch % 2 for epoch in epochs.values()} == {0}
                cluster = bench.runner.cluster
                assert cluster is not None
                await _until(lambda: cluster.places.taken == 0)
                stands = await bench.cluster_status()
                assert (stands.places, stands.problem, stands.queue) == (2, None, [])

    asyncio.run(work())


def test_a_cancel_reaches_the_worker(tmp_path: Path, new_environment: NewEnvironment) -> None:
    async def work() -> None:
        async with _scheduler() as address:
            server, worker = _settings(tmp_path, new_environment(), address)
            async with _worker(worker) as there, open_workbench(server, (Plans(),)) as bench:
                begun = await bench.start(LOCAL, "plan", given(_SLOW))
                await _until(lambda: begun.run_id in there.runner.tasks)
                await bench.cancel(LOCAL, begun.run_id)
                await _status(bench, begun.run_id, Status.CANCELLED)

    asyncio.run(work())


def test_runs_wait_for_a_scheduler_that_is_away_and_for_workers(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    async def work() -> None:
        environment = new_environment()
        async with _scheduler() as address:
            server, worker = _settings(tmp_path, environment, address)
            async with open_workbench(server, (Plans(),)) as bench:
                await _until(lambda: _told(bench) == "cluster_idle")
                begun = await bench.start(LOCAL, "plan", given(_ASKING))
                async with _worker(worker):
                    await _status(bench, begun.run_id, Status.WAITING)
        port = int(address.rpartition(":")[2])
        async with open_workbench(server, (Plans(),)) as bench:
            await bench.answer(LOCAL, begun.run_id, {"approved": True})
            await _until(lambda: _told(bench) == "cluster_unreachable")
            stands = await bench.cluster_status()
            assert stands.problem is not None
            assert [line.queued + line.running for line in stands.queue] == [1]
            assert (await bench.get(LOCAL, begun.run_id)).status is not Status.SUCCEEDED
            async with _scheduler(port), _worker(worker):
                await _status(bench, begun.run_id, Status.SUCCEEDED)

    asyncio.run(work())


def _told(bench: Workbench) -> str:
    """Why nothing is placed now."""
    cluster = bench.runner.cluster
    assert cluster is not None
    return cluster.failure.problem.text_id if cluster.failure else ""


def _work_until_killed(workspace: str, environment: dict[str, str], channel: Connection) -> None:
    async def work() -> None:
        async with _worker(load_settings(Path(workspace), environment)) as bench:
            await _until(lambda: bool(bench.runner.tasks))
            (run_id,) = bench.runner.tasks
            while not any(
                isinstance(event.payload, NodeStart) and event.path == ("slow",)
                for event in await bench.events(LOCAL, run_id)
            ):
                await asyncio.sleep(0.02)
            channel.send(run_id)
            await asyncio.to_thread(channel.recv)

    asyncio.run(work())


def test_what_a_killed_worker_had_goes_on_elsewhere_and_no_finished_step_is_done_again(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    """On another machine: nothing but its lease tells that the process is gone."""

    async def work() -> None:
        async with _scheduler() as address:
            environment = new_environment()
            server, other = _settings(tmp_path, environment, address, SANBO_RUNS__LEASE_SECONDS="2")
            put_blocks(tmp_path / "mortal")
            ours, theirs = _processes.Pipe()
            shared = {
                **environment,
                "SANBO_RUNS__CLUSTER": address,
                "SANBO_STORAGE__BLOBS": str(tmp_path / "blobs"),
                "SANBO_RUNS__LEASE_SECONDS": "2",
            }
            mortal = _processes.Process(
                target=_work_until_killed, args=(str(tmp_path / "mortal"), shared, theirs)
            )
            mortal.start()
            try:
                async with open_workbench(server, (Plans(),)) as bench:
                    begun = await bench.start(LOCAL, "plan", given(_SLOW))
                    assert await asyncio.to_thread(ours.poll, PATIENCE_SECONDS)
                    assert ours.recv() == begun.run_id
                    mortal.kill()
                    async with _worker(other) as there:
                        await _until(lambda: begun.run_id in there.runner.tasks)
                        await bench.cancel(LOCAL, begun.run_id)
                        await _status(bench, begun.run_id, Status.CANCELLED)
                    journal = await bench.events(LOCAL, begun.run_id)
                    ended = [
                        each.path for each in journal if isinstance(each.payload, NodeComplete)
                    ]
                    assert ended == [("first",)]
                    assert [each.seq for each in journal] == list(range(1, len(journal) + 1))
            finally:
                mortal.kill()
                mortal.join()

    asyncio.run(work())


def test_a_workflow_goes_where_its_needs_are_met(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    async def work() -> None:
        async with _scheduler() as address:
            needs = '{"plan": {"gpu": 1}}'
            server, worker = _settings(
                tmp_path, new_environment(), address, SANBO_RUNS__CLUSTER_NEEDS=needs
            )
            async with open_workbench(server, (Plans(),)) as bench:
                async with _worker(worker) as plain:
                    begun = await bench.start(LOCAL, "plan", given(_ASKING))
                    await _until(lambda: not _told(bench))
                    stands = await bench.cluster_status()
                    assert stands.missing == {"plan": ["gpu=1"]}
                    # It takes no place from who needs nothing, and can be cancelled.
                    other = await bench.start(LOCAL, "plan", given(_ASKING))
                    await bench.cancel(LOCAL, other.run_id)
                    await _status(bench, other.run_id, Status.CANCELLED)
                    assert not plain.runner.tasks
                    assert bench.runner.cluster is not None
                    assert bench.runner.cluster.places.taken == 0
                async with _worker(worker, gpu=1):
                    await _status(bench, begun.run_id, Status.WAITING)

    asyncio.run(work())


def test_an_answer_with_a_password_goes_on_where_it_was_given(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    """It is written nowhere, so no worker can have it."""

    async def work() -> None:
        async with _scheduler() as address:
            server, worker = _settings(tmp_path, new_environment(), address)
            async with _worker(worker), open_workbench(server, (Plans(),)) as bench:
                begun = await bench.start(LOCAL, "plan", given(_SECRET))
                await _status(bench, begun.run_id, Status.WAITING)
                await bench.answer(LOCAL, begun.run_id, {"word": "hush-hush-hush"})
                await _status(bench, begun.run_id, Status.SUCCEEDED)
                assert _epochs(bench, begun.run_id)["then"] % 2 == 1

    asyncio.run(work())


def test_workers_index_what_was_uploaded_and_every_machine_has_the_texts(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    async def work(qdrant: QdrantServer) -> None:
        async with _scheduler() as address:
            more = {
                "SANBO_RETRIEVAL__ENGINE": "qdrant",
                "QDRANT_URL": qdrant.address,
                "QDRANT_API_KEY": qdrant.api_key,
            }
            environment = new_environment()
            server, worker = _settings(tmp_path, environment, address, **more)
            async with _worker(worker), open_workbench(server, (Plans(),)) as bench:
                await _until(lambda: not _told(bench))
                files = [
                    await _uploaded(bench, tmp_path, f"{n}.md", f"規程{n}：旅費は{n}千円です。")
                    for n in range(10)
                ]
                files.append(await _uploaded(bench, tmp_path, "x.pdf", "%PDF-1.7 broken"))
                work = bench.indexing("規程").index_uploads
                outcomes = await asyncio.to_thread(lambda: list(work(LOCAL, "規程", files)))
                assert Counter(each.status for each in outcomes) == {"added": 10, "failed": 1}
                assert not (server.workspace / "collections").exists(), "not by the server"
                (hit, *_) = bench.collections.search("規程", "旅費は7千円")
                place = bench.collections.place("規程", hit.chunk_id)
                assert place.document.name == "7.md"
                again = await asyncio.to_thread(lambda: list(work(LOCAL, "規程", files[:10])))
                assert Counter(each.status for each in again) == {"unchanged": 10}
                await asyncio.to_thread(bench.collections.delete, "規程")
                with bench.access.database.read() as connection:
                    assert connection.execute(sa.select(document_texts.c.version)).all() == []

    with QdrantServer() as qdrant:
        asyncio.run(work(qdrant))


async def _uploaded(bench: Workbench, folder: Path, name: str, text: str) -> FileRef:
    (folder / name).write_text(text, "utf-8")
    return await bench.upload(LOCAL, folder / name, name)


def test_what_is_kept_in_memory_goes_to_workers_once_the_servers_share_a_key(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    async def work() -> None:
        async with _scheduler() as address:
            key = "0123456789abcdef0123456789abcdef"
            server, worker = _settings(
                tmp_path, new_environment(), address, SANBO_STORAGE__SEALING_KEY=key
            )
            async with _worker(worker), open_workbench(server, (Plans(),)) as bench:
                begun = await bench.start(LOCAL, "plan", given(_SECRET))
                await _status(bench, begun.run_id, Status.WAITING)
                await bench.answer(LOCAL, begun.run_id, {"word": "hush-hush-hush"})
                await _status(bench, begun.run_id, Status.SUCCEEDED)
                assert _epochs(bench, begun.run_id)["then"] % 2 == 0

    asyncio.run(work())
