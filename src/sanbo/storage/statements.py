"""Statements of SQLAlchemy that are more than those: compiled once, and by the database's clock."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.functions import FunctionElement


class DatabaseTime(FunctionElement[float]):
    """Seconds since 1970 at the moment at which the database comes to this expression.

    The only clock that all processes of all machines share. Machines differ by minutes, and one
    that is ahead would take every lease of the others for over.
    """

    inherit_cache = True
    type = sa.Float()


@compiles(DatabaseTime, "postgresql")
def _on_postgresql(*_: Any, **__: Any) -> str:
    # Not `now()`, which is when the transaction began: it may have waited for a lock since.
    return "CAST(extract(epoch from clock_timestamp()) AS double precision)"


@compiles(DatabaseTime, "sqlite")
def _on_sqlite(*_: Any, **__: Any) -> str:
    # `unixepoch('subsec')` needs SQLite 3.42; Pythons that are in use bring older ones.
    return "((julianday('now') - 2440587.5) * 86400.0)"


def insert_into(table: sa.Table, *, is_sqlite: bool) -> sqlite.Insert:
    """One that can say what to do `on_conflict`: both databases have the same words for it."""
    if is_sqlite:
        return sqlite.insert(table)
    # Here: every command would wait for a dialect that few use.
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415

    return cast("sqlite.Insert", postgresql.insert(table))


class Prepared:
    """On the hot path: compiled once for each database.

    Executing a statement object costs more in Python than in the database; an event is two of them.
    Takes its parameters as the driver does: no types that need translating.
    """

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._texts: dict[str, tuple[str, tuple[str, ...] | None]] = {}

    def execute(self, cursor: Any, dialect: Dialect, parameters: Mapping[str, Any]) -> int:
        """How many rows it has changed."""
        text, names = self._compiled(dialect, parameters)
        cursor.execute(text, _ordered(parameters, names))
        return cursor.rowcount

    def execute_many(
        self, cursor: Any, dialect: Dialect, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        text, names = self._compiled(dialect, rows[0])
        cursor.executemany(text, [_ordered(row, names) for row in rows])

    def _compiled(
        self, dialect: Dialect, parameters: Mapping[str, Any]
    ) -> tuple[str, tuple[str, ...] | None]:
        if dialect.name not in self._texts:
            compiled: Any = self._statement.compile(dialect=dialect, column_keys=list(parameters))
            names = tuple(compiled.positiontup) if compiled.positional else None
            self._texts[dialect.name] = (str(compiled), names)
        return self._texts[dialect.name]


def _ordered(parameters: Mapping[str, Any], names: tuple[str, ...] | None) -> Any:
    return dict(parameters) if names is None else tuple(parameters[name] for name in names)
