"""An empty SQLite file's tables, written as the first migration of this process left them.

Going through all migrations takes fifty milliseconds, in each of thousands of workspaces. That they
lead there is checked in `tests/unit/storage`, which migrates as shipped. PostgreSQL copies whole
databases: see `migrated` in `tests/conftest.py`.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sanbo.storage import database
from sanbo.storage.database import upgrade

_TRANSACTION = ("BEGIN TRANSACTION;", "COMMIT;")
_statements: list[str] = []


def _write_tables(connection: Connection) -> None:
    if connection.dialect.name != "sqlite" or sa.inspect(connection).get_table_names():
        upgrade(connection)
    elif _statements:
        for statement in _statements:
            connection.exec_driver_sql(statement)
    else:
        upgrade(connection)
        file = cast("sqlite3.Connection", connection.connection.driver_connection)
        _statements.extend(line for line in file.iterdump() if line not in _TRANSACTION)


@contextmanager
def kept() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "upgrade", _write_tables)
        yield


def are_kept() -> bool:
    return database.upgrade is _write_tables


@contextmanager
def as_shipped() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "upgrade", upgrade)
        yield
