"""The doctor: whether everything that Sanbo needs is in place, and what to do where it is not."""

import os
import shutil
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict
from sqlalchemy.exc import SQLAlchemyError

from sanbo.agents.grace.settings import PLACE as GRACE_PLACE
from sanbo.kernel.messages import tell
from sanbo.kernel.private_files import is_open_to_others
from sanbo.kernel.problems import Problem, SanboError
from sanbo.kernel.secrets import redact
from sanbo.kernel.settings import FILE, prepare_workspace
from sanbo.llm.engine import RULES, choose_engine
from sanbo.llm.vendors import VENDORS
from sanbo.retrieval.library import Library
from sanbo.sandbox import jobs
from sanbo.sandbox.client import Sandbox
from sanbo.service.access import Access, is_loopback
from sanbo.settings import Settings
from sanbo.storage.blob_place import open_blobs
from sanbo.storage.database import Database
from sanbo.storage.failures import UNREACHABLE, told

OLDEST_PYTHON = (3, 11)
LITTLE_SPACE = 1_000_000_000
NO_SPACE = 100_000_000
CONNECT_SECONDS = 5

Level = Literal["ok", "warning", "broken"]


class Check(BaseModel):
    """One thing that was looked at; a hint says what to do, or what could be done."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    level: Level
    text: str
    hint: str = ""


def examine(settings: Settings | Problem) -> list[Check]:
    """Looks and changes nothing, except that an existing database is brought up to date, and
    that an existing workspace is closed to others.

    Takes the problem instead where the settings could not be read.
    """
    if isinstance(settings, Problem):
        return [_python(), _broken("settings", settings)]
    looks: tuple[Callable[[Settings], Check], ...] = (
        _settings,
        _workspace,
        _disk,
        _database,
        _blobs,
        _grace,
        _engine,
        _keys,
        _port,
        _sandbox,
    )
    return [_python(), *(look(settings) for look in looks)]


def _check(name: str, level: Level, text: str, hint: str = "", **params: str) -> Check:
    return Check(
        name=name,
        title=tell(f"doctor.{name}.title"),
        level=level,
        text=tell(f"doctor.{name}.{text}", None, **params),
        hint=tell(f"doctor.{name}.{hint}", None, **params) if hint else "",
    )


def _broken(name: str, problem: Problem) -> Check:
    return Check(
        name=name,
        title=tell(f"doctor.{name}.title"),
        level="broken",
        text=problem.message,
        hint=problem.hint,
    )


def _python() -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] < OLDEST_PYTHON:
        return _check("python", "broken", "old", "old_hint", version=version)
    return _check("python", "ok", "ok", version=version)


def _settings(settings: Settings) -> Check:
    path = settings.workspace / FILE
    if path.exists():
        return _check("settings", "ok", "ok", path=str(path))
    return _check("settings", "ok", "none", "none_hint", path=str(path))


def _workspace(settings: Settings) -> Check:
    folder = settings.workspace.absolute()
    existing = _nearest_existing(folder)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return _check("workspace", "broken", "refused", "refused_hint", path=str(folder))
    if existing != folder:
        return _check("workspace", "ok", "none", path=str(folder))
    if is_open_to_others(folder):
        prepare_workspace(folder)
        text = "open" if is_open_to_others(folder) else "closed"
        return _check("workspace", "warning", text, f"{text}_hint", path=str(folder))
    return _check("workspace", "ok", "ok", path=str(folder))


def _disk(settings: Settings) -> Check:
    free = shutil.disk_usage(_nearest_existing(settings.workspace.absolute())).free
    figure = f"{free / 1_000_000_000:,.1f}"
    if free < NO_SPACE:
        return _check("disk", "broken", "free", "little_hint", free=figure)
    if free < LITTLE_SPACE:
        return _check("disk", "warning", "free", "little_hint", free=figure)
    return _check("disk", "ok", "free", free=figure)


def _database(settings: Settings) -> Check:
    url = settings.database_url.get_secret_value() if settings.database_url else None
    if url is None and not settings.workspace.is_dir():
        return _check("database", "ok", "none")
    try:
        database = Database.in_workspace(settings.workspace, url)
        try:
            _knock(database)
            database.migrate()
            database.examine()
            database.can_store()
        finally:
            database.close()
    except SanboError as error:
        return _broken("database", error.problem)
    except (SQLAlchemyError, ImportError, ValueError) as error:
        # Not a URL, or one of a database that Sanbo does not know.
        reason = redact(str(error)).splitlines()[0]
        return _check("database", "broken", "wrong", "wrong_hint", reason=reason)
    return _check("database", "ok", "ok", database=database.description)


def _knock(database: Database) -> None:
    """A server that does not answer is reported after seconds; its driver would wait minutes."""
    url = database.url
    if database.is_sqlite or url.host is None:
        return
    try:
        with socket.create_connection((url.host, url.port or 5432), timeout=CONNECT_SECONDS):
            pass
    except OSError as error:
        raise told(UNREACHABLE, database.place, OSError(error.strerror or str(error))) from None


def _blobs(settings: Settings) -> Check:
    try:
        blobs = open_blobs(settings)
        try:
            blobs.check()
        finally:
            blobs.close()
    except SanboError as error:
        return _broken("blobs", error.problem)
    return _check("blobs", "ok", "ok", place=blobs.place)


def _grace(settings: Settings) -> Check:
    """Which file set GRACE up, and whether the collections that it names are there."""
    file = GRACE_PLACE.found(settings.workspace)
    grace = settings.grace
    named = dict.fromkeys((*filter(None, [grace.default_collection]), *grace.collections))
    missing = [name for name in named if not _is_collection(name, settings)] if named else []
    if missing:
        names = "、".join(missing)
        return _check("grace", "warning", "missing", "missing_hint", names=names)
    if file is None:
        return _check("grace", "ok", "none", file=GRACE_PLACE.file.as_posix())
    return _check("grace", "ok", "ok", path=str(file.absolute()))


def _is_collection(name: str, settings: Settings) -> bool:
    if settings.retrieval.engine == "azure" and settings.retrieval.azure_fields:
        return True  # it may be an index that others keep: only the server knows
    try:
        with _opened(settings) as database:
            return database is not None and Library(database, settings).exists(name)
    except (SanboError, SQLAlchemyError):  # the check of the database says more
        return False


def _engine(settings: Settings) -> Check:
    try:
        engine = choose_engine(settings.llm)
    except SanboError as error:
        return _broken("engine", error.problem)
    if engine == RULES:
        return _check("engine", "ok", "rules", "rules_hint")
    place = f" ({engine.base_url_host})" if engine.base_url_host else ""
    return _check("engine", "ok", "ok", provider=engine.provider, model=f"{engine.model}{place}")


def _keys(settings: Settings) -> Check:
    """Whether keys are there; never what they are."""
    states: list[str] = []
    for vendor in VENDORS.values():
        state = "set" if vendor.key_of(settings.llm) else "unset"
        states.append(f"{vendor.key_place.variable}: " + tell(f"doctor.keys.{state}"))
    return _check("keys", "ok", "list", states=", ".join(states))


def _port(settings: Settings) -> Check:
    host, port = settings.server.host, settings.server.port
    address = f"{host}:{port}"
    if not is_loopback(host) and not _has_token(settings):
        return _check("port", "warning", "open", "open_hint", address=address)
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            if os.name == "posix":  # as servers do; a port that was just given up is free
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except OSError as error:
        reason = error.strerror or str(error)
        return _check("port", "warning", "taken", "taken_hint", address=address, reason=reason)
    return _check("port", "ok", "ok", address=address)


def _sandbox(_: Settings) -> Check:
    """Really started: what a kernel offers and what a container lets through are two things."""
    try:
        with Sandbox(jobs.__name__) as sandbox:
            level = sandbox.level
    except SanboError as error:
        return _broken("sandbox", error.problem)
    return Check(
        name="sandbox",
        title=tell("doctor.sandbox.title"),
        level="ok" if level.is_full else "warning",
        text=level.text(),
        hint=level.hint(),
    )


def _has_token(settings: Settings) -> bool:
    try:
        with _opened(settings) as database:
            return database is not None and bool(Access(database).list_tokens())
    except (SanboError, SQLAlchemyError):  # the check of the database says more
        return False


@contextmanager
def _opened(settings: Settings) -> Generator[Database | None]:
    """None where there is no database yet: looking makes none."""
    url = settings.database_url.get_secret_value() if settings.database_url else None
    if url is None and not (settings.workspace / "sanbo.db").exists():
        yield None
        return
    database = Database.in_workspace(settings.workspace, url)
    try:
        yield database
    finally:
        database.close()


def _nearest_existing(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.exists())
