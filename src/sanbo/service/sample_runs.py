"""Workflows and plans on their own samples, started for a caller: the same as `sanbo demo` runs."""

import asyncio
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path

from pydantic import JsonValue

from sanbo.kernel.messages import Language
from sanbo.kernel.problems import MissingDependency, NotFound, SanboError
from sanbo.plans.model import PlanSource
from sanbo.runs.model import FILE_TYPES, Interaction, JsonObject, Run, Status, without_iterations
from sanbo.service.access import Caller
from sanbo.service.catalog import DEMOS, Demo
from sanbo.service.plan_list import sample_answers
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


def has_sample(workflow: str) -> bool:
    return any(each.workflow == workflow for each in DEMOS)


async def start_sample(bench: Workbench, caller: Caller, workflow: str) -> Run:
    """Questions for sample files are answered with them; what only a person decides stays open."""
    sample = next((each for each in DEMOS if each.workflow == workflow), None)
    if sample is None:
        raise NotFound("sample_unknown", workflow=bench.workflow(workflow).title)
    for collection, folder in sample.documents.items():
        await asyncio.to_thread(_index, bench, collection, folder)
    files = await _uploaded(bench, caller, sample, sample.files)
    run = await bench.start(caller, workflow, {**sample.given, **files})
    for answer, paths in zip_longest(sample.answers, sample.answer_files):
        if not paths:
            break
        run = await bench.wait(caller, run.run_id)
        if run.status is not Status.WAITING:
            break
        given = await _uploaded(bench, caller, sample, paths)
        run = await bench.answer(caller, run.run_id, {**(answer or {}), **given})
    return run


def _index(bench: Workbench, collection: str, folder: Path) -> None:
    for outcome in bench.collections.index_paths(collection, [folder]):
        if outcome.problem is not None:
            reason = outcome.problem.message
            raise MissingDependency("sample_unreadable", name=folder.name, reason=reason)


async def _uploaded(
    bench: Workbench, caller: Caller, sample: Demo, paths: Mapping[str, Path]
) -> JsonObject:
    types = {field.id: field.type for field in bench.workflow(sample.workflow).requirements}
    in_memory = bench.keeps_in_memory(sample.workflow)
    given: JsonObject = {}
    for name, path in paths.items():
        source = await asyncio.to_thread(path.read_bytes) if in_memory else path
        file: JsonValue = (await bench.upload(caller, source, path.name)).model_dump(mode="json")
        given[name] = [file] if types.get(name) == "files" else file
    return given
