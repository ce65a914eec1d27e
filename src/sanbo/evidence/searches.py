"""Searches in threads of their own, each made once a session.

What a session has searched for is remembered as long as the collection stays as it is; a search
that is under way is waited for, also by other runs of the session.
"""

import asyncio
import contextvars
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from sanbo.kernel.text import matching_form
from sanbo.retrieval.collection import Collection
from sanbo.retrieval.model import Hit

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
