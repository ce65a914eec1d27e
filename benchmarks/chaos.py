"""Does a cluster lose anything? Processes are killed at random while mixed runs go through it.

    make chaos          (or: python benchmarks/chaos.py [--runs 500] [--minutes 10] [--seed 1])

PostgreSQL, an S3 server (moto), a Dask scheduler, three workers and two servers, each a process of
its own with a workspace of its own. Runs (plans with forms, plans with loops, research, comparison)
are begun and answered through both servers; every few seconds one of the processes gets `kill -9`
and is started again: workers, servers, the scheduler, PostgreSQL. Afterwards, of every run in the
database: it ended with the result that it has in peace; its journal has no gap; no step was
finished twice, or done again after it was finished; what a follower was shown is what the journal
has; every answer that was accepted is in the result. Ends with 1 where any of it does not hold.
Only processes that it has started itself are killed, by their ids.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import httpx
from botocore.session import Session
from plan_runner import plan
from small_cluster import Node, SmallCluster, free_ports

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.qdrant_server import QdrantServer

SAMPLES = Path(__file__).parents[1] / "src/sanbo/service/samples"
BUCKET = "chaos"
LEASE_SECONDS = 6
PATIENCE_SECONDS = 300
FOLLOWED = 40
QUESTIONS = (
    "通勤手当の上限はいくらですか",
    "宿泊費の上限はいくらですか",
    "在宅勤務の手当はいくらですか",
)
VICTIMS = {"worker": 10, "server": 5, "scheduler": 2, "postgres": 3}
"""How often each is chosen."""

SPEC = """\
id: chaos.step
version: 1.0.0
entrypoint: chaos.py:Step
inputs:
  value: {examples: [1]}
  seconds: {type: number, default: 0}
  ledger: {type: string, default: ""}
  name: {type: string, default: ""}
outputs:
  value: {examples: [1]}
"""
CODE = """\
import os
import time
from typing import Any

from sanbo.blocks.block import Block, BlockInputs


class Given(BlockInputs):
    value: Any = None
    seconds: float = 0
    ledger: str = ""
    name: str = ""


class Step(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        line = f"{time.time()} {given.name}\\n".encode()
        ledger = os.open(given.ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(ledger, line)
        os.close(ledger)
        time.sleep(given.seconds)
        return {"value": given.value}
"""


def write_block(workspace: Path) -> None:
    folder = workspace / "block_specs"
    folder.mkdir(parents=True)
    (folder / "chaos.py").write_text(CODE, "utf-8")
    (folder / "step.yaml").write_text(SPEC, "utf-8")


# ---- runs, and what is right of them --------------------------------------------------------


@dataclass
class Wanted:
    kind: str
    token: str
    """In every step's name, so that the ledger's lines can be told apart."""
    is_answered: bool = False
    seen: dict[int, str] = field(default_factory=dict[int, str])
    """What a follower was shown, by number."""


def a_form(token: str, ledger: str) -> Any:
    graph = [
        _step("before", token, ledger, 0.3, value=1),
        {
            "id": "ask",
            "block": "ui.interactive_input",
            "after": ["before"],
            "in": {
                "mode": "collect",
                "message": "?",
                "requirements": [{"id": "word", "type": "text", "label": "word"}],
            },
        },
        _step("then", token, ledger, 0.3, value="${ask.collected_data.word}"),
        *(_step(f"side{n}", token, ledger, 0.2, value=n) for n in range(3)),
    ]
    return plan(graph, exports=[{"from": "then.value", "as": "word"}])


def a_loop(token: str, ledger: str) -> Any:
    inner: Any = {
        "graph": [
            {
                "id": "one",
                "block": "chaos.step",
                "in": {
                    "value": "${vars.item}",
                    "seconds": 0.15,
                    "ledger": ledger,
                    "name": f"{token}/each/${{vars.item}}",
                },
            }
        ],
        "exports": [{"from": "one.value", "as": "value"}],
    }
    loop: Any = {
        "id": "each",
        "type": "loop",
        "foreach": {"input": "${vars.items}", "itemVar": "item", "max_concurrency": 4},
        "body": {"plan": inner},
        "out": {"collect": ["value"]},
    }
    made = plan([loop], exports=[{"from": "each.value", "as": "values"}])
    return {**made, "vars": {"items": list(range(12))}}


def _step(name: str, token: str, ledger: str, seconds: float, value: Any) -> Any:
    given = {"value": value, "seconds": seconds, "ledger": ledger, "name": f"{token}/{name}"}
    return {"id": name, "block": "chaos.step", "in": given}


# ---- the driver -----------------------------------------------------------------------------


class Driver:
    """Does as people do, through any server, and tries again where one does not answer."""

    def __init__(self, cluster: SmallCluster, chance: random.Random, ledger: Path) -> None:
        self.cluster = cluster
        self.chance = chance
        self.ledger = ledger
        self.runs: dict[str, Wanted] = {}
        self.refused: Counter[str] = Counter()
        limits = httpx.Limits(max_connections=200)
        self.client = httpx.AsyncClient(timeout=20, limits=limits)

    async def ask(
        self, method: str, path: str, *, again: bool = True, **more: Any
    ) -> httpx.Response:
        """`again`: also where nobody knows whether it was done."""
        while True:
            url = self.chance.choice(self.cluster.urls)
            try:
                answer = await self.client.request(method, f"{url}/api/v1{path}", **more)
            except httpx.TransportError as error:
                self.refused[type(error).__name__] += 1
                if not again and not isinstance(error, httpx.ConnectError):
                    raise
            else:
                if answer.status_code not in (500, 502, 503, 504):
                    return answer
                self.refused[str(answer.status_code)] += 1
                if answer.status_code == 500:
                    print("  500:", answer.text[:300])
            await asyncio.sleep(0.5)

    async def upload(self, path: Path) -> Any:
        url = "/files"
        answer = await self.ask("POST", url, content=path.read_bytes(), params={"name": path.name})
        return answer.raise_for_status().json()

    async def begin(self, kind: str, token: str) -> str | None:
        """None where nobody knows whether it has begun: if so, it is looked at with the others."""
        ledger = str(self.ledger)
        workflow, given = kind.partition("-")[0], {}
        match kind:
            case "plan-form":
                given = {"source": {"plan": {"text": json.dumps(a_form(token, ledger))}}}
            case "plan-loop":
                given = {"source": {"plan": {"text": json.dumps(a_loop(token, ledger))}}}
            case "research":
                number = int(token.rpartition("-")[2])
                given = {"question": QUESTIONS[number % len(QUESTIONS)], "collection": "rules"}
            case _:
                old, new = [
                    await self.upload(SAMPLES / f"contract_{each}.md") for each in ("old", "new")
                ]
                given = {"old": [old], "new": [new]}
        body = {"workflow": workflow, "input": given}
        try:
            answer = await self.ask("POST", "/runs", again=False, json=body)
        except httpx.TransportError:
            return None
        if answer.is_error:
            sys.exit(f"{kind} was refused: {answer.text}")
        run_id = answer.json()["run_id"]
        self.runs[run_id] = Wanted(kind, token)
        return run_id

    async def run(self, run_id: str) -> Any:
        return (await self.ask("GET", f"/runs/{run_id}")).raise_for_status().json()

    async def journal(self, run_id: str) -> list[Any]:
        text = (await self.ask("GET", f"/runs/{run_id}/journal")).raise_for_status().text
        return [json.loads(line) for line in text.splitlines()]

    async def see_to(self, run_id: str) -> Any:
        """Until it has ended; whoever is asked answers."""
        wanted = self.runs[run_id]
        while True:
            run = await self.run(run_id)
            if run["status"] in ("succeeded", "failed", "cancelled"):
                return run
            if run["status"] == "waiting" and run["open_interactions"]:
                answer = await self.ask(
                    "POST", f"/runs/{run_id}/answer", json={"word": wanted.token}
                )
                # 409: the answer before it was taken, though nobody could say so.
                wanted.is_answered = wanted.is_answered or answer.status_code in (200, 409)
            await asyncio.sleep(self.chance.uniform(0.3, 1.0))

    async def follow(self, run_id: str) -> None:
        """As a browser does: on another server, from where it was, where the stream breaks off."""
        seen = self.runs[run_id].seen
        while True:
            url = self.chance.choice(self.cluster.urls)
            address = f"{url}/api/v1/runs/{run_id}/events?after={max(seen, default=0)}"
            with suppress(httpx.TransportError):
                async with self.client.stream("GET", address, timeout=None) as stream:
                    if stream.status_code == 204:
                        return
                    number = 0
                    async for line in stream.aiter_lines():
                        if line.startswith("id: "):
                            number = int(line[4:])
                        elif line.startswith("data: ") and number:
                            seen[number] = line[6:]
                            number = 0
            await asyncio.sleep(0.5)


# ---- trouble --------------------------------------------------------------------------------


class Chaos:
    def __init__(self, cluster: SmallCluster, chance: random.Random) -> None:
        self.cluster = cluster
        self.chance = chance
        self.kills: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        """By itself: one that was started while there was no database."""

    async def go_on(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            await asyncio.sleep(self.chance.uniform(3, 9))
            victim = self.chance.choices(list(VICTIMS), list(VICTIMS.values()))[0]
            self.kills[victim] += 1
            if victim == "postgres":
                await asyncio.to_thread(self.cluster.restart_postgres)
                continue
            node = self._node(victim)
            await asyncio.to_thread(node.kill)
            await asyncio.sleep(self.chance.uniform(0, 4))
            node.start()

    def _node(self, victim: str) -> Node:
        match victim:
            case "worker":
                return self.chance.choice(self.cluster.workers)
            case "server":
                return self.chance.choice(self.cluster.servers)
            case _:
                return self.cluster.scheduler


async def keep_up(cluster: SmallCluster, chaos: Chaos) -> None:
    """What a service manager does: a process that gave up, say without a database, starts again."""
    while True:
        await asyncio.sleep(2)
        for node in cluster.nodes:
            if not node.is_alive:
                await asyncio.sleep(6)  # longer than those who were killed are left alone
                if not node.is_alive:
                    chaos.ended[node.name] += 1
                    node.start()


# ---- what is left ---------------------------------------------------------------------------


class Audit:
    def __init__(
        self, driver: Driver, right: dict[str, Any], finished: dict[str, Counter[str]]
    ) -> None:
        self.driver = driver
        self.right = right
        self.finished = finished
        self.faults: list[str] = []
        self.executed: dict[str, list[float]] = {}
        for line in driver.ledger.read_text("utf-8").splitlines():
            at, _, name = line.partition(" ")
            self.executed.setdefault(name, []).append(float(at))
        self.repeated = 0
        """Steps that were begun again because whoever had begun them was killed."""

    async def all_runs(self) -> None:
        before, found = "", 0
        while True:
            page = f"/runs?limit=200{f'&before={before}' if before else ''}"
            runs = (await self.driver.ask("GET", page)).raise_for_status().json()["runs"]
            if not runs:
                break
            before = runs[-1]["run_id"]
            for each in runs:
                found += 1
                await self.one(each["run_id"])
        unknown = found - len(self.driver.runs)
        print(f"{found} runs in the database, {unknown} of them begun without an answer")

    async def one(self, run_id: str) -> None:
        run = await self.driver.run(run_id)
        wanted = self.driver.runs.get(run_id)
        journal = await self.driver.journal(run_id)
        self._journal(run_id, run, journal, wanted)
        if wanted is None:  # begun, though nobody was told: it must have ended or wait
            if run["status"] not in ("succeeded", "waiting"):
                self.faults.append(f"{run_id} (nobody was told of it): {run['status']}")
            return
        if run["status"] != "succeeded":
            self.faults.append(f"{run_id} {wanted.kind}: {run['status']} {run.get('problem')}")
            return
        if (result := outcome(run, wanted)) != self.right[kind_of(wanted)]:
            self.faults.append(f"{run_id} {wanted.kind}: another result {str(result)[:300]}")
        if wanted.kind == "plan-form" and not wanted.is_answered:
            self.faults.append(f"{run_id}: ended without the answer")
        stored = {event["seq"]: event for event in journal}
        for number, shown in wanted.seen.items():
            if number not in stored or kind_told(json.loads(shown)) != kind_told(stored[number]):
                self.faults.append(f"{run_id}: a follower saw event {number}, the journal has not")
        if wanted.seen and sorted(wanted.seen) != list(range(1, len(journal) + 1)):
            missing = set(range(1, len(journal) + 1)) - wanted.seen.keys()
            self.faults.append(f"{run_id}: a follower missed {sorted(missing)[:5]}")
        self._steps(run_id, wanted, journal)

    def _journal(self, run_id: str, run: Any, journal: list[Any], wanted: Wanted | None) -> None:
        numbers = [event["seq"] for event in journal]
        if numbers != list(range(1, run["last_seq"] + 1)):
            self.faults.append(f"{run_id}: the journal has a gap")
        often = self.finished.get(kind_of(wanted), Counter()) if wanted else Counter[str]()
        for path, times in finished_in(journal).items():
            # Research looks again and again: as often as in peace.
            if times > max(1, often[path]):
                self.faults.append(f"{run_id}: {path} was finished {times} times")

    def _steps(self, run_id: str, wanted: Wanted, journal: list[Any]) -> None:
        """Nothing that the journal has as finished was done again later."""
        if not wanted.kind.startswith("plan"):
            return
        for event in journal:
            match event["path"]:
                case [str(node)] if node not in ("ask", "each"):
                    name = f"{wanted.token}/{node}"
                case ["each", str(item), "one"]:
                    name = f"{wanted.token}/each/{item.removeprefix('#')}"
                case _:
                    continue
            if kind_told(event) != "node_complete":
                continue
            begun = self.executed.get(name, [])
            if not begun:
                self.faults.append(f"{run_id}: {name} is finished and was never done")
            self.repeated += max(0, len(begun) - 1)
            ended = _moment(event["time"])
            if any(at > ended for at in begun):
                self.faults.append(f"{run_id}: {name} was done again after it was finished")


def finished_in(journal: list[Any]) -> Counter[str]:
    """How often each step was finished."""
    return Counter("/".join(each["path"]) for each in journal if kind_told(each) == "node_complete")


def kind_told(event: Any) -> str:
    return event.get("event") or event["payload"]["event"]


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def kind_of(wanted: Wanted) -> str:
    if wanted.kind != "research":
        return wanted.kind
    return f"research {int(wanted.token.rpartition('-')[2]) % len(QUESTIONS)}"


def outcome(run: Any, wanted: Wanted) -> Any:
    """What must be the same whenever it is done."""
    result: dict[str, Any] = run["result"] or {}
    if wanted.kind.startswith("plan"):
        return json.loads(json.dumps(result.get("exports")).replace(wanted.token, "TOKEN"))
    return _steady(result)


def _steady(value: Any) -> Any:
    """Without what is of this run alone: ids and times."""
    if isinstance(value, dict):
        gone = ("run_id", "session", "artifact_id", "file_id", "duration_ms", "cached")
        pairs = cast("dict[str, Any]", value).items()
        return {name: _steady(each) for name, each in pairs if name not in gone}
    if isinstance(value, str):  # what a worker that was killed had searched for already
        return value.replace(" ※同じセッションの検索結果を再利用", "")
    if isinstance(value, list):
        return [_steady(each) for each in cast("list[Any]", value)]
    return value


# ---- all of it ------------------------------------------------------------------------------


KINDS = ("plan-form", "plan-loop", "plan-form", "research", "comparison")


async def drive(cluster: SmallCluster, given: argparse.Namespace, folder: Path) -> bool:
    chance = random.Random(given.seed)
    driver = Driver(cluster, chance, folder / "ledger")
    files = [await driver.upload(each) for each in sorted((SAMPLES / "office_rules").glob("*.md"))]
    indexed = await driver.ask("POST", "/collections/rules/documents", json={"files": files})
    indexed.raise_for_status()
    right: dict[str, Any] = {}
    finished: dict[str, Counter[str]] = {}
    every = [(kind, 0) for kind in dict.fromkeys(KINDS) if kind != "research"]
    for kind, number in [*every, *(("research", number) for number in range(len(QUESTIONS)))]:
        run_id = await driver.begin(kind, f"peace-{number}")
        assert run_id is not None
        run, wanted = await driver.see_to(run_id), driver.runs[run_id]
        if run["status"] != "succeeded":
            sys.exit(f"in peace: {kind} has {run['status']}: {run['problem']}")
        right[kind_of(wanted)] = outcome(run, wanted)
        finished[kind_of(wanted)] = finished_in(await driver.journal(run_id))
    print(f"in peace: {len(right)} kinds of runs have their results", flush=True)
    seconds = given.minutes * 60
    chaos = Chaos(cluster, chance)
    watching = asyncio.create_task(keep_up(cluster, chaos))
    trouble = asyncio.create_task(chaos.go_on(seconds))
    tasks: list[asyncio.Task[Any]] = []
    began = time.monotonic()
    for number in range(given.runs):
        kind = KINDS[number % len(KINDS)]
        run_id = await driver.begin(kind, f"{kind}-{number}")
        if run_id is not None:
            tasks.append(asyncio.create_task(driver.see_to(run_id)))
            if number % max(1, given.runs // FOLLOWED) == 0:
                tasks.append(asyncio.create_task(driver.follow(run_id)))
        pause = began + seconds * 0.9 * (number + 1) / given.runs - time.monotonic()
        await asyncio.sleep(max(0.0, pause))
    print(f"{given.runs} runs begun, kills so far: {dict(chaos.kills)}", flush=True)
    await trouble
    _, late = await asyncio.wait(tasks, timeout=PATIENCE_SECONDS)
    watching.cancel()
    for each in late:
        each.cancel()
    print(f"killed: {dict(chaos.kills)}; refused meanwhile: {dict(driver.refused)}")
    print(f"ended by themselves and started again: {dict(chaos.ended)}")
    print(f"after {time.monotonic() - began:.0f} s, {len(late)} have not ended")
    audit = Audit(driver, right, finished)
    await audit.all_runs()
    print(f"steps that were begun again because their process was killed: {audit.repeated}")
    for fault in audit.faults[:40]:
        print("  FAULT", fault)
    kinds = Counter(each.kind for each in driver.runs.values())
    print(f"{dict(kinds)}: {len(audit.faults)} faults")
    return not late and not audit.faults


@asynccontextmanager
async def s3(folder: Path) -> AsyncGenerator[dict[str, str]]:
    """A process of its own; what is in the environment to use it."""
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    node = Node("s3", command, folder / "s3.log", {})
    node.start()
    environment = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "CHAOSKEYID0123456789",
        "AWS_SECRET_ACCESS_KEY": "a-secret-of-nobody",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }
    try:
        await _until(lambda: httpx.get(environment["AWS_ENDPOINT_URL"], timeout=2).is_success)
        session: Any = Session()
        session.create_client(
            "s3",
            region_name="us-east-1",
            endpoint_url=environment["AWS_ENDPOINT_URL"],
            aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        ).create_bucket(Bucket=BUCKET)
        yield {**environment, "SANBO_STORAGE__BLOBS": f"s3://{BUCKET}/files"}
    finally:
        node.kill()


async def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(httpx.TransportError):
            if holds():
                return
        await asyncio.sleep(0.2)
    sys.exit("a server did not start")


async def run(given: argparse.Namespace, folder: Path) -> bool:
    async with s3(folder) as environment:
        with QdrantServer() as qdrant:
            environment |= {
                "SANBO_RETRIEVAL__ENGINE": "qdrant",
                "QDRANT_URL": qdrant.address,
                "QDRANT_API_KEY": qdrant.api_key,
                "SANBO_RUNS__LEASE_SECONDS": str(LEASE_SECONDS),
            }
            cluster = SmallCluster(
                folder,
                workers=3,
                servers=2,
                places=8,
                environment=environment,
                prepare=write_block,
            )
            try:
                await asyncio.to_thread(cluster.start)
                return await drive(cluster, given, folder)
            finally:
                await asyncio.to_thread(cluster.close)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for logs, which stays")
    given = parser.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
        sys.exit(not asyncio.run(run(given, given.keep)))
    with tempfile.TemporaryDirectory(prefix="sanbo-chaos-") as name:
        sys.exit(not asyncio.run(run(given, Path(name))))


if __name__ == "__main__":
    main()
