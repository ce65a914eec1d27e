"""Indexing beside the pages: it goes on while people look elsewhere or reload."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import cast

from sanbo.kernel.messages import current_language, use_language
from sanbo.kernel.problems import Conflict, Problem, SanboError
from sanbo.runs.model import FileRef
from sanbo.service.access import Caller
from sanbo.service.collections import Collections, Outcome

MOST_REMEMBERED = 50
MOST_OUTCOMES = 300
"""Of each kind. A ZIP file may hold ten thousand files; counted they all are."""
STOP_SECONDS = 5.0


class Job:
    """Files on their way into a collection, and what became of each."""

    def __init__(self, collection: str, files: Sequence[str]) -> None:
        self.collection = collection
        self.files = tuple(files)
        self.counts: Counter[str] = Counter()
        self.problem: Problem | None = None
        self.is_done = False
        self.was_stopped = False
        self._noteworthy: list[Outcome] = []
        self._others: list[Outcome] = []
        self._finished = 0
        self._last = ""
        self._stop = threading.Event()

    def run(self, outcomes: Generator[Outcome], explain: Callable[[Exception], Problem]) -> None:
        """`explain`: what to tell of an error that is a defect of ours."""
        try:
            with closing(outcomes):
                for outcome in outcomes:
                    self._take(outcome)
                    if self.is_told_to_stop():
                        return
        except SanboError as error:
            self.problem = error.problem
        except Exception as error:  # noqa: BLE001 - in a thread nobody else would tell
            self.problem = explain(error)
        finally:
            self.is_done = True

    def stop(self) -> None:
        """Soon, also within a long file; what has been read stays."""
        self._stop.set()

    def is_told_to_stop(self) -> bool:
        """Asked by what reads the files; it then leaves the rest."""
        self.was_stopped = self._stop.is_set()
        return self.was_stopped

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set() and not self.is_done

    def _take(self, outcome: Outcome) -> None:
        self.counts[outcome.status] += 1
        is_noteworthy = outcome.problem is not None or bool(outcome.warnings)
        kept = self._noteworthy if is_noteworthy else self._others
        if len(kept) < MOST_OUTCOMES:
            kept.append(outcome)
        self._last = outcome.name
        for position, file in enumerate(self.files):
            if outcome.name == file or outcome.name.startswith(f"{file}/"):
                is_archive = outcome.name != file  # there may be more in it
                self._finished = max(self._finished, position + (not is_archive))
                break

    @property
    def share(self) -> float:
        """Of the files that were given; an archive counts when the next file has come."""
        return 1.0 if self.is_done else self._finished / max(1, len(self.files))

    @property
    def current(self) -> str:
        """The file it is at; inside an archive the last one that was read."""
        if self._finished >= len(self.files):
            return self._last
        file = self.files[self._finished]
        return self._last if self._last.startswith(f"{file}/") else file

    @property
    def has_read(self) -> bool:
        """Whether anything is in the collection because of these files."""
        return any(self.counts[status] for status in ("added", "replaced", "unchanged"))

    @property
    def outcomes(self) -> list[Outcome]:
        """Those with something to say first."""
        return [*self._noteworthy, *self._others]


class Jobs:
    """Of this process, by who started them and for which collection."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, str], Job] = {}
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def of(self, owner: str, collection: str) -> Job | None:
        return self._jobs.get((owner, collection))

    def dismiss(self, owner: str, collection: str) -> None:
        self._jobs.pop((owner, collection), None)

    def start(
        self,
        collections: Collections,
        caller: Caller,
        name: str,
        files: Sequence[FileRef],
        explain: Callable[[Exception], Problem],
    ) -> Job:
        """What is wrong with the name or the files is raised here; a new name makes a collection.

        The job's `collection` is the name in its one spelling.
        """
        name = collections.checked_name(name)
        with self._lock:
            running = self.of(caller.owner, name)
            if running is not None and not running.is_done:
                raise Conflict("collection_indexing", collection=name)
            job = Job(name, [file.name for file in files])
            outcomes = collections.index_uploads(caller, name, files, stopped=job.is_told_to_stop)
            self._remember(caller.owner, job)
        language = current_language()

        def work() -> None:
            with use_language(language):
                job.run(cast("Generator[Outcome]", outcomes), explain)

        thread = threading.Thread(target=work, name=f"indexing-{job.collection}", daemon=True)
        self._threads = [*(each for each in self._threads if each.is_alive()), thread]
        thread.start()
        return job

    def _remember(self, owner: str, job: Job) -> None:
        self._jobs.pop((owner, job.collection), None)
        self._jobs[owner, job.collection] = job
        done = [key for key, each in self._jobs.items() if each.is_done]
        for key in done[: max(0, len(self._jobs) - MOST_REMEMBERED)]:
            del self._jobs[key]

    def stop(self) -> None:
        """When the server ends: what was not yet read can be given again."""
        for job in self._jobs.values():
            job.stop()
        deadline = time.monotonic() + STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
