"""Workspaces with blocks made for tests, and plans run in them."""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar, cast

from pydantic import JsonValue

from sanbo.plans.workflow import Plans
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import Journal
from sanbo.runs.model import Event, JsonObject, Run, RunStart
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings

BLOCKS = Path(__file__).parent / "plan_blocks"
ENVIRONMENT = {"SANBO_LLM__PROVIDER": "rules"}

T = TypeVar("T")


def put_blocks(workspace: Path) -> None:
    target = workspace / "block_specs"
    if not target.exists():
        shutil.copytree(BLOCKS, target, ignore=shutil.ignore_patterns("__pycache__"))


def settings_of(workspace: Path, **more: str) -> Settings:
    put_blocks(workspace)
    return load_settings(workspace, {**ENVIRONMENT, **more})


def on_bench(
    settings: Settings, work: Callable[[Workbench], Awaitable[T]], seconds: float = 30
) -> T:
    async def opened() -> T:
        async with open_workbench(settings, (Plans(),)) as bench:
            return await asyncio.wait_for(work(bench), seconds)

    return asyncio.run(opened())


def plan(graph: str, *, top: str = "", plan_id: str = "test") -> str:
    """A plan's text; `graph` is the YAML of its nodes, `top` what stands beside it."""
    return f"apiVersion: v1\nid: {plan_id}\nversion: 1.0.0\n{top}\ngraph:\n{graph}\n"


def given(text: str, called: Mapping[str, str] | None = None, **more: Any) -> JsonObject:
    texts = {name: {"text": each} for name, each in (called or {}).items()}
    # pyrefly: ignore[bad-assignment]
    return {"source": {"plan": {"text": text}, "called": texts}, **more}


async def start(bench: Workbench, text: str, **more: Any) -> Run:
    return await bench.start(LOCAL, "plan", given(text, **more))


async def run(bench: Workbench, text: str, **more: Any) -> Run:
    """To its end, or until it waits."""
    begun = await start(bench, text, **more)
    return await bench.wait(LOCAL, begun.run_id)


async def answer(bench: Workbench, run: Run, said: JsonObject, node: str = "") -> Run:
    """Answers the question of a node, and waits until the run ends or waits again."""
    asked = next(
        each for each in run.open_interactions if not node or "/".join(each.path[:-1]) == node
    )
    await bench.answer(LOCAL, run.run_id, said, asked.interaction_id)
    return await bench.wait(LOCAL, run.run_id)


async def to_the_end(bench: Workbench, run_id: str, answers: Mapping[str, JsonObject]) -> Run:
    """Answers whatever is asked, by node; what a question does not ask is left out."""
    while True:
        now = await bench.wait(LOCAL, run_id)
        if now.status.is_final:
            return now
        for asked in now.open_interactions:
            known = cast("JsonObject", asked.answer_schema["properties"])
            said = answers["/".join(asked.path[:-1])]
            fitting: JsonObject = {name: said[name] for name in said if name in known}
            await bench.answer(LOCAL, run_id, fitting, asked.interaction_id)


async def events(bench: Workbench, run: Run) -> list[Event]:
    return await bench.events(LOCAL, run.run_id)


def exports(run: Run) -> JsonValue:
    assert run.result is not None, run.problem
    return run.result["exports"]


def outputs(run: Run, node: str) -> Any:
    assert run.result is not None, run.problem
    nodes: Any = run.result["nodes"]
    return nodes[node]["outputs"]


def statuses(run: Run) -> dict[str, str]:
    assert run.result is not None, run.problem
    nodes: Any = run.result["nodes"]
    return {name: node["status"] for name, node in nodes.items()}


def worked(trace: Path) -> list[str]:
    """The steps that really began, in order, across killed processes."""
    lines = trace.read_text("utf-8").splitlines() if trace.exists() else []
    told = [json.loads(line) for line in lines]
    return [line["step"] for line in told if line["what"] == "begin"]


def everything_written(workspace: Path) -> str:
    """All that a run leaves: every table, every log; not the files that blocks made."""
    found: list[str] = []
    for file in workspace.glob("*.db"):
        with closing(sqlite3.connect(file)) as opened:
            names = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (name,) in names.fetchall():
                found += map(str, opened.execute(f'SELECT * FROM "{name}"').fetchall())
    found += [file.read_text("utf-8") for file in workspace.rglob("*.jsonl")]
    return "\n".join(found)


async def stopped_after(
    bench: Workbench, history: Sequence[Event], seq: int, variables: JsonObject | None = None
) -> str:
    """A run whose journal ends with this event, as a killed process leaves it, taken up."""
    run_id = f"run_{token_hex(8)}"
    start = history[0].payload
    assert isinstance(start, RunStart)
    if variables is not None:
        start = start.model_copy(update={"input": {**start.input, "vars": variables}})
    opening = [
        event.model_copy(update={"run_id": run_id, "payload": start if n == 0 else event.payload})
        for n, event in enumerate(history[:seq])
    ]
    leases = bench._runner.leases
    lease = leases.for_new_run(run_id)
    journal = Journal(bench.access.database)
    journal.create(lease, leases.until, opening, RunFold.of(opening).status)
    bench._place.files.share(history[0].run_id, run_id)
    bench._runner.schedule(run_id, lease)
    return run_id
