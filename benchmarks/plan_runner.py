"""What a plan's node costs, and what a plan survives.

    python benchmarks/plan_runner.py [--rounds 5] [--items 10000]

Plans run as they do for a person: through the workbench, with the journal in SQLite. The block
does nothing: it gives back what it was given (`bench.pass`, a block of a workspace that this
script writes). Beside it, in the same run and in turns with it: LangGraph (a `StateGraph` of the
same shape with `SqliteSaver` and `durability="sync"`) and a bare thread pool, which keeps nothing.
Then a `foreach` with its memory, the same loop by `sanbo plan run`, whole commands beside those of
LangGraph, two branches that must not wait for each other, and a cluster of two Dask workers of
which one is killed. Ends with 1 when a result is wrong or lost.
"""

import argparse
import asyncio
import json
import operator
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict

import psutil
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from sanbo.plans.workflow import Plans
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings

FAN_OUT = 1000
CHAIN = 200
TARGET_MS = 0.5
TARGET_TIMES = 5.0
TARGET_BRANCHES = 4.3
TARGET_KIBIBYTES = 4.0
TARGET_COMMAND = 1.5
TARGET_WHOLE = 1.0
COMMAND_ITEMS = 5000
MEBIBYTE = 1024 * 1024

SPEC = """\
id: bench.{name}
version: 1.0.0
entrypoint: bench.py:{name}
inputs:
  value: {{examples: [1]}}
  seconds: {{type: number, default: 0}}
  log: {{type: string, default: ""}}
outputs:
  value: {{examples: [1]}}
"""
CODE = """\
import os
import time
from typing import Any

from sanbo.blocks.block import Block, BlockInputs


class Given(BlockInputs):
    value: Any = None
    seconds: float = 0
    log: str = ""


class Pass(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        return {"value": given.value}


class Sleep(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        if given.log:
            with open(given.log, "a") as log:
                log.write(f"{os.getppid()}\\n")  # a worker computes in processes of its own
        time.sleep(given.seconds)
        return {"value": given.value}


class Work(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        until = time.process_time() + given.seconds
        while time.process_time() < until:
            sum(range(1000))
        return {"value": given.value}
"""


# ---- the same shapes for all ---------------------------------------------------------------


def fan_out(count: int) -> JsonObject:
    first = node("first", value=1)
    return plan([first, *(node(f"n{each}", value="${first.value}") for each in range(count - 1))])


def chain(count: int) -> JsonObject:
    later = (node(f"n{each}", value=f"${{n{each - 1}.value}}") for each in range(1, count))
    return plan([node("n0", value=1), *later])


def branches() -> JsonObject:
    return plan(
        [
            node("a", block="Sleep", value=1, seconds=1),
            node("b", block="Sleep", value="${a.value}", seconds=3),
            node("c", block="Sleep", value=1, seconds=3),
            node("d", block="Sleep", value="${c.value}", seconds=1),
        ]
    )


def foreach(count: int, at_once: int, **given: Any) -> JsonObject:
    body: Any = {
        "graph": [node("one", value="${vars.item}", **given)],
        "exports": [{"from": "one.value", "as": "value"}],
    }
    loop: Any = {
        "id": "each",
        "type": "loop",
        "foreach": {"input": "${vars.items}", "itemVar": "item", "max_concurrency": at_once},
        "body": {"plan": body},
        "out": {"collect": ["value"]},
    }
    made = plan([loop], exports=[{"from": "each.value", "as": "values"}])
    return {**made, "vars": {"items": list(range(count))}}


def node(name: str, block: str = "Pass", **given: Any) -> JsonObject:
    return {"id": name, "block": f"bench.{block.lower()}", "in": given}


def plan(graph: list[Any], **more: Any) -> JsonObject:
    concurrency: Any = {"concurrency": {"default_max_workers": 8}}
    return {
        "apiVersion": "v1",
        "id": "bench",
        "version": "1.0.0",
        "policy": concurrency,
        "graph": graph,
        **more,
    }


# ---- Sanbo ---------------------------------------------------------------------------------


class Took(NamedTuple):
    """Seconds: of the run by its own journal, and for the caller, who also has it validated."""

    running: float
    whole: float
    run: Run


async def run_plan(bench: Workbench, made: JsonObject, executor: str = "threads") -> Took:
    given: JsonObject = {"source": {"plan": {"text": json.dumps(made)}}, "executor": executor}
    began = time.perf_counter()
    started = await bench.start(LOCAL, "plan", given)
    run = await bench.wait(LOCAL, started.run_id)
    whole = time.perf_counter() - began
    if run.status is not Status.SUCCEEDED:
        sys.exit(f"the run did not succeed: {run.problem}")
    return Took((run.updated_at - run.created_at).total_seconds(), whole, run)


def with_workbench(work: Callable[[Workbench, Path], Awaitable[None]]) -> None:
    async def main(folder: Path) -> None:
        settings = load_settings(folder / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
        write_blocks(settings.workspace)
        async with open_workbench(settings, (Plans(),)) as bench:
            await work(bench, folder)

    with tempfile.TemporaryDirectory(prefix="sanbo-bench-") as name:
        asyncio.run(main(Path(name)))


def write_blocks(workspace: Path) -> None:
    folder = workspace / "block_specs"
    folder.mkdir(parents=True)
    (folder / "bench.py").write_text(CODE, "utf-8")
    for name in ("Pass", "Sleep", "Work"):
        text = SPEC.format(name=name).replace(f"id: bench.{name}", f"id: bench.{name.lower()}")
        (folder / f"{name}.yaml").write_text(text, "utf-8")


# ---- beside it -----------------------------------------------------------------------------


class State(TypedDict):
    values: Annotated[list[int], operator.add]


def give_back(_: State) -> State:
    return {"values": [1]}


def langgraph(count: int, *, is_chain: bool) -> Any:
    # pyrefly: ignore[bad-specialization]
    graph: Any = StateGraph(State)
    names = [f"n{each}" for each in range(count)]
    for name in names:
        graph.add_node(name, give_back)
    graph.add_edge(START, names[0])
    for number, name in enumerate(names[1:]):
        graph.add_edge(names[number] if is_chain else names[0], name)
    return graph


def langgraph_seconds(graph: Any, folder: Path, count: int) -> float:
    file = folder / f"langgraph-{time.monotonic_ns()}.db"
    with closing(sqlite3.connect(file, check_same_thread=False)) as connection:
        compiled = graph.compile(checkpointer=SqliteSaver(connection))
        config = {"configurable": {"thread_id": "1"}, "recursion_limit": count + 10}
        began = time.perf_counter()
        state = compiled.invoke({"values": []}, config, durability="sync")
        took = time.perf_counter() - began
    assert len(state["values"]) == count
    return took


def thread_pool_seconds(count: int, *, is_chain: bool) -> float:
    with ThreadPoolExecutor(8) as pool:
        pool.submit(give_back, {"values": []}).result()
        began = time.perf_counter()
        if is_chain:
            for _ in range(count):
                pool.submit(give_back, {"values": []}).result()
        else:
            list(pool.map(give_back, (State(values=[]) for _ in range(count))))
        return time.perf_counter() - began


# ---- measured ------------------------------------------------------------------------------


async def overhead(bench: Workbench, folder: Path, rounds: int) -> None:
    await run_plan(bench, chain(10))  # the first one loads what all need
    for title, count, is_chain in (
        (f"fan-out, {FAN_OUT} nodes", FAN_OUT, False),
        (f"chain, {CHAIN} nodes", CHAIN, True),
    ):
        made = chain(count) if is_chain else fan_out(count)
        graph = langgraph(count, is_chain=is_chain)
        running: list[float] = []
        whole: list[float] = []
        other: list[float] = []
        bare: list[float] = []
        for _ in range(rounds):
            took = await run_plan(bench, made)
            running.append(took.running)
            whole.append(took.whole)
            other.append(await asyncio.to_thread(langgraph_seconds, graph, folder, count))
            bare.append(thread_pool_seconds(count, is_chain=is_chain))
        ours, theirs = (statistics.median(each) * 1000 / count for each in (running, other))
        print(f"\n{title}: ms a node, median of {rounds} rounds (fastest, slowest)")
        for what, seconds in (
            ("Sanbo, SQLite journal", running),
            ("Sanbo, with validation and the caller's waiting", whole),
            ("LangGraph, SqliteSaver, durability=sync", other),
            ("thread pool, nothing kept", bare),
        ):
            each = sorted(second * 1000 / count for second in seconds)
            median = statistics.median(each)
            print(
                f"  {what:<48} {median:7.3f}  ({each[0]:.3f}, {each[-1]:.3f})"
                f"  {median / ours:7.2f} x"
            )
        print(f"  target: under {TARGET_MS} ms a node: {verdict(ours < TARGET_MS)}")
        times = theirs / ours
        print(
            f"  target: at least {TARGET_TIMES:g} x faster than LangGraph:"
            f" {verdict(times >= TARGET_TIMES)} ({times:.1f} x)"
        )


async def side_by_side(bench: Workbench, _: Path) -> None:
    await run_plan(bench, chain(2))
    took = await run_plan(bench, branches())
    print("\nbranches A(1 s) → B(3 s) and C(3 s) → D(1 s)")
    print(f"  {took.whole:.2f} s; target: under {TARGET_BRANCHES} s:", end=" ")
    print(verdict(took.whole < TARGET_BRANCHES))


async def one_worker_killed(bench: Workbench, folder: Path) -> None:
    count, log = 300, folder / "pids"
    await run_plan(bench, foreach(4, 4), "dask")  # starts the cluster
    made = foreach(count, 16, block="Sleep", seconds=0.02, log=str(log))
    running = asyncio.create_task(run_plan(bench, made, "dask"))
    while not (log.exists() and len(log.read_text().split()) > count // 3):
        await asyncio.sleep(0.01)
    done = log.read_text().split()
    os.kill(int(done[0]), signal.SIGKILL)
    took = await running
    values = (took.run.result or {}).get("exports")
    workers = log.read_text().split()
    print(f"\nDask with 2 workers, one killed after {len(done)} of {count} items")
    print(
        f"  {took.running:.2f} s, {len(set(workers))} workers had a part,"
        f" {len(workers) - count} items were begun again"
    )
    is_whole = values == {"values": list(range(count))}
    print(f"  target: all results, none lost: {verdict(is_whole)}")
    if not is_whole:
        sys.exit("results are wrong or lost")


class Memory(NamedTuple):
    before: float
    most: float
    seconds: float


async def loop_memory(bench: Workbench, count: int) -> Memory:
    await run_plan(bench, foreach(100, 8))
    before = resident()
    with most_resident() as most:
        took = await run_plan(bench, foreach(count, 8))
    exports = (took.run.result or {}).get("exports")
    if exports != {"values": list(range(count))}:
        sys.exit("results of the loop are wrong or lost")
    return Memory(before, most[0], took.running)


@contextmanager
def most_resident() -> Generator[list[float]]:
    most, ended = [resident()], threading.Event()

    def look() -> None:
        while not ended.wait(0.01):
            most[0] = max(most[0], resident())

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield most
    finally:
        ended.set()
        looking.join()


def resident() -> float:
    return psutil.Process().memory_info().rss / MEBIBYTE


def show_memory(items: int) -> None:
    """Each count in a process of its own: what one leaves behind is not the other's."""
    print("\nforeach, 8 at once: memory (RSS) of the whole process")
    rows: list[tuple[int, Memory]] = []
    for count in (items // 10, items):
        made = subprocess.run(
            [sys.executable, __file__, "--loop", str(count)], check=True, stdout=subprocess.PIPE
        )
        memory = Memory(*json.loads(made.stdout))
        rows.append((count, memory))
        print(
            f"  {count:6} items: {memory.before:6.1f} MiB before, {memory.most:6.1f} at its most"
            f" (+{memory.most - memory.before:.1f}), {memory.seconds * 1000 / count:.3f} ms an item"
        )
    growth = rows[1][1].most - rows[0][1].most
    each = growth * 1024 / (rows[1][0] - rows[0][0])
    print(f"  {each:.2f} KiB more for each further item, with its result and its step")
    print(f"  target: flat, under {TARGET_KIBIBYTES:g} KiB:", verdict(each < TARGET_KIBIBYTES))


async def at_the_command_line(bench: Workbench, folder: Path) -> None:
    """The whole command, from its start to its exit, beside the engine on the same loop."""
    made = foreach(COMMAND_ITEMS, 8)
    await run_plan(bench, foreach(100, 8))
    engine = (await run_plan(bench, made)).whole
    file = folder / "loop.yaml"
    file.write_text(json.dumps(made), "utf-8")
    arguments = ["--workspace", str(bench.settings.workspace), "plan", "run", str(file), "--json"]
    began = time.perf_counter()
    ended = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "sanbo", *arguments, stdout=subprocess.DEVNULL, stderr=None
    )
    if await ended.wait() != 0:
        sys.exit("the command did not succeed")
    command = time.perf_counter() - began
    print(f"\nforeach, {COMMAND_ITEMS} items, by `sanbo plan run`")
    print(
        f"  {command:.2f} s, the engine {engine:.2f} s; target: at most {TARGET_COMMAND:g} x:",
        f"{verdict(command <= TARGET_COMMAND * engine)} ({command / engine:.2f} x)",
    )


LANGGRAPH = """\
import operator, sqlite3, sys
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph


class State(TypedDict):
    values: Annotated[list[int], operator.add]


count, is_chain, file = int(sys.argv[1]), sys.argv[2] == "chain", sys.argv[3]
graph = StateGraph(State)
names = [f"n{each}" for each in range(count)]
for name in names:
    graph.add_node(name, lambda _: {"values": [1]})
graph.add_edge(START, names[0])
for number, name in enumerate(names[1:]):
    graph.add_edge(names[number] if is_chain else names[0], name)
saver = SqliteSaver(sqlite3.connect(file, check_same_thread=False))
config = {"configurable": {"thread_id": "1"}, "recursion_limit": count + 10}
state = graph.compile(checkpointer=saver).invoke({"values": []}, config, durability="sync")
sys.exit(len(state["values"]) != count)
"""


async def whole_commands(_: Workbench, folder: Path) -> None:
    """From start to exit, imports included: `sanbo plan run` and the same graph in LangGraph."""
    script = folder / "peer.py"
    script.write_text(LANGGRAPH, "utf-8")
    for name, made, count in (("fan-out", fan_out(500), 500), ("chain", chain(100), 100)):
        file = folder / f"{name}.yaml"
        file.write_text(json.dumps(made), "utf-8")
        sanbo = [sys.executable, "-m", "sanbo", "--workspace", str(folder / "workspace")]
        theirs: list[float] = []
        ours: list[float] = []
        for number in range(5):
            database = str(folder / f"{name}-{number}.db")
            theirs.append(_took([sys.executable, str(script), str(count), name, database]))
            ours.append(_took([*sanbo, "plan", "run", str(file)]))
        times = statistics.median(ours) / statistics.median(theirs)
        print(
            f"whole command, {name} of {count}: {statistics.median(ours):.2f} s, LangGraph",
            f"{statistics.median(theirs):.2f} s; target: at most {TARGET_WHOLE:g} x:",
            f"{verdict(times <= TARGET_WHOLE)} ({times:.2f} x)",
        )


def _took(command: list[str]) -> float:
    began = time.perf_counter()
    environment = {**os.environ, "SANBO_LLM__PROVIDER": "rules"}
    ended = subprocess.run(command, capture_output=True, check=False, env=environment)
    if ended.returncode:
        sys.exit(f"the command did not succeed: {ended.stderr.decode()[-500:]}")
    return time.perf_counter() - began


def verdict(is_met: bool) -> str:
    return "met" if is_met else "MISSED"


def main() -> None:
    parser = argparse.ArgumentParser(description="What a plan's node costs.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--loop", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()

    async def show_loop(bench: Workbench, _: Path) -> None:
        print(json.dumps(await loop_memory(bench, given.loop)))

    if given.loop:
        with_workbench(show_loop)
        return
    with_workbench(lambda bench, folder: overhead(bench, folder, given.rounds))
    with_workbench(side_by_side)
    show_memory(given.items)
    with_workbench(at_the_command_line)
    with_workbench(whole_commands)
    with_workbench(one_worker_killed)


if __name__ == "__main__":
    main()
