"""Presets: answers to the fields of a plan's forms, kept from a run, and what fits no more."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue, ValidationError

from sanbo.blocks.ui.form import fits, in_language
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.drawing.figure import FORMS
from sanbo.plans.load import load
from sanbo.plans.model import BlockNode, Graph, LoopNode, PlanSource, SubflowNode
from sanbo.plans.presets import Preset, answers_in
from sanbo.plans.running.plan import plan_of
from sanbo.runs.fields import file_refs
from sanbo.runs.model import (
    APPROVED,
    COMMENT,
    RESPONSE,
    Event,
    JsonObject,
    Path,
    Requirement,
    Run,
    without_iterations,
)
from sanbo.service.access import Caller
from sanbo.service.plans import PLAN
from sanbo.service.workbench import Workbench

__all__ = ["Preset", "PresetInfo", "presets_of", "remove_preset", "save_preset"]


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


class PresetInfo(Preset):
    is_mine: bool
    unfit: tuple[str, ...] = ()
    """What the plan as it is now does not take: `node.field`, or `vars.name`."""
    left_out: tuple[str, ...] = ()
    """What was answered and not kept, when it was saved: files."""


async def save_preset(
    bench: Workbench, caller: Caller, run_id: str, name: str, *, shared: bool = False
) -> PresetInfo:
    """What was answered in a run of a plan so far, and the values it was started with."""
    run = await bench.get(caller, run_id)
    if run.workflow != PLAN:
        raise InvalidInput("preset_of_no_plan")
    answers, left_out = _kept(await bench.events(caller, run_id))
    source = PlanSource.model_validate(run.input["source"])
    saved = await asyncio.to_thread(
        bench.presets.save,
        plan_of(source.plan).id,
        name,
        caller.owner,
        shared=shared,
        answers=answers,
        variables=_variables(run),
    )
    return _shown(saved, caller, source).model_copy(update={"left_out": left_out})


async def presets_of(bench: Workbench, caller: Caller, source: PlanSource) -> list[PresetInfo]:
    """The caller's own, and those that others have shared."""

    def look() -> list[PresetInfo]:
        found = bench.presets.of_plan(plan_of(source.plan).id, caller.owner)
        return [_shown(each, caller, source) for each in found]

    return await asyncio.to_thread(look)


async def remove_preset(bench: Workbench, caller: Caller, source: PlanSource, name: str) -> None:
    plan_id = plan_of(source.plan).id
    await asyncio.to_thread(bench.presets.remove, plan_id, name, caller.owner)


def _kept(history: Sequence[Event]) -> tuple[dict[str, JsonObject], tuple[str, ...]]:
    """Of a form in a loop only what was the same in every turn; and the fields of files."""
    turns: dict[str, list[JsonObject]] = {}
    for path, values in answers_in(history).items():
        turns.setdefault("/".join(without_iterations(tuple(path.split("/")))), []).append(values)
    kept: dict[str, JsonObject] = {}
    left_out: list[str] = []
    for path, answers in turns.items():
        first, *others = answers
        same = {
            name: value
            for name, value in first.items()
            if all(_has(other, name, value) for other in others)
        }
        files = {name for name, value in same.items() if file_refs(value)}
        left_out += [f"{path}.{name}" for name in sorted(files)]
        if values := {name: value for name, value in same.items() if name not in files}:
            kept[path] = values
    return kept, tuple(left_out)


def _has(answer: Mapping[str, JsonValue], name: str, value: JsonValue) -> bool:
    return name in answer and answer[name] == value


def _variables(run: Run) -> dict[str, JsonValue]:
    given = run.input.get("vars")
    return dict(given) if isinstance(given, dict) else {}


def _shown(preset: Preset, caller: Caller, source: PlanSource) -> PresetInfo:
    forms = forms_of(source)
    fields = {("/".join(each.node), each.id): each.field for each in forms.fields}
    unfit = [f"vars.{name}" for name in preset.vars if name not in plan_of(source.plan).vars]
    for path, values in preset.answers.items():
        for name, value in values.items():
            field = fields.get((path, name))
            is_unknown = (path, name) not in fields and not forms.is_open
            if is_unknown or (field is not None and not fits(field, value)):
                unfit.append(f"{path}.{name}")
    return PresetInfo(**dict(preset), is_mine=preset.owner == caller.owner, unfit=tuple(unfit))
