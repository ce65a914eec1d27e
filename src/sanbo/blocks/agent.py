"""The agents as blocks: each on its own path of the run, with its files handed on."""

import asyncio
import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from pydantic import JsonValue, ValidationError
from pydantic_core import to_jsonable_python
from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, Given
from sanbo.kernel.problems import InvalidInput, MissingDependency, Problem
from sanbo.runs.model import Artifact, FileRef, JsonObject, NodeError
from sanbo.runs.workflow import RunContext, Waiting, Workflow

STATE_GONE = "state_gone"
MOST_TRIES = 20
ROWS_NAME = "rows.csv"


class _Agent(EngineBlock[Given]):
    agent: ClassVar[str]
    """The workflow's name."""

    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any] | Waiting:
        return await _call(self.agent, await self.values(given, context), context)

    async def values(self, given: Given, context: EngineContext) -> dict[str, Any]:
        """The agent's own input."""
        _ = context
        return dict(given)


class Analyze(_Agent):
    """`agent.analyze`: tables, charts and a report from a table and a question."""

    agent = "analysis"

    @override
    async def values(self, given: Given, context: EngineContext) -> dict[str, Any]:
        if (given.file is None) == (given.rows is None):
            raise InvalidInput("agent_analyze_one_table", node="/".join(context.run.path))
        file = given.file or await asyncio.to_thread(_as_file, given.rows, context)
        return {"question": given.question, "file": _told(file), "sheet": given.sheet}


class PandasAgent(_Agent):
    """`table.pandas_agent`: the same, with the ports of plans in circulation."""

    agent = "analysis"

    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any] | Waiting:
        tables = _tables(given.dataframes)
        if len(tables) > 1:
            context.warn(InvalidInput("agent_one_table_used", count=len(tables)))
        rows = tables[0] if tables else []
        file = await asyncio.to_thread(_as_file, rows, context)
        question = _AS_JSON.sub("", given.instruction).strip() or given.instruction
        asked = {"question": question, "file": _told(file)}
        made = await _call(self.agent, asked, context, _RESULTS)
        if isinstance(made, Waiting):
            return made
        found: list[Mapping[str, Any]] = made["tables"] or []
        is_json = "json" in given.instruction.casefold() and bool(found)
        return {
            "answer": _as_json(found[0]) if is_json else made["answer_md"] or "",
            "intermediate_steps": made["specs"] or [],
            "summary": {"tables": len(tables), "rows": len(rows)},
            "files": made["files"],
        }


_RESULTS = ("answer_md", "specs", "tables")
# How the answer is to be written is no part of what is asked about the table.
_AS_JSON = re.compile(
    r"[、。,\s]{0,3}(?:結果を|答えを|(?:as|in)\s)?JSON(?:形式|配列|文字列)?(?:で|として|に)?"
    r"(?:返して|出力して|答えて)?(?:ください)?",
    re.IGNORECASE,
)


def _as_json(table: Mapping[str, Any]) -> str:
    rows = [dict(zip(table["columns"], row, strict=False)) for row in table["rows"]]
    return json.dumps(rows, ensure_ascii=False)


def _tables(given: JsonValue) -> list[list[dict[str, JsonValue]]]:
    """Rows, a data frame, a list of such, or `{name: table}`."""
    if isinstance(given, dict) and isinstance(given.get("columns"), list):
        names = [str(name) for name in cast("list[JsonValue]", given["columns"])]
        cells = cast("list[list[JsonValue]]", given.get("rows") or [])
        return [[dict(zip(names, row, strict=False)) for row in cells]]
    if isinstance(given, dict):
        return [table for each in given.values() for table in _tables(each)]
    if isinstance(given, list) and given and all(isinstance(row, dict) for row in given):
        is_frames = all(isinstance(row, dict) and "columns" in row for row in given)
        if not is_frames:
            return [cast("list[dict[str, JsonValue]]", given)]
    return [table for each in given for table in _tables(each)] if isinstance(given, list) else []


class Ask(_Agent):
    """`agent.ask`: an answer that knows how sure it is; a person is asked where it is not."""

    agent = "grace"


class Compare(_Agent):
    """`agent.compare`: what changed between two documents."""

    agent = "comparison"

    @override
    async def values(self, given: Given, context: EngineContext) -> dict[str, Any]:
        return {**dict(given), "old": _side(given.old), "new": _side(given.new)}


class ResearchReport(_Agent):
    """`agent.research`: a cited report over a collection of documents."""

    agent = "research"

    @override
    async def values(self, given: Given, context: EngineContext) -> dict[str, Any]:
        # A name that was misspelt is told before the agent begins.
        await asyncio.to_thread(context.run.place.library.info, given.collection)
        return dict(given)


def _side(files: FileRef | Sequence[FileRef] | None) -> list[JsonObject]:
    return [_told(file) for file in ([files] if isinstance(files, FileRef) else files or ())]


def _told(file: FileRef) -> JsonObject:
    return file.model_dump(mode="json")


def _as_file(rows: Sequence[Mapping[str, JsonValue]], context: EngineContext) -> FileRef:
    """The rows as a table that the agent can read; the same file when it is made again."""
    if not rows:
        raise InvalidInput("agent_analyze_no_rows", node="/".join(context.run.path))
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([[_cell(row.get(name)) for name in columns] for row in rows])
    data = text.getvalue().encode()
    sha256 = context.run.place.files.keep(context.run.run_id, data)
    return FileRef(file_id=sha256, name=ROWS_NAME, size=len(data), media_type="text/csv")


def _cell(value: JsonValue) -> object:
    if isinstance(value, dict | list):
        return str(value)
    return "" if value is None else value


# ---- the call --------------------------------------------------------------------------------


async def _call(
    agent: str,
    given: Mapping[str, JsonValue],
    context: EngineContext,
    wanted: Sequence[str] = (),
) -> Mapping[str, Any] | Waiting:
    """The agent's result by output port, and what it made as files of this run."""
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
        made = {name: result.get(name) for name in wanted or context.spec.outputs}
        return {**made, "files": await _files(inside)}
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
