"""A file becomes a table in Arrow's format and a profile of it. Runs inside the sandbox."""

import hashlib
from collections.abc import Sequence
from io import IOBase
from typing import BinaryIO, cast

import pyarrow as pa

from sanbo.agents.analysis.jobs import LoadJob
from sanbo.agents.analysis.loading.date_words import dates_in_words, with_dates, with_joined_dates
from sanbo.agents.analysis.loading.long_form import with_periods_as_rows
from sanbo.agents.analysis.loading.margins import (
    with_groups_filled,
    with_one_header,
    with_sections,
    without_notes,
)
from sanbo.agents.analysis.loading.parquet import MAGIC, arrow_of, read_parquet
from sanbo.agents.analysis.loading.profiling import (
    profile_columns,
    shown_value,
    with_identifiers,
    with_one_spelling,
    with_rates,
)
from sanbo.agents.analysis.loading.totals import say_total_columns, without_totals
from sanbo.agents.analysis.loading.units import units_of_title, with_figures_alone, with_unit_row
from sanbo.agents.analysis.loading.word_lists import Preparations, few
from sanbo.agents.analysis.profile import DatasetProfile, PreparationKind
from sanbo.documents.file_table import AsWritten, FoundTable, find_table, tabular_of
from sanbo.documents.model import Source
from sanbo.kernel.problems import SanboError

SAMPLE_ROWS = 20


def load(job: LoadJob, data: memoryview, output: BinaryIO) -> DatasetProfile:
    """Writes the table as an Arrow IPC file and tells what is in it."""
    content = bytes(data)
    preparations = Preparations(job.as_written)
    found: FoundTable | None = None
    if content[:4] == MAGIC:
        table, warnings = read_parquet(content, job.name)
    else:
        found = _find(job, content, preparations)
        table, warnings = _typed(found, preparations)
    table = with_one_spelling(table, preparations)
    with pa.ipc.new_file(cast("IOBase", output), table.schema) as writer:
        writer.write_table(table)
    profiled = with_rates(profile_columns(table))
    columns = with_identifiers(profiled, table.num_rows, preparations)
    sheet = found.sheet if found else ""
    sample = [
        tuple(shown_value(value) for value in row.values())
        for row in table.slice(0, SAMPLE_ROWS).to_pylist()
    ]
    return DatasetProfile(
        dataset_id=dataset_id_of(job.sha256, sheet, job.as_written),
        name=job.name,
        sheet=sheet,
        sheets=found.sheets if found else (),
        sha256=job.sha256,
        rows=table.num_rows,
        columns=columns,
        size=table.nbytes,
        warnings=tuple(warning.problem.message for warning in warnings),
        preparations=tuple(preparations),
        as_written=job.as_written,
        sample=tuple(sample),
    )


def dataset_id_of(sha256: str, sheet: str, as_written: Sequence[PreparationKind] = ()) -> str:
    """As long as it must be: whoever finds a file with the same id could read this one's table."""
    left = ",".join(sorted(set(as_written)))
    digest = hashlib.sha256(f"{sha256}\n{sheet}\n{left}".encode()).hexdigest()
    return f"ds_{digest[:32]}"


def _find(job: LoadJob, content: bytes, preparations: Preparations) -> FoundTable:
    """The rows of the table, without what stands among them and is none."""
    as_written = AsWritten(
        heads=not preparations.wants("header"), tables=not preparations.wants("tables")
    )
    found = find_table(Source(name=job.name, data=content), job.sheet, as_written)
    if found.others:
        preparations.say(
            "tables",
            "tables",
            count=len(found.others) + 1,
            row=found.row_numbers[0] if found.row_numbers else 1,
            others=few(found.others),
        )
    elsewhere = [name for name in found.sheets if name not in (found.sheet, *found.others)]
    if elsewhere and not job.sheet:
        preparations.say(
            "tables", "sheets", is_done=False, sheet=found.sheet, others=few(elsewhere)
        )
    found = with_one_header(found, preparations)
    found = with_unit_row(found, preparations)
    found = without_notes(found, preparations)
    found = with_figures_alone(found, preparations)
    found = without_totals(found, preparations)
    found = with_groups_filled(with_sections(found, preparations), preparations)
    found = with_periods_as_rows(found, preparations)
    say_total_columns(found, preparations)
    return found


def _typed(found: FoundTable, preparations: Preparations) -> tuple[pa.Table, Sequence[SanboError]]:
    tabular = tabular_of(found)
    if not preparations.wants("dates") and (words := dates_in_words(found, tabular.columns)):
        tabular = tabular_of(found, words)
    columns = with_joined_dates(with_dates(found, tabular.columns, preparations), preparations)
    units = units_of_title(found, columns, preparations)
    return arrow_of(columns, units), tabular.warnings
