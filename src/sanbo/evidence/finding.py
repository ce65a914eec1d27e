"""Finds passages: all queries of a cycle at once, each passage once, with its relevance."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sanbo.evidence.model import Passage, SearchedQuery
from sanbo.evidence.near_duplicates import KnownTexts
from sanbo.evidence.rules.wordings import wordings
from sanbo.evidence.searches import Edition, Searched, Searches
from sanbo.retrieval.collection import Collection, KeptDocument
from sanbo.retrieval.model import CollectionInfo, Hit
from sanbo.retrieval.relevance import relevances

OTHERS_SECONDS = 600
"""An index that others keep does not tell when it changed: it is searched anew after a while."""


class Found(NamedTuple):
    passages: tuple[Passage, ...]
    """Those known before and the new ones, all with their relevance."""
    queries: tuple[SearchedQuery, ...]
    """Of this cycle."""
    collection_chunks: int | None


@dataclass(frozen=True)
class Finder:
    """Looks into one collection for one session."""

    searches: Searches
    session: str
    open: Callable[[], Collection]
    """Blocking; a problem where there is no such collection (any more)."""

    async def find(
        self,
        queries: Sequence[str],
        sub_questions: Sequence[str],
        known: Sequence[Passage],
        *,
        cycle: int,
        limit: int,
    ) -> Found:
        collection, info = await self.searches.apart(self._look)
        edition = Edition(collection.name, _changed(info))
        searched = await asyncio.gather(
            *(
                self.searches.search(self.session, collection, edition, query, limit)
                for query in queries
            )
        )
        if not any(each.hits for each in searched):
            await self.searches.apart(collection.info)  # deleted just now is not nothing found
        passages, told = await asyncio.to_thread(
            _gathered, queries, searched, sub_questions, known, cycle
        )
        return Found(passages, told, info.chunks or None)

    def read(self, document_id: str) -> KeptDocument | None:
        """The source itself, for checking quotes; blocking."""
        collection = self.open()
        return collection.read(document_id) if collection.keeps_texts else None

    def _look(self) -> tuple[Collection, CollectionInfo]:
        collection = self.open()
        return collection, collection.info()


def _changed(info: CollectionInfo) -> str:
    if not info.documents:  # empty, or kept by others
        return f"{info.created_at.isoformat()}/{time.time() // OTHERS_SECONDS}"
    return f"{info.created_at.isoformat()}/{info.updated_at.isoformat()}"


def _gathered(
    queries: Sequence[str],
    searched: Sequence[Searched],
    sub_questions: Sequence[str],
    known: Sequence[Passage],
    cycle: int,
) -> tuple[tuple[Passage, ...], tuple[SearchedQuery, ...]]:
    passages = list(known)
    texts = KnownTexts([passage.text for passage in known])
    chunks = {passage.chunk_id for passage in known}
    told: list[SearchedQuery] = []
    for query, (hits, remembered) in zip(queries, searched, strict=True):
        before = len(passages)
        for hit in hits:
            if hit.chunk_id not in chunks and texts.add(hit.text):
                passages.append(_passage(hit, f"P{len(passages) + 1}", cycle))
            chunks.add(hit.chunk_id)
        told.append(
            SearchedQuery(
                text=query,
                cycle=cycle,
                hits=len(hits),
                new=len(passages) - before,
                cached=remembered,
            )
        )
    return _with_relevance(passages, sub_questions), tuple(told)


def _passage(hit: Hit, passage_id: str, cycle: int) -> Passage:
    return Passage(
        id=passage_id,
        chunk_id=hit.chunk_id,
        document_id=hit.document_id,
        document=hit.document_name,
        format=hit.format,
        position=hit.position,
        text=hit.text,
        context=hit.context,
        score=hit.score,
        relevance=0.0,
        cycle=cycle,
    )


def _with_relevance(
    passages: Sequence[Passage], sub_questions: Sequence[str]
) -> tuple[Passage, ...]:
    """Of all, also those known before: a passage is judged beside the others."""
    if not passages:
        return ()
    by_question = [relevances_for(question, passages) for question in sub_questions]
    return tuple(
        passage.model_copy(update={"relevances": each, "relevance": max(each)})
        for passage, each in zip(passages, zip(*by_question, strict=True), strict=True)
    )


def relevances_for(question: str, passages: Sequence[Passage]) -> list[float]:
    """In whichever words of the question a passage answers it best, beside the others."""
    hits = [_hit(passage) for passage in passages]
    by_wording = [relevances(wording, hits) for wording in wordings(question)]
    return [max(each) for each in zip(*by_wording, strict=True)]


def _hit(passage: Passage) -> Hit:
    return Hit(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_name=passage.document,
        format=passage.format,
        text=passage.text,
        context=passage.context,
        position=passage.position,
        score=passage.score,
    )
