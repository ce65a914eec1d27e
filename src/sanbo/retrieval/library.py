"""The collections of a workspace: making, opening, deleting them."""

import secrets
import threading
import time
import unicodedata
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import regex

from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, InvalidSettings, NotFound, StorageDamaged
from sanbo.retrieval.catalogue import Catalogue, CollectionRecord, KeptTexts
from sanbo.retrieval.collection import Collection
from sanbo.retrieval.embedding import Embedder, embedder_from
from sanbo.retrieval.engines.engine import SearchEngine
from sanbo.retrieval.model import CollectionInfo, DocumentInfo, EngineName
from sanbo.settings import Settings
from sanbo.storage.database import Database

_BLANKS = regex.compile(r"[ \u3000]+")
_NAME = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N} _.\-・ー（）()【】「」＆&－～、]{0,63}")


class Library:
    """Keeps opened collections open; called from several threads."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.workspace / "collections"
        self._database = database
        self._catalogue = Catalogue(database, cache(partial(_place, settings.workspace)))
        self._opened: dict[str, Collection] = {}
        self._lock = threading.Lock()

    def collections(self) -> list[CollectionInfo]:
        return self._catalogue.all()

    def info(self, name: str) -> CollectionInfo:
        """From the catalogue alone: also where the engine's settings have gone."""
        info = self._catalogue.info(self._record(name).key)
        if info is None:
            raise self._unknown(name)
        return info

    def documents(
        self, name: str, *, containing: str, offset: int, limit: int
    ) -> list[DocumentInfo]:
        key = self._record(name).key
        return self._catalogue.documents(key, containing=containing, offset=offset, limit=limit)

    def open(self, name: str) -> Collection:
        """A collection that exists."""
        return self._open(self._record(name))

    def _record(self, name: str) -> CollectionRecord:
        name = checked_name(name)
        record = self._catalogue.find(name) or self._others(name)
        if record is None:
            raise self._unknown(name)
        return record

    def open_or_create(self, name: str) -> tuple[Collection, CollectionRecord | None]:
        """To write into; of a new one also its record, for `discard` if nothing comes into it."""
        name = checked_name(name)
        while True:
            record = self._catalogue.find(name)
            if record is None:
                new = self._new(name)
                self._engine(new).close()  # settings that don't suffice are told before
                record = self._catalogue.create(new)
                if record.key == new.key:
                    return self._open(record), record
            if self._catalogue.join(record.key):
                return self._open(record), None

    def discard(self, record: CollectionRecord) -> None:
        """A collection that was made for files of which none could be read; not under another."""
        if self._catalogue.discard(record.key):
            opened = self._taken(record)
            opened.drop()
            opened.close()

    def engine_of(self, name: str) -> EngineName:
        """Of a collection that exists, or would be made."""
        record = self._catalogue.find(checked_name(name))
        return self._settings.retrieval.engine if record is None else record.engine

    def exists(self, name: str) -> bool:
        return self._catalogue.find(checked_name(name)) is not None

    def _new(self, name: str) -> CollectionRecord:
        retrieval = self._settings.retrieval
        return CollectionRecord(
            name=name, engine=retrieval.engine, embedding_model=retrieval.embedding_model
        )

    def _others(self, name: str) -> CollectionRecord | None:
        """An Azure index of this name that others keep, where the settings tell its fields."""
        retrieval = self._settings.retrieval
        if retrieval.engine != "azure" or not retrieval.azure_fields:
            return None
        record = self._new(name)
        engine = self._engine(record)
        engine.close()
        return None if engine.writable else self._catalogue.create(record)

    def delete(self, name: str) -> None:
        """First the name, so that nobody finds half of it, then what was under it."""
        record = self._record(name)
        opened = self._taken(record)
        self._catalogue.delete(record.key)
        opened.drop()
        opened.close()

    def _taken(self, record: CollectionRecord) -> Collection:
        """To be dropped: nobody else opens it here any more."""
        with self._lock:
            opened = self._opened.pop(record.key, None)
        # Deleting needs no model of meanings.
        bare = record.model_copy(update={"embedding_model": None})
        return self._collection(bare) if opened is None else opened

    def close(self) -> None:
        with self._lock:
            opened, self._opened = self._opened, {}
        for collection in opened.values():
            collection.close()

    def _open(self, record: CollectionRecord) -> Collection:
        with self._lock:
            if record.key not in self._opened:
                self._opened[record.key] = self._collection(record)
            return self._opened[record.key]

    def _collection(self, record: CollectionRecord) -> Collection:
        folder = self._folder / record.key
        return Collection(
            record,
            self._catalogue,
            self._engine(record),
            folder=folder,
            texts=KeptTexts(self._database, record.key, folder / "texts"),
            timeout_seconds=self._settings.retrieval.timeout_seconds,
        )

    def _engine(self, record: CollectionRecord) -> SearchEngine:
        make: dict[str, Callable[[CollectionRecord, Embedder | None], SearchEngine]] = {
            "embedded": self._embedded,
            "qdrant": self._qdrant,
            "azure": self._azure,
        }
        return make[record.engine](record, self._embedder(record))

    def _embedder(self, record: CollectionRecord) -> Embedder | None:
        """A collection is searched with the model it was made with, or not at all."""
        if record.embedding_model is None:
            return None
        if record.embedding_model != self._settings.retrieval.embedding_model:
            raise InvalidSettings(
                "collection_embedding_differs",
                collection=record.name,
                model=record.embedding_model,
            )
        return embedder_from(self._settings)

    def _embedded(self, record: CollectionRecord, embedder: Embedder | None) -> SearchEngine:
        # Engines are loaded when first used: together their libraries take a second.
        from sanbo.retrieval.engines.embedded import EmbeddedEngine  # noqa: PLC0415 - see above

        return EmbeddedEngine(
            self._folder / record.key,
            name=record.name,
            timeout_seconds=self._settings.retrieval.timeout_seconds,
            embedder=embedder,
        )

    def _qdrant(self, record: CollectionRecord, embedder: Embedder | None) -> SearchEngine:
        from sanbo.retrieval.engines.qdrant import connect_qdrant  # noqa: PLC0415 - see above

        return connect_qdrant(self._settings.retrieval, _server_name(record), embedder)

    def _azure(self, record: CollectionRecord, embedder: Embedder | None) -> SearchEngine:
        from sanbo.retrieval.engines.azure import connect_azure  # noqa: PLC0415 - see above

        if self._settings.retrieval.azure_fields:
            others = connect_azure(self._settings.retrieval, record.name, embedder)
            if not others.writable:
                return others
            others.close()
        return connect_azure(self._settings.retrieval, _server_name(record), embedder)

    def _unknown(self, name: str) -> NotFound:
        near = nearest(name, self._catalogue.names())
        if near:
            return NotFound("collection_unknown_near", collection=name, nearest=near[0])
        return NotFound("collection_unknown", collection=name)


def _place(workspace: Path) -> str:
    """A name of this workspace that no other has: on every machine it may be at the same path."""
    path = workspace / "place"
    workspace.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="ascii") as file:
            file.write(secrets.token_hex(16))
    except FileExistsError:
        pass
    # Whoever has just made it may not have written it yet.
    for _ in range(100):
        if found := path.read_text("ascii").strip():
            return found
        time.sleep(0.01)
    raise StorageDamaged("workspace_file_empty", path=str(path))


def _server_name(record: CollectionRecord) -> str:
    """Another workspace on the same server may have a collection of the same name."""
    return f"{record.name}-{record.key}"


def checked_name(name: str) -> str:
    """In one spelling: composed characters, single blanks, none around."""
    name = _BLANKS.sub(" ", unicodedata.normalize("NFC", name)).strip()
    if not _NAME.fullmatch(name):
        raise InvalidInput("collection_name_invalid", name=name[:80])
    return name
