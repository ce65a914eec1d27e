"""`results` and `summary` of reading documents, and what the validator can know of them before."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from sanbo.blocks.ai.findings import Findings, Record, distinct, missing_of
from sanbo.blocks.ai.wanted import Shape, Wanted, example_of, json_schema
from sanbo.blocks.spec import Schema
from sanbo.kernel.problems import MissingDependency, Problem

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


def results_of(shape: Shape, outcomes: Sequence[Outcome]) -> dict[str, JsonValue]:
    """One entry of `items` a record. The fields of the only record stand in `results` as well."""
    items: list[dict[str, JsonValue]] = [
        _item(shape, outcome, record) for outcome in outcomes for record in outcome.findings.records
    ]
    results: dict[str, JsonValue] = {}
    if not shape.many:
        only = items[0] if len(items) == 1 else {}
        for each in shape.record:
            if each.name != ITEMS:
                results[each.name] = only.get(each.name, [] if each.kind == "array" else None)
    for wanted in shape.common:
        results[wanted.name] = _common(wanted, outcomes)
    return {**results, ITEMS: [*items]}


def _item(shape: Shape, outcome: Outcome, record: Record) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {
        each.name: record.values.get(each.name, [] if each.kind == "array" else None)
        for each in shape.record
    }
    item: dict[str, JsonValue] = {
        "file": outcome.name,
        **values,
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


def unfilled(shape: Shape, outcomes: Sequence[Outcome], *, node: str) -> MissingDependency | None:
    """Without a model: which fields are null, in how many records. None where all are filled."""
    records = [record for outcome in outcomes for record in outcome.findings.records]
    if not records:
        return MissingDependency("ai_rules_no_records", node=node) if outcomes else None
    missing = Counter(name for each in records for name in missing_of(shape.asked, each.values))
    if not missing:
        return None
    told = [f"{name} {count}/{len(records)}" for name, count in missing.most_common(MOST_FIELDS)]
    return MissingDependency(
        "ai_rules_unfilled",
        fields=", ".join(told) + (" …" if len(missing) > MOST_FIELDS else ""),
        details={"missing": dict(missing), "records": len(records)},
    )


def outline_of(shape: Shape, *, grouped: bool) -> Schema:
    """Of `results`."""
    fields = {each.name: json_schema(each) for each in shape.record}
    item: dict[str, Any] = {
        **fields,
        "file": {"type": "string"},
        "missing": {"type": "array", "items": {"type": "string"}},
        "sources": {"type": "object"},
        "conflicts": {"type": "array", "items": {"type": "object"}},
    }
    if grouped:
        item |= {
            "group": {"type": "string"},
            "files": {"type": "array", "items": {"type": "string"}},
        }
    example: dict[str, Any] = {each.name: example_of(each) for each in shape.record}
    said: dict[str, Any] = {
        **example,
        "file": "invoices/sample.pdf",
        "missing": [],
        "sources": {},
        "conflicts": [],
    }
    if grouped:
        said |= {"group": "invoices", "files": ["invoices/sample.pdf"]}
    beside = shape.common if shape.many else [each for each in shape.record if each.name != ITEMS]
    properties: dict[str, Any] = {each.name: json_schema(each) for each in beside}
    properties[ITEMS] = {
        "type": "array",
        "items": {"type": "object", "properties": item, "required": list(item)},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "examples": [{**{each.name: example_of(each) for each in beside}, ITEMS: [said]}],
    }
