from collections.abc import Generator
from pathlib import Path

import pytest

from sanbo.kernel.problems import NotFound, RunBusy
from sanbo.runs.journal import Journal, JournalMoved, LeaseLost, line_of, recorded
from sanbo.runs.leases import Leases
from sanbo.runs.model import InteractionAnswered, NodeStart, Status
from sanbo.settings import Settings
from sanbo.storage.database import Database, open_database
from tests.unit.runs.test_fold import START, asks, journal, starts


@pytest.fixture
def database(settings: Settings) -> Generator[Database]:
    database = open_database(settings)
    yield database
    database.close()


@pytest.fixture
def mine(database: Database, tmp_path: Path) -> Generator[Leases]:
    leases = Leases(database, tmp_path / "processes", seconds=60)
    yield leases
    leases.close()


@pytest.fixture
def theirs(database: Database, tmp_path: Path) -> Generator[Leases]:
    leases = Leases(database, tmp_path / "processes", seconds=60)
    yield leases
    leases.close()


def test_a_held_run_is_busy_until_it_is_released(
    database: Database, mine: Leases, theirs: Leases
) -> None:
    lease = mine.for_new_run("run_1")
    Journal(database).create(lease, mine.until, journal(), Status.QUEUED)
    with pytest.raises(RunBusy):
        theirs.acquire("run_1")
    assert theirs.orphans() == []
    assert mine.release(lease)
    assert theirs.orphans() == ["run_1"]
    assert theirs.acquire("run_1").epoch == lease.epoch + 1


def test_a_process_without_a_lock_file_here_is_not_taken_for_dead(
    database: Database, mine: Leases, tmp_path: Path
) -> None:
    Journal(database).create(mine.for_new_run("run_1"), mine.until, journal(), Status.RUNNING)
    elsewhere = Leases(database, tmp_path / "another machine", seconds=60)
    assert elsewhere.orphans() == []
    with pytest.raises(RunBusy):
        elsewhere.acquire("run_1")
    elsewhere.close()


def test_an_append_under_an_old_epoch_is_refused_and_writes_nothing(
    database: Database, mine: Leases, theirs: Leases
) -> None:
    store = Journal(database)
    lease = mine.for_new_run("run_1")
    store.create(lease, mine.until, journal(), Status.QUEUED)
    mine.release(lease)
    newer = theirs.acquire("run_1")
    late = [line_of(recorded("run_1", 2, ("a",), NodeStart(key="a")))]
    with pytest.raises(LeaseLost):
        store.append(lease, late, Status.RUNNING)
    assert len(store.read("run_1")) == 1
    store.append(newer, late, Status.RUNNING)
    with pytest.raises(JournalMoved):
        store.append(newer, late, Status.RUNNING)
    assert len(store.read("run_1")) == 2


def test_a_lease_that_was_not_renewed_can_be_taken(
    database: Database, mine: Leases, theirs: Leases
) -> None:
    mine.seconds = -1
    lease = mine.for_new_run("run_1")
    Journal(database).create(lease, mine.until, journal(), Status.QUEUED)
    assert theirs.orphans() == ["run_1"]
    assert theirs.acquire("run_1").epoch == 2


def test_a_lease_is_kept_while_an_answer_or_a_cancel_request_has_come_in(
    database: Database, mine: Leases
) -> None:
    store = Journal(database)
    lease = mine.for_new_run("run_1")
    store.create(lease, mine.until, journal(starts("a"), asks("a")), Status.WAITING)
    given = InteractionAnswered(interaction_id="a", answer={"approved": True}, by="local")
    store.answer("run_1", given)
    assert not mine.release(lease, seen_seq=3)
    mine.request_cancel("run_1")
    assert not mine.release(lease, seen_seq=4)
    assert mine.held() == {"run_1": (True, 4)}
    assert mine.release(lease)


def test_there_is_no_lease_of_a_run_that_is_not_there(mine: Leases) -> None:
    with pytest.raises(NotFound):
        mine.acquire("run_none")


def test_what_is_appended_is_read_back_as_it_was(database: Database, mine: Leases) -> None:
    store = Journal(database)
    lease = mine.for_new_run("run_1")
    opening = journal(starts("a"), asks("a"))
    store.create(lease, mine.until, opening, Status.WAITING)
    assert store.read("run_1") == opening
    assert store.read("run_1", after=2) == opening[2:]
    assert store.heads(["run_1", "run_2"]) == {"run_1": (3, Status.WAITING, START.owner)}
    assert opening[0].payload == START
