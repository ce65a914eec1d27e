"""Vectors of meaning for texts and questions, where an embedding model is configured."""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from sanbo.kernel.problems import InvalidSettings
from sanbo.llm.engine import choose_engine
from sanbo.settings import Settings

if TYPE_CHECKING:
    from sanbo.llm.embeddings import EmbeddingModel


class Embedder(Protocol):
    """Blocking, and safe to call from several threads."""

    @property
    def model(self) -> str: ...

    @property
    def size(self) -> int:
        """Numbers in one vector."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order."""
        ...


class ProviderEmbedder:
    """An embedding model of a provider. Its size is asked once, with a first short text."""

    def __init__(self, source: "EmbeddingModel") -> None:
        self._source = source
        self._size: int | None = None
        self._asking = threading.Lock()

    @property
    def model(self) -> str:
        return self._source.engine.model or ""

    @property
    def size(self) -> int:
        with self._asking:
            if self._size is None:
                self._size = len(self._source.embed(["文書"])[0])
            return self._size

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return self._source.embed(texts)


def embedder_from(settings: Settings) -> Embedder | None:
    """The embedder that the settings name, or None: then searches go by words alone."""
    model = settings.retrieval.embedding_model
    if not model:
        return None
    llm = settings.llm.model_copy(update={"model": model})
    engine = choose_engine(llm)
    if engine.provider == "rules":
        raise InvalidSettings("embedding_needs_provider", model=model)
    # LangChain takes two seconds to load, and most collections need none of it.
    from sanbo.llm.embeddings import connect_embeddings  # noqa: PLC0415 - see above

    return ProviderEmbedder(connect_embeddings(engine, llm))
