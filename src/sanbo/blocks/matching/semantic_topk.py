"""matching.semantic_topk: the items closest in meaning to a question."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import JsonValue
from scipy.sparse import csr_array
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, PureBlock
from sanbo.blocks.matching.comparisons import Floats
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.retrieval.tokens import grams, query_words, words
from sanbo.retrieval.vectors import K1, B
from sanbo.tables.rows import Row, Rows, value_at
from sanbo.tables.values import text_of

Metric = Literal["cosine", "dot", "euclid"]
_LARGEST_INDEX = 2**32


@dataclass(frozen=True)
class Dense:
    values: Floats


@dataclass(frozen=True)
class Sparse:
    indices: tuple[int, ...]
    values: Floats


Vector = Dense | Sparse


def read_vector(value: JsonValue, port: str) -> Vector | None:
    """None where there is none; a problem where there is something else."""
    if value is None or value in ([], {}):
        return None
    if isinstance(value, list):
        return Dense(_numbers(value, port))
    if isinstance(value, dict):
        indices, values = value.get("indices"), value.get("values")
        if isinstance(indices, list) and isinstance(values, list) and len(indices) == len(values):
            if not indices:
                return None
            return Sparse(tuple(_index(one, port) for one in indices), _numbers(values, port))
        inner = value.get("vector", value.get("embedding"))
        if inner is not None and not isinstance(inner, str):
            return read_vector(inner, port)
    raise InvalidInput("matching_vector_unreadable", port=port)


def _numbers(values: Sequence[JsonValue], port: str) -> Floats:
    numbers = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) != len(values):
        raise InvalidInput("matching_vector_unreadable", port=port)
    return np.array(numbers, dtype=np.float64)


def _index(value: JsonValue, port: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _LARGEST_INDEX:
        raise InvalidInput("matching_vector_unreadable", port=port)
    return value


def similarities(query: Vector, items: Sequence[tuple[int, Vector]], metric: Metric) -> Floats:
    """Of each item; larger is closer (a distance d counts as 1 / (1 + d))."""
    if isinstance(query, Dense):
        dots, sizes = _dense(query, items)
        size = float(np.linalg.norm(query.values))
    else:
        dots, sizes = _sparse(query, items)
        size = float(np.linalg.norm(query.values))
    if metric == "dot":
        return dots
    if metric == "cosine":
        scale = sizes * size
        return np.divide(dots, scale, out=np.zeros(len(dots)), where=scale > 0)
    squares = np.maximum(sizes**2 + size**2 - 2 * dots, 0.0)
    return 1 / (1 + np.sqrt(squares))


def _dense(query: Dense, items: Sequence[tuple[int, Vector]]) -> tuple[Floats, Floats]:
    rows: list[Floats] = []
    for number, vector in items:
        if not isinstance(vector, Dense) or len(vector.values) != len(query.values):
            raise _unlike(query, vector, number)
        rows.append(vector.values)
    table = np.vstack(rows)
    return table @ query.values, np.linalg.norm(table, axis=1)


def _sparse(query: Sparse, items: Sequence[tuple[int, Vector]]) -> tuple[Floats, Floats]:
    columns = {index: place for place, index in enumerate(dict.fromkeys(query.indices))}
    weights = np.zeros(len(columns))
    for index, value in zip(query.indices, query.values, strict=True):
        weights[columns[index]] += value
    rows: list[int] = []
    places: list[int] = []
    values: list[float] = []
    sizes = np.zeros(len(items))
    for row, (number, vector) in enumerate(items):
        if not isinstance(vector, Sparse):
            raise _unlike(query, vector, number)
        sizes[row] = float(np.linalg.norm(vector.values))
        for index, value in zip(vector.indices, vector.values, strict=True):
            if index in columns:
                rows.append(row)
                places.append(columns[index])
                values.append(float(value))
    table = csr_array((values, (rows, places)), shape=(len(items), len(columns)))
    return np.asarray(table @ weights).ravel(), sizes


def _unlike(query: Vector, item: Vector, number: int) -> InvalidInput:
    return InvalidInput(
        "matching_vectors_unlike", item=number, query=_described(query), found=_described(item)
    )


def _described(vector: Vector) -> str:
    return f"dense {len(vector.values)}" if isinstance(vector, Dense) else "sparse"


_VECTORS = ("embedding", "vector")
_TEXTS = ("text", "content", "text_excerpt", "body", "本文", "内容")


@dataclass(frozen=True)
class Ranking:
    scores: Floats
    numbers: list[int]
    """Which item each score is of."""
    method: Literal["embeddings", "words"]
    reason: str = ""


class SemanticTopK(PureBlock[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        ranking = _ranking(given, context)
        order = np.lexsort((np.array(ranking.numbers, dtype=np.int64), -ranking.scores))
        places: list[int] = order.tolist()
        results: Rows = []
        for place in places:
            score = float(ranking.scores[place])
            if len(results) >= given.top_k or not _is_enough(score, ranking, given):
                break
            number = ranking.numbers[place]
            results.append(_result(len(results) + 1, number, score, given.items[number]))
        return {
            "results": results,
            "summary": {
                "items": len(given.items),
                "compared": len(ranking.numbers),
                "skipped": len(given.items) - len(ranking.numbers),
                "results": len(results),
                "method": ranking.method,
                "metric": given.metric if ranking.method == "embeddings" else "bm25",
                "k": given.top_k,
                "reason": ranking.reason,
            },
        }


def _ranking(given: Given, context: BlockContext) -> Ranking:
    query = read_vector(given.query_embedding, "query_embedding")
    vectors = [_vector(item, number) for number, item in enumerate(given.items)]
    there = [(number, vector) for number, vector in enumerate(vectors) if vector is not None]
    if given.require_embeddings:
        _require(query, vectors)
    if not given.items:
        return Ranking(np.empty(0), [], "embeddings" if query else "words")
    missing = "" if query is not None else "query"
    if len(there) < len(vectors):
        missing = missing or "items"
    if query is not None and not missing:
        metric: Metric = "euclid" if given.metric == "euclidean" else given.metric
        return Ranking(similarities(query, there, metric), [one for one, _ in there], "embeddings")
    if not (given.query_text or "").strip():
        raise InvalidInput("matching_query_missing")
    texts = [_text(item, number, given) for number, item in enumerate(given.items)]
    reason = tell(f"matching_by_words.{missing or 'items'}", context.language)
    scores = word_scores(given.query_text or "", texts)
    return Ranking(scores, list(range(len(texts))), "words", reason)


def _require(query: Vector | None, vectors: Sequence[Vector | None]) -> None:
    if query is None:
        raise InvalidInput("matching_embedding_missing", port="query_embedding")
    for number, vector in enumerate(vectors):
        if vector is None:
            raise InvalidInput("matching_embedding_missing", port=f"items.{number}")


def _vector(item: JsonValue, number: int) -> Vector | None:
    if not isinstance(item, dict):
        return None
    found = next((item[name] for name in _VECTORS if item.get(name) is not None), None)
    return read_vector(found, f"items.{number}")


def _text(item: JsonValue, number: int, given: Given) -> str:
    """The field that the plan names, or a usual one, or all the texts that an item has."""
    if not isinstance(item, dict):
        return text_of(item)
    if given.text_field:
        return text_of(value_at(item, given.text_field))
    usual = next((item[name] for name in _TEXTS if item.get(name)), None)
    if usual is not None:
        return text_of(usual)
    texts = [one for name, one in item.items() if isinstance(one, str) and name not in _VECTORS]
    if not texts:
        raise InvalidInput("matching_text_missing", item=number)
    return " ".join(texts)


def _is_enough(score: float, ranking: Ranking, given: Given) -> bool:
    """By words, what shares none with the question is no result."""
    if given.min_score is not None:
        return score >= given.min_score
    return score > 0 or ranking.method == "embeddings"


def _result(rank: int, number: int, score: float, item: JsonValue) -> Row:
    return {"rank": rank, "index": number, "score": round(score, 6), "item": item}


def word_scores(query: str, texts: Sequence[str]) -> Floats:
    """0 to 1: letters and content words, weighed as the retriever weighs them, half and half."""
    return (_ranked(grams(query), texts, grams) + _ranked(query_words(query), texts, words)) / 2


def _ranked(
    asked: Sequence[str], texts: Sequence[str], tokens: Callable[[str], list[str]]
) -> Floats:
    """BM25 as a share of what a text that has every word, each as often as is useful, would get."""
    wanted = dict.fromkeys(asked)
    counts = [Counter(tokens(text)) for text in texts]
    lengths = [count.total() for count in counts]
    average = max(sum(lengths) / len(lengths), 1.0) if lengths else 1.0
    rarity = _rarity(wanted, counts)
    best = sum(rarity.values()) * (K1 + 1)
    scores = np.zeros(len(texts))
    if best <= 0:
        return scores
    for number, count in enumerate(counts):
        norm = K1 * (1 - B + B * lengths[number] / average)
        scores[number] = sum(
            rarity[token] * count[token] * (K1 + 1) / (count[token] + norm)
            for token in wanted
            if count[token]
        )
    return scores / best


def _rarity(wanted: Mapping[str, None], counts: Sequence[Counter[str]]) -> dict[str, float]:
    total = len(counts)
    found = {token: sum(1 for count in counts if token in count) for token in wanted}
    return {
        token: math.log(1 + (total - seen + 0.5) / (seen + 0.5)) for token, seen in found.items()
    }
