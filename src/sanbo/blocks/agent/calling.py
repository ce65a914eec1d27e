"""An agent called from a block: on its own path of the run, with its files handed on."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue, ValidationError
from pydantic_core import to_jsonable_python

from sanbo.blocks.block import EngineContext
from sanbo.kernel.problems import InvalidInput, MissingDependency, Problem
from sanbo.runs.model import Artifact, FileRef, JsonObject, NodeError
from sanbo.runs.workflow import RunContext, Waiting, Workflow

STATE_GONE = "state_gone"
MOST_TRIES = 20


@dataclass(frozen=True)
class Called:
    result: JsonObject
    files: list[JsonObject]
    """What the agent made, as files of this run."""


async def call(
    agent: str, given: Mapping[str, JsonValue], context: EngineContext
) -> Called | Waiting:
    workflow = context.agents.get(agent)
    if workflow is None:
        raise MissingDependency("agent_not_there", agent=agent)
    typed = _typed(workflow, given, context)
    for number in range(1, MOST_TRIES):
        # State that was kept in memory is gone with its process: then the agent begins anew,
        # on a path of its own, for the journal still knows the steps of the time before.
        name = agent if number == 1 else f"{agent}#{number}"
        inside = context.run.at(name, given=typed)
        try:
            ended = await workflow.advance(inside)
        except MissingDependency as missing:
            if missing.problem.text_id != STATE_GONE:
                raise
            await _give_up(inside, missing.problem)
            continue
        if isinstance(ended, Waiting):
            return ended
        result: JsonObject = to_jsonable_python(ended.result)
        return Called(result, await _files(inside))
    raise MissingDependency(STATE_GONE)


async def _give_up(inside: RunContext[Any], problem: Problem) -> None:
    """Steps of the lost attempt have ended: nobody works on them any more."""
    depth = len(inside.path)
    lost = [
        (path, key, step.attempt)
        for (path, key), step in inside.fold.steps.items()
        if path[:depth] == inside.path and step.status in ("running", "waiting")
    ]
    for path, key, attempt in lost:
        await inside.record(NodeError(key=key, error=problem, retry=attempt), *path[depth:])


def _typed(
    workflow: Workflow[Any, Any], given: Mapping[str, JsonValue], context: EngineContext
) -> Any:
    said = {name: value for name, value in given.items() if value is not None}
    try:
        return workflow.input_model.model_validate(said)
    except ValidationError as error:
        failures = [
            (".".join(str(part) for part in each["loc"]), each["msg"]) for each in error.errors()
        ]
        raise InvalidInput(
            "agent_input_invalid",
            node="/".join(context.run.path),
            ports="、".join(name for name, _ in failures),
            details={"fields": [{"field": name, "message": text} for name, text in failures]},
        ) from None


async def _files(inside: RunContext[Any]) -> list[JsonObject]:
    depth = len(inside.path)
    made = [
        artifact
        for artifact in inside.fold.artifacts.values()
        if artifact.path[:depth] == inside.path
    ]
    await asyncio.to_thread(_onto_disk, inside, made)
    files = [
        FileRef(
            file_id=artifact.artifact_id,
            name=artifact.name,
            size=artifact.size,
            media_type=artifact.media_type,
        )
        for artifact in made
    ]
    return [file.model_dump(mode="json") for file in files]


def _onto_disk(inside: RunContext[Any], made: list[Artifact]) -> None:
    """Later steps of the plan read them, perhaps in another process after a crash."""
    place = inside.place.files
    for artifact in made:
        data = place.memory.get(artifact.artifact_id)
        if data is not None:
            place.keep(inside.run_id, data)
