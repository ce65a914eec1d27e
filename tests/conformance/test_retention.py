"""Months of the journal, on PostgreSQL: dropped where all of their runs are due, else left."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from secrets import token_hex

import pytest
import sqlalchemy as sa

from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL, OPERATOR, Caller
from sanbo.service.deletion import Deletion, prunable, prune
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings
from sanbo.storage.postgresql import Partition, Partitions, first_id, month_after
from sanbo.storage.tables import events, runs
from tests.conformance.cases import CASES, Case, case_named
from tests.conformance.processes import run_to_end
from tests.conformance.test_workflows import blobs_of, everything_stored, on_bench

pytestmark = pytest.mark.parametrize("new_environment", ["postgresql"], indirect=True)

JANUARY, FEBRUARY = datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 2, 1, tzinfo=UTC)
DAYS = 30


def _divide(bench: Workbench) -> None:
    """As it is where a server has run since then."""
    with bench.access.database.write() as connection:
        for month in (JANUARY, FEBRUARY):
            bounds = f"FROM ('{first_id(month)}') TO ('{first_id(month_after(month))}')"
            connection.exec_driver_sql(
                f"CREATE TABLE events_{month:%Y_%m} PARTITION OF events FOR VALUES {bounds}"
            )


async def _ended(bench: Workbench, case: Case, month: datetime, who: Caller = LOCAL) -> Run:
    run_id = f"{first_id(month)}{token_hex(6)}"
    given = await case.input(bench)
    run = await bench.start(who, case.name, given, run_id=run_id)
    return await run_to_end(bench, case, run) if who is LOCAL else await bench.wait(who, run_id)


def _age(bench: Workbench, aged: Iterable[Run]) -> None:
    ids = [run.run_id for run in aged]
    with bench.access.database.write() as connection:
        connection.execute(sa.update(runs).where(runs.c.run_id.in_(ids)).values(updated_at=0.0))


def _months(bench: Workbench) -> list[str]:
    past = Partitions(bench.access.database).past()
    return [partition.name for partition in past]


def _place(bench: Workbench, run: Run) -> set[str]:
    query = sa.select(sa.literal_column("tableoid::regclass::text", sa.Text)).select_from(events)
    with bench.access.database.read() as connection:
        # pyrefly: ignore[bad-return]
        return set(connection.execute(query.where(events.c.run_id == run.run_id)).scalars())


async def _prune(bench: Workbench, who: Caller = OPERATOR) -> set[str]:
    found = await prunable(bench, who, DAYS)
    return {run.run_id for run in (await prune(bench, who, found)).runs}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_month_goes_with_all_that_hangs_on_its_runs(case: Case, settings: Settings) -> None:
    async def work(bench: Workbench) -> None:
        _divide(bench)
        young = await _ended(bench, case, FEBRUARY)
        files = blobs_of(settings)
        old = [await _ended(bench, case, month) for month in (JANUARY, JANUARY, FEBRUARY)]
        assert [_place(bench, run) for run in (*old, young)] == [
            {"events_2020_01"},
            {"events_2020_01"},
            {"events_2020_02"},
            {"events_2020_02"},
        ]
        _age(bench, old)
        assert await _prune(bench) == {run.run_id for run in old}
        assert _months(bench) == ["events_2020_02"]
        stored = await everything_stored(bench)
        assert not [run for run in old if run.run_id in stored]
        assert blobs_of(settings) == files
        assert case.came_out(await bench.get(LOCAL, young.run_id))

    on_bench(settings, work)


def test_who_sees_only_their_own_runs_drops_no_month(settings: Settings) -> None:
    case, suzuki = case_named("expenses"), Caller("suzuki")

    async def work(bench: Workbench) -> None:
        _divide(bench)
        mine = await _ended(bench, case, JANUARY)
        theirs = await _ended(bench, case, JANUARY, suzuki)
        await bench.cancel(suzuki, theirs.run_id)
        _age(bench, [mine, theirs])
        assert await _prune(bench, LOCAL) == {mine.run_id}
        assert _months(bench) == ["events_2020_01", "events_2020_02"]
        assert (await bench.get(suzuki, theirs.run_id)).status is Status.CANCELLED
        assert await _prune(bench) == {theirs.run_id}
        assert _months(bench) == []

    on_bench(settings, work)


def test_a_run_that_comes_meanwhile_keeps_its_month(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trigger starts late what was due then."""
    case = case_named("expenses")
    drop: Callable[[Partitions, Partition, sa.Select[tuple[str]]], bool] = Partitions.drop

    async def work(bench: Workbench) -> None:
        _divide(bench)
        old = [await _ended(bench, case, JANUARY) for _ in range(2)]
        _age(bench, old)
        late = f"{first_id(JANUARY)}{token_hex(6)}"

        def after(self: Partitions, month: Partition, others: sa.Select[tuple[str]]) -> bool:
            if month.name == "events_2020_01":
                with bench.access.database.write() as connection:
                    names = [each.name for each in runs.c if each.name not in ("run_id", "holder")]
                    copied = sa.select(
                        sa.literal(late), sa.null(), *(runs.c[name] for name in names)
                    ).where(runs.c.run_id == old[0].run_id)
                    connection.execute(
                        sa.insert(runs).from_select(["run_id", "holder", *names], copied)
                    )
            return drop(self, month, others)

        monkeypatch.setattr(Partitions, "drop", after)
        assert await _prune(bench) == {run.run_id for run in old}  # one by one
        assert _months(bench) == ["events_2020_01"]
        assert (await bench.head(LOCAL, late)).status is Status.SUCCEEDED

    on_bench(settings, work)


def test_who_dies_after_a_month_was_dropped_leaves_what_the_next_one_deletes(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = case_named("expenses")

    async def work(bench: Workbench) -> None:
        _divide(bench)
        old = [await _ended(bench, case, JANUARY) for _ in range(2)]
        _age(bench, old)
        with monkeypatch.context() as patch:
            patch.setattr(Deletion, "_remove", _die)
            with pytest.raises(MemoryError):
                await _prune(bench)
        assert "events_2020_01" not in _months(bench)
        assert await bench.events(LOCAL, old[0].run_id) == []
        with bench.access.database.write() as connection:  # its hour is over
            connection.execute(sa.update(runs).values(lease_until=0.0))
        assert await _prune(bench) == {run.run_id for run in old}
        stored = await everything_stored(bench)
        assert not [run for run in old if run.run_id in stored]
        assert blobs_of(settings) == set()

    on_bench(settings, work)


async def _die(*_: object) -> None:
    raise MemoryError
