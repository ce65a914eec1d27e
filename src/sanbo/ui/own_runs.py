"""Runs of the one who looks, newest first; also where somebody may see all."""

from sanbo.runs.model import RunSummary
from sanbo.ui import connection


def own_runs(workflow: str, limit: int, conversation_id: str | None = None) -> list[RunSummary]:
    """Looked for among the last `limit` that can be seen."""
    caller = connection.caller()
    bench = connection.bench()
    work = bench.workbench.list(
        caller, workflow=workflow, conversation_id=conversation_id, limit=limit
    )
    return [run for run in bench.call(work) if run.owner == caller.owner]
