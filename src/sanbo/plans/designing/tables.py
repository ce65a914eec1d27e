"""The tables of a plan in the making: which file each comes from, which one a clause is about."""

import re
from dataclasses import dataclass
from typing import Any

from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile
from sanbo.plans.designing.draft import Draft, Stream
from sanbo.plans.designing.material import GivenFile
from sanbo.plans.designing.row_phrases import columns_named
from sanbo.plans.designing.vocabulary import find, plain

_READ_CSV = (".csv", ".tsv")


@dataclass
class Table:
    """One sheet or CSV that the plan reads when a step needs it."""

    label: str
    accept: str
    profile: DatasetProfile | None = None
    sheet: str = ""
    """Of a workbook that has several."""
    sample: str = ""
    source: str = ""
    """A reference to the file, where it is no field of the form."""
    stream: Stream | None = None

    @property
    def title(self) -> str:
        return self.sheet or self.label

    def read(self, draft: Draft) -> Stream:
        if self.stream is None:
            self.stream = self._read(draft)
        return self.stream

    def _read(self, draft: Draft) -> Stream:
        more = {"description": draft.say("sample", name=self.sample)} if self.sample else {}
        source = self.source or draft.ask("file", self.label, accept=self.accept, **more)
        title = draft.say("read", what=self.title)
        if self.accept in _READ_CSV:
            given: dict[str, Any] = {"bytes": source, "types": "auto"}
            node = draft.add("read", "file.read_csv", given, title=title, files=(self.label,))
        else:
            sheet = self.sheet or (self.profile.sheet if self.profile else "")
            config: dict[str, Any] = {"header_row": "auto"}
            if sheet and self.sheet:
                config = {"sheets": [{"name": sheet, "header_row": "auto"}]}
            given = {"workbook": source, "read_config": config}
            node = draft.add("read", "excel.read_data", given, title=title, files=(self.label,))
        return Stream(f"${{{node}.rows}}", self.profile, self.title)


def tables_of(file: GivenFile) -> list[Table]:
    if file.kind != "table":
        return []
    several = len(file.sheets) > 1
    return [
        Table(
            label=file.stem,
            accept=".csv" if file.ending in _READ_CSV else ".xlsx",
            profile=sheet,
            sheet=sheet.sheet if several else "",
            sample=file.name,
        )
        for sheet in file.sheets
    ]


def parts_of(name: str) -> list[str]:
    parts = [part for part in re.split(r"[\s_\-.()（）・]+", plain(name)) if len(part) > 1]
    # contacts.csv is the contact list
    return [part.removesuffix("s") if part.isascii() and len(part) > 4 else part for part in parts]


def mention(table: Table, text: str) -> int:
    """Where a text names a table, by its label or a part of it; -1 where it does not."""
    for name in (table.sheet, table.label):
        if name and (at := text.find(plain(name))) >= 0:
            return at
    places = [text.find(part) for part in parts_of(table.title)]
    named = [at for at in places if at >= 0]
    if named:
        return min(named)
    for words in ("invoices", "payments", "old", "new"):
        if find(words, plain(table.title)) and (found := find(words, text)):
            return found.start
    return -1


def meant(tables: list[Table], text: str) -> list[Table]:
    """Those that a text names, in its order; else the one whose columns it speaks of most."""
    named = sorted(
        (at, number) for number, one in enumerate(tables) if (at := mention(one, text)) >= 0
    )
    if named:
        return [tables[number] for _, number in named]
    known = [one for one in tables if one.profile is not None]
    best = max(known, key=lambda one: len(columns_named(text, _of(one))), default=None)
    return [best] if best is not None and columns_named(text, _of(best)) else []


def _of(table: Table) -> DatasetProfile:
    assert table.profile is not None
    return table.profile


def with_columns(profile: DatasetProfile, *added: ColumnProfile) -> DatasetProfile:
    names = {one.name for one in added}
    kept = [one for one in profile.columns if one.name not in names]
    return profile.model_copy(update={"columns": (*kept, *added)})


def only_columns(profile: DatasetProfile, names: list[str]) -> DatasetProfile:
    kept = [one for name in names for one in profile.columns if one.name == name]
    return profile.model_copy(update={"columns": tuple(kept)})


def figures(name: str, kind: str = "number") -> ColumnProfile:
    return ColumnProfile.model_validate(
        {"name": name, "type": kind, "distinct": 10, "minimum": 0, "maximum": 10**9}
    )
