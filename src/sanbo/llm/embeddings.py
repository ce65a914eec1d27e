"""Texts to vectors of meaning, through the same providers as the language models.

Blocking: searching and indexing run in threads. Inside, each call has an event loop and a client
of its own, because a client's connections belong to one loop and one thread.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Sequence

from langchain_core.embeddings import Embeddings

from sanbo.kernel.problems import (
    LimitExceeded,
    MissingDependency,
    ProviderFailed,
    SanboError,
)
from sanbo.llm.engine import Engine, forbid_tracing, model_and_key, untraced
from sanbo.llm.failures import Failure, explain, timed_out, who
from sanbo.llm.settings import LlmSettings
from sanbo.llm.vendor import Pace

log = logging.getLogger(__name__)

# Well below what the providers take at once (Gemini 100 texts, OpenAI 300,000 tokens).
TEXTS_AT_ONCE = 64


class EmbeddingModel:
    """Vectors from one embedding model. Safe to share between threads."""

    def __init__(
        self,
        new_client: Callable[[], Embeddings],
        *,
        engine: Engine,
        settings: LlmSettings,
        pace: Pace,
    ) -> None:
        self.engine = engine
        self._new_client = new_client
        self._max_attempts = settings.max_attempts
        self._limit_seconds = settings.timeout_seconds
        self._pace = pace

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order. Not to be called on an event loop."""
        return asyncio.run(self._embed(texts)) if texts else []

    async def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        client = self._new_client()
        vectors: list[list[float]] = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            vectors += await self._batch(client, list(texts[start : start + TEXTS_AT_ONCE]))
        return vectors

    async def _batch(self, client: Embeddings, texts: list[str]) -> list[list[float]]:
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._limit_seconds
        number = 1
        while True:
            answer = await self._attempt(client, texts, deadline)
            if not isinstance(answer, Failure):
                return answer
            delay = self._pace.delay(number, answer.retry_after)
            is_last = number >= self._max_attempts or clock() + delay >= deadline
            if is_last or not answer.retryable:
                raise _about_embedding(answer.problem, self.engine)
            log.warning(
                "%s %s: %s at attempt %d of %d, next in %.1f s",
                self.engine.provider,
                self.engine.model,
                answer.outcome,
                number,
                self._max_attempts,
                delay,
            )
            await self._pace.sleep(delay)
            number += 1

    async def _attempt(
        self, client: Embeddings, texts: list[str], deadline: float
    ) -> list[list[float]] | Failure:
        limit = asyncio.timeout_at(deadline)
        try:
            async with limit:
                with untraced():
                    vectors = await client.aembed_documents(texts)
            _check(vectors, len(texts))
            return vectors
        except Exception as error:  # noqa: BLE001 - whatever an SDK raises becomes a problem
            if limit.expired():
                return timed_out(self.engine, self._limit_seconds)
            return explain(error, self.engine)


def connect_embeddings(
    engine: Engine, settings: LlmSettings, *, pace: Pace | None = None
) -> EmbeddingModel:
    """The embedding model that `engine` names; with Azure, `engine.model` is its deployment."""
    model, key = model_and_key(engine, settings)
    forbid_tracing()
    return EmbeddingModel(
        lambda: engine.vendor.embedding_model(model, key, settings),
        engine=engine,
        settings=settings,
        pace=pace or Pace(),
    )


def _check(vectors: list[list[float]], wanted: int) -> None:
    """What passes can be stored: as many vectors as texts, of one size, of finite numbers."""
    sizes = {len(vector) for vector in vectors}
    numbers = all(math.isfinite(number) for vector in vectors for number in vector)
    if len(vectors) != wanted or len(sizes) != 1 or 0 in sizes or not numbers:
        raise ValueError("not one vector of one size for each text")


def _about_embedding(problem: SanboError, engine: Engine) -> SanboError:
    """Where the general text would name `llm.model`, the one that names the right setting."""
    told = problem.problem.params
    match problem.problem.text_id:
        case "llm_model_not_found":
            return MissingDependency(
                "embedding_model_not_found", **who(engine), address=told.get("address")
            )
        case "llm_context_exceeded":
            return LimitExceeded("embedding_text_too_long", **who(engine))
        case "llm_request_refused":
            return ProviderFailed(
                "embedding_request_refused",
                **who(engine),
                status=told.get("status"),
                reason=told.get("reason"),
                recoverable=False,
            )
        case _:
            return problem
