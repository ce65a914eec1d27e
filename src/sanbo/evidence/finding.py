"""Finds passages: all queries of a cycle at once, each passage once, with its relevance."""

import asyncio
import contextvars
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from rapidfuzz import process
from rapidfuzz.distance import Indel

from sanbo.evidence.model import Passage, SearchedQuery
from sanbo.evidence.reader.reading import relevances_for
from sanbo.kernel.text import matching_form
from sanbo.retrieval.catalogue import KeptDocument
from sanbo.retrieval.collection import Collection
from sanbo.retrieval.model import CollectionInfo, Hit
from sanbo.retrieval.tokens import letters

ALIKE = 0.9
_HIRAGANA = re.compile(r"[ぁ-ゖー]*")
_TURNS_MEANING = re.compile(
    r"[0-9〇一二三四五六七八九十百千万億]|ない|ませ|ず|ぬ|まい|以外|除|不|未|無|非|否|禁"
    r"|not|never|without|except|unless|cannot|n't"
)


class KnownTexts:
    """The texts of a run's passages; the first of those that say the same is kept."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._forms = [letters(text) for text in texts]
        self._exact = set(self._forms)

    def add(self, text: str) -> bool:
        """Whether it is new; then it is known from now on."""
        form = letters(text)
        if not form or self._is_said(form):
            return False
        self._forms.append(form)
        self._exact.add(form)
        return True

    def _is_said(self, form: str) -> bool:
        if form in self._exact:
            return True
        # pyrefly: ignore[no-matching-overload]
        alike = process.extract(
            form,
            self._forms,
            scorer=Indel.normalized_similarity,
            score_cutoff=ALIKE,
            limit=None,
        )
        return any(_adds_nothing(form, known) for known, _, _ in alike)


def _adds_nothing(form: str, known: str) -> bool:
    """Beside particles and endings, the text has nothing that the known one lacks."""
    if _TURNS_MEANING.findall(form) != _TURNS_MEANING.findall(known):
        return False
    if form in known:
        return True
    return all(
        _HIRAGANA.fullmatch(known[change.src_start : change.src_end])
        and _HIRAGANA.fullmatch(form[change.dest_start : change.dest_end])
        for change in Indel.opcodes(known, form)
        if change.tag != "equal"
    )


T = TypeVar("T")

WAITING = 256
"""Threads for servers: five queries of fifty runs at once wait for answers, not for each other."""
WORKING = 16
"""Threads for searches in this process: they share its cores, so that more of them end no sooner
and only keep the event loop from its turn (256: for 2 seconds, 16: for a quarter)."""
MOST_REMEMBERED = 1_000
"""Searches of all sessions together, some tens of megabytes of passages."""
LONGEST_REMEMBERED = 100_000
"""Characters of one search's passages: an index of others may hold whole books in one."""


class Edition(NamedTuple):
    """A collection as it is at a moment; changed, it is another edition."""

    collection: str
    changed: str


class _Asked(NamedTuple):
    edition: Edition
    query: str
    limit: int


class Searched(NamedTuple):
    hits: tuple[Hit, ...]
    remembered: bool
    """Answered by a search that this session had made before, or was just making."""


_Search = Future[tuple[Hit, ...]]


class Searches:
    """Shared by all runs of a process; called from any event loop."""

    def __init__(self, most_remembered: int = MOST_REMEMBERED) -> None:
        self._most = most_remembered
        self._lock = threading.Lock()
        self._threads: dict[int, ThreadPoolExecutor] = {}
        """By their number."""
        self._sessions: OrderedDict[str, OrderedDict[_Asked, _Search]] = OrderedDict()

    async def search(
        self, session: str, collection: Collection, edition: Edition, query: str, limit: int
    ) -> Searched:
        asked = _Asked(edition, matching_form(query), limit)
        with self._lock:
            remembered = self._recall(session, asked)
            search = remembered
            if search is None:
                threads = WORKING if collection.in_process else WAITING
                search = self._submit(lambda: tuple(collection.search(query, limit=limit)), threads)
                self._remember(session, asked, search)
        try:
            # Shielded: a run that is cancelled does not take the search from another.
            hits = await asyncio.shield(asyncio.wrap_future(search))
        except Exception:
            self._forget(session, asked, search)
            raise
        if sum(len(hit.text) for hit in hits) > LONGEST_REMEMBERED:
            self._forget(session, asked, search)
        return Searched(hits, remembered is not None)

    async def apart(self, work: Callable[[], T]) -> T:
        """Other blocking work on a collection, which may wait for a server."""
        with self._lock:
            future = self._submit(work, WAITING)
        return await asyncio.wrap_future(future)

    def forget(self, session: str) -> None:
        with self._lock:
            self._sessions.pop(session, None)

    def close(self) -> None:
        """The threads end with what they are doing; a search after this starts new ones."""
        with self._lock:
            threads, self._threads = self._threads, {}
            self._sessions.clear()
        for each in threads.values():
            each.shutdown(wait=False)

    def _submit(self, work: Callable[[], T], threads: int) -> Future[T]:
        if threads not in self._threads:
            self._threads[threads] = ThreadPoolExecutor(threads, thread_name_prefix="search")
        # Problems are told in the language of the run that meets them.
        return self._threads[threads].submit(contextvars.copy_context().run, work)

    def _recall(self, session: str, asked: _Asked) -> _Search | None:
        searches = self._sessions.get(session)
        if searches is None:
            return None
        self._sessions.move_to_end(session)
        return searches.get(asked)

    def _remember(self, session: str, asked: _Asked, search: _Search) -> None:
        self._sessions.setdefault(session, OrderedDict())[asked] = search
        while sum(map(len, self._sessions.values())) > self._most:
            oldest = next(iter(self._sessions))
            if oldest == session:  # it is alone
                self._sessions[session].popitem(last=False)
            else:
                del self._sessions[oldest]

    def _forget(self, session: str, asked: _Asked, search: _Search) -> None:
        """What failed, or is too large to keep, is searched again the next time."""
        with self._lock:
            searches = self._sessions.get(session, OrderedDict())
            if searches.get(asked) is search:
                del searches[asked]


READ = 24
"""So many hits of each query are read; of those that are kept there are fewer."""
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
                self.searches.search(self.session, collection, edition, query, max(limit, READ))
                for query in queries
            )
        )
        if not any(each.hits for each in searched):
            await self.searches.apart(collection.info)  # deleted just now is not nothing found
        passages, told = await asyncio.to_thread(
            gathered, queries, searched, sub_questions, known, cycle=cycle, limit=limit
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


def gathered(
    queries: Sequence[str],
    searched: Sequence[Searched],
    sub_questions: Sequence[str],
    known: Sequence[Passage],
    *,
    cycle: int,
    limit: int,
) -> tuple[tuple[Passage, ...], tuple[SearchedQuery, ...]]:
    """The first hits of each query, and of those behind them the ones that answer best."""
    texts = KnownTexts([passage.text for passage in known])
    chunks = {passage.chunk_id for passage in known}
    new: list[Passage] = []
    first: list[int] = []
    by_query: list[range] = []
    """Which of the new ones each query has found."""
    for hits, _ in searched:
        before = len(new)
        for place, hit in enumerate(hits):
            if hit.chunk_id not in chunks and texts.add(hit.text):
                first += [len(new)] if place < limit else []
                new.append(passage_of(hit, cycle))
            chunks.add(hit.chunk_id)
        by_query.append(range(before, len(new)))
    judged = _with_relevance([*known, *new], sub_questions)
    found = judged[len(known) :]
    kept = frozenset((*first, *_best(found, len(sub_questions), limit + limit // 2)))
    told = tuple(
        SearchedQuery(
            text=query,
            cycle=cycle,
            hits=min(len(hits), limit),
            new=sum(at in kept for at in places),
            cached=remembered,
        )
        for query, (hits, remembered), places in zip(queries, searched, by_query, strict=True)
    )
    passages = [*judged[: len(known)], *(found[at] for at in sorted(kept))]
    return tuple(_numbered(passages)), told


def _best(found: Sequence[Passage], questions: int, most: int) -> Iterator[int]:
    """Of each question as many, together about so many."""
    for place in range(questions):
        order = sorted(range(len(found)), key=lambda at: -found[at].relevances[place])
        yield from order[: -(-most // questions)]


def _numbered(passages: Sequence[Passage]) -> Iterator[Passage]:
    for number, passage in enumerate(passages, 1):
        yield passage.model_copy(update={"id": f"P{number}"})


def passage_of(hit: Hit, cycle: int) -> Passage:
    return Passage(
        id="",
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
