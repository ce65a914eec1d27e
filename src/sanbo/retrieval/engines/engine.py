"""The one interface to where a collection's chunks are kept, and what they are called there."""

import hashlib
import re
import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence

from sanbo.retrieval.model import Candidate, Filter, IndexedChunk
from sanbo.retrieval.vectors import TextVectors


class SearchEngine(ABC):
    """Chunks of one collection. Called from several threads; blocking; raises SanboErrors only."""

    writable: bool = True
    """False for an index that others keep: it can be searched, not changed."""
    in_process: bool = False
    """True where a search keeps a core of this process busy and waits for no server."""

    @abstractmethod
    def add(
        self, chunks: Sequence[IndexedChunk], vectors: Sequence[TextVectors] | None = None
    ) -> None:
        """`vectors`: those of their searched texts, where they were made beforehand."""

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


PREFIX = "sanbo-"
# What Azure AI Search allows, the strictest: lower-case letters, digits, single dashes between.
_PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST = 80
_DIGEST = 12
_LOOKS_HASHED = re.compile(rf"-[0-9a-f]{{{_DIGEST}}}")
# A server's keyword may have 32,766 bytes; a longer fact is known by its hash.
_LONGEST_FACT = 8_000

_POINTS = uuid.UUID("5d1cf0a5-6f0a-4c55-9d5f-0a8f2ac4d6a1")


def server_name(collection: str) -> str:
    """The collection's name on a server, always the same for one and different for two.

    `contracts-2025` becomes `sanbo-contracts-2025`. What a server would not take (`契約書`, `A_b`)
    keeps its letters and digits and gets a hash: `sanbo-9fb9a15489eb`, `sanbo-a-b-08eb65adb1a8`.
    """
    is_plain = _PLAIN.fullmatch(collection) and len(collection) <= _LONGEST
    if is_plain and not _LOOKS_HASHED.search(f"-{collection}"[-_DIGEST - 1 :]):
        return PREFIX + collection
    readable = "-".join(re.findall("[a-z0-9]+", collection.lower()))[:_LONGEST].strip("-")
    digest = hashlib.sha256(collection.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return PREFIX + (f"{readable}-{digest}" if readable else digest)


def point_id(chunk: IndexedChunk) -> str:
    """The same for the same document, version and ordinal, so that adding twice is adding once."""
    return str(uuid.uuid5(_POINTS, f"{chunk.document_id}\n{chunk.version}\n{chunk.ordinal}"))


def fact(key: str, value: str) -> str:
    """Metadata as one keyword `key=value`, so that any key can be filtered by."""
    name = key.replace("\\", "\\\\").replace("=", "\\=")
    if len(name) + len(value) <= _LONGEST_FACT:
        return f"{name}={value}"
    return "sha256:" + hashlib.sha256(f"{name}={value}".encode()).hexdigest()


def facts(metadata: dict[str, str]) -> list[str]:
    return [fact(key, value) for key, value in metadata.items()]


def searched_text(chunk: IndexedChunk) -> str:
    return f"{chunk.context}\n{chunk.text}"
