"""What every workflow must hold, on both databases; a workflow joins in `cases.py`."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import TypeVar

import pytest

from sanbo.kernel.problems import Code, SanboError
from sanbo.runs.model import Event, Run, Status
from sanbo.service.access import LOCAL, Caller
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings
from tests.conformance.cases import ASKING, CASES, Case
from tests.conformance.processes import WORKFLOWS, run_to_end
from tests.patience import PATIENCE_SECONDS
from tests.workflows.planning import put_blocks

T = TypeVar("T")
every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
asking = pytest.mark.parametrize("case", ASKING, ids=lambda case: case.name)

STRANGER = Caller("stranger")


def on_bench(settings: Settings, work: Callable[[Workbench], Awaitable[T]]) -> T:
    async def opened() -> T:
        put_blocks(settings.workspace)
        async with open_workbench(settings, WORKFLOWS) as bench:
            return await asyncio.wait_for(work(bench), PATIENCE_SECONDS)

    return asyncio.run(opened())


async def _to_question(bench: Workbench, case: Case, **more: object) -> Run:
    # pyrefly: ignore[bad-argument-type]
    run = await bench.start(LOCAL, case.name, {**case.given, **more})
    run = await bench.wait(LOCAL, run.run_id)
    assert run.status is Status.WAITING, run.problem
    return run


async def _done(bench: Workbench, case: Case) -> Run:
    run = await bench.start(LOCAL, case.name, await case.input(bench))
    return await run_to_end(bench, case, run)


async def _refused(work: Awaitable[object]) -> SanboError:
    with pytest.raises(SanboError) as refused:
        await work
    problem = refused.value.problem
    assert problem.message
    assert problem.hint
    return refused.value


@every
def test_a_run_asks_takes_the_answers_and_succeeds(case: Case, settings: Settings) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, case.name, await case.input(bench))
        assert run.status is Status.QUEUED
        run = await run_to_end(bench, case, run)
        assert run.status is Status.SUCCEEDED, run.problem
        assert case.came_out(run)
        assert all(step.status == "succeeded" for step in run.steps)
        assert run.open_interactions == ()
        assert run.engine.provider == "rules"
        assert run.artifacts
        for artifact in run.artifacts:
            _, stored = await bench.artifact(LOCAL, run.run_id, artifact.artifact_id)
            data = stored if isinstance(stored, bytes) else stored.read_bytes()
            assert data
            assert artifact.made_of or len(data) == artifact.size
        [summary] = await bench.list(LOCAL)
        assert (summary.run_id, summary.status) == (run.run_id, run.status)

    on_bench(settings, work)


@every
def test_a_follower_sees_every_stored_event_once_and_text_as_it_comes(
    case: Case, settings: Settings
) -> None:
    async def follow(bench: Workbench) -> list[Event]:
        run = await bench.start(LOCAL, case.name, await case.input(bench))
        seen: list[Event] = []

        async def take() -> None:
            async for event in bench.follow(LOCAL, run.run_id):
                seen.append(event)

        following = asyncio.create_task(take())
        await run_to_end(bench, case, run)
        await asyncio.wait_for(following, PATIENCE_SECONDS)
        stored = [event for event in seen if event.seq is not None]
        assert stored == await bench.events(LOCAL, run.run_id)
        return seen

    async def work(bench: Workbench) -> None:
        for _ in range(3):  # on a busy machine a run may have spoken before anybody listens
            seen = await follow(bench)
            if any(event.payload.event == "text_delta" for event in seen):
                return
        pytest.fail("no text came while it was written")

    on_bench(settings, work)


@every
def test_a_follower_who_comes_back_continues_after_the_last_event_seen(
    case: Case, settings: Settings
) -> None:
    async def work(bench: Workbench) -> None:
        run = await _done(bench, case)
        everything = await bench.events(LOCAL, run.run_id)
        for cut in (0, 1, len(everything) // 2, len(everything) - 1, len(everything)):
            rest = [event async for event in bench.follow(LOCAL, run.run_id, cut)]
            assert rest == everything[cut:]

    on_bench(settings, work)


@asking
def test_an_answer_that_does_not_fit_changes_nothing(case: Case, settings: Settings) -> None:
    async def work(bench: Workbench) -> None:
        run = await _to_question(bench, case)
        before = await bench.events(LOCAL, run.run_id)
        misfits: list[object] = [case.wrong_answer, {}, [], "はい", None]
        for wrong in [*misfits, {**case.answers[0], "x": 1}]:
            refused = await _refused(bench.answer(LOCAL, run.run_id, wrong))
            assert refused.problem.code is Code.INPUT_VALIDATION_FAILED
        assert await bench.events(LOCAL, run.run_id) == before
        assert case.came_out(await run_to_end(bench, case, run))

    on_bench(settings, work)


@asking
def test_a_stale_foreign_or_repeated_answer_changes_nothing(case: Case, settings: Settings) -> None:
    async def work(bench: Workbench) -> None:
        run = await _to_question(bench, case)
        other = await _to_question(bench, case)
        question = run.open_interactions[0].interaction_id
        answer = case.answers[0]
        before = await bench.events(LOCAL, run.run_id)

        unknown = await _refused(bench.answer(LOCAL, run.run_id, answer, "no-such-question"))
        assert unknown.problem.code is Code.NOT_FOUND
        foreign = other.open_interactions[0].interaction_id
        if foreign != question:
            refused = await _refused(bench.answer(LOCAL, run.run_id, answer, foreign))
            assert refused.problem.code is Code.NOT_FOUND
        stranger = await _refused(bench.answer(STRANGER, run.run_id, answer, question))
        assert stranger.problem.code is Code.NOT_FOUND
        assert await bench.events(LOCAL, run.run_id) == before

        await bench.answer(LOCAL, run.run_id, answer, question)
        repeated = await _refused(bench.answer(LOCAL, run.run_id, answer, question))
        assert repeated.problem.code is Code.CONFLICT
        run = await bench.wait(LOCAL, run.run_id)
        before = await bench.events(LOCAL, run.run_id)
        stale = await _refused(bench.answer(LOCAL, run.run_id, answer, question))
        assert stale.problem.code is Code.CONFLICT
        assert await bench.events(LOCAL, run.run_id) == before
        if not run.status.is_final:
            run = await run_to_end(bench, case, run)
        assert case.came_out(run)
        ended = await _refused(bench.answer(LOCAL, run.run_id, answer))
        assert ended.problem.code is Code.CONFLICT

    on_bench(settings, work)


@asking
def test_of_many_answers_at_once_exactly_one_is_taken(case: Case, settings: Settings) -> None:
    async def work(bench: Workbench) -> None:
        run = await _to_question(bench, case)
        question = run.open_interactions[0].interaction_id
        outcomes = await asyncio.gather(
            *(bench.answer(LOCAL, run.run_id, case.answers[0], question) for _ in range(10)),
            return_exceptions=True,
        )
        assert sum(isinstance(outcome, Run) for outcome in outcomes) == 1
        taken = [
            event
            for event in await bench.events(LOCAL, run.run_id)
            if event.payload.event == "interaction_answered"
        ]
        assert len(taken) == 1
        assert case.came_out(await run_to_end(bench, case, run))

    on_bench(settings, work)


@every
def test_bad_input_is_refused_before_a_run_exists(case: Case, settings: Settings) -> None:
    async def work(bench: Workbench) -> None:
        refused = await _refused(bench.start(LOCAL, case.name, {}))
        assert refused.problem.code is Code.INPUT_VALIDATION_FAILED
        unknown = await _refused(bench.start(LOCAL, "no-such-workflow", case.given))
        assert unknown.problem.code is Code.NOT_FOUND
        assert await bench.list(LOCAL) == []

    on_bench(settings, work)


@asking
def test_a_failed_step_is_a_problem_and_resuming_runs_only_that_step_again(
    case: Case, settings: Settings
) -> None:
    async def work(bench: Workbench) -> None:
        given = {**case.given, **case.failing}
        run = await bench.start(LOCAL, case.name, given)
        run = await bench.wait(LOCAL, run.run_id)
        assert run.status is Status.FAILED
        assert run.problem is not None
        failed = [step for step in run.steps if step.status == "failed"]
        assert [step.problem for step in failed] == [run.problem]
        done = {step.key for step in run.steps if step.status == "succeeded"}
        assert done

        await bench.resume(LOCAL, run.run_id)
        again = await bench.wait(LOCAL, run.run_id)
        assert again.status is Status.FAILED
        assert {
            step.key: step.attempt for step in again.steps if step.key in done
        } == dict.fromkeys(done, 1)
        assert [step.attempt for step in again.steps if step.status == "failed"] == [2]

    on_bench(settings, work)


@every
def test_a_run_is_cancelled_in_the_middle(case: Case, settings: Settings) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, case.name, await case.input(bench, slow=True))
        async for event in bench.follow(LOCAL, run.run_id):
            if event.payload.event == "node_start":
                break
        run = await bench.cancel(LOCAL, run.run_id)
        assert run.status is Status.CANCELLED
        events = await bench.events(LOCAL, run.run_id)
        await asyncio.sleep(0.5)
        assert await bench.events(LOCAL, run.run_id) == events, "it went on after its end"
        for attempt in (bench.cancel, bench.resume):
            refused = await _refused(attempt(LOCAL, run.run_id))
            assert refused.problem.code is Code.CONFLICT

    on_bench(settings, work)


@asking
def test_a_waiting_run_can_be_cancelled(case: Case, settings: Settings) -> None:
    async def work(bench: Workbench) -> None:
        run = await _to_question(bench, case)
        run = await bench.cancel(LOCAL, run.run_id)
        assert run.status is Status.CANCELLED
        assert run.open_interactions == ()

    on_bench(settings, work)


@every
def test_a_replay_keeps_what_was_finished_and_leaves_the_first_run_alone(
    case: Case, settings: Settings
) -> None:
    async def work(bench: Workbench) -> None:
        run = await _done(bench, case)
        before = await bench.events(LOCAL, run.run_id)
        replay = await bench.replay(LOCAL, run.run_id, case.replay_from)
        assert replay.replay_of is not None
        assert replay.replay_of.run_id == run.run_id
        kept = {step.path for step in replay.steps}
        assert kept
        assert case.replay_from not in kept
        replay = await run_to_end(bench, case, replay)
        assert replay.status is Status.SUCCEEDED, replay.problem
        assert case.came_out(replay)
        assert await bench.events(LOCAL, run.run_id) == before
        unknown = await _refused(bench.replay(LOCAL, run.run_id, ("no-such-step",)))
        assert unknown.problem.code is Code.NOT_FOUND

    on_bench(settings, work)


@every
def test_deleting_a_run_leaves_nothing_of_it_behind(case: Case, settings: Settings) -> None:
    async def work(bench: Workbench) -> None:
        kept = await _done(bench, case)
        blobs_before = blobs_of(settings)
        for slow in (False, True):
            run = await bench.start(LOCAL, case.name, await case.input(bench, slow=slow))
            if not slow:
                run = await run_to_end(bench, case, run)
            await bench.delete(LOCAL, run.run_id)
            gone = await _refused(bench.get(LOCAL, run.run_id))
            assert gone.problem.code is Code.NOT_FOUND
            assert run.run_id not in await everything_stored(bench)
        assert [summary.run_id for summary in await bench.list(LOCAL)] == [kept.run_id]
        assert blobs_of(settings) == blobs_before
        await bench.delete(LOCAL, kept.run_id)
        assert blobs_of(settings) == set()

    on_bench(settings, work)


def blobs_of(settings: Settings) -> set[str]:
    """Without the lock that says which process is at work there: it goes with the process."""
    folder = settings.workspace / "blobs"
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.name for path in files if path.suffix != ".lock"}


async def everything_stored(bench: Workbench) -> str:
    """All rows of all tables, and of all checkpoints, as text."""
    database = bench.access.database
    if not database.is_sqlite:
        with database.read() as connection:
            names = connection.exec_driver_sql(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            )
            return "\n".join(
                str(row)
                for name in names.scalars().all()
                for row in connection.exec_driver_sql(f'SELECT * FROM "{name}"').all()
            )
    rows: list[str] = []
    for file in bench.settings.workspace.glob("*.db"):
        with closing(sqlite3.connect(file)) as opened:
            names = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (name,) in names.fetchall():
                rows += map(str, opened.execute(f'SELECT * FROM "{name}"').fetchall())
    return "\n".join(rows)
