"""A sample plan on its own files: the run begins, and its form for files is answered."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from sanbo.kernel.messages import Language
from sanbo.kernel.problems import SanboError
from sanbo.plans.model import PlanSource
from sanbo.runs.model import FILE_TYPES, Interaction, JsonObject, Run, without_iterations
from sanbo.service.access import Caller
from sanbo.service.plan_samples import sample_answers
from sanbo.service.plans import PLAN, start_input
from sanbo.service.workbench import Workbench

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
