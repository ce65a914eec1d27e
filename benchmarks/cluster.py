"""What a cluster gives, and what it costs to place work on it.

    python benchmarks/cluster.py [--waiting 8]

PostgreSQL, a Dask scheduler, workers (`sanbo cluster worker`) and a server (`sanbo up --cluster`),
all real processes on this machine. Printed: how long it takes until a worker has a segment (from
the server's metrics); how many items of a loop that compute, and how many runs that wait, get done
a second by one worker and by several. Ends with 1 when a target is missed or a run fails.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from plan_runner import chain, foreach, node, plan
from small_cluster import SmallCluster, small_cluster

TARGET_PLACEMENT_MS = 5.0
TARGET_COMPUTING = 1.7
TARGET_WAITING = 6.0
WORK_SECONDS = 1.0
WAIT_SECONDS = 2.0
PLACES = 2


def start(url: str, made: Any) -> str:
    given = {"source": {"plan": {"text": json.dumps(made)}}}
    answer = httpx.post(f"{url}/api/v1/runs", json={"workflow": "plan", "input": given}, timeout=60)
    return answer.raise_for_status().json()["run_id"]


def finish(url: str, run_ids: list[str]) -> None:
    time.sleep(0.3)  # who asks again and again keeps the server busy
    for run_id in run_ids:
        while True:
            run = httpx.get(f"{url}/api/v1/runs/{run_id}", timeout=60).raise_for_status().json()
            if run["status"] == "succeeded":
                break
            if run["status"] in ("failed", "cancelled"):
                sys.exit(f"{run_id} has {run['status']}: {run['problem']}")
            time.sleep(0.5)


def placement(cluster: SmallCluster, runs: int) -> float:
    """In ms, at the median: the bound of the part of the histogram in which it lies."""
    url = cluster.urls[0]
    for _ in range(runs):  # one after the other: nobody waits for a place
        finish(url, [start(url, chain(1))])
    text = httpx.get(f"{url}/metrics", timeout=30).raise_for_status().text
    found = re.findall(r'sanbo_placement_seconds_bucket\{le="([\d.]+)"\} (\d+)', text)
    total = int(re.findall(r"sanbo_placement_seconds_count (\d+)", text)[0])
    for bound, count in found:
        print(f"  at most {float(bound) * 1000:7.1f} ms: {int(count) / total:6.1%}")
    return next(float(bound) * 1000 for bound, count in found if int(count) * 2 >= total)


def computing(cluster: SmallCluster, items: int) -> float:
    """Items a second of a loop whose blocks keep a core busy."""
    url = cluster.urls[0]
    began = time.monotonic()
    finish(url, [start(url, foreach(items, 8, block="Work", seconds=WORK_SECONDS))])
    return items / (time.monotonic() - began)


def waiting(cluster: SmallCluster, runs: int) -> float:
    """Runs a second whose one step waits."""
    url = cluster.urls[0]
    began = time.monotonic()
    made = plan([node("waits", block="Sleep", value=1, seconds=WAIT_SECONDS)])
    with ThreadPoolExecutor(8) as people:
        begun = list(people.map(partial(start, url), [made] * runs))
    finish(url, begun)
    return runs / (time.monotonic() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waiting", type=int, default=8)
    given = parser.parse_args()
    missed = False

    def compare(what: str, one: float, many: float, workers: int, target: float) -> None:
        nonlocal missed
        missed |= many / one < target
        print(
            f"{what}: {one:.2f} a second with 1 worker, {many:.2f} with {workers}:"
            f" {many / one:.2f} × (≥ {target} wanted)"
        )

    with tempfile.TemporaryDirectory(prefix="sanbo-cluster-") as name:
        made = SmallCluster(Path(name), workers=given.waiting, servers=1, places=PLACES)
        everyone = made.workers
        made.workers = everyone[:1]
        with small_cluster(made) as cluster:
            placement(cluster, 5)  # what is loaded at first use
            print("until a worker has a segment:")
            median = placement(cluster, 60)
            missed |= median > TARGET_PLACEMENT_MS
            computing(cluster, 2)
            alone = computing(cluster, 16)
            waits_alone = waiting(cluster, PLACES * 8)
            made.workers = everyone
            for each in everyone[1:2]:
                each.start()
            cluster.await_workers(2)
            computing(cluster, 4)
            compare("items that compute", alone, computing(cluster, 20), 2, TARGET_COMPUTING)
            for each in everyone[2:]:
                each.start()
            cluster.await_workers(given.waiting)
            runs = PLACES * 8 * given.waiting
            compare("runs that wait", waits_alone, waiting(cluster, runs), given.waiting, 6.0)
    print(f"placement: at most {median:g} ms at the median (< {TARGET_PLACEMENT_MS:g} wanted)")
    sys.exit(missed)


if __name__ == "__main__":
    main()
