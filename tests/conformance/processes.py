"""Real processes that advance a run, and kill themselves with SIGKILL after a given event."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import sqlalchemy as sa
from typing_extensions import override

from sanbo.runs.journal import Journal, Kept, Lease, Line
from sanbo.runs.model import Event, InteractionAnswered, Run, Status
from sanbo.service import bootstrap
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.conformance.cases import CASES, Case, case_named
from tests.patience import PATIENCE_SECONDS
from tests.workflows.planning import put_blocks

WORKFLOWS = tuple(case.workflow for case in CASES)

# Imports once and forks from there: a fresh process costs milliseconds, and is as mortal as any.
FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["tests.conformance.warmed"])


async def run_to_end(bench: Workbench, case: Case, run: Run) -> Run:
    """Answers what is asked, as the case says, until the run has ended."""
    while True:
        run = await bench.wait(LOCAL, run.run_id)
        if run.status.is_final:
            return run
        answered = sum(
            event.payload.event == "interaction_answered"
            for event in await bench.events(LOCAL, run.run_id)
        )
        run = await bench.answer(LOCAL, run.run_id, case.answers[answered])


class MortalJournal(Journal):
    """Kills its process as soon as the event `last` is committed."""

    last: ClassVar[int]

    def _die_if_reached(self, seq: int | None) -> None:
        if seq is not None and seq >= self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    @override
    def create(
        self,
        lease: Lease,
        lease_until: sa.ColumnElement[float],
        opening: Sequence[Event],
        status: Status,
        kept: Kept = lambda payload: payload,
    ) -> None:
        super().create(lease, lease_until, opening, status, kept)
        self._die_if_reached(len(opening))

    @override
    def append(self, lease: Lease, lines: Sequence[Line], status: Status, warned: int = 0) -> None:
        """One by one: a process may be killed between any two events."""
        for line in lines:
            is_last = line is lines[-1]
            super().append(lease, [line], status if is_last else Status.RUNNING, warned)
            self._die_if_reached(line.event.seq)

    @override
    def answer(self, run_id: str, given: InteractionAnswered) -> Event:
        event = super().answer(run_id, given)
        self._die_if_reached(event.seq)
        return event


def advance(
    workspace: str, environment: dict[str, str], case_name: str, trace: str, die_after: int | None
) -> None:
    if die_after is not None:
        MortalJournal.last = die_after
        bootstrap.Journal = MortalJournal

    async def work() -> None:
        case = case_named(case_name)
        settings = load_settings(Path(workspace), environment)
        put_blocks(settings.workspace)
        async with open_workbench(settings, WORKFLOWS) as bench:
            known = await bench.list(LOCAL)
            if known:
                run = await bench.get(LOCAL, known[0].run_id)
            else:
                run = await bench.start(LOCAL, case_name, case.traced(trace))
            await run_to_end(bench, case, run)

    asyncio.run(work())


def advance_in_process(
    workspace: Path,
    environment: dict[str, str],
    case: Case,
    trace: Path,
    die_after: int | None = None,
) -> int:
    """Starts the case's run, or takes it up; returns how the process ended (-9: killed)."""
    process = FORKED.Process(
        target=advance, args=(str(workspace), environment, case.name, str(trace), die_after)
    )
    process.start()
    process.join(PATIENCE_SECONDS)
    assert process.exitcode is not None, "the process hangs"
    return process.exitcode
