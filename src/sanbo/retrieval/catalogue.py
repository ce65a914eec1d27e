"""Which collections there are, which version of each document counts, and its text as it was read,
which a hit is shown and cited from.

A version's chunks are written to the engine first and named here after: the one transaction that
makes a new version count is also the one that makes the old one not count any more.
"""

import gzip
import json
import secrets
import shutil
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any, Self

import sqlalchemy as sa
from pydantic import Field, TypeAdapter
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from sanbo.documents.chunks import Chunk, Cut
from sanbo.documents.model import Document, Position
from sanbo.kernel.problems import NotFound, Problem
from sanbo.retrieval.model import CollectionInfo, DocumentInfo, EngineName, Frozen
from sanbo.storage.database import Database, DatabaseTime, Prepared, insert_into
from sanbo.storage.tables import collections, document_texts, documents, leftovers

_PROBLEMS = TypeAdapter(tuple[Problem, ...])
# A writer elsewhere may still be at work on what is younger.
ABANDONED_SECONDS = 3600.0
_ASKED_AT_ONCE = 20
# Every search asks this, of about so many: whoever asks of fewer names one of them again.
_IDS = tuple(f"id{number}" for number in range(_ASKED_AT_ONCE))
_VERSIONS = Prepared(
    sa.select(documents.c.document_id, documents.c.version).where(
        documents.c.collection == sa.bindparam("key"),
        documents.c.document_id.in_([sa.bindparam(name) for name in _IDS]),
    )
)
_FORGOTTEN = leftovers.delete().where(
    leftovers.c.collection == sa.bindparam("key"),
    leftovers.c.document_id == sa.bindparam("document"),
    leftovers.c.version == sa.bindparam("named"),
)

Version = tuple[str, str]
"""Document id and version."""


class CollectionRecord(Frozen):
    name: str
    key: str = Field(default_factory=lambda: secrets.token_hex(8))
    engine: EngineName
    embedding_model: str | None


class Catalogue:
    def __init__(self, database: Database, place: Callable[[], str]) -> None:
        """`place` names this workspace: what it has left behind, its next writer clears up."""
        self._database = database
        self._place = place

    # ---- collections ----

    def create(self, record: CollectionRecord) -> CollectionRecord:
        """The new record, or the one that another process has made in the meantime."""
        now = time.time()
        row = {**record.model_dump(), "created_at": now, "updated_at": now}
        try:
            with self._database.write() as connection:
                connection.execute(collections.insert().values(row))
        except IntegrityError:
            return self.find(record.name) or record
        return record

    def find(self, name: str) -> CollectionRecord | None:
        with self._database.read() as connection:
            row = (
                connection.execute(collections.select().where(collections.c.name == name))
                .mappings()
                .one_or_none()
            )
        return None if row is None else CollectionRecord.model_validate(dict(row))

    def names(self) -> list[str]:
        with self._database.read() as connection:
            return list(
                connection.execute(
                    sa.select(collections.c.name).order_by(collections.c.name)
                ).scalars()
            )

    def all(self) -> list[CollectionInfo]:
        return self._infos(sa.true())

    def info(self, key: str) -> CollectionInfo | None:
        found = self._infos(collections.c.key == key)
        return found[0] if found else None

    def delete(self, key: str) -> None:
        with self._database.write() as connection:
            connection.execute(collections.delete().where(collections.c.key == key))
            connection.execute(leftovers.delete().where(leftovers.c.collection == key))

    def join(self, key: str) -> bool:
        """Before writing into what another has made: it is not taken away again (`discard`).

        False where that has happened already.
        """
        is_untouched = collections.c.updated_at == collections.c.created_at
        with self._database.write() as connection:
            connection.execute(
                collections.update()
                .where(collections.c.key == key, is_untouched)
                .values(updated_at=time.time())
            )
            return self._is_there(connection, key)

    def discard(self, key: str) -> bool:
        """Takes away a collection that nobody has written into or joined since it was made."""
        with self._database.write() as connection:
            done = connection.execute(
                collections.delete().where(
                    collections.c.key == key,
                    collections.c.updated_at == collections.c.created_at,
                    ~sa.exists().where(documents.c.collection == key),
                )
            )
            if done.rowcount:
                connection.execute(leftovers.delete().where(leftovers.c.collection == key))
            return bool(done.rowcount)

    def _infos(self, where: sa.ColumnElement[bool]) -> list[CollectionInfo]:
        count = sa.func.count(documents.c.document_id)
        chunks = sa.func.coalesce(sa.func.sum(documents.c.chunks), 0)
        query = (
            sa.select(collections, count.label("documents"), chunks.label("chunks"))
            .select_from(collections.outerjoin(documents))
            .where(where)
            .group_by(*collections.c)
            .order_by(collections.c.name)
        )
        with self._database.read() as connection:
            return [_info(row) for row in connection.execute(query).mappings()]

    # ---- documents ----

    def documents(
        self, key: str, *, containing: str = "", offset: int = 0, limit: int = 100
    ) -> list[DocumentInfo]:
        """In the order of their names."""
        query = (
            documents.select()
            .where(documents.c.collection == key)
            .order_by(documents.c.name, documents.c.document_id)
            .offset(offset)
            .limit(limit)
        )
        if containing:
            query = query.where(documents.c.name.contains(containing, autoescape=True))
        with self._database.read() as connection:
            return [_document(row) for row in connection.execute(query).mappings()]

    def documents_after(self, key: str, document_id: str, limit: int = 200) -> list[DocumentInfo]:
        """In the order of their ids, which does not change."""
        query = (
            documents.select()
            .where(documents.c.collection == key, documents.c.document_id > document_id)
            .order_by(documents.c.document_id)
            .limit(limit)
        )
        with self._database.read() as connection:
            return [_document(row) for row in connection.execute(query).mappings()]

    def within(self, key: str, container: str) -> list[str]:
        """The documents that were read out of an archive or mail."""
        query = sa.select(documents.c.document_id).where(
            documents.c.collection == key, documents.c.container == container
        )
        with self._database.read() as connection:
            return list(connection.execute(query).scalars())

    def document(self, key: str, document_id: str) -> DocumentInfo | None:
        query = documents.select().where(
            documents.c.collection == key, documents.c.document_id == document_id
        )
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return None if row is None else _document(row)

    def versions(self, key: str, document_ids: Iterable[str]) -> dict[str, str]:
        """The version that counts, for those of the documents that are in the collection."""
        wanted = list(dict.fromkeys(document_ids))
        found: dict[str, str] = {}
        with self._database.read_quickly() as cursor:
            for start in range(0, len(wanted), _ASKED_AT_ONCE):
                some = wanted[start : start + _ASKED_AT_ONCE]
                named = zip_longest(_IDS, some, fillvalue=some[0])
                parameters = {"key": key, **dict(named)}
                _VERSIONS.execute(cursor, self._database.engine.dialect, parameters)
                found.update(cursor.fetchall())
        return found

    # ---- changes ----

    def announce(self, key: str, versions: Sequence[Version]) -> None:
        """Before chunks are added: should this process die, the next writer removes them."""
        with self._database.write() as connection:
            self._leave(connection, key, versions)

    def publish(self, key: str, infos: Sequence[DocumentInfo]) -> list[Version] | None:
        """Makes these versions count; gives those that don't any more, to be removed.

        None where the collection itself is no more.
        """
        with self._database.write() as connection:
            if not self._is_there(connection, key):
                self._forget(connection, key, [(i.document_id, i.version) for i in infos])
                return None
            replaced = self._current(connection, key, [info.document_id for info in infos])
            outdated = [
                (info.document_id, replaced[info.document_id])
                for info in infos
                if replaced.get(info.document_id) not in (None, info.version)
            ]
            self._forget(connection, key, [(info.document_id, info.version) for info in infos])
            if replaced:
                connection.execute(_of(key, list(replaced)))
            connection.execute(documents.insert(), [_row(key, info) for info in infos])
            self._leave(connection, key, outdated)
            self._touch(connection, key)
        return outdated

    def withdraw(self, key: str, document_ids: Sequence[str]) -> list[Version]:
        """Takes documents out; gives the versions whose chunks are to be removed."""
        with self._database.write() as connection:
            current = self._current(connection, key, document_ids)
            outdated = list(current.items())
            if outdated:
                connection.execute(_of(key, list(current)))
                self._leave(connection, key, outdated)
                self._touch(connection, key)
        return outdated

    def removed(self, key: str, versions: Sequence[Version]) -> None:
        """The engine has let go of these."""
        if versions:
            with self._database.write() as connection:
                self._forget(connection, key, versions)

    def abandoned(self, key: str) -> list[Version]:
        """What writers that died have left; to be asked while holding the right to write."""
        theirs = (leftovers.c.collection == key) & (
            (leftovers.c.place == self._place())
            | (leftovers.c.since < DatabaseTime() - ABANDONED_SECONDS)
        )
        counts = sa.exists().where(
            documents.c.collection == leftovers.c.collection,
            documents.c.document_id == leftovers.c.document_id,
            documents.c.version == leftovers.c.version,
        )
        query = sa.select(leftovers.c.document_id, leftovers.c.version).where(theirs, ~counts)
        with self._database.read() as connection:
            return [(row[0], row[1]) for row in connection.execute(query)]

    def _leave(self, connection: Connection, key: str, versions: Sequence[Version]) -> None:
        self._forget(connection, key, versions)
        if versions:
            connection.execute(
                leftovers.insert().values(since=DatabaseTime()),
                [
                    {
                        "collection": key,
                        "document_id": document_id,
                        "version": version,
                        "place": self._place(),
                    }
                    for document_id, version in versions
                ],
            )

    @staticmethod
    def _forget(connection: Connection, key: str, versions: Sequence[Version]) -> None:
        if versions:
            connection.execute(
                _FORGOTTEN,
                [
                    {"key": key, "document": document_id, "named": version}
                    for document_id, version in versions
                ],
            )

    @staticmethod
    def _current(connection: Connection, key: str, document_ids: Sequence[str]) -> dict[str, str]:
        query = sa.select(documents.c.document_id, documents.c.version).where(
            documents.c.collection == key, documents.c.document_id.in_(document_ids)
        )
        return {row[0]: row[1] for row in connection.execute(query)}

    @staticmethod
    def _is_there(connection: Connection, key: str) -> bool:
        query = sa.select(collections.c.name).where(collections.c.key == key)
        return connection.execute(query).first() is not None

    @staticmethod
    def _touch(connection: Connection, key: str) -> None:
        connection.execute(
            collections.update().where(collections.c.key == key).values(updated_at=time.time())
        )


def _of(key: str, document_ids: Sequence[str]) -> sa.Delete:
    return documents.delete().where(
        documents.c.collection == key, documents.c.document_id.in_(document_ids)
    )


def _row(key: str, info: DocumentInfo) -> dict[str, Any]:
    return {
        **info.model_dump(exclude={"warnings", "metadata", "indexed_at"}),
        "collection": key,
        "warnings": _PROBLEMS.dump_json(info.warnings).decode(),
        "metadata": json.dumps(info.metadata, ensure_ascii=False),
        "indexed_at": info.indexed_at.timestamp(),
    }


def _document(row: sa.RowMapping) -> DocumentInfo:
    return DocumentInfo(
        **{field: row[field] for field in _PLAIN_FIELDS},
        warnings=_PROBLEMS.validate_json(row["warnings"]),
        metadata=json.loads(row["metadata"]),
        indexed_at=_time(row["indexed_at"]),
    )


_PLAIN_FIELDS = DocumentInfo.model_fields.keys() - {"warnings", "metadata", "indexed_at"}


def _info(row: sa.RowMapping) -> CollectionInfo:
    return CollectionInfo(
        name=row["name"],
        engine=row["engine"],
        documents=row["documents"],
        chunks=int(row["chunks"]),
        created_at=_time(row["created_at"]),
        updated_at=_time(row["updated_at"]),
    )


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class KeptDocument(Frozen):
    """What a collection keeps of a document beside the engine's part."""

    document: Document
    cuts: tuple[Cut, ...]

    @classmethod
    def of(cls, document: Document, chunks: Iterable[Chunk]) -> Self:
        # Of what was read and cut just now: there is nothing to check.
        return cls.model_construct(document=document, cuts=tuple(piece.cut for piece in chunks))

    @property
    def chunks(self) -> list[Chunk]:
        return [cut.of(self.document) for cut in self.cuts]

    def chunk(self, ordinal: str) -> Chunk:
        is_number = ordinal.isascii() and ordinal.isdecimal() and len(ordinal) < 10
        if not (is_number and int(ordinal) < len(self.cuts)):
            raise NotFound("chunk_unknown", chunk=ordinal[:20], document=self.document.name)
        return self.cuts[int(ordinal)].of(self.document)

    def page_around(self, position: Position, most: int) -> tuple[int, int]:
        """The span of the page or sheet that a position is on, at most so far to each side."""
        same = [
            block.position
            for block in self.document.blocks
            if (block.position.page, block.position.sheet) == (position.page, position.sheet)
        ]
        begin = min((other.start for other in same), default=position.start)
        end = max((other.end for other in same), default=position.end)
        return max(begin, position.start - most), min(end, position.end + most)


class KeptTexts:
    """Where the catalogue is, so that whoever searches has them, and a version that counts has its
    text after a power cut."""

    def __init__(self, database: Database, collection: str, before: Path) -> None:
        """`before`: the folder of what was kept when each had a file of its own."""
        self._database = database
        self._collection = collection
        self._before = before

    def keep(self, documents: Iterable[tuple[Version, KeptDocument]]) -> None:
        rows = [
            {
                "collection": self._collection,
                "document_id": document_id,
                "version": version,
                "data": _packed(kept),
            }
            for (document_id, version), kept in sorted(documents, key=lambda each: each[0])
        ]
        if not rows:
            return
        insert = insert_into(document_texts, is_sqlite=self._database.is_sqlite)
        again = insert.on_conflict_do_update(
            index_elements=list(document_texts.primary_key.columns),
            set_={"data": insert.excluded.data},
        )
        with self._database.write() as connection:
            connection.execute(again, rows)

    def has(self, version: Version) -> bool:
        query = sa.select(document_texts.c.version).where(*self._is(version))
        with self._database.read() as connection:
            is_there = connection.execute(query).one_or_none() is not None
        return is_there or self._file(version).exists()

    def read(self, version: Version) -> KeptDocument | None:
        """None where it is gone, cut off, or damaged."""
        query = sa.select(document_texts.c.data).where(*self._is(version))
        with self._database.read() as connection:
            data = connection.execute(query).scalar_one_or_none()
        try:
            if data is None:
                data = self._file(version).read_bytes()
            return KeptDocument.model_validate_json(gzip.decompress(data))
        except (OSError, EOFError, ValueError, zlib.error):
            return None

    def remove(self, versions: Iterable[Version]) -> None:
        with self._database.write() as connection:
            for version in versions:
                connection.execute(sa.delete(document_texts).where(*self._is(version)))
                self._file(version).unlink(missing_ok=True)

    def drop(self) -> None:
        mine = document_texts.c.collection == self._collection
        with self._database.write() as connection:
            connection.execute(sa.delete(document_texts).where(mine))
        shutil.rmtree(self._before, ignore_errors=True)

    def _file(self, version: Version) -> Path:
        return self._before / f"{version[0]}-{version[1]}.json.gz"

    def _is(self, version: Version) -> tuple[sa.ColumnElement[bool], ...]:
        return (
            document_texts.c.collection == self._collection,
            document_texts.c.document_id == version[0],
            document_texts.c.version == version[1],
        )


def _packed(kept: KeptDocument) -> bytes:
    return gzip.compress(kept.model_dump_json().encode(), compresslevel=1, mtime=0)
