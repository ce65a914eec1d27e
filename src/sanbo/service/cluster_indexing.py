"""Indexing on a cluster: its workers read files and store their chunks, a few files at a time.

Only where the collection is on a server that all of them reach. Every few files are published by
themselves: what was done stays, and what a worker that died had in hand is done by another.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from sanbo import __version__
from sanbo.kernel.problems import ProviderFailed
from sanbo.retrieval.indexing import Outcome
from sanbo.runs.model import FileRef
from sanbo.service.access import Caller
from sanbo.service.cluster import Cluster
from sanbo.service.collections import Collections
from sanbo.service.segments import index_files

FILES_AT_ONCE = 4
MOST_UNDER_WAY = 64
LOOK_SECONDS = 1.0
TRIES = 5

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
        portions = [
            files[begin : begin + FILES_AT_ONCE] for begin in range(0, len(files), FILES_AT_ONCE)
        ]

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

        return _outcomes(portions, send, stopped)


def _outcomes(
    portions: Sequence[Portion],
    send: "Callable[[Portion], Future[list[Outcome]]]",
    stopped: Callable[[], bool],
) -> Generator[Outcome]:
    waiting = deque((portion, 1) for portion in portions)
    under_way: dict[Future[list[Outcome]], tuple[Portion, int]] = {}
    try:
        while (waiting or under_way) and not stopped():
            while waiting and len(under_way) < MOST_UNDER_WAY:
                portion, tried = waiting.popleft()
                under_way[send(portion)] = portion, tried
            done, _ = wait(under_way, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
            for each in done:
                portion, tried = under_way.pop(each)
                try:
                    yield from each.result()
                except ProviderFailed:
                    if tried >= TRIES:
                        raise
                    waiting.append((portion, tried + 1))
    finally:
        for each in under_way:
            each.cancel()
