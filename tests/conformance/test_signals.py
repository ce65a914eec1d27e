"""Two servers on one PostgreSQL: what one does, the other is told. Nobody looks: looking is off."""

import asyncio
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg
import pytest

from sanbo.plans.workflow import Plans
from sanbo.runs.model import (
    Event,
    InteractionOpen,
    NodeComplete,
    NodeStart,
    RunComplete,
    Status,
)
from sanbo.service import bootstrap
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from sanbo.storage.database import open_database
from sanbo.storage.postgresql import CHANNEL, Listener, Signal
from tests.patience import PATIENCE_SECONDS
from tests.workflows.planning import given, plan, put_blocks

NewEnvironment = Callable[[], dict[str, str]]
_processes = multiprocessing.get_context("forkserver")
NEVER = 3600.0
LOOKING = (
    "WATCH_SECONDS",
    "POLL_SECONDS",
    "POLL_SECONDS_LISTENING",
    "SWEEP_SECONDS",
    "REMIND_SECONDS",
)

pytestmark = pytest.mark.parametrize("new_environment", ["postgresql"], indirect=True)

_PLAN = plan(
    """
  - {id: first, block: test.work, in: {value: 1, seconds: 0.5}}
  - {id: slow, block: test.work, in: {value: 1, seconds: 300}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: "${first.value}？"}}
  - {id: then, block: test.work, in: {value: "${ask.approved}"}}
"""
)


def _look_never() -> None:
    for name in LOOKING:
        setattr(bootstrap, name, NEVER)


def _hold(workspace: str, environment: dict[str, str], channel: Connection) -> None:
    """Advances a run until told to stop; what others do with it, it hears or never knows."""
    _look_never()

    async def work() -> None:
        async with open_workbench(load_settings(Path(workspace), environment), (Plans(),)) as bench:
            run = await bench.start(LOCAL, "plan", given(_PLAN))
            channel.send(run.run_id)
            await asyncio.to_thread(channel.recv)

    asyncio.run(work())


def test_events_answers_and_cancels_reach_the_other_server_without_looking(
    tmp_path: Path, new_environment: NewEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in LOOKING:
        monkeypatch.setattr(bootstrap, name, NEVER)
    environment = new_environment()
    put_blocks(tmp_path / "theirs")

    async def work(run_id: str) -> list[Event]:
        seen: list[Event] = []
        settings = load_settings(tmp_path / "ours", environment)
        async with open_workbench(settings, (Plans(),)) as bench:
            assert (await bench.get(LOCAL, run_id)).status is Status.RUNNING
            async for event in bench.follow(LOCAL, run_id):
                seen.append(event)
                if isinstance(event.payload, InteractionOpen):
                    await bench.answer(LOCAL, run_id, {"approved": True})
                if isinstance(event.payload, NodeComplete) and event.path == ("then",):
                    await bench.cancel(LOCAL, run_id)
            assert (await bench.get(LOCAL, run_id)).status is Status.CANCELLED
            assert len(seen) == len(await bench.events(LOCAL, run_id))
        return seen

    ours, theirs = _processes.Pipe()
    process = _processes.Process(target=_hold, args=(str(tmp_path / "theirs"), environment, theirs))
    process.start()
    try:
        seen = asyncio.run(asyncio.wait_for(work(ours.recv()), PATIENCE_SECONDS))
        ours.send("stop")
    finally:
        process.join(PATIENCE_SECONDS)
        process.kill()
    of_slow = [event.payload for event in seen if event.path == ("slow",)]
    assert [type(payload) for payload in of_slow] == [NodeStart]  # at work all the while
    assert isinstance(seen[-1].payload, RunComplete)


def test_a_connection_that_was_lost_is_made_anew_and_what_was_missed_is_looked_for(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    database = open_database(load_settings(tmp_path / "w", new_environment()))
    address = database.url.set(drivername="postgresql").render_as_string(hide_password=False)

    def on_server(statement: str) -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statement.encode())

    async def work() -> None:
        heard: asyncio.Queue[Signal] = asyncio.Queue()
        caught_up: asyncio.Queue[bool] = asyncio.Queue()

        async def catch_up() -> None:
            caught_up.put_nowait(listener.is_listening)

        listener = Listener(database.url, heard.put_nowait, catch_up)
        listening = asyncio.create_task(listener.listen())
        for seq in (1, 2):
            assert await caught_up.get()
            await asyncio.to_thread(on_server, f"SELECT pg_notify('{CHANNEL}', 'run_x {seq}')")
            assert await heard.get() == Signal("run_x", seq)
            await asyncio.to_thread(
                on_server,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                f" WHERE query = 'LISTEN {CHANNEL}' AND datname = current_database()",
            )
        assert await caught_up.get()
        listening.cancel()

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))
    database.close()


def test_of_a_run_that_nobody_follows_nothing_is_told(
    tmp_path: Path, new_environment: NewEnvironment
) -> None:
    """Commits that tell something queue up for each other."""
    settings = load_settings(tmp_path / "w", new_environment())
    put_blocks(settings.workspace)
    quick = plan("  - {id: a, block: test.work, in: {value: 1, seconds: 0.3}}")

    async def work() -> list[Signal]:
        heard: list[Signal] = []
        ready = asyncio.Event()

        async def catch_up() -> None:
            ready.set()

        listener = Listener(database.url, heard.append, catch_up)
        listening = asyncio.create_task(listener.listen())
        await ready.wait()
        async with open_workbench(settings, (Plans(),)) as bench:
            for follows in (False, True):
                run = await bench.start(LOCAL, "plan", given(quick))
                if follows:
                    async for _ in bench.follow(LOCAL, run.run_id):
                        pass
                else:
                    await bench.wait(LOCAL, run.run_id)
                    assert heard == []
            await bench.delete(LOCAL, run.run_id)
        while not heard or heard[-1] != Signal(run.run_id, -1):
            await asyncio.sleep(0.01)
        listening.cancel()
        return heard

    database = open_database(settings)
    assert len(asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))) > 1
    database.close()
