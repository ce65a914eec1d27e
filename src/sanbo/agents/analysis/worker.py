"""What the sandbox's process does: loads files, executes specs, writes tables as CSV."""

from collections.abc import Sequence
from typing import BinaryIO

from sanbo.agents.analysis.execution import perform as execution
from sanbo.agents.analysis.execution.frames import read_frame
from sanbo.agents.analysis.export.csv_files import csv_bytes
from sanbo.agents.analysis.jobs import Executed, ExecuteJob, Job
from sanbo.agents.analysis.loading import load
from sanbo.agents.analysis.loading.profiling import profile_columns
from sanbo.agents.analysis.profile import TableProfile

ROWS_TO_PROFILE = 100_000
"""Of a longer result later specs know the columns, but not what values stand in them."""


def perform(job: bytes, inputs: Sequence[memoryview], output: BinaryIO) -> bytes:
    todo = Job.model_validate_json(job)
    if todo.load is not None:
        return load(todo.load, inputs[0], output).model_dump_json().encode()
    if todo.execute is not None:
        return _execute(todo.execute, inputs[0], output).model_dump_json().encode()
    assert todo.csv is not None
    table = read_frame(inputs[0]).table.slice(0, todo.csv.rows)
    output.write(csv_bytes(table, todo.csv.labels))
    return b"{}"


def _execute(job: ExecuteJob, data: memoryview, output: BinaryIO) -> Executed:
    outcome, table = execution.execute(job.spec, data, output)
    columns = profile_columns(table, with_values=table.num_rows <= ROWS_TO_PROFILE)
    return Executed(outcome=outcome, profile=TableProfile(rows=table.num_rows, columns=columns))


def warm_up() -> None:
    """Once, before the first action: what it loads, all actions share."""
    execution.warm_up()
