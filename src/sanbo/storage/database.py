"""One database for a workspace: SQLite in WAL mode by default, PostgreSQL by URL.

And statements for it that are more than SQLAlchemy's: compiled once, and by the database's clock.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Connection, Dialect, Engine
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.functions import FunctionElement

from sanbo.kernel.problems import InvalidSettings, StorageFailure
from sanbo.kernel.secrets import protect_url
from sanbo.kernel.settings import prepare_workspace
from sanbo.settings import Settings
from sanbo.storage.failures import DAMAGED, REFUSED, UNREACHABLE, storage_failure, told


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


BUSY_SECONDS = 30
FROZEN_SECONDS = 120
"""After which PostgreSQL takes back a transaction in which nothing is done. A machine that is
frozen within one would keep the others from what it has locked until its connection ends. What
is done elsewhere within a transaction (a file removed from a store) takes less."""
_MIGRATING = threading.Lock()
"""Also of threads with databases of their own: Alembic knows one at a time."""


class Database:
    """Short transactions only: `read()` to look, `write()` to change."""

    def __init__(self, url: str | sa.URL, direct_url: str | None = None) -> None:
        """`direct_url`: the server itself, where `url` is a pooler that gives every transaction
        another of its connections. Nothing then stays in a connection from one to the next, and
        what must stay has a connection to the server."""
        self.url = _address(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.is_pooled = direct_url is not None and not self.is_sqlite
        self.direct_url = _address(direct_url) if direct_url and self.is_pooled else self.url
        self._turn = threading.Lock() if self.is_sqlite else nullcontext()
        self.engine = (
            _sqlite_engine(self.url)
            if self.is_sqlite
            else _postgres_engine(self.url, prepares=not self.is_pooled)
        )

    @classmethod
    def in_workspace(
        cls, workspace: Path, url: str | None, direct_url: str | None = None
    ) -> "Database":
        if url is not None:
            return cls(url, direct_url)
        prepare_workspace(workspace)
        return cls(sa.URL.create("sqlite", database=str(workspace / "sanbo.db")))

    @property
    def description(self) -> str:
        """For people: where it is, and nothing else that the address may hold."""
        if self.is_sqlite:
            return self.url.database or ":memory:"
        host = (self.url.host or "").rpartition("@")[2]
        port = f":{self.url.port}" if self.url.port else ""
        return f"{self.url.get_backend_name()}://{host}{port}/{self.url.database or ''}"

    def migrate(self) -> None:
        """Brings the tables up to this version of Sanbo; does nothing when they are."""
        try:
            with self.read() as connection:
                if is_up_to_date(connection):
                    return
            with _MIGRATING, self._alone() as connection:
                upgrade(connection)
        except DatabaseError as error:
            if not self.is_sqlite:
                raise
            raise self.failure(error) from None

    @contextmanager
    def _alone(self) -> Generator[Connection]:
        """Of processes that start at once, one migrates, in as many transactions as it needs; the
        others wait and find nothing to do."""
        if self.is_sqlite:
            with self.write() as connection:
                yield connection
            return
        # Its own connection: the lock goes with it.
        server = sa.create_engine(self.direct_url, poolclass=sa.NullPool)
        with self._failures(), server.connect() as connection:
            connection.exec_driver_sql("SELECT pg_advisory_lock(5213907)")
            connection.commit()
            yield connection
            connection.commit()

    def can_store(self) -> bool:
        """Really writes; False where the tables are those of another version of Sanbo."""
        with self.write() as connection:
            touch(connection)
            return is_up_to_date(connection)

    def examine(self) -> None:
        """Goes through the whole of an SQLite file, and says so where something in it is wrong."""
        if not self.is_sqlite:
            return
        with self.read() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if found != "ok":
            raise told(DAMAGED, self.place, ValueError(found))

    @property
    def place(self) -> str:
        return str(Path(self.description).absolute()) if self.is_sqlite else self.description

    def failure(self, error: SQLAlchemyError) -> StorageFailure:
        """What a person is told of one that does not answer, or not well."""
        known = storage_failure(error, self.place)
        return known or told(REFUSED if self.is_sqlite else UNREACHABLE, self.place, error)

    @contextmanager
    def _failures(self) -> Generator[None]:
        try:
            yield
        # The driver's own too: what is done on its cursor does not pass through SQLAlchemy.
        except (SQLAlchemyError, self.engine.dialect.loaded_dbapi.Error) as error:
            failure = storage_failure(error, self.place)
            if failure is None:
                raise
            raise failure from error

    def time(self) -> float:
        """Seconds since 1970 by the clock that all machines share."""
        with self.read() as connection:
            return connection.execute(sa.select(DatabaseTime())).scalar_one()

    @contextmanager
    def read(self) -> Generator[Connection]:
        with self._failures(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Generator[Connection]:
        # SQLite takes one writer at a time, and makes others sleep for milliseconds between
        # looks; within a process it is better to queue.
        with self._failures(), self._turn, self.engine.connect() as connection:
            if self.is_sqlite:
                # Takes the write lock at once: a transaction that reads first and then wants
                # to write fails when another process has written in between.
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def write_quickly(self) -> Generator[Any]:
        """A transaction on the driver's own cursor, for `Prepared` statements only.

        SQLAlchemy's own connection costs several times what SQLite needs to store an event.
        """
        with self._turn, self.read_quickly() as cursor:
            if self.is_sqlite:
                cursor.execute("BEGIN IMMEDIATE")
            yield cursor
            cursor.connection.commit()

    @contextmanager
    def read_quickly(self) -> Generator[Any]:
        """The same to look only."""
        with self._failures():
            connection = self.engine.raw_connection()
            try:
                yield connection.cursor()
            except self.engine.dialect.loaded_dbapi.Error as error:
                if self.engine.dialect.is_disconnect(error, connection.dbapi_connection, None):
                    connection.invalidate(error)
                raise DBAPIError.instance(
                    None, None, error, self.engine.dialect.loaded_dbapi.Error
                ) from error
            finally:
                connection.close()  # back to the pool, which takes back what was not committed

    def close(self) -> None:
        self.engine.dispose()


def open_database(settings: Settings) -> Database:
    """The workspace's database, with its tables up to date."""
    url = settings.database_url.get_secret_value() if settings.database_url else None
    direct = settings.database_direct_url
    database = Database.in_workspace(
        settings.workspace, url, direct.get_secret_value() if direct else None
    )
    database.migrate()
    return database


def _address(url: str | sa.URL) -> sa.URL:
    if isinstance(url, str):
        protect_url(url)
    try:
        address = sa.make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidSettings("database_url_invalid", kind="?") from None
    if address.get_backend_name() not in ("sqlite", "postgresql"):
        raise InvalidSettings("database_url_invalid", kind=address.get_backend_name())
    if address.get_backend_name() == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    return address


def switch_to_wal(execute: Callable[[str], Any]) -> None:
    """Once in a file's life; of processes that try at the same time all but one are refused."""
    for _ in range(100):
        with suppress(sqlite3.OperationalError):
            if execute("PRAGMA journal_mode=WAL").fetchone()[0] == "wal":
                return
        time.sleep(0.05)
    execute("PRAGMA journal_mode=WAL")


def _sqlite_engine(url: sa.URL) -> Engine:
    engine = sa.create_engine(
        url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}, pool_size=8
    )

    def prepare(dbapi_connection: Any, _record: Any) -> None:
        # The driver must not open transactions by itself: `write` does.
        dbapi_connection.isolation_level = None
        cursor = dbapi_connection.cursor()
        switch_to_wal(cursor.execute)
        # Commits survive a killed process; a power cut may take the last ones, never the file.
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    event.listen(engine, "connect", prepare)
    return engine


def _postgres_engine(url: sa.URL, *, prepares: bool) -> Engine:
    # The driver prepares what it has sent five times, in the connection that it then has.
    given = {} if prepares else {"prepare_threshold": None}
    engine = sa.create_engine(
        url, pool_size=8, max_overflow=8, pool_pre_ping=True, connect_args=given
    )

    def prepare(dbapi_connection: Any, _record: Any) -> None:
        # A statement: poolers refuse it as an option of the connection.
        dbapi_connection.execute(
            f"SET idle_in_transaction_session_timeout = {FROZEN_SECONDS * 1000}"
        )
        dbapi_connection.commit()

    if prepares:  # a pooler in between has a limit of its own
        event.listen(engine, "connect", prepare)
    return engine


_VERSIONS = Path(__file__).parent / "migrations" / "versions"


def is_up_to_date(connection: Connection) -> bool:
    """Whether the newest migration was the last one made here."""
    newest = max((path.stem for path in _VERSIONS.glob("[0-9]*.py")), default="").partition("_")[0]
    try:
        made = connection.execute(sa.text("SELECT version_num FROM alembic_version"))
        return made.scalars().all() == [newest]
    except DatabaseError:  # a new file has no such table; what is damaged is told by the upgrade
        return False


def touch(connection: Connection) -> None:
    """Changes nothing, but is written like every change."""
    connection.execute(sa.text("UPDATE alembic_version SET version_num = version_num"))


def upgrade(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", "sanbo.storage:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
