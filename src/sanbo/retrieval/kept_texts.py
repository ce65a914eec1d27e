"""Documents as they were read, in the database: what a hit is shown and cited from."""

import gzip
import shutil
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import sqlalchemy as sa

from sanbo.documents.chunks import Chunk, Cut
from sanbo.documents.model import Document, Frozen, Position
from sanbo.kernel.problems import NotFound
from sanbo.retrieval.catalogue import Version
from sanbo.storage.database import Database
from sanbo.storage.statements import insert_into
from sanbo.storage.tables import document_texts


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
