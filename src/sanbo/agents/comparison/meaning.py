"""The new document's chunks, searched by similarity: the embedded retriever in a passing folder.

By words and characters; by vectors of meaning too where an embedding model is configured.
"""

import shutil
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from sanbo.agents.comparison.model import Chunk, Side
from sanbo.retrieval.embedding import embedder_from
from sanbo.retrieval.model import Filter, IndexedChunk
from sanbo.settings import Settings

if TYPE_CHECKING:
    from sanbo.retrieval.engines.embedded import EmbeddedEngine

CHUNKS_AT_ONCE = 256


class MeaningIndex:
    """Made when first searched. Blocking; after `close` the next search makes it anew."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._engine: EmbeddedEngine | None = None
        self._folder: Path | None = None
        self._lock = threading.Lock()

    def search(self, text: str, limit: int, settings: Settings) -> list[tuple[Chunk, float]]:
        """The most similar chunks, best first, with scores between 0 and 1."""
        with self._lock:
            engine = self._engine or self._build(settings)
            found = engine.search(text, limit, Filter())
        return [(self._side.chunks[each.chunk.ordinal], each.score) for each in found]

    def close(self) -> None:
        with self._lock:
            engine, self._engine = self._engine, None
            folder, self._folder = self._folder, None
            if engine is not None:
                engine.close()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)

    def _build(self, settings: Settings) -> "EmbeddedEngine":
        # The engine's libraries take a second to load, and most comparisons never search.
        from sanbo.retrieval.engines.embedded import EmbeddedEngine  # noqa: PLC0415 - see above

        self._folder = self._folder or Path(tempfile.mkdtemp(prefix="sanbo-comparison-"))
        engine = EmbeddedEngine(
            self._folder, name=self._side.name, embedder=embedder_from(settings)
        )
        places = range(len(self._side.chunks))
        for start in places[::CHUNKS_AT_ONCE]:
            some = places[start : start + CHUNKS_AT_ONCE]
            engine.add([_indexed(self._side, place) for place in some])
        self._engine = engine
        return engine


def _indexed(side: Side, place: int) -> IndexedChunk:
    chunk = side.chunks[place]
    return IndexedChunk(
        document_id="new",
        version="1",
        ordinal=place,
        document_name=side.name,
        format="text",
        text=chunk.text,
        context="\n".join(chunk.position.headings),
        position=chunk.position,
    )
