"""A file becomes a table in Arrow's format and a profile of it. Runs inside the sandbox."""

import hashlib
from collections.abc import Sequence
from io import IOBase
from typing import BinaryIO, cast

import pyarrow as pa

from sanbo.agents.analysis.jobs import LoadJob
from sanbo.agents.analysis.loading.cells import arrow_of
from sanbo.agents.analysis.loading.parquet import MAGIC, read_parquet
from sanbo.agents.analysis.loading.profiling import profile_columns, shown_value
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.documents.model import Source
from sanbo.documents.tabular import Tabular, read_tabular

SAMPLE_ROWS = 20


def load(job: LoadJob, data: memoryview, output: BinaryIO) -> DatasetProfile:
    """Writes the table as an Arrow IPC file and tells what is in it."""
    content = bytes(data)
    if content[:4] == MAGIC:
        (table, warnings), found = read_parquet(content, job.name), None
    else:
        found = read_tabular(Source(name=job.name, data=content), job.sheet)
        table, warnings = arrow_of(found), found.warnings
    with pa.ipc.new_file(cast("IOBase", output), table.schema) as writer:
        writer.write_table(table)
    return _profile(job, table, found, [warning.problem.message for warning in warnings])


def dataset_id_of(sha256: str, sheet: str) -> str:
    """As long as it must be: whoever finds a file with the same id could read this one's table."""
    digest = hashlib.sha256(f"{sha256}\n{sheet}".encode()).hexdigest()
    return f"ds_{digest[:32]}"


def _profile(
    job: LoadJob, table: pa.Table, found: Tabular | None, warnings: Sequence[str]
) -> DatasetProfile:
    sheet = found.sheet if found else ""
    sample = [
        tuple(shown_value(value) for value in row.values())
        for row in table.slice(0, SAMPLE_ROWS).to_pylist()
    ]
    return DatasetProfile(
        dataset_id=dataset_id_of(job.sha256, sheet),
        name=job.name,
        sheet=sheet,
        sheets=tuple(found.sheets) if found else (),
        sha256=job.sha256,
        rows=table.num_rows,
        columns=profile_columns(table),
        size=table.nbytes,
        warnings=tuple(warnings),
        sample=tuple(sample),
    )
