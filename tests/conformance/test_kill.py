"""Killed after any event, a run goes on to the same end, and no finished step runs again."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL

import pytest

from sanbo.runs.model import Event, NodeComplete, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from tests.conformance.cases import ASKING, Case
from tests.conformance.processes import WORKFLOWS, advance_in_process
from tests.workflows import trace

CHOSEN = ("node_complete", "interaction_open", "interaction_answered", "artifact")
"""In `make test` a process is killed after the first event of each of these kinds."""
CHOSEN_ON_POSTGRESQL = ("interaction_answered",)
ALL_ON_POSTGRESQL = 6
"""Events, evenly spread, in `make test-all` there; on SQLite it is after each."""

NewEnvironment = Callable[[], dict[str, str]]
every = pytest.mark.parametrize("case", ASKING, ids=lambda case: case.name)


def _look(workspace: Path, environment: dict[str, str]) -> tuple[Run, list[Event]]:
    """The one run of a workspace as its journal has it, without taking it up."""
    settings = load_settings(workspace, environment)

    async def look() -> tuple[Run, list[Event]]:
        async with open_workbench(settings, WORKFLOWS, takes_up_orphans=False) as bench:
            [summary] = await bench.list(LOCAL)
            run = await bench.get(LOCAL, summary.run_id)
            return run, await bench.events(LOCAL, summary.run_id)

    return asyncio.run(look())


def _finished(events: list[Event]) -> set[str]:
    return {"/".join(event.path) for event in events if isinstance(event.payload, NodeComplete)}


@every
def test_killed_after_a_chosen_event_a_run_ends_the_same_and_repeats_no_finished_step(
    case: Case, tmp_path: Path, new_environment: NewEnvironment
) -> None:
    events = _undisturbed(case, tmp_path, environment := new_environment())
    kinds = CHOSEN_ON_POSTGRESQL if "SANBO_DATABASE_URL" in environment else CHOSEN
    firsts = {event.payload.event: event.seq for event in reversed(events)}
    for kind in kinds:
        _kill_and_take_up(case, tmp_path / kind, new_environment(), firsts[kind] or 0)


@pytest.mark.thorough
@every
def test_killed_after_any_event_a_run_ends_the_same_and_repeats_no_finished_step(
    case: Case, tmp_path: Path, new_environment: NewEnvironment
) -> None:
    events = _undisturbed(case, tmp_path, environment := new_environment())
    kills = case.kills or (ALL_ON_POSTGRESQL if "SANBO_DATABASE_URL" in environment else None)
    step = 1 if kills is None else max(1, len(events) // kills)
    for seq in range(step, len(events) + 1, step):
        _kill_and_take_up(case, tmp_path / str(seq), new_environment(), seq)


def _undisturbed(case: Case, folder: Path, environment: dict[str, str]) -> list[Event]:
    workspace = folder / "undisturbed"
    assert advance_in_process(workspace, environment, case, folder / "trace") == 0
    run, events = _look(workspace, environment)
    assert case.came_out(run)
    return events


def _kill_and_take_up(case: Case, workspace: Path, environment: dict[str, str], seq: int) -> None:
    traced = workspace.with_suffix(".trace")
    assert advance_in_process(workspace, environment, case, traced, die_after=seq) == -SIGKILL
    _, events = _look(workspace, environment)
    assert len(events) == seq
    finished = _finished(events)

    assert advance_in_process(workspace, environment, case, traced) == 0
    run, events = _look(workspace, environment)

    assert run.status is Status.SUCCEEDED, f"killed after {seq}: {run.problem}"
    assert case.came_out(run), f"killed after {seq}"
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert all(step.status == "succeeded" for step in run.steps), f"killed after {seq}"
    completed = Counter(
        (event.path, event.payload.key)
        for event in events
        if isinstance(event.payload, NodeComplete)
    )
    assert set(completed.values()) == {1}, f"killed after {seq}: a step has ended twice"
    lines = trace.read(str(traced))
    worked = Counter(line["step"] for line in lines if line.get("what") != "end")
    assert {step: worked[step] for step in finished if worked[step] > 1} == {}
    assert max(worked.values()) <= 2
    assert len(run.artifacts) == 1
