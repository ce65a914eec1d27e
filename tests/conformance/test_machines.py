"""Machines that share a database and nothing else: their clocks differ, and each may stop.

A machine is a process with a workspace of its own, so that no lock file tells whether it lives.
"""

import asyncio
import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable, Coroutine
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa

from sanbo.runs.model import JsonObject, NodeComplete, Status
from sanbo.service import bootstrap
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from sanbo.storage.database import Database, open_database
from sanbo.storage.tables import events, runs
from tests.conformance.cases import case_named
from tests.conformance.processes import WORKFLOWS, run_to_end
from tests.conformance.wrong_clock import set_clock
from tests.patience import PATIENCE_SECONDS
from tests.workflows import trace

NewEnvironment = Callable[[], dict[str, str]]
_processes = multiprocessing.get_context("forkserver")

pytestmark = pytest.mark.parametrize("new_environment", ["postgresql"], indirect=True)

WRONG_SECONDS = 90.0
"""By which a clock is wrong: longer than a lease."""


def _work(
    workspace: str,
    environment: dict[str, str],
    given: tuple[str, JsonObject],
    clock_ahead: float,
    channel: Connection,
) -> None:
    """Starts a run, tells its id, and tells again when it has ended or waits for a person."""
    set_clock(clock_ahead)

    async def work() -> None:
        settings = load_settings(Path(workspace), environment)
        async with open_workbench(settings, WORKFLOWS) as bench:
            run = await bench.start(LOCAL, *given)
            channel.send(run.run_id)
            run = await bench.wait(LOCAL, run.run_id)
            channel.send(run.status)

    asyncio.run(work())


class Machine:
    def __init__(
        self,
        workspace: Path,
        environment: dict[str, str],
        given: tuple[str, JsonObject],
        clock_ahead: float = 0.0,
    ) -> None:
        self._channel, theirs = _processes.Pipe()
        self._process = _processes.Process(
            target=_work, args=(str(workspace), environment, given, clock_ahead, theirs)
        )
        self._process.start()
        self.run_id: str = self._channel.recv()

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join(PATIENCE_SECONDS)

    def send(self, number: signal.Signals) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def outcome(self) -> Status:
        return self._channel.recv()


class Lease(NamedTuple):
    holder: str | None
    until: float | None


class Stored:
    """What the database says of a run, whatever any process believes."""

    def __init__(self, database: Database, run_id: str) -> None:
        self._database = database
        self._run_id = run_id

    @property
    def lease(self) -> Lease:
        query = sa.select(runs.c.holder, runs.c.lease_until).where(runs.c.run_id == self._run_id)
        with self._database.read() as connection:
            return Lease(*connection.execute(query).one())

    @property
    def epochs(self) -> list[int]:
        """Under which events were written, in their order; people's answers have none."""
        query = sa.select(events.c.epoch).where(events.c.run_id == self._run_id, events.c.epoch > 0)
        with self._database.read() as connection:
            return list(connection.execute(query.order_by(events.c.seq)).scalars())


@pytest.mark.parametrize(
    "wrong_by",
    [
        pytest.param(WRONG_SECONDS, id="ahead"),
        pytest.param(-WRONG_SECONDS, id="behind", marks=pytest.mark.thorough),
    ],
)
def test_a_wrong_clock_costs_no_living_holder_its_run_and_keeps_no_dead_ones(
    wrong_by: float,
    tmp_path: Path,
    new_environment: NewEnvironment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bootstrap, "SWEEP_SECONDS", 0.2)
    case, traced = case_named("approval"), str(tmp_path / "trace")
    environment = new_environment() | {"SANBO_RUNS__LEASE_SECONDS": "4"}
    given = case.traced(traced) | {"step_seconds": 0.6}

    async def work(bench: Workbench, database: Database) -> None:
        stored = Stored(database, other.run_id)
        first = stored.lease
        while stored.lease.until == first.until:  # until it is renewed
            assert not await bench.interrupted([other.run_id])
            await asyncio.sleep(0.1)
        assert stored.lease.holder in (first.holder, None)  # None: it waits for a person already
        assert set(stored.epochs) == {1}
        begun = await bench.events(LOCAL, other.run_id)
        other.send(signal.SIGKILL)
        run = await run_to_end(bench, case, await bench.get(LOCAL, other.run_id))
        assert run.status is Status.SUCCEEDED, run.problem
        assert case.came_out(run)
        assert stored.epochs == sorted(stored.epochs)
        assert all((step.duration_ms or 0) >= 0 for step in run.steps)
        finished = {event.path[-1] for event in begun if isinstance(event.payload, NodeComplete)}
        worked = Counter(line["step"] for line in trace.read(traced))
        assert {step: worked[step] for step in finished if worked[step] > 1} == {}
        assert max(worked.values()) <= 2  # what was in flight is begun again

    with Machine(tmp_path / "theirs", environment, (case.name, given), wrong_by) as other:
        _beside(tmp_path / "ours", environment, work)


def test_a_machine_that_was_paused_for_longer_than_its_lease_writes_nothing_more(
    tmp_path: Path, new_environment: NewEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "SWEEP_SECONDS", 0.2)
    case = case_named("expenses")
    environment = new_environment() | {"SANBO_RUNS__LEASE_SECONDS": "1"}
    given = {**case.given, "step_seconds": 0.4}

    async def work(bench: Workbench, database: Database) -> None:
        stored = Stored(database, other.run_id)
        run = await run_to_end(bench, case, await bench.get(LOCAL, other.run_id))
        assert run.status is Status.SUCCEEDED
        written = stored.epochs
        other.send(signal.SIGCONT)
        # It goes on with its step, may not write, and sees what has become of its run.
        assert await asyncio.to_thread(other.outcome) is Status.SUCCEEDED
        assert stored.epochs == written == sorted(written)
        assert written[-1] > 1

    with Machine(tmp_path / "theirs", environment, (case.name, given)) as other:
        other.send(signal.SIGSTOP)
        _beside(tmp_path / "ours", environment, work)


def test_turns_of_a_conversation_stand_in_their_order_whatever_the_clocks(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    case, environment = case_named("expenses"), new_environment()
    given = (case.name, case.given)

    async def work(bench: Workbench, _: Database) -> None:
        assert await asyncio.to_thread(other.outcome) is Status.WAITING
        earlier = await bench.get(LOCAL, other.run_id)
        later = await bench.start(LOCAL, *given, conversation_id=earlier.conversation_id)
        listed = await bench.list(LOCAL, conversation_id=earlier.conversation_id)
        assert [run.run_id for run in listed] == [later.run_id, earlier.run_id]

    with Machine(tmp_path / "theirs", environment, given, WRONG_SECONDS) as other:
        _beside(tmp_path / "ours", environment, work)


def _beside(
    workspace: Path,
    environment: dict[str, str],
    work: Callable[[Workbench, Database], Coroutine[Any, Any, None]],
) -> None:
    """On a machine of its own, whose clock is right."""

    async def opened() -> None:
        settings = load_settings(workspace, environment)
        database = open_database(settings)
        try:
            async with open_workbench(settings, WORKFLOWS) as bench:
                await asyncio.wait_for(work(bench, database), PATIENCE_SECONDS)
        finally:
            database.close()

    asyncio.run(opened())
