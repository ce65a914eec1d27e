"""A collection in Azure AI Search: its own index, or one that others keep, to be searched only."""

import logging
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from azure.search.documents.models import VectorizableTextQuery, VectorizedQuery, VectorQuery
from typing_extensions import override

from sanbo.kernel.problems import Conflict, InvalidSettings, PermissionDenied, SanboError
from sanbo.retrieval.embedding import Embedder
from sanbo.retrieval.engines.azure_index import (
    AZURE,
    DOCUMENTS_AT_ONCE,
    AzureIndex,
    Document,
    NoIndex,
    SemanticRefused,
)
from sanbo.retrieval.engines.azure_layouts import (
    KEY,
    Layout,
    OthersLayout,
    OwnLayout,
    VectorField,
    equals,
    is_own,
    of_version,
    own_index,
    to_document,
)
from sanbo.retrieval.engines.engine import (
    SearchEngine,
    embedding_mismatch,
    searched_text,
    server_name,
)
from sanbo.retrieval.model import Candidate, Filter, IndexedChunk
from sanbo.retrieval.settings import RetrievalSettings
from sanbo.retrieval.tokens import speakable
from sanbo.retrieval.vectors import TextVectors

log = logging.getLogger(__name__)

# The semantic ranker looks at the first 50.
_DEPTH = 50
_HIGHEST_RERANKING = 4.0
_VISIBLE_SECONDS = 10.0
_INDEX_NAME = re.compile(r"(?!.*--)[a-z0-9][a-z0-9-]{0,126}[a-z0-9]")


class AzureEngine(SearchEngine):
    """With `fields`, the index is one that others keep."""

    def __init__(
        self,
        index: AzureIndex,
        *,
        embedder: Embedder | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> None:
        self.writable = fields is None
        self._index = index
        self._embedder = embedder
        self._fields = fields
        self._guard = threading.Lock()
        self._known: Layout | None = None
        self._has_ranker = True
        self._unseen: dict[str, bool] = {}
        """Keys last added (True) or removed (False) that no search was seen to know of yet."""

    @override
    def add(
        self, chunks: Sequence[IndexedChunk], vectors: Sequence[TextVectors] | None = None
    ) -> None:
        """The service takes texts to words itself."""
        self._check_writable()
        for start in range(0, len(chunks), DOCUMENTS_AT_ONCE):
            documents = self._to_documents(chunks[start : start + DOCUMENTS_AT_ONCE])
            try:
                made = self._index.upload(documents, KEY)
            except NoIndex:  # somebody dropped it since
                self._forget()
                self._made_layout()
                made = self._index.upload(documents, KEY)
            if made:
                self._note(made, is_there=True)

    @override
    def remove(self, document_id: str, version: str) -> None:
        self._check_writable()
        # What was added a moment ago may not be found yet, and would stay.
        self.flush()
        with suppress(NoIndex):
            for keys in self._keys(of_version(document_id, version)):
                self._index.delete_documents(keys, KEY)
                self._note(keys[-1], is_there=False)

    @override
    def flush(self) -> None:
        """What the service accepted is kept; this waits, not for ever, until it is found too."""
        deadline = time.monotonic() + min(_VISIBLE_SECONDS, self._index.timeout_seconds)
        with self._guard:
            unseen, self._unseen = self._unseen, {}
        pause = 0.02
        for key, is_there in unseen.items():
            while not self._is_seen(key, is_there):
                if time.monotonic() + pause > deadline:
                    log.warning("%s: the last changes are not found yet", self._index.name)
                    return
                time.sleep(pause)
                pause = min(1.0, pause * 2)

    @override
    def settle(self) -> None:
        """The service optimises by itself."""

    @override
    def search(self, query: str, limit: int, where: Filter) -> list[Candidate]:
        if limit < 1:
            return []
        try:
            layout = self._layout()
            words = layout.words(query)
            if not words:
                return []
            options: dict[str, Any] = {
                "filter": layout.condition(where),
                "select": layout.select,
                "search_fields": layout.search_fields,
                "vector_queries": self._vector_queries(layout.vector, query, limit),
            }
            rows = self._ranked(layout.semantic, query, words, limit, options)
            return _candidates(layout, rows, "fused" if options["vector_queries"] else "bm25")
        except NoIndex:
            self._forget()
            return []

    @override
    def drop(self) -> None:
        """An index that others keep stays: it is not Sanbo's to delete."""
        if self.writable:
            with suppress(NoIndex):
                self._index.delete()
            self._forget()

    @override
    def close(self) -> None:
        self._index.close()

    def _ranked(
        self, semantic: str | None, query: str, words: str, limit: int, options: dict[str, Any]
    ) -> list[Document]:
        if semantic and self._has_ranker:
            try:
                return self._index.rows(
                    words,
                    limit,
                    **options,
                    query_type="semantic",
                    semantic_configuration_name=semantic,
                    semantic_query=speakable(query),
                    # Better the first ranking than none when the ranker is overloaded.
                    semantic_error_mode="partial",
                )
            except SemanticRefused:
                self._has_ranker = False
                log.warning("%s has no semantic ranker: ranked without", AZURE.name)
        return self._index.rows(words, limit, **options)

    def _vector_queries(
        self, field: VectorField | None, query: str, limit: int
    ) -> list[VectorQuery] | None:
        if field is None:
            return None
        query, nearest = speakable(query), max(_DEPTH, limit)
        if field.has_vectorizer:
            return [
                VectorizableTextQuery(text=query, fields=field.name, k_nearest_neighbors=nearest)
            ]
        embedder = self._embedder_for(field)
        if embedder is None:
            return None
        vector = embedder.embed([query])[0]
        return [VectorizedQuery(vector=vector, fields=field.name, k_nearest_neighbors=nearest)]

    def _to_documents(self, chunks: Sequence[IndexedChunk]) -> list[Document]:
        layout = self._made_layout()
        embedder = self._embedder_for(layout.vector)
        texts = [searched_text(chunk) for chunk in chunks]
        meanings = embedder.embed(texts) if embedder else [None] * len(texts)
        return [to_document(c, meaning) for c, meaning in zip(chunks, meanings, strict=True)]

    def _embedder_for(self, field: VectorField | None) -> Embedder | None:
        """The configured one, if the index has a field for its vectors."""
        embedder = self._embedder
        if field is None or embedder is None:
            return None
        made_with = self._known.made_with if isinstance(self._known, OwnLayout) else None
        fits = field.dimensions in (None, embedder.size)
        if not fits or made_with not in (None, embedder.model):
            raise embedding_mismatch(
                self._index.name,
                had=f"{made_with or '?'}, {field.dimensions}",
                now=f"{embedder.model}, {embedder.size}",
            )
        return embedder

    def _layout(self) -> Layout:
        with self._guard:
            if self._known is None:
                self._known = self._read_layout()
            return self._known

    def _read_layout(self) -> Layout:
        if self._fields is None:
            index = self._index.definition()
            if not is_own(index):
                raise InvalidSettings("azure_index_of_others", index=self._index.name)
            return OwnLayout(index)
        try:
            index = self._index.definition()
        except PermissionDenied:
            index = None  # a query key may search, but not see how the index is made
        return OthersLayout(self._index.name, self._fields, index)

    def _made_layout(self) -> Layout:
        with suppress(NoIndex):
            return self._layout()
        try:
            self._index.create(own_index(self._index.name, self._embedder))
        except SanboError:
            # Another process may have made it in this moment; then that is the index.
            with suppress(NoIndex):
                return self._layout()
            raise
        return self._layout()

    def _keys(self, condition: str) -> Iterator[list[str]]:
        """All keys in pages, each begun after the last key of the one before."""
        page = condition
        options: dict[str, Any] = {"select": [KEY], "order_by": [f"{KEY} asc"]}
        while rows := self._index.rows("*", DOCUMENTS_AT_ONCE, filter=page, **options):
            keys = [str(row[KEY]) for row in rows]
            yield keys
            page = f"{condition} and {KEY} gt '{keys[-1]}'"

    def _note(self, key: str, *, is_there: bool) -> None:
        with self._guard:
            self._unseen = {k: there for k, there in self._unseen.items() if there != is_there}
            self._unseen[key] = is_there

    def _is_seen(self, key: str, is_there: bool) -> bool:
        try:
            return bool(self._index.rows("*", 1, filter=equals(KEY, key), select=[KEY])) == is_there
        except NoIndex:
            return True

    def _forget(self) -> None:
        with self._guard:
            self._known = None
            self._unseen = {}

    def _check_writable(self) -> None:
        if not self.writable:
            raise Conflict("azure_read_only", index=self._index.name)


def connect_azure(
    settings: RetrievalSettings, name: str, embedder: Embedder | None = None
) -> AzureEngine:
    """The collection's index. With `azure_fields`, an index of that very name is the others'."""
    if settings.azure_fields and _INDEX_NAME.fullmatch(name):
        others = AzureIndex(settings, name)
        if _is_others(others):
            return AzureEngine(others, embedder=embedder, fields=settings.azure_fields)
        others.close()
    return AzureEngine(AzureIndex(settings, server_name(name)), embedder=embedder)


def _is_others(index: AzureIndex) -> bool:
    try:
        return not is_own(index.definition())
    except NoIndex:
        return False
    except PermissionDenied:  # a query key, which could make no index either
        return True


def _candidates(layout: Layout, rows: Sequence[Document], base: str) -> list[Candidate]:
    try:
        signals = [_signals(row, base) for row in rows]
        return [
            Candidate(chunk=layout.chunk(row), score=score, signals=signal)
            for row, signal, score in zip(rows, signals, _scores(signals, base), strict=True)
        ]
    except (ValueError, TypeError):
        problem = AZURE.malformed("document")
    raise problem


def _signals(row: Document, base: str) -> dict[str, float]:
    signals = {base: float(row["@search.score"])}
    if row.get("@search.reranker_score") is not None:
        signals["reranker"] = float(row["@search.reranker_score"])
    return signals


def _scores(signals: Sequence[dict[str, float]], base: str) -> list[float]:
    """0 to 1: the reranker's where it looked, else next to the best; never rising."""
    best = max((signal[base] for signal in signals), default=0.0) or 1.0
    highest = 1.0
    scores: list[float] = []
    for signal in signals:
        reranked = signal.get("reranker")
        score = signal[base] / best if reranked is None else reranked / _HIGHEST_RERANKING
        highest = min(highest, max(0.0, score))
        scores.append(highest)
    return scores
