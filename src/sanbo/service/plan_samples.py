"""Sample plans that bring their own material, and a run of one on its own files."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue, TypeAdapter

from sanbo.blocks.spec import Text, text_of
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import SanboError
from sanbo.plans.load import load
from sanbo.plans.model import PlanSource
from sanbo.plans.progress import without_iterations
from sanbo.runs.model import FILE_TYPES, Interaction, JsonObject, Run
from sanbo.service.access import Caller
from sanbo.service.plan_folders import SHIPPED
from sanbo.service.plans import PLAN, start_input
from sanbo.service.workbench import Workbench

MATERIAL = "answers.json"
"""Beside the sample plans: by plan id, `node.field` and its value; `@name` for a file."""
_material = TypeAdapter(dict[str, dict[str, Text]])


def sample_answers(source: PlanSource) -> dict[str, str]:
    """What to answer, by `node.field`; empty for a plan that is no sample.

    Only for the sample as it is shipped or a copy of it: the plan's own id tells.
    """
    plan = load(source.plan).plan
    known = _answers()
    if plan is None or plan.id not in known:
        return {}
    return {name: _found(text_of(value)) for name, value in known[plan.id].items()}


def sample_folder() -> Path:
    return SHIPPED


def sample_ids() -> tuple[str, ...]:
    """Plans that can be run with nothing at hand."""
    return tuple(_answers())


def _answers() -> dict[str, dict[str, Text]]:
    return _material.validate_json((SHIPPED / MATERIAL).read_bytes())


def _found(value: str) -> str:
    return f"@{SHIPPED / value[1:]}" if value.startswith("@") else value


PATIENCE_SECONDS = 20.0
_FILE = "@"


async def start_trial(
    workbench: Workbench,
    caller: Caller,
    source: PlanSource,
    values: Mapping[str, JsonValue],
    language: Language,
) -> Run:
    """What a person has to decide is left to them: only forms that ask for files are answered."""
    run = await workbench.start(caller, PLAN, start_input(source, values), language=language)
    try:
        run = await asyncio.wait_for(workbench.wait(caller, run.run_id), PATIENCE_SECONDS)
    except TimeoutError:
        return run
    answers = sample_answers(source)
    for interaction in run.open_interactions:
        given = await _given(workbench, caller, interaction, answers)
        if given:
            try:
                run = await workbench.answer(caller, run.run_id, given, interaction.interaction_id)
            except SanboError:
                continue  # the form stays open: a person sees what it asks for
    return run


async def _given(
    workbench: Workbench, caller: Caller, interaction: Interaction, answers: Mapping[str, str]
) -> JsonObject:
    node = without_iterations(interaction.path)[:-1]
    given: JsonObject = {}
    for field in interaction.requirements:
        value = answers.get(f"{node[-1]}.{field.id}", "") if node else ""
        if field.type in FILE_TYPES and value.startswith(_FILE):
            given[field.id] = await _stored(workbench, caller, Path(value[1:]), field.type)
    return given


async def _stored(workbench: Workbench, caller: Caller, path: Path, kind: str) -> JsonValue:
    file = (await workbench.upload(caller, path, path.name)).model_dump(mode="json")
    return file if kind == "file" else [file]
