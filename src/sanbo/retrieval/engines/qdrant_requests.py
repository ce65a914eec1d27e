"""Requests to a Qdrant server: attempts, one time limit, chunks as points, what failures mean."""

import json
import time
from collections.abc import Callable, Iterator
from typing import TypeVar, cast

import httpx
from pydantic import ValidationError
from qdrant_client import models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from sanbo.kernel.problems import SanboError
from sanbo.llm.retries import Pace
from sanbo.retrieval.engines.engine import fact, facts, point_id
from sanbo.retrieval.engines.service import Place, Service
from sanbo.retrieval.model import Filter, IndexedChunk
from sanbo.retrieval.ranking import SparseVector, meaning_vector, query_vector
from sanbo.retrieval.tokens import grams, query_words
from sanbo.retrieval.vectors import TextVectors

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
