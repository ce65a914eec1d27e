"""matching.semantic_topk: the items closest in meaning to a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, BlockInputs, PureBlock
from sanbo.blocks.matching.by_words import word_scores
from sanbo.blocks.matching.comparisons import Floats
from sanbo.blocks.matching.vectors import Metric, Vector, read_vector, similarities
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row, Rows, value_at
from sanbo.tables.values import text_of

_VECTORS = ("embedding", "vector")
_TEXTS = ("text", "content", "text_excerpt", "body", "本文", "内容")


class TopKInputs(BlockInputs):
    query_text: str | None = None
    query_embedding: JsonValue = None
    items: list[JsonValue]
    metric: Literal["cosine", "dot", "euclid", "euclidean"] = "cosine"
    top_k: int = 5
    require_embeddings: bool = False
    text_field: str | None = None
    min_score: float | None = None


@dataclass(frozen=True)
class Ranking:
    scores: Floats
    numbers: list[int]
    """Which item each score is of."""
    method: Literal["embeddings", "words"]
    reason: str = ""


class SemanticTopK(PureBlock[TopKInputs]):
    Inputs = TopKInputs

    @override
    def run(self, given: TopKInputs, context: BlockContext) -> Mapping[str, Any]:
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
                "reason": ranking.reason,
            },
        }


def _ranking(given: TopKInputs, context: BlockContext) -> Ranking:
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


def _text(item: JsonValue, number: int, given: TopKInputs) -> str:
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


def _is_enough(score: float, ranking: Ranking, given: TopKInputs) -> bool:
    """By words, what shares none with the question is no result."""
    if given.min_score is not None:
        return score >= given.min_score
    return score > 0 or ranking.method == "embeddings"


def _result(rank: int, number: int, score: float, item: JsonValue) -> Row:
    """Without the vector: it is long, and nobody reads it."""
    shown = item
    if isinstance(item, dict):
        shown = {name: value for name, value in item.items() if name not in _VECTORS}
    return {"rank": rank, "index": number, "score": round(score, 6), "item": shown}
