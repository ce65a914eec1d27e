"""A collection on a Qdrant server, and the requests to it: attempts, one time limit, failures.

The same fields as in the workspace: `grams` and `words` as sparse vectors whose rarity the server
multiplies in, and `meaning` where an embedding model was configured when the collection was made.
"""

import json
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar, cast
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from typing_extensions import override

from sanbo.kernel.problems import SanboError
from sanbo.llm.vendor import Pace
from sanbo.retrieval.embedding import Embedder
from sanbo.retrieval.engines.engine import (
    Place,
    SearchEngine,
    Service,
    embedding_mismatch,
    fact,
    facts,
    point_id,
    searched_text,
    server_name,
)
from sanbo.retrieval.model import Candidate, Filter, IndexedChunk
from sanbo.retrieval.settings import RetrievalSettings
from sanbo.retrieval.tokens import grams, query_words, speakable
from sanbo.retrieval.vectors import (
    SparseVector,
    TextVectors,
    fuse,
    meaning_vector,
    query_vector,
    vectors_of,
)

T = TypeVar("T")

QDRANT = Service(
    "Qdrant",
    address=Place("retrieval.qdrant_url", "QDRANT_URL"),
    key=Place("retrieval.qdrant_api_key", "QDRANT_API_KEY"),
)
_ATTEMPTS = 3
_TRY_AGAIN = frozenset({429, 502, 503, 504})


class NoCollection(Exception):
    """The server knows no collection of this name."""


class Requests:
    """Raises SanboErrors and `NoCollection`, and nothing of the client's."""

    def __init__(self, host: str, timeout_seconds: float) -> None:
        self._host = host
        self._timeout = timeout_seconds
        self._pace = Pace()

    def send(self, work: Callable[[], T]) -> T:
        """What the server answers. All of Sanbo's requests may be repeated."""
        deadline = time.monotonic() + self._timeout
        number = 1
        while True:
            try:
                return work()
            except Exception as error:  # noqa: BLE001 - whatever a client raises becomes a problem
                problem = self._explain(error)
                delay = self._pace.delay(number, _retry_after(error))
                may_pass = _may_pass(error) and number < _ATTEMPTS
            if not may_pass or time.monotonic() + delay > deadline:
                raise problem  # here, where no exception of the client can be its context
            time.sleep(delay)
            number += 1

    def _explain(self, error: Exception) -> SanboError | NoCollection:
        if _is_no_collection(error):
            return NoCollection()
        match error:
            case UnexpectedResponse():
                return QDRANT.refused(error.status_code or 0, _words(error.content))
            case ResourceExhaustedResponse():
                return QDRANT.refused(429, error.message)
            case ResponseHandlingException(source=httpx.TimeoutException()):
                return QDRANT.timed_out(self._timeout)
            case ResponseHandlingException(source=httpx.TransportError()):
                return QDRANT.unreachable(self._host)
            case _:
                return QDRANT.malformed(type(error).__name__)


def _is_no_collection(error: Exception) -> bool:
    if isinstance(error, UnexpectedResponse):
        # Any web server says 404; this one says of what.
        return error.status_code == 404 and "collection" in _words(error.content).lower()
    # So says the client's own local mode.
    return isinstance(error, ValueError) and str(error).endswith("not found")


def _may_pass(error: Exception) -> bool:
    if isinstance(error, ResponseHandlingException):
        return isinstance(error.source, (httpx.RemoteProtocolError, httpx.ReadError))
    if isinstance(error, UnexpectedResponse):
        return error.status_code in _TRY_AGAIN
    return isinstance(error, ResourceExhaustedResponse)


def _retry_after(error: Exception) -> float | None:
    return error.retry_after_s if isinstance(error, ResourceExhaustedResponse) else None


def _words(body: bytes) -> str:
    """`{"status": {"error": "…"}}`; anything else did not come from Qdrant."""
    try:
        return str(json.loads(body)["status"]["error"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""


KEYWORDS = ("document_id", "version", "folders", "format", "facts")
MEANING = "meaning"
Vectors = dict[str, models.SparseVector | list[float]]


def to_point(
    chunk: IndexedChunk, of_text: TextVectors, meaning: list[float] | None
) -> models.PointStruct:
    vectors: dict[str, models.Vector] = {
        field: _sparse(vector) for field, vector in of_text._asdict().items() if vector.indices
    }
    if meaning is not None:
        vectors[MEANING] = meaning
    payload = {**chunk.model_dump(mode="json"), "facts": facts(chunk.metadata)}
    return models.PointStruct(id=point_id(chunk), vector=vectors, payload=payload)


def to_chunk(point: models.ScoredPoint) -> IndexedChunk:
    try:
        return IndexedChunk.model_validate(point.payload)
    except ValidationError:
        problem = QDRANT.malformed("payload")
    raise problem


def query_vectors(query: str) -> Vectors:
    """By field; empty where the query has neither letters nor digits."""
    vectors = {
        "grams": query_vector(grams(query)),
        "words": meaning_vector(query_words(query)),
    }
    return {field: _sparse(vector) for field, vector in vectors.items() if vector.indices}


def of_version(document_id: str, version: str) -> models.FilterSelector:
    both = [_is("document_id", document_id), _is("version", version)]
    return models.FilterSelector(filter=models.Filter(must=cast("list[models.Condition]", both)))


def condition(where: Filter) -> models.Filter | None:
    must = cast("list[models.Condition]", list(_conditions(where)))
    return models.Filter(must=must) if must else None


def _conditions(where: Filter) -> Iterator[models.FieldCondition]:
    for field, values in (
        ("document_id", where.documents),
        ("folders", where.folders),
        ("format", where.formats),
    ):
        if values:
            yield models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))
    for key, value in where.metadata.items():
        yield _is("facts", fact(key, value))


def _is(field: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=vector.indices, values=vector.values)


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
