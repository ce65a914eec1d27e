"""A collection in a folder of the workspace: no server, nothing to install.

A command keeps the index in its own process; a server in one beside it, so that nobody waits for
the index who asks for something else.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from sanbo.retrieval.embedding import Embedder
from sanbo.retrieval.engines.engine import SearchEngine, searched_text
from sanbo.retrieval.engines.shard_process import ShardApart, ShardPlace, provided
from sanbo.retrieval.model import Candidate, Filter, IndexedChunk
from sanbo.retrieval.tokens import grams, speakable
from sanbo.retrieval.vectors import TextVectors

if TYPE_CHECKING:
    from sanbo.retrieval.engines.shard import Shard


class EmbeddedEngine(SearchEngine):
    def __init__(
        self,
        folder: Path,
        *,
        name: str | None = None,
        timeout_seconds: float = 30,
        embedder: Embedder | None = None,
    ) -> None:
        """`name`: the collection's, for problems; the folder's own where it is not given."""
        self._folder = folder
        self._embedder = embedder
        self.in_process = embedder is None
        self.name = name or folder.name
        self._shard = _shard(ShardPlace(folder, self.name, timeout_seconds))

    def add(
        self, chunks: Sequence[IndexedChunk], vectors: Sequence[TextVectors] | None = None
    ) -> None:
        if not chunks:
            return
        texts = [searched_text(chunk) for chunk in chunks] if self._embedder else []
        meanings = self._embedder.embed(texts) if self._embedder else None
        self._shard.add(chunks, vectors, meanings)

    def remove(self, document_id: str, version: str) -> None:
        self._shard.remove(document_id, version)

    def flush(self) -> None:
        self._shard.flush()

    def settle(self) -> None:
        self._shard.settle()

    def search(self, query: str, limit: int, where: Filter) -> list[Candidate]:
        query = speakable(query)
        if not grams(query):
            return []
        meaning = self._embedder.embed([query])[0] if self._embedder else None
        return self._shard.search(query, limit, where, meaning)

    @override
    def is_there(self) -> bool:
        return (self._folder / "shard").exists()

    def drop(self) -> None:
        self._shard.drop()

    def close(self) -> None:
        self._shard.close()


def _shard(place: ShardPlace) -> "Shard | ShardApart":
    if (shards := provided()) is not None:
        return ShardApart(shards, place)
    from sanbo.retrieval.engines.shard import Shard  # noqa: PLC0415 - a server does not load it

    return Shard(place)
