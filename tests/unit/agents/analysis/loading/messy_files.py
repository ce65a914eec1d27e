"""Tables as offices have them, as workbooks and as CSV files, and how they are read."""

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import datetime, time
from typing import Any, NamedTuple

from openpyxl import Workbook
from pyarrow import ipc

from sanbo.agents.analysis.jobs import LoadJob
from sanbo.agents.analysis.loading import load
from sanbo.agents.analysis.profile import DatasetProfile, PreparationKind

SHA = "0" * 64
Rows = Sequence[Sequence[object]]


def workbook(
    rows: Rows,
    merged: Sequence[str] = (),
    formats: Mapping[str, str] | None = None,
    sheet: str = "Sheet1",
) -> bytes:
    book = Workbook()
    page: Any = book.worksheets[0]
    page.title = sheet
    for row in rows:
        page.append(list(row))
    for cells in merged:
        page.merge_cells(cells)
    for cell, shown in (formats or {}).items():
        page[cell].number_format = shown
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def csv_file(rows: Rows) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    width = max(map(len, rows))
    for row in rows:
        cells = ["" if cell is None else cell for cell in row]
        writer.writerow([*cells, *[""] * (width - len(cells))])
    return text.getvalue().encode()


class Read(NamedTuple):
    profile: DatasetProfile
    names: list[str]
    rows: list[list[object]]

    @property
    def kinds(self) -> set[PreparationKind]:
        return {each.kind for each in self.profile.preparations}

    @property
    def said(self) -> str:
        return "\n".join(each.text for each in self.profile.preparations)

    def units(self) -> dict[str, str]:
        return {column.name: column.unit for column in self.profile.columns if column.unit}


def read(
    data: bytes, name: str = "表.xlsx", sheet: str = "", as_written: Sequence[PreparationKind] = ()
) -> Read:
    output = io.BytesIO()
    job = LoadJob(name=name, sheet=sheet, sha256=SHA, as_written=tuple(as_written))
    profile = load(job, memoryview(data), output)
    table = ipc.open_file(output.getvalue()).read_all()
    rows = zip(*(map(_plain, column.to_pylist()) for column in table.columns), strict=True)
    return Read(profile, list(table.column_names), [list(row) for row in rows])


def _plain(value: object) -> object:
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return value
