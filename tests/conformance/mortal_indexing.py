"""Processes that index, and kill themselves with SIGKILL at a chosen moment."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from sanbo.documents.builder import DocumentBuilder
from sanbo.retrieval import indexing
from sanbo.retrieval.catalogue import Catalogue
from sanbo.retrieval.collection import Batch, ReadDocument
from sanbo.retrieval.engines.embedded import EmbeddedEngine
from sanbo.retrieval.library import Library
from sanbo.service.collections import open_collections
from sanbo.settings import load_settings
from sanbo.storage.database import open_database
from tests.patience import PATIENCE_SECONDS

# Every call after which something is on disk that was not before.
OF_THE_CATALOGUE: tuple[tuple[type, str], ...] = (
    (Catalogue, "announce"),
    (Catalogue, "publish"),
    (Catalogue, "removed"),
)
MOMENTS: tuple[tuple[type, str], ...] = (
    *OF_THE_CATALOGUE,
    (EmbeddedEngine, "add"),
    (EmbeddedEngine, "flush"),
    (EmbeddedEngine, "remove"),
    (EmbeddedEngine, "settle"),
)

DOCUMENTS = 3

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["tests.conformance.warmed"])


def put_and_die(workspace: Path, environment: dict[str, str], edition: str, moment: int) -> None:
    """Dies right after the n-th of the moments; returns when there are fewer."""
    seen = 0

    def mortal(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal seen
            seen += 1
            result = original(*args, **kwargs)
            if seen == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    # Where the database is a server, only what the server sees differs.
    for owner, name in OF_THE_CATALOGUE if environment.get("SANBO_DATABASE_URL") else MOMENTS:
        setattr(owner, name, mortal(getattr(owner, name)))
    put(workspace, environment, edition)


def put(workspace: Path, environment: dict[str, str], edition: str) -> None:
    """An edition of every document, without the reading: that is not what dies here."""
    settings = load_settings(workspace, environment)
    database = open_database(settings)
    library = Library(database, settings)
    collection, _ = library.open_or_create("社内")
    collection.put(Batch([_document(number, edition) for number in range(DOCUMENTS)]))
    collection.settle()
    library.close()
    database.close()


def _document(number: int, edition: str) -> ReadDocument:
    builder = DocumentBuilder(f"契約{number}.txt", "text")
    for text in texts_of(number, edition):
        builder.paragraph(text)
    return ReadDocument(
        document_id=f"d{number}",
        source=f"契約{number}.txt",
        version=sha256(edition.encode()).hexdigest()[:16],
        sha256=sha256(edition.encode()).hexdigest(),
        size=1,
        document=builder.build(),
        metadata={},
    )


def texts_of(number: int, edition: str) -> tuple[str, str]:
    return (
        f"第一条　秘密情報の取扱いを{edition}として定める。契約番号は{number}号である。",
        f"第二条　{edition}の有効期間は一年とする。",
    )


def index(workspace: Path, environment: dict[str, str], folder: Path) -> None:
    with open_collections(load_settings(workspace, environment)) as shelf:
        for _ in shelf.index_paths("社内", [folder]):
            pass


def index_some(workspace: Path, folder: Path, batch: int, enough: int, told: Any) -> None:
    """Tells of each file that is stored; after enough of them it goes no further by itself."""
    # pyrefly: ignore[bad-assignment]
    indexing.BATCH_DOCUMENTS = batch
    with open_collections(load_settings(workspace, {})) as shelf:
        for number, outcome in enumerate(shelf.index_paths("社内", [folder]), start=1):
            told.put(outcome.name)
            if number == enough:
                time.sleep(PATIENCE_SECONDS)


def search_often(
    workspace: Path, environment: dict[str, str], seconds: float, answers: Any
) -> None:
    """Searches again and again, and tells how many hits each search had, or what went wrong."""
    with open_collections(load_settings(workspace, environment)) as shelf:
        until = time.monotonic() + seconds
        found: list[int] = []
        try:
            while time.monotonic() < until:
                found.append(len(shelf.search("社内", "秘密情報", limit=5)))
        except Exception as error:  # noqa: BLE001 - the test tells
            answers.put(repr(error))
            return
        answers.put(found)
