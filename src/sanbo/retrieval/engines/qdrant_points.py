"""Chunks as points of a Qdrant collection, and filters as its conditions."""

from collections.abc import Iterator
from typing import cast

from pydantic import ValidationError
from qdrant_client import models

from sanbo.retrieval.engines.names import fact, facts, point_id
from sanbo.retrieval.engines.qdrant_requests import QDRANT
from sanbo.retrieval.model import Filter, IndexedChunk
from sanbo.retrieval.ranking import (
    AVERAGE_GRAMS,
    AVERAGE_WORDS,
    SparseVector,
    document_vector,
    query_vector,
)
from sanbo.retrieval.tokens import grams, query_words, words

KEYWORDS = ("document_id", "version", "folders", "format", "facts")
MEANING = "meaning"
Vectors = dict[str, models.SparseVector | list[float]]


def to_point(chunk: IndexedChunk, text: str, meaning: list[float] | None) -> models.PointStruct:
    tokens = {
        "grams": document_vector(grams(text), AVERAGE_GRAMS),
        "words": document_vector(words(text), AVERAGE_WORDS),
    }
    vectors: dict[str, models.Vector] = {
        field: _sparse(vector) for field, vector in tokens.items() if vector.indices
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
    terms = {"grams": grams(query), "words": query_words(query)}
    return {field: _sparse(query_vector(tokens)) for field, tokens in terms.items() if tokens}


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
