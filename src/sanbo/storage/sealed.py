"""What is kept in memory, for other servers and for a stated time: encrypted, so that nobody who
has the database and the blobs, but not the key, can read it.

AES-256-GCM with a key that the servers have in their environment. Each piece is bound to its run
and its name: put in the place of another, it is nothing. What was sealed with another key, or was
changed, is as if it had been forgotten.
"""

import hashlib
import logging
import secrets
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from sanbo.kernel.problems import InvalidSettings, NotFound
from sanbo.storage.blobs import Blobs, MemoryBlobs
from sanbo.storage.database import Database, DatabaseTime, insert_into
from sanbo.storage.settings import StorageSettings
from sanbo.storage.tables import sealed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

logger = logging.getLogger(__name__)

LARGEST_IN_ROW = 1 << 15
"""Bytes; what is larger is a blob."""
SHORTEST_KEY = 32
NONCE_BYTES = 12
NO_RUN, FILE = "", "file/"
"""Files may be several runs'."""


class Sealed:
    """Blocking, like the database."""

    def __init__(self, database: Database, blobs: Blobs, key: str, hours: float) -> None:
        self._database = database
        self._blobs = blobs
        self._cipher = _cipher(key)
        self._seconds = hours * 3600

    def put(self, run_id: str, pieces: Mapping[str, bytes]) -> None:
        """By name; what had the same name is replaced."""
        closed = {name: self._close(run_id, name, data) for name, data in pieces.items()}
        large = {
            name: hashlib.sha256(data).hexdigest()
            for name, data in closed.items()
            if len(data) > LARGEST_IN_ROW
        }
        # The rows first: bytes that no row names would never be removed.
        with self._database.write() as connection:
            before = set(connection.execute(self._blobs_of(run_id, pieces)).scalars())
            insert = insert_into(sealed, is_sqlite=self._database.is_sqlite).values(
                [
                    {
                        "run_id": run_id,
                        "name": name,
                        "data": None if name in large else data,
                        "sha256": large.get(name),
                        "expires_at": DatabaseTime() + self._seconds,
                    }
                    for name, data in closed.items()
                ]
            )
            new = {each: insert.excluded[each] for each in ("data", "sha256", "expires_at")}
            connection.execute(
                insert.on_conflict_do_update(index_elements=["run_id", "name"], set_=new)
            )
        for name in large:
            self._blobs.put(closed[name])
        with self._database.read() as connection:
            named = set(connection.execute(self._blobs_of(run_id, pieces)).scalars())
        # Another process may have put the same in the meantime.
        self._remove_blobs((before | set(large.values())) - named)

    def get(self, run_id: str, names: Collection[str]) -> dict[str, bytes]:
        """Those that are there and whose time is not over."""
        if not names:
            return {}
        query = sa.select(sealed.c.name, sealed.c.data, sealed.c.sha256).where(
            sealed.c.run_id == run_id,
            sealed.c.name.in_(names),
            sealed.c.expires_at > DatabaseTime(),
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        found = {row.name: self._open(run_id, row) for row in rows}
        return {name: data for name, data in found.items() if data is not None}

    def names(self, run_id: str) -> set[str]:
        query = sa.select(sealed.c.name).where(
            sealed.c.run_id == run_id, sealed.c.expires_at > DatabaseTime()
        )
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())

    def remove(self, run_id: str, names: Collection[str], within: Connection | None = None) -> None:
        """`within`: a transaction that is under way."""
        which = (sealed.c.run_id == run_id) & sealed.c.name.in_(names)
        if within is None:
            self._remove(which)
        else:
            self._remove_from(within, which)

    def forget(self, run_ids: Collection[str], kind: str = "") -> None:
        """All of these runs, or all whose name begins so."""
        self._remove(sealed.c.run_id.in_(run_ids) & sealed.c.name.startswith(kind, autoescape=True))

    def expire(self) -> None:
        self._remove(sealed.c.expires_at <= DatabaseTime())

    def _remove(self, which: sa.ColumnElement[bool]) -> None:
        with self._database.write() as connection:
            self._remove_from(connection, which)

    def _remove_from(self, connection: Connection, which: sa.ColumnElement[bool]) -> None:
        gone = sa.delete(sealed).where(which).returning(sealed.c.sha256)
        # Before that is committed: bytes that no row names would never be removed.
        self._remove_blobs(sha for sha in connection.execute(gone).scalars().all() if sha)

    def _remove_blobs(self, sha256s: Iterable[str]) -> None:
        for sha256 in sha256s:
            self._blobs.remove(sha256)

    @staticmethod
    def _blobs_of(run_id: str, names: Collection[str]) -> sa.Select[Any]:
        return sa.select(sealed.c.sha256).where(
            sealed.c.run_id == run_id, sealed.c.name.in_(names), sealed.c.sha256.is_not(None)
        )

    def _close(self, run_id: str, name: str, data: bytes) -> bytes:
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, data, _place(run_id, name))

    def _open(self, run_id: str, row: Any) -> bytes | None:
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as below

        try:
            data: bytes = row.data if row.sha256 is None else self._blobs.get(row.sha256)
            nonce, rest = data[:NONCE_BYTES], data[NONCE_BYTES:]
            return self._cipher.decrypt(nonce, rest, _place(run_id, row.name))
        except (InvalidTag, NotFound):
            logger.warning("what was sealed for run %r can't be opened: %s", run_id, row.name)
            return None


class SealedBlobs(MemoryBlobs):
    """In memory, and sealed for other servers, which open what they read each time anew."""

    def __init__(self, limit_bytes: int, sealed: Sealed) -> None:
        super().__init__(limit_bytes)
        self._sealed = sealed

    @override
    def put(self, data: bytes) -> str:
        sha256 = super().put(data)
        self._sealed.put(NO_RUN, {f"{FILE}{sha256}": data})
        return sha256

    @override
    def get(self, sha256: str) -> bytes | None:
        if (here := super().get(sha256)) is not None:
            return here
        name = f"{FILE}{sha256}"
        return self._sealed.get(NO_RUN, [name]).get(name)

    @override
    def remove(self, sha256: str, within: Connection) -> None:
        super().remove(sha256, within)
        self._sealed.remove(NO_RUN, [f"{FILE}{sha256}"], within)

    @override
    def sweep(self) -> None:
        self._sealed.expire()


def open_sealed(settings: StorageSettings, database: Database, blobs: Blobs) -> Sealed | None:
    """None where what is in memory stays there alone."""
    if settings.sealing_key is None:
        return None
    key = settings.sealing_key.get_secret_value()
    if len(key) < SHORTEST_KEY:
        raise InvalidSettings("sealing_key_short", shortest=SHORTEST_KEY)
    return Sealed(database, blobs, key, settings.sealed_hours)


def _place(run_id: str, name: str) -> bytes:
    return f"{run_id}/{name}".encode()


def _cipher(key: str) -> "AESGCM":
    # Few have a key, and every command would wait for it.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"sanbo sealed")
    return AESGCM(derived.derive(key.encode()))
