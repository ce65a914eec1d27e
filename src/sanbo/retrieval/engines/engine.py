"""The one interface to where a collection's chunks are kept and searched.

An engine holds several versions of a document side by side for a moment: new chunks are added
before the catalogue names them, and old ones removed after. The catalogue decides which version
counts, so an engine needs no transactions: only that `add` followed by `flush` survives a crash,
and that adding the same chunk twice (same document, version and ordinal) is adding it once.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from sanbo.retrieval.model import Candidate, Filter, IndexedChunk


class SearchEngine(ABC):
    """Chunks of one collection. Called from several threads; blocking; raises SanboErrors only."""

    writable: bool = True
    """False for an index that others keep: it can be searched, not changed."""
    in_process: bool = False
    """True where a search keeps a core of this process busy and waits for no server."""

    @abstractmethod
    def add(self, chunks: Sequence[IndexedChunk]) -> None: ...

    @abstractmethod
    def remove(self, document_id: str, version: str) -> None:
        """Removes a version's chunks; one that is not there is removed already."""

    @abstractmethod
    def flush(self) -> None:
        """When this returns, everything added and removed so far survives a crash."""

    @abstractmethod
    def settle(self) -> None:
        """After many changes: whatever makes the next searches fast."""

    @abstractmethod
    def search(self, query: str, limit: int, where: Filter) -> list[Candidate]:
        """Best first. `limit` counts chunks of any version; the caller drops outdated ones."""

    def is_there(self) -> bool:
        """Whether there is an index at all; an engine that can't tell says yes."""
        return True

    @abstractmethod
    def drop(self) -> None:
        """Removes the collection with everything in it; one that is not there is gone already."""

    @abstractmethod
    def close(self) -> None: ...
