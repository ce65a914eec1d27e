"""Which run may see which bytes: uploads by people, and what runs have made."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sanbo.kernel.problems import NotFound
from sanbo.runs.model import FileRef
from sanbo.storage.blobs import Blobs, Content, MemoryBlobs, sha256_of
from sanbo.storage.database import Database, DatabaseTime, insert_into
from sanbo.storage.tables import run_files, runs, uploads

UNUSED_UPLOAD_SECONDS = 7 * 86_400


class RunFiles:
    """On disk, or for data that must not touch it, in memory until the process ends."""

    def __init__(self, database: Database, blobs: Blobs, memory: MemoryBlobs) -> None:
        self.database = database
        self.blobs = blobs
        self.memory = memory

    def keep(self, run_id: str, data: bytes, *, in_memory: bool = False) -> str:
        """Stores bytes that a run has made."""
        sha256 = hashlib.sha256(data).hexdigest()
        # The row first: bytes that a row names are not removed by whoever deletes another run.
        with self.database.write() as connection:
            self._lock(connection, sha256)
            self._insert_once(connection, run_files, {"run_id": run_id, "sha256": sha256})
        (self.memory if in_memory else self.blobs).put(data)
        return sha256

    def upload(
        self,
        owner: str,
        source: Path | bytes,
        name: str,
        media_type: str,
        received: str | None = None,
    ) -> FileRef:
        """Stores a file that a person sent, for use in that person's runs: bytes in memory.

        `received`: the hash of a file that is nobody's, and may be moved.
        """
        if isinstance(source, bytes):
            sha256, size = hashlib.sha256(source).hexdigest(), len(source)
        else:
            sha256, size = received or sha256_of(source), source.stat().st_size
        file = FileRef(file_id=sha256, name=name, size=size, media_type=media_type)
        row = {
            "owner": owner,
            "sha256": sha256,
            "name": name,
            "size": file.size,
            "media_type": media_type,
        }
        with self.database.write() as connection:
            self._lock(connection, sha256)
            # Sent again, it is as young as if it were new.
            same = (uploads.c.owner == owner) & (uploads.c.sha256 == sha256)
            connection.execute(sa.delete(uploads).where(same))
            connection.execute(sa.insert(uploads).values(created_at=DatabaseTime(), **row))
        if isinstance(source, bytes):
            self.memory.put(source)
        else:
            self.blobs.put_file(source, sha256=sha256, move=received is not None)
        return file

    def adopt(self, run_id: str, owner: str, files: list[FileRef]) -> None:
        """Gives a run the files that its owner named; a file of somebody else is not found."""
        with self.database.write() as connection:
            for file in files:
                found = connection.execute(
                    sa.select(uploads.c.sha256).where(
                        uploads.c.owner == owner, uploads.c.sha256 == file.file_id
                    )
                ).one_or_none()
                if found is None:
                    raise NotFound("file_not_found", name=file.name)
                self._insert_once(connection, run_files, {"run_id": run_id, "sha256": file.file_id})

    def check(self, owner: str, files: list[FileRef]) -> None:
        """That these are uploads of this owner."""
        with self.database.read() as connection:
            for file in files:
                query = sa.select(uploads.c.size).where(
                    uploads.c.owner == owner, uploads.c.sha256 == file.file_id
                )
                # The size too: limits are checked against what the caller says it is.
                if connection.execute(query).scalar_one_or_none() != file.size:
                    raise NotFound("file_not_found", name=file.name)

    def share(self, source_run_id: str, target_run_id: str) -> None:
        """A replay may see what the run it replays could see."""
        query = sa.select(sa.literal(target_run_id).label("run_id"), run_files.c.sha256).where(
            run_files.c.run_id == source_run_id
        )
        with self.database.write() as connection:
            connection.execute(sa.insert(run_files).from_select(["run_id", "sha256"], query))

    def belongs(self, run_id: str, sha256: str) -> bool:
        """To this run, or to another of its conversation: a later turn goes on with its files."""
        this = runs.alias()
        query = (
            sa.select(run_files.c.sha256)
            .join(runs, runs.c.run_id == run_files.c.run_id)
            .join(
                this,
                (this.c.conversation_id == runs.c.conversation_id) & (this.c.owner == runs.c.owner),
            )
            .where(this.c.run_id == run_id, run_files.c.sha256 == sha256)
        )
        with self.database.read() as connection:
            return connection.execute(query).first() is not None

    def read(self, sha256: str) -> bytes:
        content = self.memory.get(sha256)
        return self.blobs.get(sha256) if content is None else content

    def locate(self, sha256: str) -> Path | bytes:
        """Where the bytes are on disk, or themselves where they are kept in memory. Blocking."""
        content = self.memory.get(sha256)
        return self.blobs.path(sha256) if content is None else content

    def content(self, sha256: str) -> Content:
        """For who hands the bytes on, a piece at a time. Blocking."""
        held = self.memory.get(sha256)
        if held is None:
            return self.blobs.content(sha256)
        return Content(len(held), lambda start, end: iter((held[start:end],)))

    def of_run(self, run_id: str) -> list[str]:
        query = sa.select(run_files.c.sha256).where(run_files.c.run_id == run_id)
        with self.database.read() as connection:
            return list(connection.execute(query).scalars())

    def let_go(self, run_ids: Sequence[str]) -> None:
        """Removes what is these runs' alone; the runs themselves stay."""
        theirs = sa.delete(run_files).where(run_files.c.run_id.in_(run_ids))
        with self.database.write() as connection:
            files = set(connection.execute(theirs.returning(run_files.c.sha256)).scalars())
        self.remove_unused(files)

    def remove_unused(self, sha256s: Iterable[str]) -> None:
        """Removes the bytes that no run and no upload names any more."""
        for sha256 in sha256s:
            # In one transaction, so that nobody adopts a file while it is being removed.
            with self.database.write() as connection:
                self._lock(connection, sha256)
                if not self._is_used(connection, sha256):
                    self.blobs.remove(sha256)
                    self.memory.remove(sha256, connection)

    def expire_uploads(self) -> None:
        """Forgets uploads that have waited for a week."""
        old = uploads.c.created_at < DatabaseTime() - UNUSED_UPLOAD_SECONDS
        with self.database.write() as connection:
            forgotten = sa.delete(uploads).where(old).returning(uploads.c.sha256)
            gone = list(connection.execute(forgotten).scalars())
        self.remove_unused(gone)

    def tidy(self) -> None:
        """What is due once an hour, and where a server starts: first, whether files can be kept."""
        self.blobs.check()
        self.expire_uploads()
        self.blobs.sweep()
        self.memory.sweep()

    def _is_used(self, connection: Connection, sha256: str) -> bool:
        used = sa.union_all(
            sa.select(run_files.c.sha256).where(run_files.c.sha256 == sha256),
            sa.select(uploads.c.sha256).where(uploads.c.sha256 == sha256),
        )
        return connection.execute(used).first() is not None

    def _lock(self, connection: Connection, sha256: str) -> None:
        """Until the transaction ends nobody else adds or removes these bytes."""
        if not self.database.is_sqlite:  # where every write transaction is alone anyway
            key = int(sha256[:15], 16)
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))

    def _insert_once(
        self, connection: Connection, table: sa.Table, row: Mapping[str, object]
    ) -> None:
        insert = insert_into(table, is_sqlite=self.database.is_sqlite)
        connection.execute(insert.on_conflict_do_nothing(), dict(row))
