"""`nlp.embed_texts`: vectors of texts, by an embedding model or by the retriever's own terms."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, Given
from sanbo.blocks.nlp.chunk_texts import NamedText, named_texts
from sanbo.kernel.problems import InvalidInput
from sanbo.retrieval.embedding import Embedder, embedder_from
from sanbo.retrieval.tokens import grams, words
from sanbo.retrieval.vectors import AVERAGE_GRAMS, AVERAGE_WORDS, document_vector
from sanbo.runs.workflow import Waiting
from sanbo.settings import Settings

AVERAGE = AVERAGE_GRAMS + AVERAGE_WORDS
"""Fixed, so that vectors made in different steps can be compared."""
MODEL, TERMS = "embedding_model", "sparse_terms"


class EmbedTexts(EngineBlock[Given]):
    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any] | Waiting:
        sources = [*given.texts, *given.chunks]
        named = named_texts(sources)
        if not named:
            return _outputs([], [], [], method=TERMS, model=None, size=None)
        if empty := [each.id for each in named if not each.text.strip()]:
            raise InvalidInput(
                "nlp_text_empty", node="/".join(context.run.path), names="、".join(empty[:10])
            )
        settings = context.run.place.settings
        embedder = await asyncio.to_thread(_embedder, settings, given.provider_model)
        if embedder is None:
            sparse = await asyncio.to_thread(_terms, [each.text for each in named], given.normalize)
            return _outputs(sources, named, sparse, method=TERMS, model=None, size=None)
        dense = await asyncio.to_thread(_meanings, embedder, named, given.normalize)
        size = len(dense[0])
        return _outputs(sources, named, dense, method=MODEL, model=embedder.model, size=size)


def _embedder(settings: Settings, model: str | None) -> Embedder | None:
    if model:
        chosen = settings.retrieval.model_copy(update={"embedding_model": model})
        settings = settings.model_copy(update={"retrieval": chosen})
    return embedder_from(settings)


def _meanings(embedder: Embedder, named: Sequence[NamedText], normalize: bool) -> list[list[float]]:
    vectors = embedder.embed([each.text for each in named])
    return [_of_length_one(vector) for vector in vectors] if normalize else vectors


def _of_length_one(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(number * number for number in vector))
    return [number / length for number in vector] if length else list(vector)


def _terms(texts: Sequence[str], normalize: bool) -> list[dict[str, list[Any]]]:
    """As the retriever weighs them: grams and content words, by BM25's weight of a term."""
    made: list[dict[str, list[Any]]] = []
    for text in texts:
        vector = document_vector(_marked(text), AVERAGE)
        pairs = sorted(zip(vector.indices, vector.values, strict=True))
        values = [value for _, value in pairs]
        made.append(
            {
                "indices": [index for index, _ in pairs],
                "values": _of_length_one(values) if normalize else values,
            }
        )
    return made


def _marked(text: str) -> list[str]:
    """Grams and words that look alike stay two terms."""
    return [*grams(text), *(f"w:{word}" for word in words(text))]


def _outputs(
    sources: Sequence[Any],
    named: Sequence[NamedText],
    vectors: Sequence[Any],
    *,
    method: str,
    model: str | None,
    size: int | None,
) -> dict[str, Any]:
    """An item is the chunk as it was given, and its vector."""
    return {
        "vectors": list(vectors),
        "items": [
            {**_fields(source), "id": each.id, "text": each.text, "embedding": vector}
            for source, each, vector in zip(sources, named, vectors, strict=True)
        ],
        "summary": {"count": len(named), "method": method, "model": model, "dimensions": size},
    }


def _fields(source: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", source) if isinstance(source, dict) else {}
