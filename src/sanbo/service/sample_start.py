"""A workflow on its own sample, started for a caller: the same as `sanbo demo` runs."""

import asyncio
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path

from pydantic import JsonValue

from sanbo.kernel.problems import MissingDependency, NotFound
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import Caller
from sanbo.service.catalog import DEMOS, Demo
from sanbo.service.workbench import Workbench


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
