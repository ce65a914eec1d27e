"""Statements on the hot path: written once with SQLAlchemy, compiled once for each database.

Executing a statement object costs more in Python than in the database; an event is two of them.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.engine import Connection, CursorResult
from sqlalchemy.sql import ClauseElement


class Prepared:
    """Takes its parameters as the driver does: no types that need translating."""

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._texts: dict[str, tuple[str, tuple[str, ...] | None]] = {}

    def execute(self, connection: Connection, parameters: Mapping[str, Any]) -> CursorResult[Any]:
        dialect = connection.dialect
        if dialect.name not in self._texts:
            compiled: Any = self._statement.compile(dialect=dialect, column_keys=list(parameters))
            names = tuple(compiled.positiontup) if compiled.positional else None
            self._texts[dialect.name] = (str(compiled), names)
        text, names = self._texts[dialect.name]
        given = dict(parameters) if names is None else tuple(parameters[name] for name in names)
        return connection.exec_driver_sql(text, given)
