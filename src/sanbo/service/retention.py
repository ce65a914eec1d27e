"""How long runs and their files are kept: what is older is found, shown, and then deleted."""

from pydantic import BaseModel, ConfigDict

from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, RunBusy
from sanbo.runs.model import RunSummary
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench


class Prunable(BaseModel):
    model_config = ConfigDict(frozen=True)

    runs: tuple[RunSummary, ...]
    """Deleted with all that belongs to them: journal, log, files, checkpoints."""
    without_files: tuple[RunSummary, ...]
    """Of these the files are deleted, and the record stays."""
    files: int
    """How many files those runs name; one that another run names too stays."""


async def prunable(
    workbench: Workbench, caller: Caller, days: int | None = None, file_days: int | None = None
) -> Prunable:
    """By these days, or by the settings; nothing that works, waits, or is not the caller's."""
    settings = workbench.settings.runs
    if days is None and file_days is None:
        days, file_days = settings.keep_days, settings.keep_files_days
    if days is None and file_days is None:
        raise InvalidInput("retention_unset")
    old = [] if days is None else await workbench.ended_before(caller, days)
    gone = {run.run_id for run in old}
    others = [] if file_days is None else await workbench.ended_before(caller, file_days)
    without_files: list[RunSummary] = []
    files = 0
    for run in others:
        count = 0 if run.run_id in gone else await workbench.file_count(caller, run.run_id)
        if count:
            without_files.append(run)
            files += count
    return Prunable(runs=tuple(old), without_files=tuple(without_files), files=files)


async def prune(workbench: Workbench, caller: Caller, found: Prunable) -> Prunable:
    """What of it was deleted: not what somebody has taken up or deleted meanwhile."""
    months = await workbench.delete_months(caller, found.runs)
    deleted = [run for run in found.runs if run.run_id in months]
    emptied: list[RunSummary] = []
    for run in found.runs:
        if run.run_id in months:
            continue
        try:
            if (await workbench.head(caller, run.run_id)).status.is_final:
                await workbench.delete(caller, run.run_id)
                deleted.append(run)
        except (NotFound, RunBusy):
            continue
    for run in found.without_files:
        try:
            await workbench.delete_files(caller, run.run_id)
            emptied.append(run)
        except (NotFound, Conflict):
            continue
    return Prunable(runs=tuple(deleted), without_files=tuple(emptied), files=found.files)
