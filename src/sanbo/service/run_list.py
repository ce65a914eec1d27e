"""The runs of a workspace without a workbench: to list them, nothing of workflows is loaded."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from typing import NamedTuple

from sanbo.runs.journal import Journal
from sanbo.runs.leases import Leases
from sanbo.runs.model import RunSummary, Status
from sanbo.settings import Settings
from sanbo.storage.database import open_database


class Listed(NamedTuple):
    runs: list[RunSummary]
    interrupted: frozenset[str]
    """Those that say that they are at work, while nobody works on them."""


class RunList:
    """As the operator sees it: everybody's runs."""

    def __init__(self, journal: Journal, leases: Leases) -> None:
        self._journal = journal
        self._leases = leases

    def newest(self, *, workflow: str | None, status: Status | None, limit: int) -> Listed:
        runs = self._journal.list(workflow=workflow, status=status, limit=limit)
        orphans = frozenset(self._leases.orphans())
        return Listed(runs, orphans.intersection(run.run_id for run in runs))


@contextmanager
def open_run_list(settings: Settings) -> Generator[RunList]:
    with closing(open_database(settings)) as database:
        folder = settings.workspace / "processes"
        with closing(Leases(database, folder, settings.runs.lease_seconds)) as leases:
            yield RunList(Journal(database), leases)
