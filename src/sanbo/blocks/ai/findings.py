"""What was found in files: records, where each value stands, where parts disagree."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue

from sanbo.blocks.ai.shapes import Shape, Wanted, example_of, json_schema
from sanbo.blocks.spec import Schema
from sanbo.documents.model import Document
from sanbo.kernel.problems import MissingDependency, Problem

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
    unseen: tuple[str, ...] = ()
    """Pictures that the model would not look at."""


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


# ---- `results` and `summary`, and what the validator can know of them before ---------------------


ITEMS = "items"
MOST_FIELDS = 12
"""That a warning names."""


@dataclass(frozen=True)
class Outcome:
    """What came of one file, or of one group of files."""

    name: str
    """The file's path, or the group's name."""
    files: tuple[str, ...]
    findings: Findings
    group: str | None = None
    problems: tuple[tuple[str, Problem], ...] = ()
    """By file: what could not be read."""
    unseen: tuple[str, ...] = ()
    """Images that nobody has looked at."""
    cut: tuple[str, ...] = ()
    """Files of which the evidence holds only the begin."""


def records_of(shape: Shape, outcomes: Sequence[Outcome]) -> list[JsonValue]:
    """One a record, with its file and what is known about where its values come from."""
    return [
        _item(shape, outcome, record) for outcome in outcomes for record in outcome.findings.records
    ]


def results_of(shape: Shape, outcomes: Sequence[Outcome]) -> dict[str, JsonValue]:
    """Exactly the schema's own keys: bookkeeping stands beside, in `records` and `summary`."""
    found = _found(shape, outcomes)
    if not shape.around:
        return found
    whole: dict[str, JsonValue] = {
        "results": found if shape.around == "object" else found.get(ITEMS),
        "summary": {each.name: _counted(each, outcomes) for each in shape.summary},
    }
    return {name: whole.get(name) for name in shape.names}


def _found(shape: Shape, outcomes: Sequence[Outcome]) -> dict[str, JsonValue]:
    pairs = [(outcome, record) for outcome in outcomes for record in outcome.findings.records]
    if shape.many:
        common = {each.name: _common(each, outcomes) for each in shape.common}
        items = [_values(shape, outcome, record) for outcome, record in pairs]
        return {**common, ITEMS: list[JsonValue](items)}
    if len(pairs) == 1:
        return _values(shape, *pairs[0])
    together = merged(shape.record, [record for _, record in pairs])
    differing = {each.field for each in together.conflicts}
    return {
        each.name: None
        if each.name in differing
        else together.values.get(each.name, [] if each.kind == "array" else None)
        for each in shape.record
    }


def _values(shape: Shape, outcome: Outcome, record: Record) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {
        each.name: record.values.get(each.name, [] if each.kind == "array" else None)
        for each in shape.record
    }
    return {**values, "file": outcome.name} if "file" in values else values


def _counted(wanted: Wanted, outcomes: Sequence[Outcome]) -> JsonValue:
    counts = {
        "total_files": sum(len(outcome.files) for outcome in outcomes),
        "total_items": sum(len(outcome.findings.records) for outcome in outcomes),
        "total_parts": sum(outcome.findings.parts for outcome in outcomes),
    }
    return counts[wanted.name] if wanted.name in counts else _common(wanted, outcomes)


def _item(shape: Shape, outcome: Outcome, record: Record) -> dict[str, JsonValue]:
    item: dict[str, JsonValue] = {
        "file": outcome.name,
        **_values(shape, outcome, record),
        "missing": list[JsonValue](missing_of(shape.asked, record.values)),
        "sources": {name: place.model_dump() for name, place in record.sources.items()},
        "conflicts": [each.model_dump() for each in record.conflicts],
    }
    item["file"] = outcome.name
    if outcome.group is not None:
        item |= {"group": outcome.group, "files": list[JsonValue](outcome.files)}
    return item


def _common(wanted: Wanted, outcomes: Sequence[Outcome]) -> JsonValue:
    """What the files say together; null where they say different things."""
    said = [outcome.findings.beside.get(wanted.name) for outcome in outcomes]
    given = distinct([each for each in said if each not in (None, [])])
    if wanted.kind == "array":
        return [each for some in given for each in (some if isinstance(some, list) else [some])]
    return given[0] if len(given) == 1 else None


def summary_of(
    shape: Shape, outcomes: Sequence[Outcome], *, method: str, model: str | None
) -> dict[str, JsonValue]:
    records = [(outcome, record) for outcome in outcomes for record in outcome.findings.records]
    summary: dict[str, JsonValue] = {each.name: _common(each, outcomes) for each in shape.summary}
    return {
        **summary,
        "method": method,
        "model": model,
        "files": sum(len(outcome.files) for outcome in outcomes),
        "total_files": sum(len(outcome.files) for outcome in outcomes),
        "total_items": len(records),
        "total_parts": sum(outcome.findings.parts for outcome in outcomes),
        "images": sum(outcome.findings.images for outcome in outcomes),
        "calls": sum(outcome.findings.calls for outcome in outcomes),
        "missing": {
            outcome.name: list[JsonValue](
                dict.fromkeys(
                    name
                    for record in outcome.findings.records
                    for name in missing_of(shape.asked, record.values)
                )
            )
            for outcome in outcomes
            if any(missing_of(shape.asked, each.values) for each in outcome.findings.records)
        },
        "conflicts": [
            {"file": outcome.name, **each.model_dump()}
            for outcome, record in records
            for each in record.conflicts
        ],
        "failed": [
            {
                "file": file,
                "code": str(problem.code),
                "message": problem.message,
                "hint": problem.hint,
            }
            for outcome in outcomes
            for file, problem in outcome.problems
        ],
        "images_skipped": [name for outcome in outcomes for name in outcome.unseen],
        "truncated": [name for outcome in outcomes for name in outcome.cut],
    }


def unfilled(
    shape: Shape, outcomes: Sequence[Outcome], *, node: str, by_rules: bool
) -> Iterator[MissingDependency]:
    """What a person should know of the results: fields that are null, files that were not read."""
    records = [record for outcome in outcomes for record in outcome.findings.records]
    if not records and outcomes:
        yield MissingDependency(
            "ai_rules_no_records" if by_rules else "ai_model_no_records", node=node
        )
    missing = Counter(name for each in records for name in missing_of(shape.asked, each.values))
    if missing:
        told = [
            f"{name} {count}/{len(records)}" for name, count in missing.most_common(MOST_FIELDS)
        ]
        yield MissingDependency(
            "ai_rules_unfilled" if by_rules else "ai_model_unfilled",
            fields=", ".join(told) + (" …" if len(missing) > MOST_FIELDS else ""),
            details={"missing": dict(missing), "records": len(records)},
        )
    failed = [name for outcome in outcomes for name, _ in outcome.problems]
    unseen = [name for outcome in outcomes for name in outcome.unseen]
    cut = [name for outcome in outcomes for name in outcome.cut]
    for kind, names in (
        ("ai_files_failed", failed),
        ("ai_files_unseen", unseen),
        ("ai_files_cut", cut),
    ):
        if names:
            shown = "、".join(names[:MOST_FIELDS])
            yield MissingDependency(kind, count=len(names), names=shown)


def outline_of(shape: Shape) -> Schema:
    """Of `results`."""
    record = {each.name: json_schema(each) for each in shape.record}
    example: dict[str, Any] = {each.name: example_of(each) for each in shape.record}
    if shape.many:
        inside = {
            **{each.name: json_schema(each) for each in shape.common},
            ITEMS: {"type": "array", "items": _object(record)},
        }
        example = {**{each.name: example_of(each) for each in shape.common}, ITEMS: [example]}
    else:
        inside = record
    if shape.around == "list":
        inside = {"results": inside[ITEMS]}
        example = {"results": example[ITEMS]}
    elif shape.around:
        inside, example = {"results": _object(inside)}, {"results": example}
    if shape.around and "summary" in shape.names:
        inside["summary"] = _object({each.name: json_schema(each) for each in shape.summary})
        example["summary"] = {each.name: example_of(each) for each in shape.summary}
    return {**_object(inside), "examples": [example]}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}
