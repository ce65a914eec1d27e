"""Databases that belong to others, asked and never changed: PostgreSQL and SQLite by their URL."""

import base64
import math
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as clock
from decimal import Decimal
from typing import Any, cast
from urllib.parse import quote

import sqlalchemy as sa
from pydantic import JsonValue
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from sanbo.kernel.problems import (
    InvalidInput,
    InvalidSettings,
    PermissionDenied,
    ProviderFailed,
    SanboError,
    TimedOut,
)
from sanbo.kernel.secrets import protect_url, redact

_READING = ("select", "with", "values")
_READ_ONLY = ("25006", "42501")
_CANCELLED = "57014"
_CONNECT_SECONDS = 10
_STEPS = 10_000
"""Of SQLite, between two looks at the clock."""
_ALLOWED = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
    }
)


@dataclass(frozen=True)
class Answer:
    columns: list[str]
    rows: list[dict[str, JsonValue]]
    is_cut: bool
    """Whether there are more rows than were wanted."""


def refuse_changes(sql: str) -> None:
    """Before anything is asked; the database itself is told to read only as well."""
    first = sql.split(None, 1)[0].lower().rstrip("(") if sql.strip() else ""
    if first not in _READING:
        raise InvalidInput("sql_not_a_question", port="sql", word=first or "–")


def names_in(sql: str) -> frozenset[str]:
    """The parameters that a statement has: `:month`."""
    return frozenset(sa.text(sql).compile().params)


def ask(
    url: str, sql: str, parameters: Mapping[str, JsonValue], *, most_rows: int, seconds: float
) -> Answer:
    refuse_changes(sql)
    lists = [name for name, value in parameters.items() if isinstance(value, list)]
    expanding: list[sa.BindParameter[Any]] = [sa.bindparam(name, expanding=True) for name in lists]
    statement = sa.text(sql).bindparams(*expanding)
    engine = _engine(url, seconds)
    try:
        with engine.connect() as connection, connection.begin():
            return _asked(connection, statement, parameters, most_rows)
    except SQLAlchemyError as error:
        raise _problem(error, seconds) from None
    finally:
        engine.dispose()


def _asked(
    connection: Connection,
    statement: sa.TextClause,
    parameters: Mapping[str, JsonValue],
    most_rows: int,
) -> Answer:
    _allow_reading_alone(connection)
    result = connection.execution_options(stream_results=True).execute(statement, dict(parameters))
    columns = list(result.keys())
    if len(set(columns)) < len(columns):
        raise InvalidInput("sql_columns_alike", port="sql")
    found = result.fetchmany(most_rows + 1)
    rows = [
        {name: _json(value) for name, value in zip(columns, row, strict=True)}
        for row in found[:most_rows]
    ]
    return Answer(columns, rows, len(found) > most_rows)


def _engine(url: str, seconds: float) -> Engine:
    protect_url(url)
    try:
        address = sa.make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidSettings("sql_connection_invalid") from None
    if address.get_backend_name() == "sqlite" and address.database:
        path, deadline = address.database, time.monotonic() + seconds
        return sa.create_engine(
            "sqlite://", creator=lambda: _sqlite(path, deadline), poolclass=NullPool
        )
    if address.get_backend_name() == "postgresql":
        options = f"-c default_transaction_read_only=on -c statement_timeout={int(seconds * 1000)}"
        return sa.create_engine(
            address.set(drivername="postgresql+psycopg"),
            poolclass=NullPool,
            connect_args={"options": options, "connect_timeout": _CONNECT_SECONDS},
        )
    raise InvalidSettings("sql_connection_invalid")


def _sqlite(path: str, deadline: float) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, check_same_thread=False)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    return connection


def _allow_reading_alone(connection: Connection) -> None:
    """No other file either: ATTACH is not among what is allowed."""
    raw = connection.connection.driver_connection
    if isinstance(raw, sqlite3.Connection):
        raw.set_authorizer(_judged)


def _judged(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _problem(error: SQLAlchemyError, seconds: float) -> SanboError:
    original = error.orig if isinstance(error, DBAPIError) else None
    reason = redact(" ".join(str(original or error).split())[:300])
    state = getattr(original, "sqlstate", None) or ""
    if state == _CANCELLED or reason == "interrupted":
        return TimedOut("sql_slow", seconds=seconds)
    if state in _READ_ONLY or "not authorized" in reason or "readonly" in reason:
        return PermissionDenied("sql_read_only", reason=reason)
    is_from_server = original is not None and not isinstance(original, sqlite3.Error)
    if "unable to open" in reason or (is_from_server and not state):
        return ProviderFailed("sql_unreachable", reason=reason)
    return InvalidInput("sql_refused", port="sql", reason=reason)


def _json(value: object) -> JsonValue:  # noqa: PLR0911 - one for each kind
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            if not value.is_finite():
                return None
            return int(value) if value == value.to_integral_value() else float(value)
        case date() | datetime() | clock():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes():
            return base64.b64encode(value).decode()
        case list() | tuple():
            return [_json(each) for each in cast("list[object]", value)]
        case dict():
            pairs = cast("dict[str, object]", value)
            return {str(key): _json(each) for key, each in pairs.items()}
        case _:
            return str(value)
