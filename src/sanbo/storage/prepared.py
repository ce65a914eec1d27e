"""Statements on the hot path: written once with SQLAlchemy, compiled once for each database.

Executing a statement object costs more in Python than in the database; an event is two of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement


class Prepared:
    """Takes its parameters as the driver does: no types that need translating."""

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
