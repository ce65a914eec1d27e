"""What many researches at once cost one server: seconds, memory, and events that never came.

    python benchmarks/research_load.py [--at-once 50]

The server is the real `sanbo up` in a process of its own, asked over HTTP; every research has a
reader of its own, who follows it live. Memory is the server's own, without the pages of the index
that the system maps from disk: before, at its most, and afterwards. Ends with 1 when a research
does not succeed or an event does not reach its reader.
"""

import argparse
import asyncio
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import httpx
import orjson
import psutil
from served import sanbo, served

MEBIBYTE = 1024 * 1024
COLLECTION = "bench"
SUBJECTS = (
    *("在宅勤務手当", "国内出張の日当", "宿泊料", "結婚祝金", "通勤手当", "住宅手当", "資格手当"),
    *("夜勤手当", "食事補助", "研修費", "転勤支度金", "永年勤続の報奨金", "健康診断の補助"),
    *("育児支援金", "慶弔見舞金", "携帯電話の補助"),
)


class Followed(NamedTuple):
    seconds: float
    events: int
    lost: int
    succeeded: bool


class Measured(NamedTuple):
    seconds: float
    processor_seconds: float
    before: float
    most: float
    after: float
    followed: list[Followed]


def main() -> None:
    parser = argparse.ArgumentParser(description="Many researches at once.")
    parser.add_argument("--at-once", type=int, default=50)
    many: int = parser.parse_args().at_once
    with tempfile.TemporaryDirectory() as place, _server(Path(place)) as (process, address):
        asyncio.run(_measured(process, address, 1))  # the first one loads what all need
        print(
            "at once   seconds   CPU s  median s  slowest s  MiB before   most  after  events  lost"
        )
        results = [asyncio.run(_measured(process, address, count)) for count in (1, many)]
    for result in results:
        _print(result)
    everything = [each for result in results for each in result.followed]
    if any(each.lost or not each.succeeded for each in everything):
        sys.exit("a research failed, or an event was lost")


def _print(result: Measured) -> None:
    took = sorted(each.seconds for each in result.followed)
    print(
        f"{len(took):7} {result.seconds:9.2f} {result.processor_seconds:7.2f}"
        f" {took[len(took) // 2]:9.2f} {took[-1]:10.2f}"
        f" {result.before:11.0f} {result.most:6.0f} {result.after:6.0f}"
        f" {sum(each.events for each in result.followed):7}"
        f" {sum(each.lost for each in result.followed):5}"
    )


@contextlib.contextmanager
def _server(place: Path) -> Generator[tuple[psutil.Process, str]]:
    documents = place / "documents"
    documents.mkdir()
    for number, subject in enumerate(SUBJECTS * 10):
        text = f"第{number + 1}条 {subject}は、月額{1000 + 37 * number:,}円とする。"
        (documents / f"規程{number:03}.txt").write_text(text, "utf-8")
    workspace = place / "workspace"
    index = [*sanbo(workspace), "index", str(documents), "-c", COLLECTION]
    subprocess.run(index, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with served(workspace) as both:
        yield both


async def _measured(process: psutil.Process, address: str, count: int) -> Measured:
    before, spent = _memory(process), _spent(process)
    most = before
    limits = httpx.Limits(max_connections=2 * count)
    began = time.perf_counter()
    async with httpx.AsyncClient(base_url=address, timeout=300, limits=limits) as client:
        asked = [asyncio.create_task(_research(client, number)) for number in range(count)]
        while not all(task.done() for task in asked):
            await asyncio.sleep(0.05)
            most = max(most, _memory(process))
        followed = [await task for task in asked]
    seconds = time.perf_counter() - began
    return Measured(seconds, _spent(process) - spent, before, most, _memory(process), followed)


async def _research(client: httpx.AsyncClient, number: int) -> Followed:
    began = time.perf_counter()
    question = f"{SUBJECTS[number % len(SUBJECTS)]}はいくらですか（照会{number}）"
    given = {"question": question, "collection": COLLECTION}
    started = await client.post("/api/v1/runs", json={"workflow": "research", "input": given})
    started.raise_for_status()
    run_id = started.json()["run_id"]
    seqs: list[int] = []
    async with client.stream("GET", f"/api/v1/runs/{run_id}/events") as stream:
        async for line in stream.aiter_lines():
            if line.startswith("id: "):
                seqs.append(int(line.removeprefix("id: ")))
    seconds = time.perf_counter() - began
    run = orjson.loads((await client.get(f"/api/v1/runs/{run_id}")).content)
    lost = len(set(range(1, run["last_seq"] + 1)) - set(seqs)) + (len(seqs) - len(set(seqs)))
    return Followed(seconds, len(seqs), lost, run["status"] == "succeeded")


def _memory(process: psutil.Process) -> float:
    held = process.memory_info()
    return (held.rss - getattr(held, "shared", 0)) / MEBIBYTE  # Linux tells files apart


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


if __name__ == "__main__":
    main()
