"""A collection on a Qdrant server.

The same fields as in the workspace: `grams` and `words` as sparse vectors whose rarity the server
multiplies in, and `meaning` where an embedding model was configured when the collection was made.
"""

import logging
import math
import threading
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from qdrant_client import QdrantClient, models
from typing_extensions import override

from sanbo.kernel.problems import SanboError
from sanbo.retrieval.embedding import Embedder
from sanbo.retrieval.engines.engine import SearchEngine, searched_text, server_name
from sanbo.retrieval.engines.qdrant_requests import (
    KEYWORDS,
    MEANING,
    QDRANT,
    NoCollection,
    Requests,
    Vectors,
    condition,
    of_version,
    query_vectors,
    to_chunk,
    to_point,
)
from sanbo.retrieval.engines.service import embedding_mismatch
from sanbo.retrieval.model import Candidate, Filter, IndexedChunk
from sanbo.retrieval.ranking import fuse
from sanbo.retrieval.settings import RetrievalSettings
from sanbo.retrieval.tokens import speakable
from sanbo.retrieval.vectors import TextVectors, vectors_of

log = logging.getLogger(__name__)

_MODEL = "embedding_model"
# Rankings are fused: what is second in each may be first in the sum.
_DEPTH = 50
# A point takes some 50 KB of JSON, a server by default at most 32 MB.
_POINTS_AT_ONCE = 64


class QdrantEngine(SearchEngine):
    def __init__(
        self,
        client: QdrantClient,
        collection: str,
        *,
        embedder: Embedder | None = None,
        host: str = "",
        timeout_seconds: float = 30,
    ) -> None:
        self._client = client
        self._collection = collection
        self._embedder = embedder
        self._requests = Requests(host, timeout_seconds)
        self._looking = threading.Lock()
        self._is_known = False
        self._meaning: Embedder | None = None
        self._without_index: tuple[str, ...] = ()

    @override
    def add(
        self, chunks: Sequence[IndexedChunk], vectors: Sequence[TextVectors] | None = None
    ) -> None:
        for start in range(0, len(chunks), _POINTS_AT_ONCE):
            self._prepare()
            some = slice(start, start + _POINTS_AT_ONCE)
            points = self._points(chunks[some], vectors[some] if vectors else None)
            if not self._upsert(points):
                self._forget()  # somebody dropped it since
                self._prepare()
                if not self._upsert(points):
                    raise QDRANT.refused(409, f"{self._collection} is being dropped")

    @override
    def remove(self, document_id: str, version: str) -> None:
        chunks = of_version(document_id, version)
        with suppress(NoCollection):
            self._requests.send(lambda: self._client.delete(self._collection, chunks, wait=True))

    @override
    def flush(self) -> None:
        """Every change waits until the server has it in its log."""

    @override
    def settle(self) -> None:
        """The server optimises by itself."""

    @override
    def search(self, query: str, limit: int, where: Filter) -> list[Candidate]:
        query = speakable(query)
        vectors = query_vectors(query)
        if not vectors or limit < 1:
            return []
        try:
            if self._embedder is not None:
                self._look()
            if self._meaning is not None:
                vectors[MEANING] = self._meaning.embed([query])[0]
            return self._found(vectors, limit, condition(where))
        except NoCollection:
            self._forget()
            return []

    @override
    def drop(self) -> None:
        with suppress(NoCollection):
            self._requests.send(lambda: self._client.delete_collection(self._collection))
        self._forget()

    @override
    def close(self) -> None:
        self._client.close()

    def _points(
        self, chunks: Sequence[IndexedChunk], vectors: Sequence[TextVectors] | None
    ) -> list[models.PointStruct]:
        texts = [searched_text(chunk) for chunk in chunks]
        meanings = self._meaning.embed(texts) if self._meaning else [None] * len(texts)
        made = vectors or vectors_of(texts)
        return [to_point(*each) for each in zip(chunks, made, meanings, strict=True)]

    def _upsert(self, points: list[models.PointStruct]) -> bool:
        try:
            self._requests.send(lambda: self._client.upsert(self._collection, points, wait=True))
        except NoCollection:
            return False
        return True

    def _found(self, vectors: Vectors, limit: int, where: models.Filter | None) -> list[Candidate]:
        questions = [
            models.QueryRequest(
                query=vector,
                using=field,
                filter=where,
                limit=max(_DEPTH, 2 * limit),
                with_payload=True,
            )
            for field, vector in vectors.items()
        ]
        answers = self._requests.send(
            lambda: self._client.query_batch_points(self._collection, questions)
        )
        points = {str(point.id): point for answer in answers for point in answer.points}
        rankings = {
            field: {str(point.id): point.score for point in answer.points}
            for field, answer in zip(vectors, answers, strict=True)
        }
        return [
            Candidate(
                chunk=to_chunk(points[name]),
                score=score / len(rankings),
                signals={
                    field: ranking[name] for field, ranking in rankings.items() if name in ranking
                },
            )
            for name, score in fuse(rankings)[:limit]
        ]

    def _prepare(self) -> None:
        """Makes the collection, or what is missing of it, before something is added."""
        try:
            self._look()
        except NoCollection:
            self._create()
            self._look()
        for field in self._without_index:
            self._index(field)
        self._without_index = ()

    def _look(self) -> None:
        """Learns once whether the collection has vectors of meaning, and whose."""
        with self._looking:
            if not self._is_known:
                info = self._requests.send(lambda: self._client.get_collection(self._collection))
                self._meaning = self._fitting_embedder(info)
                self._without_index = tuple(
                    field for field in KEYWORDS if field not in info.payload_schema
                )
                self._is_known = True

    def _fitting_embedder(self, info: models.CollectionInfo) -> Embedder | None:
        if self._embedder is None:
            return None
        vectors = info.config.params.vectors
        dense = vectors.get(MEANING) if isinstance(vectors, dict) else None
        if dense is None:
            log.info("%s was made without an embedding model: words only", self._collection)
            return None
        made_with = str((info.config.metadata or {}).get(_MODEL, "?"))
        if dense.size != self._embedder.size or made_with not in ("?", self._embedder.model):
            raise embedding_mismatch(
                self._collection,
                had=f"{made_with}, {dense.size}",
                now=f"{self._embedder.model}, {self._embedder.size}",
            )
        return self._embedder

    def _create(self) -> None:
        embedder = self._embedder
        sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
        dense = (
            {MEANING: models.VectorParams(size=embedder.size, distance=models.Distance.COSINE)}
            if embedder
            else {}
        )
        try:
            self._requests.send(
                lambda: self._client.create_collection(
                    self._collection,
                    vectors_config=dense,
                    sparse_vectors_config={"grams": sparse, "words": sparse},
                    metadata={_MODEL: embedder.model} if embedder else None,
                )
            )
        except SanboError:
            # Another process may have made it in this moment; then that is the collection.
            if not self._requests.send(lambda: self._client.collection_exists(self._collection)):
                raise

    def _index(self, field: str) -> None:
        self._requests.send(
            lambda: self._client.create_payload_index(
                self._collection, field, models.PayloadSchemaType.KEYWORD, wait=True
            )
        )

    def _forget(self) -> None:
        with self._looking:
            self._is_known = False
            self._meaning = None


def connect_qdrant(
    settings: RetrievalSettings, name: str, embedder: Embedder | None = None
) -> QdrantEngine:
    """The collection of this name on the server of the settings; nothing is sent yet."""
    address = QDRANT.checked_address(settings.qdrant_url)
    key = QDRANT.checked_key(settings.qdrant_api_key, address)
    client = QdrantClient(
        url=address,
        # Not as `api_key`: that prints a warning even for a server on this machine.
        headers={"api-key": key} if key else None,
        timeout=math.ceil(settings.timeout_seconds),
        check_compatibility=False,  # a thread that prints warnings; what fails says so itself
    )
    return QdrantEngine(
        client,
        server_name(name),
        embedder=embedder,
        host=urlsplit(address).netloc,
        timeout_seconds=settings.timeout_seconds,
    )
