"""Two processes and one run: one advances it, the other is told so, nothing is written twice."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import Code, RunBusy
from sanbo.runs.leases import Leases
from sanbo.runs.model import NodeComplete, NodeStart, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests import kept_tables
from tests.conformance.cases import ASKING, Case, case_named
from tests.conformance.processes import FORKED, WORKFLOWS, run_to_end
from tests.patience import PATIENCE_SECONDS
from tests.workflows.planning import put_blocks

NewEnvironment = Callable[[], dict[str, str]]


def _hold(workspace: str, environment: dict[str, str], name: str, channel: Connection) -> None:
    """Starts a slow run, tells its id, and advances it until told to stop."""

    async def work() -> None:
        case = case_named(name)
        put_blocks(Path(workspace))
        async with open_workbench(load_settings(Path(workspace), environment), WORKFLOWS) as bench:
            run = await bench.start(LOCAL, name, {**case.given, **case.slow})
            channel.send(run.run_id)
            await asyncio.to_thread(channel.recv)

    asyncio.run(work())


class Other:
    """Another process that holds a run."""

    def __init__(self, workspace: Path, environment: dict[str, str], case: Case) -> None:
        self._channel, theirs = FORKED.Pipe()
        self.process = FORKED.Process(
            target=_hold, args=(str(workspace), environment, case.name, theirs)
        )
        self.process.start()
        self.run_id: str = self._channel.recv()

    def let_go(self) -> None:
        self._channel.send("stop")
        self.process.join(PATIENCE_SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.join(PATIENCE_SECONDS)


@pytest.mark.parametrize("case", ASKING, ids=lambda case: case.name)
def test_a_run_that_another_process_advances_is_busy_and_can_be_followed_and_cancelled(
    case: Case, tmp_path: Path, new_environment: NewEnvironment
) -> None:
    environment = new_environment()
    other = Other(tmp_path, environment, case)

    async def work(bench: Workbench) -> None:
        with pytest.raises(RunBusy) as refused:
            await bench.resume(LOCAL, other.run_id)
        assert refused.value.problem.code is Code.RUN_BUSY
        assert other.run_id in refused.value.problem.message
        assert await bench.events(LOCAL, other.run_id)
        seen = [event.seq async for event in _until_two_steps(bench, other.run_id)]
        assert seen == list(range(1, len(seen) + 1))
        await bench.cancel(LOCAL, other.run_id)
        async for event in bench.follow(LOCAL, other.run_id, seen[-1] or 0):
            if event.payload.event == "run_complete":
                break
        assert (await bench.get(LOCAL, other.run_id)).status is Status.CANCELLED

    try:
        _on_bench(tmp_path, environment, work)
    finally:
        other.let_go()


async def _until_two_steps(bench: Workbench, run_id: str):
    starts = 0
    async for event in bench.follow(LOCAL, run_id):
        if event.seq is not None:
            yield event
        starts += isinstance(event.payload, NodeStart)
        if starts == 2:
            return


@pytest.mark.parametrize("case", ASKING, ids=lambda case: case.name)
def test_processes_that_find_the_same_orphan_do_its_work_once(
    case: Case, tmp_path: Path, new_environment: NewEnvironment
) -> None:
    environment = new_environment()
    other = Other(tmp_path, environment, case)
    other.kill()

    async def work(first: Workbench) -> None:
        settings = load_settings(tmp_path, environment)
        async with open_workbench(settings, WORKFLOWS) as second:
            run = await first.get(LOCAL, other.run_id)
            done = await asyncio.gather(
                *(_answer_all(bench, case, run.run_id) for bench in (first, second))
            )
            assert set(done) == {Status.SUCCEEDED}
            events = await first.events(LOCAL, run.run_id)
        completed = Counter(
            (event.path, event.payload.key)
            for event in events
            if isinstance(event.payload, NodeComplete)
        )
        assert set(completed.values()) == {1}
        assert [event.payload.event for event in events].count("run_complete") == 1
        assert case.came_out(await first.get(LOCAL, other.run_id))

    _on_bench(tmp_path, environment, work)


async def _answer_all(bench: Workbench, case: Case, run_id: str) -> Status:
    """Both try to answer everything; whoever is late is refused and goes on looking."""
    while True:
        run = await bench.wait(LOCAL, run_id)
        if run.status.is_final:
            return run.status
        for question in run.open_interactions:
            answered = sum(
                event.payload.event == "interaction_answered"
                for event in await bench.events(LOCAL, run_id)
            )
            said = case.answers[min(answered, len(case.answers) - 1)]
            results = await asyncio.gather(
                bench.answer(LOCAL, run_id, said, question.interaction_id),
                return_exceptions=True,
            )
            assert not [r for r in results if isinstance(r, BaseException) and not _is_late(r)]


def _come_up(workspace: str, environment: dict[str, str]) -> None:
    async def work() -> None:
        async with open_workbench(load_settings(Path(workspace), environment), WORKFLOWS) as bench:
            await bench.list(LOCAL)

    asyncio.run(work())


def test_processes_that_start_at_once_on_a_new_database_all_come_up(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    with kept_tables.as_shipped():
        environment = new_environment()
    processes = [
        FORKED.Process(target=_come_up, args=(str(tmp_path), environment)) for _ in range(5)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE_SECONDS)
    assert [process.exitcode for process in processes] == [0] * 5


def _asleep(_: Leases) -> None:
    pass


def _is_late(error: BaseException) -> bool:
    return "CONFLICT" in str(error)


def test_a_process_that_has_lost_its_lease_writes_nothing_more(
    tmp_path: Path, new_environment: NewEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = case_named("expenses")
    environment = new_environment() | {"SANBO_RUNS__LEASE_SECONDS": "0.2"}

    async def work(sleepy: Workbench) -> None:
        # It renews nothing, as a machine does that was put to sleep.
        monkeypatch.setattr(Leases, "renew", _asleep)
        run = await sleepy.start(LOCAL, case.name, {**case.given, "step_seconds": 1.0})
        await asyncio.sleep(0.5)
        settings = load_settings(tmp_path, environment | {"SANBO_RUNS__LEASE_SECONDS": "60"})
        async with open_workbench(settings, WORKFLOWS) as awake:
            ended = await run_to_end(awake, case, run)
            assert ended.result == case.result
            await asyncio.sleep(1)
            events = await awake.events(LOCAL, run.run_id)
            assert [event.payload.event for event in events].count("run_complete") == 1
            completed = [event.path for event in events if isinstance(event.payload, NodeComplete)]
            assert len(completed) == len(set(completed))

    _on_bench(tmp_path, environment, work)


def _on_bench(
    workspace: Path,
    environment: dict[str, str],
    work: Callable[[Workbench], Coroutine[Any, Any, None]],
) -> None:
    async def opened() -> None:
        async with open_workbench(load_settings(workspace, environment), WORKFLOWS) as bench:
            await asyncio.wait_for(work(bench), PATIENCE_SECONDS)

    asyncio.run(opened())
