"""Large files through the API: how fast they come and go, and how much memory the server takes.

    python benchmarks/blobs.py [--megabytes 2048]

Once with files in the workspace's folder, once in an object store (an S3 server on loopback, in a
process of its own). A file is uploaded, given to a run, and downloaded as that run's artifact; its
hash is compared. Then an upload is broken off, and the server is killed in the middle of another:
what is left of both is counted. Ends with 1 when a target is missed.
"""

import argparse
import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import httpx
import psutil
from botocore.session import Session
from pydantic import BaseModel
from typing_extensions import override

from sanbo.runs.model import Artifact, ArtifactMade, FileRef
from sanbo.runs.workflow import Finished, RunContext, Workflow
from sanbo.server import serve
from sanbo.settings import load_settings

BUCKET = "sanbo-benchmark"
MOST_MORE_MB = 200
"""Memory that a server may take more while a file passes through it, however large."""
PIECE = os.urandom(1 << 20)


class Given(BaseModel):
    file: FileRef


class Nothing(BaseModel):
    pass


class Handing(Workflow[Given, Nothing]):
    """Offers what it was given."""

    name = "handing"
    titles: ClassVar = {"ja": "受け渡し", "en": "Handing on"}
    descriptions: ClassVar = {"ja": "受け渡し", "en": "Handing on"}
    input_model = Given
    result_model = Nothing

    @override
    async def advance(self, context: RunContext[Given]) -> Finished[Nothing]:
        file = context.input.file
        artifact = Artifact(
            artifact_id=file.file_id, name=file.name, media_type=file.media_type, size=file.size
        )
        await context.record(ArtifactMade(artifact=artifact))
        return Finished(Nothing())


@contextmanager
def served(workspace: Path, environment: dict[str, str]) -> Generator[tuple[psutil.Process, str]]:
    command = [sys.executable, __file__, "--serve", str(workspace)]
    settings = {"SANBO_LLM__PROVIDER": "rules", "SANBO_SERVER__MAX_UPLOAD_MB": "100000"}
    with psutil.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **settings, **environment}
    ) as process:
        try:
            lines = process.stdout or ()
            addresses = (re.search(r"http://[\d.]+:\d+", line) for line in lines)
            found = next((each for each in addresses if each), None)
            if found is None:
                sys.exit("the server did not start")
            yield process, found[0]
        finally:
            with suppress(psutil.NoSuchProcess):
                process.terminate()


@contextmanager
def s3_server() -> Generator[dict[str, str]]:
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            found = None
            while found is None:
                found = re.search(r"http://127.0.0.1:\d+", (process.stderr or sys.stdin).readline())
            threading.Thread(target=lambda: list(process.stderr or ()), daemon=True).start()
            yield {
                "AWS_ENDPOINT_URL": found[0],
                "AWS_ACCESS_KEY_ID": "benchmark",
                "AWS_SECRET_ACCESS_KEY": "benchmark",
                "AWS_REGION": "us-east-1",
                "AWS_ALLOW_HTTP": "true",
                "SANBO_STORAGE__BLOBS": f"s3://{BUCKET}/files",
            }
        finally:
            process.terminate()


class Memory:
    """The most that a process had while the block lasted."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self.before = self.most = 0.0
        self._ended = threading.Event()

    def __enter__(self) -> "Memory":
        self.before = self.most = self._now()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _now(self) -> float:
        return self._process.memory_info().rss / (1 << 20)

    def _look(self) -> None:
        while not self._ended.wait(0.05):
            self.most = max(self.most, self._now())


def pieces(megabytes: int) -> Iterator[bytes]:
    for number in range(megabytes):
        yield number.to_bytes(8) + PIECE[8:]


def hash_of(megabytes: int) -> str:
    digest = hashlib.sha256()
    for piece in pieces(megabytes):
        digest.update(piece)
    return digest.hexdigest()


def told(name: str, seconds: float, megabytes: int, memory: Memory) -> float:
    more = memory.most - memory.before
    rate = f"{megabytes / seconds:7.0f} MB/s"
    print(f"  {name:<10} {rate}   server {memory.before:.0f} MB, at most {more:+.0f} MB")
    return more


def through(url: str, process: psutil.Process, megabytes: int) -> bool:
    with httpx.Client(base_url=url, timeout=3600) as client:
        began = time.monotonic()
        with Memory(process) as memory:
            sent = client.post("/api/v1/files?name=large.bin", content=pieces(megabytes))
        sent.raise_for_status()
        up = told("upload", time.monotonic() - began, megabytes, memory)
        body = {"workflow": "handing", "input": {"file": sent.json()}}
        run = client.post("/api/v1/runs", json=body).json()["run_id"]
        address = f"/api/v1/runs/{run}"
        while client.get(address).json()["status"] not in ("succeeded", "failed"):
            time.sleep(0.1)
        digest = hashlib.sha256()
        began = time.monotonic()
        with (
            Memory(process) as memory,
            client.stream("GET", f"{address}/artifacts/{sent.json()['file_id']}") as answer,
        ):
            for piece in answer.iter_raw():
                digest.update(piece)
        down = told("download", time.monotonic() - began, megabytes, memory)
        is_same = digest.hexdigest() == hash_of(megabytes) == sent.json()["file_id"]
        print(f"  hash       {'the same' if is_same else 'ANOTHER'}")
        return is_same and max(up, down) < MOST_MORE_MB


def broken_off(url: str, megabytes: int, killed: psutil.Process | None = None) -> None:
    def some() -> Iterator[bytes]:
        yield from pieces(megabytes)
        if killed is not None:
            killed.send_signal(signal.SIGKILL)
        raise ConnectionAbortedError

    with suppress(ConnectionAbortedError, httpx.HTTPError), httpx.Client(timeout=60) as client:
        client.post(f"{url}/api/v1/files?name=broken.bin", content=some())


def left(workspace: Path) -> float:
    files = (each for each in workspace.rglob("incoming/*/*") if each.is_file())
    return sum(each.stat().st_size for each in files) / (1 << 20)


def measure(workspace: Path, environment: dict[str, str], megabytes: int) -> bool:
    with served(workspace, environment) as (process, url):
        is_well = through(url, process, megabytes)
        broken_off(url, 64)
        time.sleep(1)
        after_break = left(workspace)
        broken_off(url, 64, killed=process)
        process.wait()
    after_kill = left(workspace)
    with served(workspace, environment):
        time.sleep(1)
        after_start = left(workspace)
    print(f"  left of an upload that broke off: {after_break:.0f} MB")
    print(
        f"  left of one when the server was killed: {after_kill:.0f} MB, then {after_start:.0f} MB"
    )
    return is_well and after_break == after_start == 0


def unfinished(environment: dict[str, str]) -> int:
    client: Any = s3_client(environment)
    return len(client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ()))


def s3_client(environment: dict[str, str]) -> Any:
    session: Any = Session()
    return session.create_client(
        "s3",
        region_name="us-east-1",
        endpoint_url=environment["AWS_ENDPOINT_URL"],
        aws_access_key_id="benchmark",
        aws_secret_access_key="benchmark",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=2048)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        settings = load_settings(given.serve)
        port = settings.server.model_copy(update={"port": 0})
        serve(settings.model_copy(update={"server": port}), [Handing()])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        print(f"{given.megabytes} MB, in the workspace's folder")
        is_well = measure(Path(folder) / "a", {}, given.megabytes)
        print(f"{given.megabytes} MB, in an object store")
        with s3_server() as environment:
            s3_client(environment).create_bucket(Bucket=BUCKET)
            is_well &= measure(Path(folder) / "b", environment, given.megabytes)
            parts = unfinished(environment)
            print(f"  uploads in parts that were not finished: {parts}")
    return 0 if is_well and parts == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
