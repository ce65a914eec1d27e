"""The database's clock: the only one that all processes of all machines share.

Machines differ by minutes, and one that is ahead would take every lease of the others for over.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class DatabaseTime(FunctionElement[float]):
    """Seconds since 1970 at the moment at which the database comes to this expression."""

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
