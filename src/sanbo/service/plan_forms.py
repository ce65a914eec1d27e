"""The fields that a plan's forms will ask for, as far as the plan itself tells."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue, ValidationError

from sanbo.blocks.ui.form import in_language
from sanbo.plans.drawing.figure import FORMS
from sanbo.plans.load import load
from sanbo.plans.model import BlockNode, Graph, LoopNode, PlanSource, SubflowNode
from sanbo.runs.model import APPROVED, COMMENT, RESPONSE, Path, Requirement

BY_MODE = (APPROVED, COMMENT, RESPONSE)
"""What a form may ask beside its own fields."""
_DEEPEST = 10


@dataclass(frozen=True)
class FormField:
    node: Path
    """Without loop items."""
    id: str
    field: Requirement | None
    """None where only the run will tell what it is."""


@dataclass(frozen=True)
class PlanForms:
    fields: tuple[FormField, ...]
    is_open: bool
    """Whether a form takes its fields from values that only the run knows."""


def forms_of(source: PlanSource) -> PlanForms:
    called = {plan_id: load(text).plan for plan_id, text in source.called.items()}
    plan = load(source.plan).plan
    nodes = list(_forms(plan, called, ())) if plan is not None else []
    fields: list[FormField] = []
    is_open = False
    for path, node in nodes:
        written = node.in_.get("requirements")
        is_open |= isinstance(written, str)
        for each in written if isinstance(written, list) else ():
            fields += _field(path, each)
        fields += [FormField(path, name, _of_mode(name)) for name in _asked_beside(node)]
    return PlanForms(tuple(fields), is_open)


def _forms(
    graph: Graph, called: Mapping[str, Graph | None], above: Path
) -> Iterator[tuple[Path, BlockNode]]:
    if len(above) > _DEEPEST:
        return
    for node in graph.graph:
        path = (*above, node.id)
        inside: Graph | None = None
        match node:
            case BlockNode():
                if node.block.startswith(FORMS):
                    yield path, node
            case SubflowNode():
                inside = called.get(node.call.plan_id)
            case LoopNode():
                call = node.body.call
                inside = node.body.plan or (called.get(call.plan_id) if call else None)
        if inside is not None:
            yield from _forms(inside, called, path)


def _field(path: Path, written: JsonValue) -> Iterator[FormField]:
    if not isinstance(written, dict) or not isinstance(written.get("id"), str):
        return
    try:
        field = Requirement.model_validate(in_language(written))
    except ValidationError:
        field = None
    yield FormField(path, cast("str", written["id"]), field)


def _asked_beside(node: BlockNode) -> tuple[str, ...]:
    """One that only collects asks for its own fields alone."""
    is_form = node.block.partition("@")[0] == "ui.interactive_input"
    is_plain = is_form and node.in_.get("mode", "collect") == "collect"
    return () if is_plain else BY_MODE


def _of_mode(name: str) -> Requirement:
    return Requirement(
        id=name, type="boolean" if name == APPROVED else "text", label=name, required=False
    )
