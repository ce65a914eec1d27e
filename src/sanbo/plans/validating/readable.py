"""A plan's text as far as it can be read: parts whose form is wrong are passed over.

So that one forgotten key does not hide everything else that is wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue, ValidationError

from sanbo.blocks.contract.yaml_tree import Marks, YamlRefused, read_tree
from sanbo.plans.findings import Finding
from sanbo.plans.load import load
from sanbo.plans.model import Plan, PlanText
from sanbo.plans.normal_form import Written, normal_plan

UNREADABLE = "unreadable"
"""Stands as the block of a node whose form is wrong, and as the id of a plan whose own is: nothing
more is said about them."""

_ROUNDS = 30
_ALWAYS: Written = {"apiVersion": "v1", "id": UNREADABLE, "version": "0.0.0", "graph": []}

Location = tuple[int | str, ...]


@dataclass(frozen=True)
class Readable:
    source: PlanText
    plan: Plan | None
    """None where nothing can be made of it."""
    findings: tuple[Finding, ...]
    """About its form."""
    marks: Marks
    is_whole: bool


def read_plan(source: PlanText) -> Readable:
    loaded = load(source)
    if loaded.plan is not None:
        return Readable(source, loaded.plan, loaded.findings, loaded.marks, is_whole=True)
    # Without a single mark it is no YAML, or too much of it: reading it again does not help.
    plan = _what_can_be_read(source) if loaded.marks.root else None
    return Readable(source, plan, loaded.findings, loaded.marks, is_whole=False)


def _what_can_be_read(source: PlanText) -> Plan | None:
    try:
        tree = read_tree(source.text)
    except YamlRefused:
        return None
    if not isinstance(tree.value, dict):
        return None
    written = normal_plan(tree.value)
    for _ in range(_ROUNDS):
        try:
            return Plan.model_validate(written)
        except ValidationError as error:
            for each in error.errors(include_url=False):
                _mend(written, each["loc"], is_extra=each["type"] == "extra_forbidden")
    return None


def _mend(written: Written, location: Location, *, is_extra: bool) -> None:
    """Takes an unknown key away, and makes a node that has something else wrong unreadable."""
    node_at = _innermost_node(written, location)
    if is_extra:
        holder = _holder(written, location)
        if holder is not None and holder.pop(str(location[-1]), None) is not None:
            return
    if node_at is not None:
        nodes, position = node_at
        nodes[position] = _unreadable(nodes[position], position)
        return
    key = str(location[0]) if location else ""
    if key in _ALWAYS:
        written[key] = _ALWAYS[key]
    else:
        written.pop(key, None)


def _innermost_node(written: Written, location: Location) -> tuple[list[JsonValue], int] | None:
    found: tuple[list[JsonValue], int] | None = None
    for part, step, is_node in _way(written, location):
        if is_node and isinstance(part, list) and isinstance(step, int):
            found = (part, step)
    return found


def _holder(written: Written, location: Location) -> Written | None:
    for part, step, _ in _way(written, location):
        if isinstance(part, dict) and step is location[-1] and str(step) in part:
            return part
    return None


def _way(written: Written, location: Location) -> Iterator[tuple[JsonValue, int | str, bool]]:
    """Each part with the step taken in it, and whether that leads to a node."""
    part: JsonValue = written
    before: int | str = ""
    is_kind = False  # pydantic puts the kind of a node after its position
    for step in location:
        if is_kind:
            is_kind = False
            continue
        is_node = before == "graph" and isinstance(step, int)
        below = _below(part, step)
        yield part, step, is_node
        if below is not None:
            part, before, is_kind = below, step, is_node


def _below(part: JsonValue, step: int | str) -> JsonValue:
    """None where the step is the name of an alternative, which the file does not have."""
    if isinstance(part, dict):
        return part.get(str(step))
    if isinstance(part, list) and isinstance(step, int) and step < len(part):
        return part[step]
    return None


def _unreadable(node: JsonValue, position: int) -> JsonValue:
    stub: Written = {"type": "block", "block": UNREADABLE, "id": f"unreadable_{position}"}
    if isinstance(node, dict) and node.get("block") != UNREADABLE:
        name = cast("Written", node).get("id")
        if isinstance(name, str):
            stub["id"] = name
    return stub
