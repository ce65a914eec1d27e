"""Documents as they were read, in the database: for a collection that several machines search."""

import gzip
import zlib
from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from typing_extensions import override

from sanbo.retrieval.catalogue import Version
from sanbo.retrieval.kept_texts import KeptDocument, KeptTexts
from sanbo.storage.database import Database
from sanbo.storage.tables import document_texts


class SharedTexts(KeptTexts):
    """As in a folder, which is looked into for what was kept before there was this."""

    def __init__(self, before: KeptTexts, database: Database, collection: str) -> None:
        self._before = before
        self._database = database
        self._collection = collection

    @override
    def keep(self, documents: Iterable[tuple[Version, KeptDocument]]) -> None:
        packed = [
            (version, gzip.compress(kept.model_dump_json().encode(), compresslevel=5, mtime=0))
            for version, kept in documents
        ]
        if not packed:
            return
        rows = [
            {
                "collection": self._collection,
                "document_id": document_id,
                "version": version,
                "data": data,
            }
            for (document_id, version), data in sorted(packed)
        ]
        insert = postgresql.insert(document_texts)
        keys = document_texts.primary_key.columns
        again = insert.on_conflict_do_update(
            index_elements=list(keys), set_={"data": insert.excluded.data}
        )
        with self._database.write() as connection:
            connection.execute(again, rows)

    @override
    def has(self, version: Version) -> bool:
        query = sa.select(document_texts.c.version).where(*self._is(version))
        with self._database.read() as connection:
            return connection.execute(query).one_or_none() is not None or self._before.has(version)

    @override
    def read(self, version: Version) -> KeptDocument | None:
        query = sa.select(document_texts.c.data).where(*self._is(version))
        with self._database.read() as connection:
            data = connection.execute(query).scalar_one_or_none()
        if data is None:
            return self._before.read(version)
        try:
            return KeptDocument.model_validate_json(gzip.decompress(data))
        except (OSError, EOFError, ValueError, zlib.error):
            return None

    @override
    def remove(self, version: Version) -> None:
        with self._database.write() as connection:
            connection.execute(sa.delete(document_texts).where(*self._is(version)))
        self._before.remove(version)

    @override
    def drop(self) -> None:
        mine = document_texts.c.collection == self._collection
        with self._database.write() as connection:
            connection.execute(sa.delete(document_texts).where(mine))
        self._before.drop()

    def _is(self, version: Version) -> tuple[sa.ColumnElement[bool], ...]:
        return (
            document_texts.c.collection == self._collection,
            document_texts.c.document_id == version[0],
            document_texts.c.version == version[1],
        )
