"""Indexing on a cluster: its workers read files and store their chunks, a few files at a time.

Only where the collection is on a server that all of them reach. Every few files are published by
themselves: what was done stays, and what a worker that died had in hand is done by another.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from sanbo import __version__
from sanbo.kernel.problems import Conflict, ProviderFailed, SanboError, StorageUnavailable
from sanbo.retrieval.indexing import Outcome
from sanbo.runs.model import FileRef
from sanbo.service.access import Caller
from sanbo.service.cluster import Cluster
from sanbo.service.collections import Collections
from sanbo.service.segments import index_files

logger = logging.getLogger(__name__)

FILES_AT_ONCE = 4
MOST_UNDER_WAY = 64
LOOK_SECONDS = 1.0
AGAIN_SECONDS = 1.0
PATIENCE_SECONDS = 120.0
"""So long nothing may come of it."""

PASSING = (ProviderFailed, Conflict, StorageUnavailable)
"""A cluster or a database that is away, and a collection into which others write."""

Portion = Sequence[FileRef]


class ClusterIndexing:
    def __init__(
        self, collections: Collections, cluster: Cluster, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._collections = collections
        self._cluster = cluster
        self._loop = loop

    def index_uploads(
        self,
        caller: Caller,
        name: str,
        files: Sequence[FileRef],
        *,
        metadata: dict[str, str] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Generator[Outcome]:
        """As `Collections.index_uploads`; outcomes come as they are ready."""
        self._collections.check_uploads(caller, name, files)
        portions = portions_of(files)

        def send(portion: Portion) -> "Future[list[Outcome]]":
            work = self._cluster.compute(
                index_files,
                __version__,
                caller.owner,
                name,
                [file.model_dump() for file in portion],
                metadata or {},
            )
            return asyncio.run_coroutine_threadsafe(work, self._loop)

        return outcomes_of(portions, send, stopped)


def portions_of(files: Sequence[FileRef]) -> list[Portion]:
    """Files of one name stay together, in their order: the last of them is the one that counts."""
    by_name: dict[str, list[FileRef]] = {}
    for file in files:
        by_name.setdefault(file.name, []).append(file)
    found: list[list[FileRef]] = [[]]
    for same in by_name.values():
        if len(found[-1]) >= FILES_AT_ONCE:
            found.append([])
        found[-1] += same
    return [portion for portion in found if portion]


def outcomes_of(
    portions: Sequence[Portion],
    send: "Callable[[Portion], Future[list[Outcome]]]",
    stopped: Callable[[], bool],
) -> Generator[Outcome]:
    waiting = deque((portion, 0.0) for portion in portions)
    under_way: dict[Future[list[Outcome]], Portion] = {}
    until = time.monotonic() + PATIENCE_SECONDS
    try:
        while (waiting or under_way) and not stopped():
            while waiting and len(under_way) < MOST_UNDER_WAY:
                if waiting[0][1] > time.monotonic():
                    break
                portion, _ = waiting.popleft()
                under_way[send(portion)] = portion
            if not under_way:
                time.sleep(AGAIN_SECONDS)
                continue
            done, _ = wait(under_way, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
            for each in done:
                portion = under_way.pop(each)
                try:
                    outcomes = each.result()
                except SanboError as error:
                    if not isinstance(error, PASSING) or time.monotonic() > until:
                        raise
                    logger.warning("some files are sent again: %s", error)
                    waiting.append((portion, time.monotonic() + AGAIN_SECONDS))
                    continue
                until = time.monotonic() + PATIENCE_SECONDS
                yield from outcomes
    finally:
        for each in under_way:
            each.cancel()
