"""What was found in one file: records, where each value stands, and where parts disagree."""

import json
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, JsonValue

from sanbo.blocks.ai.wanted import Wanted
from sanbo.documents.model import Document

Values = dict[str, JsonValue]


class Place(BaseModel):
    """The words that say a value, and where they stand."""

    model_config = ConfigDict(frozen=True)

    text: str
    position: dict[str, JsonValue] | None = None
    """Page, sheet, row and character; None where the words are not found in the text."""


class Conflict(BaseModel):
    """A field for which the file says several things; `kept` is what stands in the record."""

    model_config = ConfigDict(frozen=True)

    field: str
    values: list[JsonValue]
    kept: JsonValue = None


class Record(BaseModel):
    model_config = ConfigDict(frozen=True)

    values: Values
    sources: dict[str, Place] = {}
    conflicts: tuple[Conflict, ...] = ()


class Findings(BaseModel):
    """Of one file or group; a remembered step's output."""

    model_config = ConfigDict(frozen=True)

    records: tuple[Record, ...]
    beside: Values = {}
    parts: int = 1
    images: int = 0
    calls: int = 0
    """Of the model."""


def place_of(document: Document, start: int, text: str) -> Place:
    """The words with page, sheet and row, as far as the document knows them."""
    found: dict[str, JsonValue] = {"start": start, "end": start + len(text)}
    block = next(
        (each for each in document.blocks if each.position.start <= start < each.position.end),
        None,
    )
    if block is not None:
        position = block.position
        row = position.row
        if block.kind == "table" and block.row_starts:
            inside = [number for number, at in enumerate(block.row_starts) if at <= start]
            row = block.row_numbers[inside[-1]] if inside else position.row
        named = {"page": position.page, "sheet": position.sheet, "row": row}
        found |= {name: value for name, value in named.items() if value is not None}
    return Place(text=text, position=found)


def merged(fields: Sequence[Wanted], records: Sequence[Record]) -> Record:
    """One record out of those of the parts: the first that says something; lists joined."""
    values: Values = {}
    sources: dict[str, Place] = {}
    conflicts: list[Conflict] = [each for record in records for each in record.conflicts]
    for wanted in fields:
        said = [record for record in records if record.values.get(wanted.name) not in (None, [])]
        name = wanted.name
        if wanted.kind == "array":
            values[name] = _joined([record.values[name] for record in said])
        else:
            values[name] = said[0].values[name] if said else None
            different = distinct([record.values[name] for record in said])
            if len(different) > 1:
                conflicts.append(Conflict(field=name, values=different, kept=values[name]))
        for record in said:
            if name in record.sources:
                sources.setdefault(name, record.sources[name])
    return Record(values=values, sources=sources, conflicts=tuple(conflicts))


def _joined(lists: Sequence[JsonValue]) -> list[JsonValue]:
    """Parts overlap: what stands at the end of one and the begin of the next is one thing."""
    joined: list[JsonValue] = []
    for each in lists:
        items = each if isinstance(each, list) else [each]
        overlap = next(
            (
                size
                for size in range(min(len(items), len(joined)), 0, -1)
                if joined[-size:] == items[:size]
            ),
            0,
        )
        joined += items[overlap:]
    return joined


def joined_records(parts: Sequence[Sequence[Record]]) -> list[Record]:
    """The records of all parts, those of the overlaps once."""
    joined: list[Record] = []
    for records in parts:
        overlap = next(
            (
                size
                for size in range(min(len(records), len(joined)), 0, -1)
                if [each.values for each in joined[-size:]]
                == [each.values for each in records[:size]]
            ),
            0,
        )
        joined += records[overlap:]
    return joined


def distinct(values: Sequence[JsonValue]) -> list[JsonValue]:
    return list(
        {json.dumps(each, ensure_ascii=False, sort_keys=True): each for each in values}.values()
    )


def missing_of(fields: Sequence[Wanted], values: Mapping[str, JsonValue]) -> list[str]:
    return [each.name for each in fields if values.get(each.name) in (None, [])]
