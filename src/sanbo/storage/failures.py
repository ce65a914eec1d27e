"""Disks and databases that refuse their service, as problems: what it is, and what to do about it.

They pass, or a person makes them pass, so whoever meets one may try again; only what is damaged
must be put in order first.
"""

import errno
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from sanbo.kernel.problems import StorageDamaged, StorageFailure, StorageUnavailable
from sanbo.kernel.secrets import redact

FULL, BUSY, READ_ONLY = "storage_full", "database_busy", "database_read_only"
DAMAGED, REFUSED, UNREACHABLE = "database_damaged", "database_file_refused", "database_unreachable"

_SQLITE = {
    "SQLITE_FULL": FULL,
    "SQLITE_BUSY": BUSY,
    "SQLITE_LOCKED": BUSY,
    "SQLITE_PROTOCOL": BUSY,
    "SQLITE_READONLY": READ_ONLY,
    "SQLITE_PERM": READ_ONLY,
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_NOTADB": DAMAGED,
    "SQLITE_CANTOPEN": REFUSED,
    "SQLITE_IOERR": REFUSED,
}
"""By the beginning of the error's name: SQLITE_IOERR_WRITE and so on."""

# https://www.postgresql.org/docs/current/errcodes-appendix.html
_POSTGRES = {
    "53100": FULL,
    "55P03": BUSY,
    "57014": BUSY,
    "40P01": BUSY,
    "40001": BUSY,
    "25006": READ_ONLY,
    "25P03": UNREACHABLE,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
    "53": UNREACHABLE,
    "57P": UNREACHABLE,
    "08": UNREACHABLE,
}

_DISK = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EFBIG: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: READ_ONLY,
    errno.EPERM: READ_ONLY,
    errno.EIO: REFUSED,
}


def storage_failure(error: Exception, place: str) -> StorageFailure | None:
    """What a person is told of a database's error; None where the database is not to blame."""
    text_id = _kind(error)
    return None if text_id is None else told(text_id, place, error)


def told(text_id: str, place: str, error: Exception) -> StorageFailure:
    cause = getattr(error, "orig", None) or error
    reason = redact(str(cause)).strip() or type(cause).__name__
    kind = StorageDamaged if text_id == DAMAGED else StorageUnavailable
    return kind(text_id, place=place, reason=reason)


def _kind(error: Exception) -> str | None:
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        return _listed(_SQLITE, getattr(cause, "sqlite_errorname", ""))
    if isinstance(error, PoolExhausted):
        return BUSY
    state = getattr(cause, "sqlstate", None)
    if found := _listed(_POSTGRES, state or ""):
        return found
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return UNREACHABLE
    # By name: the driver of a database that nobody uses is not loaded.
    is_operational = any(kind.__name__ == "OperationalError" for kind in type(cause).__mro__)
    return UNREACHABLE if is_operational else None


def _listed(kinds: dict[str, str], name: str) -> str | None:
    return next((kind for begin, kind in kinds.items() if name.startswith(begin)), None)


@contextmanager
def disk_failures(place: Path) -> Generator[None]:
    """Around what writes a file: a disk that is full or read-only is told as such."""
    try:
        yield
    except OSError as error:
        text_id = _DISK.get(error.errno or 0)
        if text_id is None:
            raise
        reason = OSError(error.strerror or str(error))
        raise told(text_id, str(place.absolute()), reason) from error
