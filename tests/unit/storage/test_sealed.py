"""What servers keep for each other is read by who has the key, in its place, in its time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from sanbo.kernel.problems import InvalidSettings
from sanbo.settings import load_settings
from sanbo.storage.blob_place import FolderBlobs
from sanbo.storage.database import Database, DatabaseTime, open_database
from sanbo.storage.sealed import LARGEST_IN_ROW, Sealed, SealedBlobs, open_sealed
from sanbo.storage.settings import StorageSettings
from sanbo.storage.tables import sealed

KEY = "k" * 32
TEXT = "社外秘の売上".encode()
LARGE = TEXT * LARGEST_IN_ROW


class Place:
    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self.blobs = FolderBlobs(folder / "blobs")
        self.folder = folder

    def server(self, key: str = KEY, hours: float = 24) -> Sealed:
        return Sealed(self.database, self.blobs, key, hours)

    def rows(self) -> list[Any]:
        query = sa.select(sealed.c.name, sealed.c.data, sealed.c.sha256)
        with self.database.read() as connection:
            return list(connection.execute(query).all())

    def files(self) -> list[Path]:
        return list((self.folder / "blobs").glob("[0-9a-f][0-9a-f]/*"))

    def pass_hours(self, hours: float) -> None:
        with self.database.write() as connection:
            earlier = sealed.c.expires_at - hours * 3600
            connection.execute(sa.update(sealed).values(expires_at=earlier))


@pytest.fixture
def place(new_environment: Callable[[], dict[str, str]], tmp_path: Path) -> Place:
    database = open_database(load_settings(tmp_path / "workspace", new_environment()))
    return Place(database, tmp_path)


def test_another_server_with_the_key_reads_it_and_nobody_else(place: Place) -> None:
    place.server().put("run_1", {"state": TEXT, "table": LARGE})
    there = place.server()
    assert there.get("run_1", ["state", "table", "other"]) == {"state": TEXT, "table": LARGE}
    assert there.names("run_1") == {"state", "table"}
    assert place.server("another" * 8).get("run_1", ["state", "table"]) == {}
    stored = [row.data or b"" for row in place.rows()]
    stored += [path.read_bytes() for path in place.files()]
    assert sum(map(len, stored)) > len(TEXT) + len(LARGE)
    assert not any(TEXT[:6] in each for each in stored)


def test_put_in_the_place_of_another_it_is_nothing(place: Place) -> None:
    here = place.server()
    here.put("run_1", {"a": b"1", "b": b"2"})
    with place.database.write() as connection:
        first = sa.select(sealed.c.data).where(sealed.c.name == "a").scalar_subquery()
        connection.execute(sa.update(sealed).where(sealed.c.name == "b").values(data=first))
    assert here.get("run_1", ["a", "b"]) == {"a": b"1"}


def test_it_goes_when_its_time_is_over(place: Place) -> None:
    here = place.server(hours=2)
    here.put("run_1", {"state": TEXT, "table": LARGE})
    place.pass_hours(1.9)
    here.expire()
    assert here.names("run_1") == {"state", "table"}
    place.pass_hours(0.2)
    assert here.get("run_1", ["state", "table"]) == {}
    assert here.names("run_1") == set()
    assert len(place.rows()) == 2
    here.expire()
    assert (place.rows(), place.files()) == ([], [])


def test_replaced_and_removed_leave_no_bytes_behind(place: Place) -> None:
    here = place.server()
    here.put("run_1", {"table": LARGE})
    here.put("run_1", {"table": LARGE + TEXT})
    assert here.get("run_1", ["table"]) == {"table": LARGE + TEXT}
    assert len(place.files()) == 1
    here.put("run_1", {"table": TEXT})
    assert (here.get("run_1", ["table"]), place.files()) == ({"table": TEXT}, [])
    here.put("run_1", {"answer/1": LARGE, "answer/2": TEXT})
    here.put("run_2", {"answer/1": LARGE})
    here.forget(["run_1"], "answer/")
    assert here.names("run_1") == {"table"}
    here.remove("run_2", ["answer/1"])
    here.forget(["run_1", "run_2"])
    assert (place.rows(), place.files()) == ([], [])


def test_a_file_in_memory_is_read_by_the_other_server_until_it_is_removed(place: Place) -> None:
    here, there = (SealedBlobs(1 << 20, place.server()) for _ in range(2))
    sha256 = here.put(LARGE[:100_000])
    assert there.get(sha256) == LARGE[:100_000]
    with place.database.write() as connection:
        there.remove(sha256, connection)
    assert place.files() == []
    assert (here.get(sha256), there.get(sha256)) == (LARGE[:100_000], None)
    here.put(TEXT)
    place.pass_hours(25)
    here.sweep()
    assert place.rows() == []


def test_without_a_key_nothing_is_sealed_and_a_short_one_is_refused(place: Place) -> None:
    assert open_sealed(StorageSettings(), place.database, place.blobs) is None
    short = StorageSettings(sealing_key=SecretStr("k" * 31))
    with pytest.raises(InvalidSettings) as refusal:
        open_sealed(short, place.database, place.blobs)
    assert refusal.value.problem.text_id == "sealing_key_short"
    long = StorageSettings(sealing_key=SecretStr(KEY), sealed_hours=0.5)
    made = open_sealed(long, place.database, place.blobs)
    assert made is not None
    made.put("run_1", {"state": TEXT})
    left = sa.select(sealed.c.expires_at - DatabaseTime())
    with place.database.read() as connection:
        assert 1700 < connection.execute(left).scalar_one() <= 1800
