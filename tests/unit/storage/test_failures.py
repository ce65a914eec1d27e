"""Which error of a database or a disk is which problem."""

import errno
from pathlib import Path

import psycopg
import pytest
from psycopg import errors
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from sanbo.kernel.problems import StorageDamaged, StorageUnavailable
from sanbo.storage.failures import disk_failures, storage_failure


def wrapped(error: Exception) -> Exception:
    return DBAPIError.instance("SELECT 1", None, error, psycopg.Error)


@pytest.mark.parametrize(
    ("error", "text_id"),
    [
        (errors.DiskFull("no space left"), "storage_full"),
        (errors.ReadOnlySqlTransaction("read-only"), "database_read_only"),
        (errors.LockNotAvailable("locked"), "database_busy"),
        (errors.AdminShutdown("terminating"), "database_unreachable"),
        (errors.TooManyConnections("sorry"), "database_unreachable"),
        (errors.IdleInTransactionSessionTimeout("terminating"), "database_unreachable"),
        (errors.DataCorrupted("invalid page"), "database_damaged"),
        (psycopg.OperationalError("connection refused"), "database_unreachable"),
    ],
)
def test_what_postgresql_says_is_told_wrapped_or_not(error: Exception, text_id: str) -> None:
    for each in (error, wrapped(error)):
        failure = storage_failure(each, "postgresql://h/db")
        assert failure is not None
        assert failure.problem.text_id == text_id
        assert "postgresql://h/db" in failure.problem.message
        assert isinstance(failure, StorageDamaged) is (text_id == "database_damaged")


def test_a_pool_that_is_exhausted_is_busy() -> None:
    failure = storage_failure(PoolExhausted("QueuePool limit"), "db")
    assert failure is not None
    assert failure.problem.text_id == "database_busy"


def test_what_is_no_failure_of_the_storage_stays_what_it_is() -> None:
    assert (
        storage_failure(IntegrityError("INSERT", None, errors.UniqueViolation("twice")), "") is None
    )
    assert storage_failure(wrapped(errors.SyntaxError("SELEKT")), "") is None


@pytest.mark.parametrize(
    ("number", "text_id"),
    [
        (errno.ENOSPC, "storage_full"),
        (errno.EDQUOT, "storage_full"),
        (errno.EROFS, "database_read_only"),
        (errno.EIO, "database_file_refused"),
    ],
)
def test_what_a_disk_says_is_told(tmp_path: Path, number: int, text_id: str) -> None:
    with pytest.raises(StorageUnavailable) as refused, disk_failures(tmp_path):
        raise OSError(number, "so it is")
    assert refused.value.problem.text_id == text_id
    assert str(tmp_path) in refused.value.problem.message


def test_a_file_that_is_not_there_is_no_failure_of_the_disk(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), disk_failures(tmp_path):
        (tmp_path / "nothing").read_bytes()
